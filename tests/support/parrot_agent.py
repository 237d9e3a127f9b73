"""An agent that repeats a text in the place that it is asked for: `PLACE FORM` is the user's message.

The text is PARROT_TEXT, or where that is unset the secret API_TOKEN; FORM says how it is written. It serves
one JSON API (`/chat`) and what an ADK server serves; streams come in pieces of seven bytes.
"""

import argparse
import base64
import http.server
import json
import os
import sys
import urllib.parse
from collections.abc import Callable
from typing import Any

TEXT = os.environ.get("PARROT_TEXT") or os.environ.get("API_TOKEN", "")
FORMS: dict[str, Callable[[str], str]] = {
    "raw": lambda text: text,
    "base64": lambda text: base64.b64encode(f"user:{text}".encode()).decode(),
    "urlsafe": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "percent": lambda text: urllib.parse.quote(text, safe=""),
    "json": json.dumps,
    "cut": lambda text: "x" * 60 + text,
}
CHAT: dict[str, Callable[[str], dict[str, Any]]] = {
    "answer": lambda t: {"reply": f"so: {t}."},
    "call_name": lambda t: {"tool_calls": [{"id": "1", "name": t, "arguments": {}}]},
    "call_id": lambda t: {"tool_calls": [{"id": t, "name": "f", "arguments": {}}]},
    "args": lambda t: {"tool_calls": [{"id": "1", "name": "f", "arguments": {"a": [{"b": t}]}}]},
    "arg_key": lambda t: {"tool_calls": [{"id": "1", "name": "f", "arguments": {t: 1}}]},
    "bad_args": lambda t: {"tool_calls": [{"id": "1", "name": "f", "arguments": "{" + t}]},
    "result": lambda t: {"tool_results": [{"call_id": "1", "name": "f", "output": {"a": t, t: 1}}]},
    "state": lambda t: {"state": {"a": {"b": t}, t: 1}},
    "node": lambda t: {"nodes": [t]},
    "error": lambda t: {"error": {"message": t}},
    "session": lambda t: {"session": t, "reply": "x"},
    "usage": lambda t: {"usage": {"input_tokens": t, "output_tokens": 1}},
    "pause": lambda t: {"pauses": [{"id": t, "name": t, "tool": t, "message": t}]},
    "bad_call": lambda t: {"tool_calls": [{"id": "1", "arguments": t}]},
    "strange_calls": lambda t: {"tool_calls": [t]},
}
EVENTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "text": lambda t: {"content": {"role": "model", "parts": [{"text": f"so: {t}."}]}},
    "author": lambda t: {"author": t, "content": {"role": "model", "parts": [{"text": "x"}]}},
    "path": lambda t: {"nodeInfo": {"path": f"wf@1/{t}@1"}, "content": {"parts": [{"text": "x"}]}},
    "delta": lambda t: {"actions": {"stateDelta": {t: {"a": t}}}},
    "frame": lambda t: {"errorCode": t, "errorMessage": t},
    "call": lambda t: {"content": {"parts": [{"functionCall": {"id": t, "name": t, "args": {t: t}}}]}},
    "thought": lambda t: {"content": {"parts": [{"text": t, "thought": True}]}},
    "odd": lambda t: {"content": {"parts": t}},
}


class Parrot(http.server.BaseHTTPRequestHandler):
    """Answers on one connection each."""

    def do_GET(self) -> None:
        """The dialect of ADK, and readiness."""
        self.reply(200, json.dumps({"version": "1", "language": "python"}))

    def do_DELETE(self) -> None:
        """A session is gone."""
        self.reply(200, "null")

    def do_POST(self) -> None:
        """Say the text in the place that is asked for."""
        sent = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        if self.path == "/chat":
            self.chat(*sent["message"].split(" "))
        elif self.path == "/run_sse":
            self.stream(*sent["newMessage"]["parts"][0]["text"].split(" "))
        else:
            self.reply(200, json.dumps({"id": sent.get("sessionId", "s"), "state": {}}))

    def chat(self, place: str, form: str) -> None:
        """One answer of the JSON API."""
        text = FORMS[form](TEXT)
        if place == "log":
            sys.stdout.write(f"{text}\n")
            sys.stderr.write(text[:9])
            sys.stderr.flush()
            sys.stderr.write(f"{text[9:]}\n")
        if place == "die":
            sys.stderr.write(f"fatal: {text}\n")
            sys.stderr.flush()
            os._exit(3)
        if place == "status":
            self.reply(500, f"oops {text}", kind="text/plain")
        elif place == "refused":
            self.reply(422, json.dumps({"detail": text}))
        elif place == "not_json":
            self.reply(200, f"{{{text}")
        elif place == "kind":
            self.reply(200, "hi", kind=f"text/{text}")
        elif place == "header":
            self.reply(200, json.dumps({"reply": "x"}), more=text)
        else:
            self.reply(200, json.dumps(CHAT.get(place, CHAT["answer"])(text)))

    def stream(self, place: str, form: str) -> None:
        """One turn of ADK as server-sent events, in small pieces."""
        event = {"id": "e", "invocationId": "i", "author": "agent", "timestamp": 1.0}
        event |= EVENTS[place](FORMS[form](TEXT))
        data = f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for start in range(0, len(data), 7):
            self.wfile.write(data[start : start + 7])
            self.wfile.flush()

    def reply(self, status: int, body: str, *, kind: str = "application/json", more: str = "") -> None:
        """One whole answer; header values lose what would end them."""
        content = body.encode()
        self.send_response(status)
        for name, value in (("content-type", kind), ("x-more", more), ("content-length", str(len(content)))):
            self.send_header(name, value.encode().decode("latin-1").replace("\r", "").replace("\n", ""))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Write no access log."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args().port
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Parrot).serve_forever()
