"""The misbehaving server of server.py, and looks at what is left of it."""

import json
import urllib.request
from pathlib import Path
from typing import Any

SERVER = Path(__file__).with_name("server.py")


def fetch(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


def is_alive(pid: int) -> bool:
    """Whether a process runs: a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
