"""Peers that cannot live beside the rest: an environment each, made once from a lock with hashes."""

import fcntl
import hashlib
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.support.commands import ROOT


def own_environment(name: str) -> Path:
    """The folder of programs of an environment made from requirements/NAME.txt; it is kept in .venv/NAME.

    A changed lock makes it anew; of several test processes one makes it, and the others wait.
    """
    lock = ROOT / "requirements" / f"{name}.txt"
    folder = ROOT / ".venv" / name
    stamp = folder / "made-from"
    wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
    with (ROOT / ".venv" / f"{name}.lock").open("w") as only_one:
        fcntl.flock(only_one, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text(encoding="ascii") != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            _make(folder, lock)
            stamp.write_text(wanted, encoding="ascii")
    return folder / "bin"


def _make(folder: Path, lock: Path) -> None:
    uv = str(Path(sysconfig.get_path("scripts")) / "uv")
    python = str(folder / "bin" / "python")
    install = ("pip", "install", "--quiet", "--require-hashes", "--no-deps", "--python", python)
    for arguments in (
        ("venv", "--quiet", "--python", sys.executable, str(folder)),
        (*install, "-r", str(lock)),
    ):
        done = subprocess.run([uv, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
