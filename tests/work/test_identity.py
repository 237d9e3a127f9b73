"""Who the agent runs as."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gate.work.identity import Identity, choose, interpreters

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.mark.parametrize(
    ("first", "found"),
    [
        ("#!/bin/sh\n", ["/bin/sh"]),
        ("#! /bin/sh -e\n", ["/bin/sh"]),
        ("#!/usr/bin/env tool\n", ["/usr/bin/env", "{here}/tool"]),
        ("#!/usr/bin/env missing-tool\n", ["/usr/bin/env"]),
        ("\x7fELF", []),
        ("", []),
    ],
)
def test_the_interpreter_of_a_script_is_found(first: str, found: list[str], tmp_path: Path) -> None:
    (tmp_path / "tool").touch(mode=0o755)
    script = tmp_path / "script"
    script.write_text(first)
    want = [str(script), *(name.replace("{here}", str(tmp_path)) for name in found)]
    assert interpreters(str(script), str(tmp_path)) == want


@as_root
@pytest.mark.parametrize("closed", ["folder", "script", "interpreter", "program"])
def test_what_nobody_cannot_reach_is_named(closed: str, tmp_path: Path) -> None:
    top = Path(tempfile.gettempdir())
    for folder in (tmp_path, *(parent for parent in tmp_path.parents if top in parent.parents)):
        folder.chmod(0o755)
    parts = {"folder": tmp_path / "app", "script": tmp_path / "app" / "agent.py"}
    parts |= {"interpreter": tmp_path / "bin" / "python", "program": tmp_path / "run"}
    parts["folder"].mkdir()
    parts["interpreter"].parent.mkdir()
    parts["script"].touch()
    parts["interpreter"].touch(mode=0o755)
    parts["program"].write_text(f"#!{parts['interpreter']}\n")
    argv = (str(parts["program"]), "agent.py", "--port", "1")
    assert choose(parts["folder"], argv, "", tmp_path) == Identity(65534, 65534)
    parts[closed].chmod(0)
    blocked = choose(parts["folder"], argv, "", tmp_path)
    assert blocked.user is None
    assert f"cannot reach {parts[closed]}. " in blocked.warning


def test_a_gate_that_is_not_root_keeps_its_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert choose(tmp_path, ("/bin/sh",), "", tmp_path) == Identity()


PEEK = """
import ctypes, os, sys
from gate.work.identity import hide_environment
os.setgid(65534); os.setuid(65534)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # what an ordinary program of that user is
def seen():
    if os.fork() == 0:
        try:
            os._exit(0 if b"canary" in open(f"/proc/{gate}/environ", "rb").read() else 2)
        except PermissionError:
            os._exit(3)
    return os.waitstatus_to_exitcode(os.wait()[1])
gate = os.getpid()
print(seen())
hide_environment()
print(seen())
"""


@as_root
@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_a_process_of_the_same_user_cannot_read_the_environment_of_the_gate() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PEEK],
        env={**os.environ, "GITHUB_TOKEN": "canary"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["0", "3"]
