"""The list of what a pull request changes of its bar, in words: the same on every surface."""

from collections import Counter
from collections.abc import Iterator, Sequence

from gate.frozen import frozen
from gate.model.bar import BarChange, ChangeKind, Subject
from gate.model.verdict import CaseVerdict, Report
from gate.publish import bar_words, case_words
from gate.publish.escape import Quote, line
from gate.publish.words import count

_NOUNS: dict[Subject, tuple[str, str]] = {
    "agent": ("agent setting", ""),
    "baseline": ("baseline", ""),
    "case": ("case", ""),
    "config": ("setting", ""),
    "judge": ("judge", ""),
    "metric": ("metric", ""),
    "policy": ("policy", "policies"),
    "quarantine": ("quarantine", ""),
    "rule": ("rule", ""),
    "run": ("run setting", ""),
}
_NAMED: dict[Subject, str] = {"baseline": "baseline ", "case": "case ", "quarantine": "quarantine of "}
_OF_A_BASELINE: dict[ChangeKind, str] = {
    "added": "introduced",
    "changed": "replaced",
    "loosened": "replaced",
}
_VALUE, _NOTE, _NAME, _PLACE = 100, 200, 160, 160
_MOST_KINDS = 4


@frozen
class Told:
    """A change in words, its parts to be put together by the surface; `reasons` are of the base's text."""

    subject: str
    name: str
    word: str
    place: str
    what: str
    reasons: tuple[str, ...] = ()


def lists(report: Report) -> Iterator[tuple[str, tuple[BarChange, ...]]]:
    """The changes in the order in which they are shown, each list with what it is called."""
    if waiting := bar_words.pending(report):
        yield f"{count(len(waiting), 'change needs', 'changes need')} acceptance: {label(waiting)}", waiting
    bar = report.comparison.bar
    if bar is not None and bar.changes and bar_words.is_accepted(report):
        yield f"{count(len(bar.changes), 'change')} accepted: {label(bar.changes)}", bar.changes
    if rest := bar_words.quiet(report):
        needs = count(len(rest), "change needs", "changes need")
        yield f"{needs} no acceptance: {label(rest)}", rest


def label(changes: Sequence[BarChange]) -> str:
    """`1 rule loosened, 2 cases changed`, without other people's words."""
    kinds = Counter((change.subject, _word(change)) for change in changes).most_common()
    shown = [f"{count(number, *_NOUNS[subject])} {word}" for (subject, word), number in kinds[:_MOST_KINDS]]
    more = sum(number for _, number in kinds[_MOST_KINDS:])
    return ", ".join([*shown, f"{more} more"] if more else shown)


def told(report: Report, change: BarChange, quote: Quote, case: CaseVerdict | None) -> Told:
    """A change in words; `case` is the one that it is about, where it is about one."""
    values = [quote(line(text, _VALUE)) for text in (change.before, change.after) if line(text)]
    value = " → ".join(values)
    if line(change.before) and not line(change.after):
        value = f"it was {value}"
    about = case if change.subject == "case" else None
    texts = bar_words.by_text(report, about, quote) if about is not None else ""
    place = line(case_words.at(change.place), _PLACE) if line(change.place.file) else ""
    note = quote(line(change.note, _NOTE)) if line(change.note) else ""
    return Told(
        subject=_NAMED.get(change.subject, ""),
        name=quote(line(change.name, _NAME)),
        word=_word(change),
        place=quote(place) if place and place != line(change.name) else "",
        what="; ".join(part for part in (value, texts, note) if part),
        reasons=case_words.base_reasons(report, about, quote) if about is not None else (),
    )


def cases(report: Report) -> dict[str, CaseVerdict]:
    """The cases by id, for `told`."""
    return {case.id: case for case in report.comparison.cases}


def _word(change: BarChange) -> str:
    return _OF_A_BASELINE.get(change.kind, change.kind) if change.subject == "baseline" else change.kind
