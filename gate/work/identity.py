"""Who started programs run as: somebody else where the gate is root, out of sight of its own environment.

The agent is nobody, and each worker a user of its own: neither the agent nor another worker can signal it,
trace it or read its memory.
"""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from gate.frozen import frozen

NOBODY = 65534
"""The user and group `nobody`, which owns no files; containers and Debian give it this number."""
WORKERS = NOBODY - 1
"""The group of workers; their users are counted down from it. What only workers may read is this group's."""
_PR_SET_DUMPABLE = 4
_SHEBANG = re.compile(rb"#![ \t]*(?P<program>\S+)(?:[ \t]+(?P<word>\S+))?")
_REACHABLE = """
cd "$1" 2>/dev/null && test -r . || { printf %s "$1"; exit 1; }
shift
for path; do
  if test -d "$path"; then test -r "$path" && test -x "$path"; else test -r "$path" || test -x "$path"; fi ||
    { printf %s "$path"; exit 1; }
done
"""


@frozen(kw_only=False)
class Identity:
    """User and group of a program, None for the gate's own; `warning` says why it is root where it is."""

    user: int | None = None
    group: int | None = None
    warning: str = ""

    def own(self, *folders: Path) -> None:
        """Give folders that the gate made to the program."""
        if self.user is not None and self.group is not None:
            for folder in folders:
                os.chown(folder, self.user, self.group)


def choose(cwd: Path, argv: Sequence[str], search: str, temporary: Path) -> Identity:
    """`nobody` where the gate is root and nobody can reach what the command needs; else the gate's own."""
    if os.geteuid() != 0:
        return Identity()
    blocked = _blocked(cwd, [str(temporary), *interpreters(argv[0], search), *_named_files(cwd, argv)])
    if not blocked:
        return Identity(NOBODY, NOBODY)
    return Identity(
        warning=(
            f"an agent that runs as root could read the gate's secrets: user {NOBODY} (nobody) cannot reach"
            f" {blocked}. Run the gate as an ordinary user, or open that path and the folders above it"
            " (chmod o+rx)."
        )
    )


def unreachable(who: Identity, cwd: Path, paths: Sequence[str]) -> str:
    """The first path that a user other than the gate's own cannot reach; "" where all is well."""
    return "" if who.user is None or who.group is None else _blocked(cwd, paths, who.user, who.group)


def interpreters(program: str, search: str) -> list[str]:
    """The program, and what its first line names: `/usr/bin/env python3` is followed to that python3."""
    try:
        with Path(program).open("rb") as file:
            match = _SHEBANG.match(file.readline(512))
    except OSError:
        return [program]
    if match is None:
        return [program]
    names = [os.fsdecode(name) for name in match.group("program", "word") if name]
    if Path(names[0]).name != "env":
        return [program, names[0]]
    found = shutil.which(names[-1], path=search)
    return [program, names[0], *([found] if found else [])]


def hide_environment() -> None:
    """Keep processes of the gate's own user from reading its environment in /proc (prctl(2), Linux only).

    A process that changed nothing else can be read by any other of the same user, tokens included.
    """
    if sys.platform == "linux" and os.geteuid() != 0:
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _blocked(cwd: Path, paths: Sequence[str], user: int = NOBODY, group: int = NOBODY) -> str:
    """The first path that a user cannot reach, asked of the kernel itself; "" where all is well."""
    done = subprocess.run(
        ["/bin/sh", "-c", _REACHABLE, "sh", str(cwd), *paths],
        user=user,
        group=group,
        extra_groups=[],
        cwd="/",
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else done.stdout or str(cwd)


def _named_files(cwd: Path, argv: Sequence[str]) -> Iterator[str]:
    """Files and folders that the command names, such as the script of `python3 agent.py`."""
    for word in argv[1:]:
        if word and not word.startswith("-") and os.path.exists(cwd / word):  # noqa: PTH110 - never raises
            yield str(cwd / word)
