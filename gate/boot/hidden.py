"""What an agent must not see: `.git`, golden files and baseline, and what the run writes."""

import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from gate.boot.booting import Scene
from gate.dataset.files import find
from gate.frozen import frozen
from gate.git import folders_of

_NEVER: Final = ".git"


@frozen
class Hidden:
    """What an agent must not see, the answer key above all: `files` and `folders` as resolved paths."""

    files: frozenset[Path]
    folders: frozenset[Path]

    def __contains__(self, path: Path) -> bool:
        if _NEVER in path.parts:
            return True
        real = path.resolve()
        return real in self.files or any(real.is_relative_to(folder) for folder in self.folders)


def hidden(patterns: Iterable[str], scene: Scene) -> Hidden:
    """Golden files and the baseline by the config's patterns, and the folder that the run writes to."""
    root = scene.root.resolve()
    named = [*find([*patterns], root)[0], *patterns]
    out = scene.log.resolve().parent
    folders = {out} if out != root and not root.is_relative_to(out) else set()
    files = {(root / name).resolve() for name in named} | {scene.log.resolve()}
    return Hidden(files=frozenset(files), folders=frozenset(folders))


@contextmanager
def closed(patterns: Sequence[str], scene: Scene, group: int) -> Iterator[None]:
    """Inside the block nobody but their owner can read what is hidden; for a gate that is root.

    Only the bits of `others`, and of `group` where that is the agent's, are taken: the owner and git see no
    difference, also where a gate that was killed could not give them back.
    """
    unseen = hidden(patterns, scene)
    modes = dict(_taken((*unseen.files, *unseen.folders, *folders_of(scene.root)), group))
    try:
        for path, mode in modes.items():
            path.chmod(mode & ~stat.S_IRWXO & ~(stat.S_IRWXG if path.stat().st_gid == group else 0))
        yield
    finally:
        for path, mode in modes.items():
            with suppress(OSError):  # what was removed meanwhile needs no mode
                path.chmod(mode)


def _taken(paths: Iterable[Path], group: int) -> Iterator[tuple[Path, int]]:
    for path in paths:
        with suppress(OSError):
            facts = path.stat()
            if facts.st_mode & stat.S_IRWXO or facts.st_gid == group:
                yield path, stat.S_IMODE(facts.st_mode)
