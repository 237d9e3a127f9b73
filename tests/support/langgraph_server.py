"""LangGraph's own server with scripted graphs, in an environment of its own, without a way to the network.

It is 200 MB that other tests do without, so the environment is made when the first test asks for it, from a
lock with hashes, and kept in .venv/langgraph.
"""

import fcntl
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements" / "langgraph.txt"
PLACE = ROOT / ".venv" / "langgraph"
GRAPHS = ROOT / "tests" / "fixtures" / "langgraph"
WITHIN_S = 120
OFFLINE = {
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
}
"""What has the server send nothing to anybody."""


@dataclass
class LangGraphServer:
    """A running server; `strangers` are the addresses that it wanted to reach through a proxy."""

    url: str
    strangers: list[str] = field(default_factory=list)

    def post(self, path: str, body: Any) -> Any:
        """The answer to a request of our own."""
        kind = {"content-type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), kind)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


def langgraph_command() -> str:
    """The path of `langgraph`, in an environment that is made where it is missing or out of date."""
    wanted = hashlib.sha256(LOCK.read_bytes() + sys.version.encode()).hexdigest()
    stamp = PLACE / "made-from"
    PLACE.parent.mkdir(exist_ok=True)
    with (PLACE.parent / "langgraph.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
            _make()
            stamp.write_text(wanted, encoding="utf-8")
    return str(PLACE / "bin" / "langgraph")


@contextmanager
def langgraph_server(folder: Path, *, jobs: int = 8) -> Iterator[LangGraphServer]:
    """Serve the graphs from a copy in `folder`; the server writes there what it keeps."""
    project = folder / "graphs"
    shutil.copytree(GRAPHS, project, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    port = _free_port()
    options = ["--no-browser", "--no-reload", "--allow-blocking", "--n-jobs-per-worker", str(jobs)]
    command = [langgraph_command(), "dev", *options, "--host", "127.0.0.1", "--port", str(port)]
    server = LangGraphServer(f"http://127.0.0.1:{port}")
    with _trap(server.strangers) as proxy, (folder / "server.log").open("wb") as log:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "HTTP_PROXY": proxy,
            "HTTPS_PROXY": proxy,
            "NO_PROXY": "127.0.0.1,localhost",
            **OFFLINE,
        }
        process = subprocess.Popen(
            command, cwd=project, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )
        try:
            _wait(server.url, process, folder / "server.log")
            yield server
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _make() -> None:
    shutil.rmtree(PLACE, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(PLACE)], check=True)
    pip = [str(PLACE / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    done = subprocess.run(
        [*pip, "install", "--require-hashes", "--no-deps", "-r", str(LOCK)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + WITHIN_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text(encoding="utf-8", errors="replace")[-4000:]
        try:
            with urllib.request.urlopen(f"{url}/ok", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError(
        f"no answer within {WITHIN_S} s: {log.read_text(encoding='utf-8', errors='replace')[-4000:]}"
    )


@contextmanager
def _trap(seen: list[str]) -> Iterator[str]:
    """The address of a proxy that leads nowhere and remembers who was asked for."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.settimeout(1)
                    try:
                        seen.append(connection.recv(4096).partition(b"\r\n")[0].decode("latin-1"))
                    except OSError as error:
                        seen.append(repr(error))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(10)
