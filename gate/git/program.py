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
_ELSEWHERE: Final = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_CEILING_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
"""What a hook of git finds set: it names a repository, and ours is the one that the folder is in."""


def git(root: Path, *arguments: str) -> str | None:
    """What git prints; None where it fails or is not installed."""
    done = run_git(root, arguments)
    return None if done is None else done.decode("utf-8", "surrogateescape")


def run_git(root: Path, arguments: Sequence[str], *, given: bytes = b"") -> bytes | None:
    """What git prints, of what it is given; None where it fails or is not installed.

    Without optional locks it writes nothing; as root it would leave an index that is not its owner's. Nothing
    that the repository's own config names is run, and an object that is not there is not fetched. A folder
    that looks like a bare repository is none: a commit can hold such a one, with objects and a config of its
    author's making.
    """
    command = ["git", "--no-optional-locks", "-C", str(root), "-c", f"safe.directory={_top(root)}"]
    command += [
        "-c",
        "safe.bareRepository=explicit",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.quotePath=false",
    ]
    command += arguments
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            input=given,
            timeout=_TIMEOUT_S,
            check=False,
            env={**_inherited(), **_ENVIRONMENT},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _inherited() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}


def real(path: Path) -> Path:
    """The path without links; of links in a circle, which Path.resolve raises at, what can be said."""
    return Path(os.path.realpath(path))


def _top(root: Path) -> str:
    """The folder with .git: a workspace that another uid owns is trusted by name, nothing else is."""
    for folder in (real(root), *real(root).parents):
        if (folder / ".git").exists():
            return str(folder)
    return str(root)
