"""How soon after its start does a command send its first request? The gate, and promptfoo beside it.

A server on loopback notes when the first POST arrives; the clock starts when the command does. After a round
that warms the caches the commands take turns, so that other load meets them alike; the best of five counts.
Goal: ten times sooner than promptfoo. `--help` is timed too: it must pay for no heavy import.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

from benchmarks.memory import CONFIG
from benchmarks.overhead import promptfoo_command

GOAL = 10.0
ROUNDS = 5
GOLDEN = "cases:\n  - {id: one, user: hi, expect: {contains: 14 C}}\n"


class Noting(BaseHTTPRequestHandler):
    """Answers like the zero-latency agent and notes when the POSTs came."""

    came: ClassVar[list[float]] = []

    def do_GET(self) -> None:
        """The readiness of a URL."""
        self._answer(b"{}")

    def do_POST(self) -> None:
        """A case."""
        Noting.came.append(time.perf_counter())
        self.rfile.read(int(self.headers["content-length"]))
        self._answer(b'{"reply": "14 C in London", "calls": []}')

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def first_request_s(command: list[str], folder: Path, env: dict[str, str]) -> float:
    """Seconds from the command's start to the arrival of its first POST."""
    Noting.came.clear()
    start = time.perf_counter()
    subprocess.run(
        command, cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    if not Noting.came:
        sys.exit(f"{command[0]} sent nothing")
    return Noting.came[0] - start


def best(*measures: Callable[[], float]) -> list[float]:
    """The best of some rounds for each; in a round each has its turn."""
    rounds = [[measure() for measure in measures] for _ in range(ROUNDS + 1)]
    return [min(times) for times in zip(*rounds[1:], strict=True)]


def main() -> int:
    """Print the times; 1 where promptfoo was measured and the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--promptfoo", type=Path, help="measure it too: path of node_modules/.bin/promptfoo")
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Noting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    gate = [sys.executable, "-m", "gate"]
    # pip compiles what it installs: so may this, whatever the environment says
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPATH"] = str(Path(__file__).parents[1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "agent-gate.yml").write_text(CONFIG.format(url=url), encoding="utf-8")
        (folder / "golden.yaml").write_text(GOLDEN, encoding="utf-8")
        measures = [
            lambda: first_request_s([*gate, "run"], folder, env),
            lambda: whole_s([*gate, "--help"], env),
        ]
        if options.promptfoo:
            command, quiet = promptfoo_command(options.promptfoo, folder, url, 1)
            measures.append(lambda: first_request_s(command, folder, quiet))
        ours, helped, *theirs = best(*measures)
    print(f"agent-gate run: first request after {ours:.3f} s")
    print(f"agent-gate --help: {helped:.3f} s")
    for each in theirs:
        print(f"promptfoo eval: first request after {each:.3f} s ({each / ours:.1f} times; goal: {GOAL:g})")
    return int(any(each / ours < GOAL for each in theirs))


def whole_s(command: list[str], env: dict[str, str]) -> float:
    """Seconds that a command takes."""
    start = time.perf_counter()
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
