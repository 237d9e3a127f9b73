"""Ids and categories that reports can show: foreign formats allow any text."""

from collections.abc import Iterable

from gate.dataset.reader import LABEL
from gate.model.case import Case
from gate.model.finding import Finding

_FIX = "Use 1 to 200 printable characters, without a space at either end."


def usable(
    cases: Iterable[Case], findings: Iterable[Finding]
) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """The cases whose id and category can be shown, and all findings with one for each other case."""
    good: list[Case] = []
    found = list(findings)
    for case in cases:
        if not LABEL.fullmatch(case.id):
            why = "An id is shown in reports and joins a case with its baseline."
            what = f"{case.id!r} cannot be the id of a case"
            found.append(Finding.error("bad-value", case.place, what, why=why, fix=_FIX))
        elif case.category and not LABEL.fullmatch(case.category):
            what = f"{case.category!r} cannot be the category of a case"
            found.append(Finding.error("bad-value", case.place, what, fix=_FIX))
        else:
            good.append(case)
    return tuple(good), tuple(found)
