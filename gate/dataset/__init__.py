"""Golden files to cases: one reader a file, the READERS table, and what must hold over all files."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from gate.dataset import own
from gate.dataset.dump import dump_case
from gate.dataset.files import find
from gate.dataset.groups import grouped
from gate.dataset.reader import LateReader, Reader
from gate.dataset.selection import select
from gate.dataset.unknown import explain
from gate.documents import Document, no_collection, read
from gate.frozen import frozen
from gate.model import Json
from gate.model.case import Case
from gate.model.finding import Finding

__all__ = ["READERS", "Loaded", "Reader", "dump_case", "load", "once", "select", "suite"]

READERS: Final[Mapping[str, Reader]] = {
    "agents-cli": LateReader("gate.dataset.agents_cli"),
    "annotation": LateReader("gate.dataset.annotation"),
    "adk-evalset": LateReader("gate.dataset.adk_evalset"),
    "kagent-suite": LateReader("gate.dataset.kagent_suite"),
    "case-list": LateReader("gate.dataset.case_list"),
    "agent-gate": own,
}
"""Every format of golden files by its name; the first that accepts a file reads it."""


@frozen
class Loaded:
    """A suite: its cases with their groups, dependencies before dependents, and all that is wrong with it."""

    cases: tuple[Case, ...]
    files: tuple[str, ...]
    findings: tuple[Finding, ...]


def load(patterns: Sequence[str], root: Path) -> Loaded:
    """Read all files that the patterns match, relative to `root`; bad content is a finding, no exception."""
    files, missing = find(patterns, root)
    with no_collection():
        return suite((read(root / file, file) for file in files), missing)


def suite(documents: Iterable[Document], findings: Sequence[Finding] = ()) -> Loaded:
    """Make a suite of documents, wherever they come from; `findings` are those of finding them."""
    files: list[str] = []
    cases: dict[str, Case] = {}
    found = list(findings)
    for document in documents:
        files.append(document.file)
        in_file, wrong = _read(document)
        found += [*document.findings, *wrong, *once(in_file, cases)]
    ordered, wrong = grouped(tuple(cases.values()))
    return Loaded(cases=ordered, files=tuple(files), findings=(*found, *wrong))


def once(cases: Iterable[Case], known: dict[str, Case]) -> tuple[Finding, ...]:
    """Put cases to those that are known; a finding for each whose id is taken, where the first one stays."""
    pairs = [(case, known.setdefault(case.id, case)) for case in cases]
    return tuple(_duplicate(case, first) for case, first in pairs if first is not case)


def _read(document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    if document.broken:
        return (), ()
    # Files in our own format load none of the others' readers.
    rows = (own,) if _is_ours(document.value) else READERS.values()
    for reader in rows:
        if reader.accepts(document.value):
            return reader.read(document)
    return (), (explain(document),)


def _is_ours(value: Json) -> bool:
    """Whether the value is certainly of this format: its first case says something to the agent."""
    listed = value.get("cases") if isinstance(value, dict) else value
    first = listed[0] if isinstance(listed, list) and listed else None
    return isinstance(first, dict) and "id" in first and ("user" in first or "turns" in first)


def _duplicate(case: Case, first: Case) -> Finding:
    return Finding.error(
        "duplicate-id",
        case.place,
        f"case {case.id!r} is also at {first.place.file}:{first.place.line}",
        why="The baseline knows a case by its id alone, so an id stands for one case over all files.",
        fix="Rename one of the two.",
    )
