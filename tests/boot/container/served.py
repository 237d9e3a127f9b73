# ruff: noqa: T201
"""An agent for the tests of container boots: `served.py MODE [PORT]`; what it may do, it tells at /facts."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def attempt(work: Callable[[], object]) -> str:
    """What came of it: "ok", or the error's name."""
    try:
        work()
    except OSError as error:
        number = error.errno or 0
        return os.strerror(number) if number > 0 else type(error).__name__
    return "ok"


def status(key: str) -> str:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(f"{key}:"))


def everything(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def environments() -> str:
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            with suppress(OSError):
                found.append((process / "environ").read_bytes().decode("utf-8", "replace"))
    return "\n".join(found)


def facts() -> dict[str, object]:
    return {
        "uid": os.getuid(),
        "cwd": str(Path.cwd()),
        "argv": sys.argv[1:],
        "env": dict(os.environ),
        "environments": environments(),
        "capabilities": int(status("CapEff"), 16),
        "no_new_privileges": status("NoNewPrivs"),
        "reaches": attempt(
            lambda: socket.create_connection((os.environ.get("FAR", "127.0.0.1"), 53), 1).close()
        ),
        "resolves": attempt(lambda: socket.getaddrinfo("example.com", 80)),
        "writes": {
            folder: attempt(partial((Path(folder) / "x").write_text, "x"))
            for folder in ("/", "/etc", "/tmp", "/run", "/workspace", "/data", "/volume")
        },
        "there": [
            path for path in ("/var/run/docker.sock", "/run/docker.sock", "/github") if Path(path).exists()
        ],
        "files": everything(Path("/workspace")),
        "built": everything(Path("/app")),
    }


def fill() -> str:
    def write() -> None:
        with Path("/tmp/full").open("wb") as file:
            file.writelines(bytes(1024 * 1024) for _ in range(64))

    return attempt(write)


def fork() -> dict[str, object]:
    started: list[subprocess.Popen[bytes]] = []
    why = "ok"
    while why == "ok" and len(started) < 200:
        why = attempt(lambda: started.append(subprocess.Popen(["/bin/sleep", "60"])))
    for child in started:
        child.kill()
        child.wait()
    return {"started": len(started), "why": why}


def eat() -> None:
    held = []
    while True:
        held.append(b"x" * 8 * 1024 * 1024)


def flood() -> None:
    line = b"y" * 1023 + b"\n"
    for _ in range(12 * 1024):
        sys.stdout.buffer.write(line)
    print("\nthe flood is over", flush=True)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        acts: dict[str, Callable[[], object]] = {
            "/facts": facts,
            "/fill": fill,
            "/fork": fork,
            "/eat": eat,
            "/flood": flood,
            "/exit": lambda: os._exit(7),
            "/health": lambda: "ok",
        }
        body = json.dumps(acts[self.path]()).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


def main() -> None:
    mode, port = sys.argv[1], int((sys.argv[2:] or ["8080"])[0])
    if mode == "healthy":
        with urllib.request.urlopen("http://127.0.0.1:8080/health") as answer:
            sys.exit(answer.status != 200)
    if mode == "exits":
        print("starting\nModuleNotFoundError: No module named 'tools' (canary-secret)", flush=True)
        sys.exit(3)
    if mode == "writes":
        Path("/app/state.db").write_text("x")
    if mode == "idles":
        threading.Event().wait()
    if mode == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if mode == "slow":
        time.sleep(0.5)
    host = "127.0.0.1" if mode == "shy" else "0.0.0.0"
    ThreadingHTTPServer((host, port), Handler).serve_forever()


if __name__ == "__main__":
    main()
