"""Where the user's code is: the files of a commit, or those of the work tree that git does not ignore."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeAlias

from gate.documents import read_bytes
from gate.frozen import frozen
from gate.git import Tree, files_of, real, top_of, tree_at

LARGEST: Final = 64 << 20
"""Bytes of one file; a larger one is not code."""
MOST: Final = 1 << 30
"""Bytes of all files together."""
SECRETS: Final = (
    ".env", ".env.*", ".netrc", ".npmrc", ".pypirc", ".git-credentials", "gha-creds-*.json", "*.pem", "*.key",
)  # fmt: skip
"""Names of files that hold secrets of a machine, or of earlier steps (such as a login to Google Cloud)."""
_AT_ONCE: Final = 200
_MOST_NAMES: Final = 20_000

Content: TypeAlias = bytes | str
"""A file's bytes, or in words why there are none."""


@frozen
class Origin:
    """`root` is a config's folder in the work tree; `folder` is that folder's name from the top in `commit`.

    Without a commit the work tree is meant.
    """

    root: str
    commit: str = ""
    folder: str = ""


@frozen
class Files:
    """The files by their names from the top; `folder` is the config's folder, "" for the top itself."""

    origin: Origin
    top: Path
    folder: str
    names: frozenset[str]
    tree: Tree | None = None

    def read(self, names: Iterable[str]) -> Mapping[str, Content]:
        """What each file holds."""
        wanted = [name for name in names if name in self.names]
        if self.tree:
            return self.tree.read(wanted)
        return {name: _from_disk(self.top, name) for name in wanted}

    def executable(self, name: str) -> bool:
        """Whether the file is a program in the work tree; the mode that a commit has is not kept."""
        return os.access(self.top / name, os.X_OK)


def files_at(origin: Origin) -> Files:
    """The files of an origin; none where a commit is not here."""
    root = Path(origin.root)
    if origin.commit:
        return _committed(origin)
    top = top_of(root) or real(root)
    listed = files_of(top) or _walked(top)
    folder = os.path.relpath(real(root), top)
    return Files(origin=origin, top=top, folder="" if folder == "." else folder, names=frozenset(listed))


@lru_cache(maxsize=16)
def _committed(origin: Origin) -> Files:
    """What is committed does not change: it is listed once."""
    root = Path(origin.root)
    tree = tree_at(root, origin.commit)
    return Files(
        origin=origin,
        top=top_of(root) or real(root),
        folder=origin.folder,
        names=frozenset(tree.blobs) if tree else frozenset(),
        tree=tree,
    )


def fingerprint(files: Files, names: Iterable[str]) -> str:
    """SHA-256 over files by their names from the config's folder; the same for the same code elsewhere.

    Lines may end in either way: a checkout may write them otherwise than the commit has them (gitattributes).
    """
    whole = hashlib.sha256()
    listed = sorted((os.path.relpath(name, files.folder or "."), name) for name in names)
    contents = files.read(name for _, name in listed)
    for shown, name in listed:
        content = contents.get(name, "")
        held = content.replace(b"\r\n", b"\n") if isinstance(content, bytes) else content.encode()
        whole.update(f"{shown}\0{hashlib.sha256(held).hexdigest()}\n".encode("utf-8", "surrogateescape"))
    return whole.hexdigest()


def written(files: Files, target: Path) -> None:
    """Copy the files into a folder, for others to read and none to write; raises ValueError for too much.

    A link is the file that it leads to. Left out are links out of the repository or into `.git`, what cannot
    be read, and files that by their name hold secrets: those of whom runs the gate, not of the code.
    """
    names, total = sorted(name for name in files.names if not _holds_secrets(name)), 0
    for start in range(0, len(names), _AT_ONCE):
        for name, content in files.read(names[start : start + _AT_ONCE]).items():
            if isinstance(content, str):
                continue
            total += len(content)
            if total > MOST:
                raise ValueError(f"the repository has more than {MOST >> 30} GiB of files")
            _put(target / name, content, 0o755 if files.executable(name) else 0o644)


def _holds_secrets(name: str) -> bool:
    own = name.rpartition("/")[2]
    return any(fnmatchcase(own, pattern) for pattern in SECRETS)


def _put(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(mode)


def _from_disk(top: Path, name: str) -> Content:
    path = top / name
    there = real(path)
    if not there.is_relative_to(top) or ".git" in there.relative_to(top).parts:
        return "it leads out of the repository"
    if _holds_secrets(there.name):
        return "by its name it holds secrets"
    try:
        return read_bytes(path, LARGEST)
    except OSError as error:
        return error.strerror or str(error)


def _walked(top: Path) -> list[str]:
    """What is below a folder outside of any repository, without what is hidden or installed there."""
    found: list[str] = []
    for folder, inner, names in os.walk(top):
        inner[:] = [name for name in inner if name[0] != "." and name not in {"node_modules", "__pycache__"}]
        found += (os.path.relpath(Path(folder, name), top) for name in names if name[0] != ".")
        if len(found) > _MOST_NAMES:
            break
    return found
