"""Which cases of the head ask less than the base's, and which must be run by the base's text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from gate.frozen import frozen
from gate.model.bar import BarChange, ChangeKind
from gate.model.case import Case, Quarantine
from gate.model.finding import Place
from gate.trust import words
from gate.trust.expectations import dropped


@frozen
class CasePairs:
    """The cases of both sides by id.

    `changes` in the order of the head's cases, then those that it lacks. `apart` are cases of the base that
    no trial of the head's text can stand for, with all that shares their session or order.
    """

    changes: tuple[BarChange, ...]
    apart: tuple[Case, ...]


def pair(  # two sides and what is known of both
    base: Sequence[Case], head: Sequence[Case], config: Place, today: date, *, extra: bool = False
) -> CasePairs:
    """Hold the cases of the two sides side by side; `config` is where a case is told whose file is gone.

    `extra`: a metric reads what a case only knows besides, so that it counts as what is expected.
    """
    old, new = {case.id: case for case in base}, {case.id: case for case in head}
    changes: list[BarChange] = []
    for case in head:
        before = old.get(case.id)
        changes += (
            [_change("added", case.id, case.place)]
            if before is None
            else _changed(before, case, today, extra=extra)
        )
    files = {case.place.file: Place(file=case.place.file) for case in head}
    changes += [
        _change("removed", case.id, files.get(case.place.file, config), needed=True)
        for case in base
        if case.id not in new
    ]
    led, leads = _predecessors(base), _predecessors(head)
    differing = {
        case.id
        for case in base
        if case.id not in new or led[case.id] != leads[case.id] or _sends_other(case, new[case.id])
    }
    return CasePairs(changes=tuple(changes), apart=tuple(_with_groups(base, differing)))


def _sends_other(base: Case, head: Case) -> bool:
    """Whether the two put something else to the agent, or in another company."""
    mine, other = (
        (
            [(turn.sent, turn.state_delta) for turn in case.turns],
            case.start_state,
            case.isolation,
            case.group,
            case.depends_on,
        )
        for case in (base, head)
    )
    return mine != other or base.track != head.track


def _predecessors(cases: Iterable[Case]) -> dict[str, str]:
    """Which case of its group runs right before each: what it meets in the database that they share."""
    last: dict[str, str] = {}
    found: dict[str, str] = {}
    for case in cases:
        found[case.id] = last.get(case.group, "") if case.group else ""
        last[case.group] = case.id
    return found


def _with_groups(cases: Iterable[Case], ids: set[str]) -> Iterator[Case]:
    groups = {case.group for case in cases if case.id in ids and case.group}
    return (case for case in cases if case.id in ids or (case.group and case.group in groups))


def _changed(base: Case, head: Case, today: date, *, extra: bool) -> Iterator[BarChange]:
    if _texts(base) != _texts(head) or (extra and base.extra != head.extra):
        less = "; ".join(dropped(base, head))
        kind: ChangeKind = "loosened" if less else "changed"
        yield _change(kind, head.id, head.place, note=less, needed=bool(less))
    if base.category != head.category:
        yield _change(
            "changed", head.id, head.place, before=base.category, after=head.category, note="category"
        )
    if {*base.tags} != {*head.tags}:  # rules go by them, and metrics are of some alone
        before, after = (words.listed(sorted(case.tags)) for case in (base, head))
        yield _change("changed", head.id, head.place, before=before, after=after, note="tags")
    yield from _quarantine(base, head, today)


def _texts(case: Case) -> object:
    """What a case asks and expects, without where that is written."""
    nowhere = Place(file="")
    turns = tuple(replace(turn, place=nowhere) for turn in case.turns)
    return turns, case.start_state, case.expect, case.isolation, case.group, case.depends_on, case.track


def _quarantine(base: Case, head: Case, today: date) -> Iterator[BarChange]:
    before, after = _until(base.quarantine, today), _until(head.quarantine, today)
    if base.quarantine == head.quarantine:
        return
    kind: ChangeKind = "loosened" if after > before else "tightened" if after < before else "changed"
    yield BarChange(
        subject="quarantine",
        kind=kind,
        name=head.id,
        before=_told(base.quarantine),
        after=_told(head.quarantine),
        needs_acceptance=kind == "loosened",
        place=head.place,
    )


def _until(quarantine: Quarantine | None, today: date) -> date:
    """Until when a case does not count; one that has run out is none."""
    return quarantine.until if quarantine and quarantine.until >= today else date.min


def _told(quarantine: Quarantine | None) -> str:
    return (
        f"until {quarantine.until.isoformat()}: {quarantine.reason} ({quarantine.owner})"
        if quarantine
        else ""
    )


def _change(  # noqa: PLR0913  # one record
    kind: ChangeKind,
    id_: str,
    place: Place,
    *,
    before: str = "",
    after: str = "",
    note: str = "",
    needed: bool = False,
) -> BarChange:
    return BarChange(
        subject="case",
        kind=kind,
        name=id_,
        before=before,
        after=after,
        note=note,
        needs_acceptance=needed,
        place=place,
    )
