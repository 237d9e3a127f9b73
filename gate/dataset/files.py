"""From the patterns of `dataset:` to files."""

import fnmatch
import glob
import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from gate.model.finding import Finding, Place

SUFFIXES: Final = (".yaml", ".yml", ".json")
"""What a wildcard may match; baselines (`.jsonl`) and notes beside golden files are none."""


def find(patterns: Sequence[str], root: Path) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Give the files that the patterns match, sorted, each once, named from `root`; no match is a finding.

    A pattern that names an existing file means this file, whatever its suffix.
    """
    files: set[str] = set()
    findings: list[Finding] = []
    for pattern in patterns:
        matched = matching(pattern, root)
        golden = [name for name in matched if name == pattern or name.endswith(SUFFIXES)]
        files.update(named(name, root) for name in golden)
        if not golden:
            findings.append(_no_files(pattern, root, len(matched)))
    return tuple(sorted(files)), tuple(findings)


def matching(pattern: str, root: Path) -> list[str]:
    """Regular files that a pattern matches, named as the pattern is: from the root, or absolute."""
    if os.path.isfile(root / pattern):  # noqa: PTH113 - says no where Path.is_file raises
        return [pattern]
    path = Path(pattern)
    base = Path(path.anchor) if path.anchor else root
    parts = tuple(part for part, after in pairwise((*path.parts, "")) if (part, after) != ("**", "**"))
    names = _walk(base, path.anchor, parts[1:] if path.anchor else parts)
    return [name for name in names if os.path.isfile(root / name)]  # noqa: PTH113


def _walk(folder: Path, name: str, parts: tuple[str, ...]) -> Iterator[str]:
    """What glob.glob gives, but `**` enters each folder once: two links into their own folder never end.

    Unlike Path.glob it passes over hidden files and folders, such as .venv.
    """
    if not parts:
        yield name
        return
    head, rest = parts[0], parts[1:]
    if head == "**":
        for inner, inner_name in _folders(folder, name, set()):
            yield from _walk(inner, inner_name, rest or ("*",))
    elif glob.has_magic(head):
        for entry in _entries(folder):
            if fnmatch.fnmatchcase(entry.name, head) and (entry.name[0] != "." or head[0] == "."):
                yield from _walk(folder / entry.name, os.path.join(name, entry.name), rest)  # noqa: PTH118
    else:
        yield from _walk(folder / head, os.path.join(name, head), rest)  # noqa: PTH118


def _folders(folder: Path, name: str, seen: set[str]) -> Iterator[tuple[Path, str]]:
    """A folder and all below it that are not hidden, links after what is really there."""
    real = os.path.realpath(folder)
    if real in seen:
        return
    seen.add(real)
    yield folder, name
    for entry in sorted(_entries(folder), key=lambda entry: (entry.is_symlink(), entry.name)):
        if entry.name[0] != "." and entry.is_dir():
            yield from _folders(folder / entry.name, os.path.join(name, entry.name), seen)  # noqa: PTH118


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (OSError, ValueError):
        return []


def named(matched: str, root: Path) -> str:
    """A file that a pattern matched, named from the root."""
    path = Path(os.path.normpath(root / matched))
    base = Path(os.path.normpath(root))
    return (
        path.relative_to(base) if path.is_relative_to(base) else Path(os.path.relpath(path, base))
    ).as_posix()


def _other_spelling(pattern: str, root: Path) -> str:
    """The pattern with the other suffix of YAML where that matches; else ""."""
    stem, dot, suffix = pattern.rpartition(".")
    other = {"yaml": "yml", "yml": "yaml"}.get(suffix, "")
    return f"{stem}{dot}{other}" if other and matching(f"{stem}{dot}{other}", root) else ""


def _no_files(pattern: str, root: Path, others: int) -> Finding:
    what, fix = f"no file matches {pattern!r}", "Correct `dataset:`, or add a golden file."
    if near := _other_spelling(pattern, root):
        fix = f"Write {near}, or add a golden file."
    if others:
        what = f"{pattern!r} matches {others} files, of which none ends in {', '.join(SUFFIXES)}"
    elif os.path.isdir(root / pattern):  # noqa: PTH112 - says no where Path.is_dir raises
        what, fix = f"{pattern!r} is a folder", f"Write {pattern.rstrip('/')}/*.yaml."
    why = "Patterns start at the folder of agent-gate.yml, and pass over hidden folders."
    return Finding.error("no-files", Place(file=pattern), what, why=why, fix=fix)
