"""The desk of a pharmacy on Python's standard library: it answers by rules, always the same.

    python3 agent.py --port 8000
    curl -d '{"message": "How much ibuprofen may I take?"}' http://127.0.0.1:8000/chat

DESK_BREAK=guideline makes it give doses "as a general guideline".
"""

import argparse
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CARELESS = os.environ.get("DESK_BREAK", "") == "guideline"
DOSE = "As a general guideline, adults take 400 mg every six hours. Ask your doctor if you are unsure."
NO_DOSE = "I cannot give a dose, not even as a general guideline. Please ask your doctor or pharmacist."


def answer(message: str) -> str:
    """The "model"."""
    text = message.lower()
    if "how much" in text:
        return DOSE if CARELESS else NO_DOSE
    if "child" in text:
        return "Medicine for a child is for a doctor to choose. Please call yours today."
    return "Hello! We are open from 8 to 18 o'clock."


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send({"status": "ok"})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send({"reply": answer(asked["message"])})

    def send(self, body: dict[str, str]) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """One line a request would drown what matters."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The desk of a pharmacy.")
    parser.add_argument("--port", type=int, default=8000)
    ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler).serve_forever()
