"""A weather agent on Python's standard library: a small JSON API over a rule-based "model" and two tools.

    python3 agent.py --port 8000
    curl -d '{"message": "What is the weather in London?"}' http://127.0.0.1:8000/chat

It keeps nothing: whoever talks to it sends back the `state` of the last answer. The environment variable
WEATHER_BREAK breaks it on purpose, in ways that README.md lists.
"""

import argparse
import json
import os
import re
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]

BREAK = set(filter(None, os.environ.get("WEATHER_BREAK", "").split(",")))
SWITCHES = (
    *("skips-tool", "wrong-city", "loops", "forgets-state"),
    *("crashes", "exits", "hangs", "throttled", "quota"),
)
if unknown := BREAK.difference(SWITCHES):
    sys.exit(f"WEATHER_BREAK has no switch {', '.join(sorted(unknown))}; it has: {', '.join(SWITCHES)}")

# City: degrees Celsius and sky, today and on the days after.
WEATHER = {
    "Cairo": [(31, "clear"), (32, "clear"), (33, "hazy"), (31, "clear")],
    "Lima": [(19, "misty"), (18, "rainy"), (20, "cloudy"), (21, "sunny")],
    "London": [(14, "cloudy"), (13, "rainy"), (15, "cloudy"), (16, "sunny")],
    "Madrid": [(25, "sunny"), (27, "sunny"), (28, "clear"), (26, "cloudy")],
    "Oslo": [(8, "windy"), (6, "snowy"), (7, "cloudy"), (9, "sunny")],
    "Paris": [(18, "sunny"), (17, "cloudy"), (16, "rainy"), (19, "sunny")],
    "Rome": [(22, "sunny"), (23, "clear"), (21, "cloudy"), (22, "sunny")],
    "Tokyo": [(20, "cloudy"), (21, "sunny"), (23, "clear"), (19, "rainy")],
}


def get_weather(city: str) -> Json:
    """Tool: the weather of today."""
    if city not in WEATHER and "crashes" not in BREAK:
        return {"error": f"no data for {city}"}
    celsius, sky = WEATHER[city][0]
    return {"celsius": celsius, "sky": sky}


def get_forecast(city: str, days: int) -> Json:
    """Tool: the weather of the next days, tomorrow first."""
    if city not in WEATHER:
        return {"error": f"no data for {city}"}
    return {"days": [{"celsius": celsius, "sky": sky} for celsius, sky in WEATHER[city][1 : days + 1]]}


