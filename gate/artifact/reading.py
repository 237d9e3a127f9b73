"""The artifact of a run, as a stranger packed it: of all its files only run.json is read.

A fork's workflow writes what it likes into an artifact, links and devices included.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gate.errors import UsageError
from gate.results import RUN_FILE, StoredRun, stored_run

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of run.json: a hundred thousand trials make some fifty million."""
MOST_ENTRIES: Final = 1000
DEEPEST: Final = 10
_HINT: Final = "Upload the run's folder as it is, and download it into an empty one."
_ONLY_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def read_artifact(path: Path) -> StoredRun:
    """Read the run.json of a downloaded folder (or one that is named itself).

    Raises UsageError with what is wrong. No path that the run names is opened, and no link is followed.
    """
    if path.suffix == ".json":
        return stored_run(_content(path), path)
    with _opened(path, os.O_DIRECTORY) as folder:
        for name in _odd(folder):
            raise UsageError(f"{path} cannot be used: {name}", hint=_HINT)
        return stored_run(_content(Path(RUN_FILE), within=folder, shown=path / RUN_FILE), path / RUN_FILE)


def _odd(folder: int) -> Iterator[str]:
    """What no folder of a run has: links, pipes, devices, a forest of folders."""
    seen = 0
    for root, folders, files, descriptor in os.fwalk(".", dir_fd=folder):
        if root.count("/") >= DEEPEST:
            yield f"it has more than {DEEPEST} folders in each other"
        for name in (*folders, *files):
            seen += 1
            mode = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                yield f"{name[:80]!r} in it is a {_kind(mode)}, and no file"
        if seen > MOST_ENTRIES:
            yield f"it has more than {MOST_ENTRIES:,} files"


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "link"
    return "pipe" if stat.S_ISFIFO(mode) else "device or a socket"


def _content(file: Path, *, within: int | None = None, shown: Path | None = None) -> bytes:
    """The bytes of a regular file whose size is looked at before anything is read."""
    name = shown or file
    with _opened(file, 0, within=within, shown=name) as descriptor:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise UsageError(f"{name} cannot be used: it is no regular file", hint=_HINT)
        if facts.st_size <= LARGEST:
            with os.fdopen(descriptor, "rb", closefd=False) as opened:
                content = opened.read(LARGEST + 1)
            if len(content) <= LARGEST:
                return content
    raise UsageError(f"{name} cannot be used: it is larger than {LARGEST // 1024 // 1024} MiB")


@contextmanager
def _opened(path: Path, flags: int, *, within: int | None = None, shown: Path | None = None) -> Iterator[int]:
    try:
        descriptor = os.open(path, _ONLY_READ | flags, dir_fd=within)
    except OSError as error:
        reason = "it is a link" if path.is_symlink() else error.strerror
        hint = "Name the folder that the artifact was downloaded into." if within is None else _HINT
        raise UsageError(f"cannot read {shown or path}: {reason}", hint=hint) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)
