"""Patterns of files against names, where no disk is walked: those of a commit, or those that changed."""

import posixpath
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase


def matching(patterns: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """The names that one of the patterns matches; both from the repository's top.

    As in `dataset:` a `*` stays within a folder, `**` is any number of folders (and at the end all that is in
    them), and what is hidden is only matched by a segment that starts with a dot.
    """
    split = [_parts(pattern) for pattern in patterns]
    return tuple(name for name in names if any(_matches(each, tuple(name.split("/"))) for each in split))


def covered(patterns: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """The names that one of the patterns means as people write them for what they care about.

    Unlike in `dataset:` what is hidden is a file like others, a folder means all that is in it, and a slash
    in front is the repository's top.
    """
    split = [tuple(posixpath.normpath(pattern).strip("/").split("/")) for pattern in patterns]
    return tuple(name for name in names if any(_covers(each, name.split("/")) for each in split))


def reaches(pattern: str, folder: str) -> bool:
    """Whether the pattern may match something below the folder."""
    parts = _parts(pattern)
    return any(state < len(parts) for state in _walked(parts, folder.split("/")))


def _covers(pattern: Sequence[str], name: Sequence[str]) -> bool:
    """Whether all of the pattern may stand for the name, or for a folder that it is in."""
    if pattern == (".",):
        return True
    states = {0}
    for part in name:
        states = _step(pattern, states, part, hidden=True)
        if any(all(each == "**" for each in pattern[state:]) for state in states):
            return True
    return False


def _parts(pattern: str) -> tuple[str, ...]:
    parts = tuple(posixpath.normpath(pattern).split("/"))
    return (*parts, "*") if parts[-1] == "**" else parts


def _matches(pattern: Sequence[str], name: Sequence[str]) -> bool:
    return len(pattern) in _walked(pattern, name)


def _walked(pattern: Sequence[str], name: Sequence[str]) -> set[int]:
    """How much of the pattern may stand for all of the name; each `**` for any number of its folders."""
    states = {0}
    for part in name:
        states = _step(pattern, states, part)
    return states


def _step(pattern: Sequence[str], states: set[int], part: str, *, hidden: bool = False) -> set[int]:
    after: set[int] = set()
    for state in _without_folders(pattern, states):
        if state == len(pattern):
            continue
        if pattern[state] == "**":
            if hidden or part[0] != ".":
                after.add(state)
        elif fnmatchcase(part, pattern[state]) and (hidden or part[0] != "." or pattern[state][0] == "."):
            after.add(state + 1)
    return after


def _without_folders(pattern: Sequence[str], states: set[int]) -> set[int]:
    """The states, and those behind each `**` that stands for no folder at all."""
    found = set(states)
    for state in states:
        while state < len(pattern) and pattern[state] == "**":
            state += 1  # noqa: PLW2901  # walks on from each
            found.add(state)
    return found