class Turn:
    """One message and all that becomes of it."""

    def __init__(self, message: str, state: Json) -> None:
        self.message, self.state = message, dict(state)
        self.calls: list[Json] = []
        self.results: list[Json] = []

    def call(self, name: str, **arguments: str | int) -> Json:
        """Call a tool, and keep what was asked and what came back."""
        call_id = f"call-{len(self.calls) + 1}"
        self.calls.append({"id": call_id, "name": name, "arguments": arguments})
        tools: dict[str, Callable[..., Json]] = {"get_weather": get_weather, "get_forecast": get_forecast}
        output = tools[name](**arguments)
        self.results.append({"call_id": call_id, "name": name, "output": output})
        return output

    def degrees(self, celsius: int) -> str:
        """A temperature in the unit that the user likes, or asks for in this message."""
        if self.state.get("units") == "fahrenheit" or "fahrenheit" in self.message.lower():
            return f"{celsius * 9 / 5 + 32:.0f} °F"
        return f"{celsius} °C"

    def answer(self) -> str:
        """The "model": a few rules that read the message."""
        text = self.message.lower()
        if re.search(r"\b(hi|hello|hey|thanks)\b", text):
            return "Hello! Ask me about the weather of a city, today or on the next days."
        if found := re.search(r"(-?\d+) ?°c in fahrenheit", text):
            return f"{found[1]} °C is {int(found[1]) * 9 / 5 + 32:.0f} °F."
        if found := re.search(r"i prefer (fahrenheit|celsius)", text):
            self.state["units"] = found[1]
            return f"I will use {found[1].title()}."
        cities = re.findall(r"\b(?:in|for|of|and|[Cc]ompare) ([A-Z][a-z]+)", self.message)
        cities = [city for city in cities if city not in ("Fahrenheit", "Celsius")]
        cities = cities or [city for city in [self.state.get("last_city")] if city]
        if not cities:
            return "Which city do you mean?"
        if "forgets-state" not in BREAK:
            self.state["last_city"] = cities[-1]
        days = self.days(text)
        return " ".join(self.forecast(city, days) if days else self.today(city) for city in cities)

    def days(self, text: str) -> int:
        """How many days ahead the user looks: 0 is today, and at 23:30 "in 2 hours" is tomorrow."""
        if found := re.search(r"next (\d+) days", text):
            return int(found[1])
        if found := re.search(r"in (\d+) hours?", text):
            hour = int(self.state.get("clock", "12:00").split(":")[0]) + int(found[1])
            if hour >= 24 and "exits" in BREAK:
                print("fatal: hour must be in 0..23", file=sys.stderr, flush=True)
                os._exit(3)
            return hour // 24
        return 1 if "tomorrow" in text else 0

    def today(self, city: str) -> str:
        if city == "London" and "skips-tool" in BREAK:
            return "It is 14 °C and cloudy in London."
        asked = "Lima" if city == "Cairo" and "wrong-city" in BREAK else city
        found = self.call("get_weather", city=asked)
        if "error" in found:
            return f"I have no data for {city}."
        return f"It is {self.degrees(found['celsius'])} and {found['sky']} in {city}."

    def forecast(self, city: str, days: int) -> str:
        found = self.call("get_forecast", city=city, days=days)
        if city == "Tokyo" and "loops" in BREAK:
            for _ in range(5):
                self.call("get_forecast", city=city, days=days)
        if "error" in found:
            return f"I have no data for {city}."
        ahead = ", then ".join(f"{self.degrees(day['celsius'])} and {day['sky']}" for day in found["days"])
        return f"From tomorrow in {city}: {ahead}."

    def reply(self) -> Json:
        """What POST /chat answers."""
        text = self.answer()
        usage = {"input_tokens": len(self.message.split()), "output_tokens": len(text.split())}
        return {
            "reply": text,
            "tool_calls": self.calls,
            "tool_results": self.results,
            "state": self.state,
            "usage": usage,
            "nodes": ["understand", "look_up", "answer"] if self.calls else ["understand", "answer"],
        }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two writes: without it every answer waits 40 ms

    def do_GET(self) -> None:
        self.send(200 if self.path == "/health" else 404, {"status": "ok"})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        message = asked["message"]
        if "hangs" in BREAK and "Paris" in message:
            threading.Event().wait()
        if "throttled" in BREAK and ("Oslo" in message or "Madrid" in message):
            return self.send(429, {"error": "too many requests"}, {"retry-after": "0"})
        if "quota" in BREAK and message.startswith("Hi"):
            nothing = {"input_tokens": 0, "output_tokens": 0}
            return self.send(200, {"reply": "429 RESOURCE_EXHAUSTED: quota exceeded.", "usage": nothing})
        try:
            return self.send(200, Turn(message, asked.get("state") or {}).reply())
        except KeyError as error:
            return self.send(500, {"error": f"KeyError: {error}"})

    def send(self, status: int, body: Json, headers: Json | None = None) -> None:
        data = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": len(data)}.items():
            self.send_header(name, str(value))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """One line a request would drown what matters."""


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # the usual 5 makes a burst of clients wait for a second


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A weather agent.")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 in a container")
    host, port = parser.parse_args().host, parser.parse_args().port
    broken = ", ".join(sorted(BREAK)) or "nothing"
    print(f"weather agent on http://{host}:{port}, broken: {broken}", flush=True)
    Server((host, port), Handler).serve_forever()
