# ruff: noqa: T201
"""An agent for the tests of boot: `server.py MODE PORT`, where the mode says how it misbehaves."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SLEEPER = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"


def readable(path: str) -> bool:
    try:
        return bool(Path(path).read_bytes())
    except OSError:
        return False


def facts() -> dict[str, object]:
    return {
        "pid": os.getpid(),
        "uid": os.getuid(),
        "gid": os.getgid(),
        "groups": os.getgroups(),
        "leads": os.getsid(0) == os.getpid() == os.getpgrp(),
        "cwd": str(Path.cwd()),
        "argv": sys.argv,
        "env": dict(os.environ),
        "reads_parent": readable(f"/proc/{os.getppid()}/environ"),
        "home_is_empty": not list(Path.home().iterdir()),
        "strays": STRAYS,
    }


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/die":
            print("Traceback\nValueError: told to die", flush=True)
            os._exit(7)
        if self.path == "/kill":
            os.kill(os.getpid(), signal.SIGKILL)
        status = {"/health": 200, "/facts": 200, "/forbidden": 403, "/moved": 307}.get(self.path, 404)
        body = json.dumps(facts()) if self.path == "/facts" else "Forbidden: host not allowed"
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Quiet."""


def stray(*, session: bool) -> int:
    return subprocess.Popen([sys.executable, "-c", SLEEPER], start_new_session=session).pid


STRAYS: list[int] = []
MODE, PORT = sys.argv[1:3]
match MODE:
    case "exits":
        print("starting\nModuleNotFoundError: No module named 'tools'", file=sys.stderr)
        sys.exit(3)
    case "exits-0":
        sys.exit(0)
    case "never":
        time.sleep(600)
    case "elsewhere":
        other = socket.create_server(("127.0.0.1", 0))
        time.sleep(600)
    case "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    case "breeds":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        STRAYS = [stray(session=False), stray(session=True)]
    case "prints":
        print(f"key={os.environ['KEY']}\n::error::x\n\x1b[31mred\x1b[0m", flush=True)
    case "floods":
        for number in range(200_000):
            print(f"{number:08} " + "x" * 90)
        print("the end", flush=True)
    case "closes":
        closed = Path.home() / "closed" / "deep"
        closed.mkdir(parents=True)
        (closed / "file").write_text("x")
        closed.chmod(0o500)
        closed.parent.chmod(0o500)
    case _:  # `serve`: nothing is wrong
        pass
ThreadingHTTPServer(("127.0.0.1", int(PORT)), Handler).serve_forever()
