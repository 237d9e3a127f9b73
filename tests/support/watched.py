"""A program's own account of what it touches: Python's audit events (PEP 578), written down."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Loaded by every Python that has the folder on PYTHONPATH; no PYTHONPATH reaches the agent.
SITE = """
import os, sys

def _watch(path):
    import json
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def note(event, arguments):
        match event, arguments:
            case "socket.connect", (_, address):
                found = address if isinstance(address, str) else ":".join(map(str, address[:2]))
            case "socket.getaddrinfo", (host, *_):
                found = str(host)
            case "subprocess.Popen", (program, *_):
                found = os.path.basename(os.fsdecode(program))
            case "open", (str(name), _, int(flags)) if flags & writes:
                found = os.path.abspath(name)
            case "os.mkdir", (name, *_):
                found = os.path.abspath(os.fsdecode(name))
            case _:
                return
        os.write(file, json.dumps([event, found]).encode() + b"\\n")

    sys.addaudithook(note)

_watch(os.environ.pop("WATCHED_FILE"))
"""


@dataclass(frozen=True)
class Watched:
    """What a program did; `variables` make it do so under watch."""

    folder: Path

    @property
    def variables(self) -> dict[str, str]:
        site = self.folder / "sitecustomize.py"
        site.write_text(SITE, encoding="utf-8")
        root = Path(__file__).parents[2]
        return {"PYTHONPATH": f"{self.folder}:{root}", "WATCHED_FILE": str(self.folder / "events")}

    def found(self, *events: str) -> Sequence[str]:
        lines = (self.folder / "events").read_text(encoding="utf-8").splitlines()
        return [what for event, what in map(json.loads, lines) if event in events]
