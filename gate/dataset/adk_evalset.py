"""Golden files in the form of ADK's EvalSets (`*.evalset.json`, `*.test.json`), current and legacy."""

from gate.dataset.reader import LABEL
from gate.documents import Document
from gate.formats import evalset
from gate.model.case import Case
from gate.model.finding import Finding

accepts = evalset.accepts


def read(document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give the cases that can be used, and a finding for all that is wrong or is not carried over."""
    cases, findings = evalset.read(document.value, document.place)
    unnamed = tuple(case for case in cases if not LABEL.fullmatch(case.id))
    named = tuple(case for case in cases if case not in unnamed) if unnamed else cases
    return named, (*findings, *map(_bad_id, unnamed))


def _bad_id(case: Case) -> Finding:
    return Finding.error(
        "bad-value",
        case.place,
        f"{case.id!r} cannot be the id of a case",
        why="An id is shown in reports and joins a case with its baseline.",
        fix="Use 1 to 200 printable characters, without a space at either end.",
    )
