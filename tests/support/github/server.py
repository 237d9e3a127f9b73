"""The fake GitHub as a server of its own: `python -m tests.support.github.server PORT STATE.json`.

STATE.json is read at the start (missing: one open pull request) and written after every request; what broke
the contract is in its `violations`. `--edition ghes-3.19` serves /api/v3 and /api/graphql.
"""

import argparse
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.github.exchange import Answer, Request
from tests.support.github.fake import FakeGitHub, encoded
from tests.support.github.openapi import ContractBroken, Edition
from tests.support.github.state import a_state

PREFIXES: dict[Edition, str] = {"api.github.com": "", "ghes-3.19": "/api/v3"}


def serve(
    port: int,
    file: Path,
    *,
    edition: Edition = "api.github.com",
    host: str = "127.0.0.1",
    certificate: Path | None = None,
) -> ThreadingHTTPServer:
    """A bound server, to be run with `serve_forever`; port 0 takes a free one; https with a certificate."""
    state = a_state(**json.loads(file.read_text(encoding="utf-8"))) if file.exists() else a_state()
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Request(self.command, f"http://{headers['host']}{self.path}", headers)
            asked.body = json.loads(body) if body else None
            with lock:
                answer = self._answered(asked)
                file.write_text(json.dumps(fake.state, indent=1), encoding="utf-8")
            self._send(answer)

        def _answered(self, asked: Request) -> Answer:
            try:
                return fake.answer(asked)
            except ContractBroken as broken:
                return Answer(418, {"message": str(broken)})

        def _send(self, answer: Answer) -> None:
            if not answer.status:
                self.close_connection = True
                return
            body = encoded(answer)
            self.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any  # noqa: N815  # http.server's names

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((host, port), Handler)
    server.daemon_threads = True
    if certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        # The handshake is done by the first read, in the request's own thread.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    scheme = "https" if certificate else "http"
    base = f"{scheme}://{host}:{server.server_address[1]}{PREFIXES[edition]}"
    fake = FakeGitHub(state, edition=edition, base=base)
    file.write_text(json.dumps(fake.state, indent=1), encoding="utf-8")
    return server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("state", type=Path)
    parser.add_argument("--edition", choices=list(PREFIXES), default="api.github.com")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 for clients in containers")
    given = parser.parse_args()
    with serve(given.port, given.state, edition=given.edition, host=given.host) as server:
        print(f"listening on {given.host}:{server.server_port}", flush=True)  # noqa: T201  # for who started it
        server.serve_forever()


if __name__ == "__main__":
    main()
