"""Runs git, and nothing that a repository names."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_TIMEOUT_S = 60
_ENVIRONMENT: Final = {
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""A commit is what its hash says: nothing that is only in this clone takes its place."""


def git(root: Path, *arguments: str) -> str | None:
    """What git prints; None where it fails or is not installed."""
    done = run_git(root, arguments)
    return None if done is None else done.decode("utf-8", "surrogateescape")


def run_git(root: Path, arguments: Sequence[str], *, given: bytes = b"") -> bytes | None:
    """What git prints, of what it is given; None where it fails or is not installed.

    Without optional locks it writes nothing; as root it would leave an index that is not its owner's. Nothing
    that the repository's own config names is run, and an object that is not there is not fetched.
    """
    command = ["git", "--no-optional-locks", "-C", str(root), "-c", f"safe.directory={_top(root)}"]
    command += ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            input=given,
            timeout=_TIMEOUT_S,
            check=False,
            env={**os.environ, **_ENVIRONMENT},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def real(path: Path) -> Path:
    """The path without links; of links in a circle, which Path.resolve raises at, what can be said."""
    return Path(os.path.realpath(path))


def _top(root: Path) -> str:
    """The folder with .git: a workspace that another uid owns is trusted by name, nothing else is."""
    for folder in (real(root), *real(root).parents):
        if (folder / ".git").exists():
            return str(folder)
    return str(root)
