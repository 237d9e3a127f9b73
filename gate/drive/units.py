"""What can run side by side, and what must run in order."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from gate.frozen import frozen
from gate.model.case import Case
from gate.model.trace import (
    Completed,
    Crashed,
    Outcome,
    Paused,
    Refused,
    Throttled,
    TimedOut,
)

Plan: TypeAlias = tuple[tuple[Case, tuple[int, ...]], ...]
"""Cases with the numbers of the trials to make of each, counted from 1."""


@frozen(kw_only=False)
class Unit:
    """One trial of a case that stands alone, or of all planned cases of a group in their order."""

    cases: tuple[Case, ...]
    trial: int


def alone(plan: Plan) -> list[Unit]:
    """The cases without a group; every case's first trial comes before any second one."""
    units = [Unit((case,), trial) for case, trials in plan if not case.group for trial in trials]
    return sorted(units, key=lambda unit: unit.trial)


def grouped(plan: Plan) -> list[Unit]:
    """The groups, each with its trials in a row."""
    members: dict[str, dict[int, list[Case]]] = defaultdict(lambda: defaultdict(list))
    for case, trials in plan:
        for trial in trials if case.group else ():
            members[case.group][trial].append(case)
    return [
        Unit(_ordered(cases), trial) for trials in members.values() for trial, cases in sorted(trials.items())
    ]


def unmet(case: Case, ended: dict[str, Outcome]) -> Refused | None:
    """Why a case is not run: one that it depends on was run in this trial and did not complete."""
    for name in case.depends_on:
        outcome = ended.get(name)
        if outcome is not None and not isinstance(outcome, Completed):
            return Refused(reason=f"not run: depends on {name!r}, which {_in_words(outcome)}")
    return None


def _ordered(cases: Sequence[Case]) -> tuple[Case, ...]:
    """The given order, except that a case comes after those that it depends on."""
    by_id = {case.id: case for case in cases}
    placed: dict[str, Case] = {}
    visiting: set[str] = set()

    def place(case: Case) -> None:
        if case.id in visiting:
            return
        visiting.add(case.id)
        for name in case.depends_on:
            if name in by_id:
                place(by_id[name])
        placed[case.id] = case

    for case in cases:
        place(case)
    return tuple(placed.values())


def _in_words(outcome: Outcome) -> str:
    match outcome:
        case Completed():
            return "completed"
        case Crashed():
            return "crashed"
        case TimedOut():
            return "timed out"
        case Paused():
            return "ended waiting for an answer"
        case Throttled():
            return "was throttled"
        case Refused():
            return "was refused"
