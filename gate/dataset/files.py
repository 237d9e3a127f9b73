"""From the patterns of `dataset:` to files."""

import glob
import os
from collections.abc import Sequence
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
        matched = _matching(pattern, root)
        golden = [name for name in matched if name == pattern or name.endswith(SUFFIXES)]
        files.update(_name(name, root) for name in golden)
        if not golden:
            findings.append(_no_files(pattern, root, len(matched)))
    return tuple(sorted(files)), tuple(findings)


def _matching(pattern: str, root: Path) -> list[str]:
    if (root / pattern).is_file():
        return [pattern]
    # Unlike Path.glob it passes over hidden files and folders, such as .venv.
    matched = glob.glob(pattern, root_dir=root, recursive=True)  # noqa: PTH207
    return [name for name in matched if (root / name).is_file()]


def _name(matched: str, root: Path) -> str:
    path = Path(os.path.normpath(root / matched))
    base = Path(os.path.normpath(root))
    return (
        path.relative_to(base) if path.is_relative_to(base) else Path(os.path.relpath(path, base))
    ).as_posix()


def _no_files(pattern: str, root: Path, others: int) -> Finding:
    what, fix = f"no file matches {pattern!r}", "Correct `dataset:`, or add a golden file."
    if others:
        what = f"{pattern!r} matches {others} files, of which none ends in {', '.join(SUFFIXES)}"
    elif (root / pattern).is_dir():
        what, fix = f"{pattern!r} is a folder", f"Write {pattern.rstrip('/')}/*.yaml."
    why = "Patterns start at the folder of agent-gate.yml, and pass over hidden folders."
    return Finding.error("no-files", Place(file=pattern), what, why=why, fix=fix)
