"""Real ADK servers, started once for all tests of gate.drive that talk to one."""

import os
import re
import subprocess
import sysconfig
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest

AGENTS = Path(__file__).parents[1] / "fixtures" / "adk_agents"
WITHIN_S = 60


class AdkServer:
    """`adk api_server` on a port that the kernel chose; `url` is known once its log says so."""

    def __init__(self, *options: str, **variables: str) -> None:
        adk = Path(sysconfig.get_path("scripts")) / "adk"
        memory = ("--session_service_uri", "memory://", "--artifact_service_uri", "memory://")
        self._home = tempfile.TemporaryDirectory()
        self._lines: Queue[str] = Queue()
        self._process = subprocess.Popen(
            [str(adk), "api_server", "--host", "127.0.0.1", "--port", "0", *memory, *options, str(AGENTS)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self._home.name,
            env={
                "PATH": os.environ["PATH"],
                "HOME": self._home.name,
                "PYTHONDONTWRITEBYTECODE": "1",
                **variables,
            },
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.url = self._wait()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(WITHIN_S)
        self._reader.join(WITHIN_S)
        if self._process.stderr:
            self._process.stderr.close()
        self._home.cleanup()

    def _read(self) -> None:
        for line in self._process.stderr or ():
            self._lines.put(line)
        self._lines.put("")

    def _wait(self) -> str:
        seen = []
        while line := self._lines.get(timeout=WITHIN_S):
            seen.append(line)
            if found := re.search(r"running on (http://[\d.:]+)", line):
                return found[1]
        raise AssertionError("adk api_server ended:\n" + "".join(seen[-20:]))


@pytest.fixture(scope="session")
def adk_url() -> Iterator[str]:
    server = AdkServer()
    yield server.url
    server.stop()


@pytest.fixture(scope="session")
def engine_url() -> Iterator[str]:
    """What the container of `adk deploy agent_engine` runs; a key in the environment spares it a login."""
    server = AdkServer("--gemini_enterprise_app_name", "toy", "--express_mode", GOOGLE_API_KEY="none")
    yield server.url
    server.stop()
