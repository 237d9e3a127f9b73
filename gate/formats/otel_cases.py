"""Which case of a suite a recorded conversation is a trial of."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from gate.formats.otel import Conversation
from gate.formats.otel_tree import attribute_of
from gate.frozen import frozen
from gate.model.case import Answers, Case
from gate.model.finding import Finding, Place
from gate.model.trace import Completed, Trace

Asked: TypeAlias = Mapping[str, tuple[str | None, ...]]
"""What the user says in each turn of each case; None where a turn answers a pause, with any words."""

_MOST_TOLD: Final = 20
_FIX: Final = (
    "Give the conversation the case's id as gen_ai.conversation.id, or name with --case-from an attribute "
    "that has it."
)


@frozen
class Assigned:
    """Traces with their case and trial, in that order, and what could not be assigned."""

    traces: tuple[Trace, ...]
    findings: tuple[Finding, ...]


def asked(cases: Sequence[Case], clean: Callable[[str], str] = str) -> Asked:
    """What each case's user says; `clean` takes out what was taken out of the spans."""
    return {
        case.id: tuple(
            None if isinstance(turn.sent, Answers) else plain(clean(turn.sent.text)) for turn in case.turns
        )
        for case in cases
    }


def assign(
    conversations: Sequence[Conversation], file: str, cases: Asked | None = None, attribute: str = ""
) -> Assigned:
    """Give each conversation its case, and number the trials of a case in order of time.

    With an `attribute` its value is the case's id. Else, of a suite, the case whose id is the conversation's,
    or whose user says the same; without a suite each conversation is a case of its own.
    """
    book = None if cases is None else _Book(cases)
    counts: dict[str, int] = {}
    traces: list[Trace] = []
    left: list[Finding] = []
    for each in sorted(conversations, key=lambda conversation: conversation.start_ns):
        name, why = _case(each, book, attribute)
        if why:
            what = f"the conversation {each.trace.case[:80]!r} is no trial of a case: {why}"
            left.append(Finding.warn("unassigned", each.place, what, fix=_FIX))
            continue
        counts[name] = counts.get(name, 0) + 1
        traces.append(replace(each.trace, case=name, trial=counts[name]))
    traces.sort(key=lambda trace: (trace.case, trace.trial))
    missing = [] if cases is None else [name for name in cases if name not in counts]
    return Assigned(traces=tuple(traces), findings=tuple(_told(left, missing, file, assigned=bool(traces))))


def plain(text: str) -> str:
    """A text to be compared: how its words are spaced and broken into lines does not count."""
    return " ".join(text.split())


class _Book:
    """The suite's cases by id and by what their user says first."""

    def __init__(self, cases: Asked) -> None:
        self.cases = cases
        self._by_first: dict[str, list[str]] = {}
        for name, texts in cases.items():
            self._by_first.setdefault(texts[0] or "" if texts else "", []).append(name)

    def same(self, said: Sequence[str], *, whole: bool) -> list[str]:
        """The cases whose user says this, or, not `whole`, begins with it."""
        return [
            name for name in self._by_first.get(said[0], ()) if _fits(said, self.cases[name], whole=whole)
        ]


def _fits(said: Sequence[str], texts: Sequence[str | None], *, whole: bool) -> bool:
    if len(said) > len(texts) or (whole and len(said) < len(texts)):
        return False
    return all(text is None or text == words for text, words in zip(texts, said, strict=False))


def _case(each: Conversation, book: _Book | None, attribute: str) -> tuple[str, str]:
    """The case's id, or why there is none."""
    name = attribute_of(each.steps, attribute) if attribute else each.trace.case
    if attribute and not name:
        return "", f"none of its spans has the attribute {attribute}"
    if book is None or name in book.cases:
        return name, ""
    if attribute:
        return "", f"{attribute} is {name[:80]!r}, and the suite has no such case"
    said = [plain(text) for text in each.said]
    if not any(said):
        return "", "what its user said was not recorded"
    found = book.same(said, whole=True)
    if not found and not isinstance(each.trace.outcome, Completed):
        found = book.same(said, whole=False)  # it ended before the case did
    if len(found) > 1:
        return "", f"its user says the same as that of the cases {', '.join(found[:5])}"
    if not found:
        return "", f"no case has its {len(said)} turns, of which the first says {each.said[0][:60]!r}"
    return found[0], ""


def _told(left: Sequence[Finding], missing: Sequence[str], file: str, *, assigned: bool) -> Iterator[Finding]:
    yield from left[:_MOST_TOLD]
    if len(left) > _MOST_TOLD:
        what = f"{len(left) - _MOST_TOLD} more conversations are no trials of a case"
        yield Finding.warn("unassigned", Place(file=file), what)
    if left and not assigned:
        yield Finding.error("nothing-to-import", Place(file=file), "no conversation is a trial of a case")
    if missing:
        names = ", ".join(missing[:10]) + (", …" if len(missing) > 10 else "")  # noqa: PLR2004 - a line's worth
        have = "1 case of the suite has" if len(missing) == 1 else f"{len(missing)} cases of the suite have"
        what = f"{have} no trial in this file: {names}"
        yield Finding.warn("case-missing", Place(file=file), what, why="They count as not measured.")
