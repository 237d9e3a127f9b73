"""What is committed at a revision: names and bytes, links followed inside of it."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from gate.frozen import frozen
from gate.git.lfs import unpointed
from gate.git.program import git, run_git

LARGEST: Final = 1 << 30
"""Bytes of one file; a larger one is not read."""
_LINK, _SUBMODULE = "120000", "160000"
_LINKS_DEEP = 5


@frozen(kw_only=False)
class Tree:
    """The files of one commit by their names from the repository's top.

    `links` are the names that lead through a link, with the file's own; `submodules` are folders of which
    the commit has no file.
    """

    root: Path
    commit: str
    blobs: Mapping[str, str]
    links: Mapping[str, str]
    submodules: tuple[str, ...] = ()

    def real(self, name: str) -> str:
        """The file's own name."""
        return self.links.get(name, name)

    def read(self, names: Iterable[str]) -> Mapping[str, bytes | str]:
        """The bytes of each file, or in words why there are none."""
        wanted = {name: self.blobs.get(name, "") for name in names}
        found = dict(_contents(self.root, sorted({blob for blob in wanted.values() if blob})))
        return {name: _content(self.root, found, blob) for name, blob in wanted.items()}


def tree_at(root: Path, commit: str) -> Tree | None:
    """The tree of a commit; None where it is not here whole."""
    listed = git(root, "ls-tree", "-r", "-z", "--full-tree", commit)
    if listed is None:
        return None
    blobs: dict[str, str] = {}
    links: dict[str, str] = {}
    submodules: list[str] = []
    for entry in filter(None, listed.split("\0")):
        facts, _, name = entry.partition("\t")
        mode, _, blob = facts.split(" ")
        if mode == _SUBMODULE:
            submodules.append(name)
        else:
            (links if mode == _LINK else blobs)[name] = blob
    led = _followed(root, blobs, links)
    whole = {**blobs, **{name: blobs[file] for name, file in led.items()}}
    return Tree(root, commit, whole, led, tuple(submodules))


def _followed(root: Path, blobs: Mapping[str, str], links: Mapping[str, str]) -> dict[str, str]:
    """Names through links, with the files that they lead to; a link out of the repository leads nowhere."""
    targets = dict(_contents(root, sorted(set(links.values()))))
    leads = {
        name: posixpath.normpath(
            posixpath.join(posixpath.dirname(name), target.decode("utf-8", "surrogateescape"))
        )
        for name, blob in links.items()
        if isinstance(target := targets.get(blob), bytes)
    }
    known: dict[str, str] = {}
    for _ in range(_LINKS_DEEP if leads else 0):
        before = len(known)
        everything = {**dict(zip(blobs, blobs, strict=True)), **known}
        for name, target in leads.items():
            known.update(_under(name, target, everything))
        if len(known) == before:
            break
    return known


def _under(name: str, target: str, files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if target in files:
        yield name, files[target]
        return
    folder = "" if target == "." else f"{target}/"
    for path, file in files.items():
        if path.startswith(folder) and not path.startswith(f"{name}/"):
            yield f"{name}/{path.removeprefix(folder)}", file


def _content(root: Path, found: Mapping[str, bytes | str], blob: str) -> bytes | str:
    if not blob:
        return "it is not there"
    content = found.get(blob, "git has no copy of it here (a partial clone?)")
    return unpointed(root, content, LARGEST) if isinstance(content, bytes) else content


def _contents(root: Path, blobs: list[str]) -> Iterator[tuple[str, bytes | str]]:
    """Pairs of a blob's hash and its bytes, or why they are not read; what is not here is left out."""
    sizes = {}
    for line in _asked(root, "--batch-check", blobs).decode("ascii", "replace").splitlines():
        name, _, facts = line.partition(" ")
        kind, _, size = facts.partition(" ")
        if kind == "blob" and size.isdecimal():
            sizes[name] = int(size)
    yield from ((blob, f"it exceeds {LARGEST >> 20} MiB") for blob, size in sizes.items() if size > LARGEST)
    readable = [blob for blob, size in sizes.items() if size <= LARGEST]
    output, at = memoryview(_asked(root, "--batch", readable)), 0
    for blob in readable:
        begin = at + len(f"{blob} blob {sizes[blob]}\n")
        at = begin + sizes[blob] + 1
        if len(output) < at:
            return
        yield blob, bytes(output[begin : at - 1])


def _asked(root: Path, how: str, blobs: list[str]) -> bytes:
    if not blobs:
        return b""
    return run_git(root, ["cat-file", how], given="".join(f"{blob}\n" for blob in blobs).encode()) or b""
