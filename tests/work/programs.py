"""Programs that answer lines, as custom metrics do, in every way in which they misbehave."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from gate.model import Json
from gate.work.worker import Program

HEAD = """\
import json, os, subprocess, sys, time
def answer(**more):
    print(json.dumps({"id": question["id"], **more}), flush=True)
for line in sys.stdin:
    question = json.loads(line)
"""


def program(folder: Path, body: str, **more: object) -> Program:
    """A Python program that does this for each question."""
    script = folder / "program.py"
    script.write_text(HEAD + "".join(f"    {line}\n" for line in body.splitlines()), encoding="utf-8")
    fields: dict[str, object] = {
        "argv": (sys.executable, str(script)),
        "cwd": folder,
        "env": {"PATH": os.environ["PATH"]},
    }
    return Program(**fields | more)  # type: ignore[arg-type]


def reads(line: bytes) -> Mapping[str, Json] | None:
    import json

    try:
        found: Mapping[str, Json] = json.loads(line)
    except ValueError:
        return None
    return found if "score" in found else None
