"""Which cases ask less, and which are run by the base's text as well."""

from dataclasses import replace
from datetime import date

import pytest

from gate.model.case import Case, Expect, Quarantine, TextPart, Turn, User
from gate.model.finding import Place
from gate.trust.cases import CasePairs, pair
from tests.support.cases import NOWHERE, made

TODAY = date(2026, 11, 30)
CONFIG = Place(file="agent-gate.yml")


def held(base: list[Case], head: list[Case]) -> CasePairs:
    return pair(base, head, CONFIG, TODAY)


def told(pairs: CasePairs) -> list[str]:
    return [f"{c.subject} {c.kind} {c.name}{' !' if c.needs_acceptance else ''}" for c in pairs.changes]


def apart(pairs: CasePairs) -> list[str]:
    return [case.id for case in pairs.apart]


def saying(text: str, **expect: object) -> tuple[Turn, ...]:
    return (Turn(sent=User(parts=(TextPart(text=text),)), expect=Expect(**expect), place=NOWHERE),)  # type: ignore[arg-type]


A = made("a", turns=saying("hi", contains=("x",)))
B = made("b")


def test_the_same_cases_in_another_order_and_place_are_no_change() -> None:
    moved = replace(A, place=Place(file="other.yaml"), turns=(replace(A.turns[0], place=CONFIG),))
    pairs = held([A, B], [B, moved])
    assert (told(pairs), apart(pairs)) == ([], [])


def test_added_and_removed_cases_are_told_and_what_is_removed_is_still_run() -> None:
    pairs = held([A], [B])
    assert (told(pairs), apart(pairs)) == (["case added b", "case removed a !"], ["a"])
    assert [change.place for change in pairs.changes] == [B.place, Place(file=A.place.file)]
    elsewhere = held([A], [replace(B, place=Place(file="other.yaml", line=1))])
    assert [change.place for change in elsewhere.changes][-1] == CONFIG, "whose file may be gone"


@pytest.mark.parametrize(
    ("change", "kind", "ran"),
    [
        ({"turns": saying("hi", contains=("y",))}, ["case changed a"], []),
        ({"turns": saying("hi")}, ["case loosened a !"], []),
        ({"turns": saying("bye", contains=("x",))}, ["case changed a"], ["a"]),
        ({"start_state": {"k": 1}}, ["case changed a"], ["a"]),
        ({"turns": (replace(A.turns[0], state_delta={"k": 1}),)}, ["case changed a"], ["a"]),
        ({"isolation": "shared", "group": "a"}, ["case changed a"], ["a"]),
        ({"depends_on": ("b",), "group": "a"}, ["case changed a"], ["a"]),
        ({"track": "retrieval"}, ["case changed a"], ["a"]),
        ({"category": "c"}, ["case changed a"], []),
        ({"tags": ("t",)}, ["case changed a"], []),
    ],
)
def test_a_changed_case_is_told_and_run_again_where_something_else_is_sent(
    change: dict[str, object], kind: list[str], ran: list[str]
) -> None:
    pairs = held([A, B], [replace(A, **change), B])  # type: ignore[arg-type]
    assert (told(pairs), apart(pairs)) == (kind, ran)


def shared(*names: str) -> list[Case]:
    return [made(name, isolation="shared", group=names[0]) for name in names]


@pytest.mark.parametrize(
    ("head", "ran"),
    [
        (("a", "b", "c"), []),
        (("a", "b", "c", "x"), []),
        (("a", "x", "b", "c"), ["a", "b", "c"]),
        (("x", "a", "b", "c"), ["a", "b", "c"]),
        (("a", "c", "b"), ["a", "b", "c"]),
        (("a", "c"), ["a", "b", "c"]),
    ],
)
def test_cases_that_share_a_database_are_run_together_where_what_comes_before_one_differs(
    head: tuple[str, ...], ran: list[str]
) -> None:
    assert apart(held(shared("a", "b", "c"), shared(*head))) == ran


def until(day: str) -> Quarantine:
    return Quarantine(owner="ann", reason="flaky", until=date.fromisoformat(day))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "2026-11-30", ["quarantine loosened a !"]),
        ("2026-12-01", "2026-12-02", ["quarantine loosened a !"]),
        ("2026-11-29", "2026-12-02", ["quarantine loosened a !"]),
        ("2026-12-02", "2026-12-01", ["quarantine tightened a"]),
        ("2026-12-02", "", ["quarantine tightened a"]),
        ("2026-11-29", "", ["quarantine changed a"]),
        ("", "2026-11-29", ["quarantine changed a"]),
        ("2026-12-01", "2026-12-01", []),
    ],
)
def test_a_quarantine_asks_less_where_it_ends_later(before: str, after: str, expected: list[str]) -> None:
    sides = [replace(A, quarantine=until(day) if day else None) for day in (before, after)]
    assert told(held(sides[:1], sides[1:])) == expected
