"""An agent that answers each message as SCRIPT says: `{"answers": {message: reply}, "broken": {…}}`.

With BREAK set to a switch, the replies of that switch take the place of the others. A reply is what the one
JSON API (`/chat`) answers; a message without one is a 500.
"""

import argparse
import http.server
import json
import os
from pathlib import Path
from typing import Any

SCRIPT: dict[str, Any] = json.loads(Path(os.environ["SCRIPT"]).read_text(encoding="utf-8"))
REPLIES: dict[str, Any] = {**SCRIPT["answers"], **SCRIPT["broken"].get(os.environ.get("BREAK", ""), {})}


class Scripted(http.server.BaseHTTPRequestHandler):
    """One reply a request."""

    def do_GET(self) -> None:
        """Readiness."""
        self.answer(200, {})

    def do_POST(self) -> None:
        """Look the message up."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = REPLIES.get(body["message"])
        self.answer(500 if reply is None else 200, reply)

    def answer(self, status: int, value: Any) -> None:
        """Write JSON."""
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Say nothing."""


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, required=True)
    http.server.ThreadingHTTPServer(("127.0.0.1", options.parse_args().port), Scripted).serve_forever()
