"""What Git LFS keeps beside git: a checkout with `lfs: true` has the files of its commit in `.git/lfs`."""

import hashlib
import re
from pathlib import Path
from typing import Final

from gate.git.worktree import folders_of

_POINTER: Final = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n"
    rb"oid sha256:(?P<oid>[0-9a-f]{64})\nsize (?P<size>[0-9]{1,12})\n?"
)
_BEGIN: Final = b"version https://git-lfs.github.com/spec/"
_HINT = "it is stored with Git LFS, and not in this checkout (`lfs: true`)"


def unpointed(root: Path, content: bytes, most: int) -> bytes | str:
    """The file that a pointer stands for, or in words why there is none; what is no pointer as it is.

    The pointer names the file by its SHA-256, so that another one cannot take its place.
    https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
    """
    if not content.startswith(_BEGIN):
        return content
    pointer = _POINTER.fullmatch(content)
    if pointer is None or int(pointer["size"]) > most:
        return _HINT
    oid = pointer["oid"].decode("ascii")
    for folder in folders_of(root):
        file = folder / "lfs" / "objects" / oid[:2] / oid[2:4] / oid
        try:
            found = file.read_bytes() if file.stat().st_size == int(pointer["size"]) else b""
        except OSError:
            continue
        if hashlib.sha256(found).hexdigest() == oid:
            return found
    return _HINT
