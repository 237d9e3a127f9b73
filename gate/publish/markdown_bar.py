"""The sections of comment and summary about the bar: what is not in force, who accepted, and every change."""

from collections.abc import Sequence

from gate.model.bar import BarChange
from gate.model.verdict import CaseVerdict, Report
from gate.publish import bar_changes, bar_words, markdown
from gate.publish.budget import Section
from gate.publish.escape import code

_MOST_OPEN = 10
_FEW = 3


def statement(report: Report) -> Section:
    """Who accepted, or how many changes are not in force: never cut."""
    return markdown.paragraph(bar_words.statement(report, code))


def changes(report: Report, *, room: int, elsewhere: str, most: int | None = None) -> tuple[Section, ...]:
    """A part that folds for each kind of change, open where acceptance is all that is missing.

    Of a long list `most` are shown, in about `room` bytes; `elsewhere` says where the rest is.
    """
    return tuple(
        _folded(report, label, listed, _items(report, listed, room, most), elsewhere)
        for label, listed in bar_changes.lists(report)
    )


def _folded(
    report: Report, label: str, listed: Sequence[BarChange], items: Sequence[str], elsewhere: str
) -> Section:
    opened = bar_words.asks(report) and listed == bar_words.pending(report) and len(listed) <= _MOST_OPEN
    left = len(listed) - len(items)
    more = f"and {left} more in {elsewhere}\n\n" if left else ""
    return Section(
        items=tuple(items),
        head=f"<details{' open' if opened else ''}><summary>{label}</summary>",
        foot=f"{more}</details>",
        between="\n",
        what="listed change",
    )


def _items(report: Report, listed: Sequence[BarChange], room: int, most: int | None) -> list[str]:
    cases, items = bar_changes.cases(report), list[str]()
    for change in listed[:most]:
        item = _item(report, change, cases.get(change.name), short=most is not None)
        room -= len(item.encode())
        if room < 0 and items:
            break
        items.append(item)
    return items


def _item(report: Report, change: BarChange, case: CaseVerdict | None, *, short: bool) -> str:
    told = bar_changes.told(report, change, code, case)
    place = f", {told.place}" if told.place else ""
    first = f"- {told.subject}**{told.name}** {told.word}{place}{' — ' if told.what else ''}{told.what}"
    shown = told.reasons[:_FEW] if short else told.reasons
    more = [f"  - and {len(told.reasons) - len(shown)} more"] if len(shown) < len(told.reasons) else []
    return "\n".join([first, *(f"  - {reason}" for reason in shown), *more])
