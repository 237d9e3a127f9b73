import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.drive.units import alone, grouped, unmet
from gate.model.trace import Completed, Crashed, Outcome, Paused, Refused, Throttled, TimedOut
from tests.support.driving import case


def test_every_case_has_its_first_trial_before_any_has_its_second() -> None:
    plan = ((case("a"), (1, 2)), (case("g", group="g"), (1,)), (case("b"), (1, 3)))
    assert [(unit.cases[0].id, unit.trial) for unit in alone(plan)] == [
        ("a", 1),
        ("b", 1),
        ("a", 2),
        ("b", 3),
    ]


def test_a_group_is_one_unit_a_trial_and_has_the_cases_that_the_trial_plans() -> None:
    a, b = case("a", group="g"), case("b", group="g", depends_on=("a",))
    units = grouped(((b, (1, 2)), (a, (1,)), (case("x"), (1,))))
    assert [([one.id for one in unit.cases], unit.trial) for unit in units] == [(["a", "b"], 1), (["b"], 2)]


def test_a_cycle_of_dependencies_does_not_hang() -> None:
    cycle = [case("a", group="g", depends_on=("b",)), case("b", group="g", depends_on=("a",))]
    (unit,) = grouped(tuple((one, (1,)) for one in cycle))
    assert {one.id for one in unit.cases} == {"a", "b"}


@given(st.permutations(range(6)), st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_a_case_comes_after_what_it_depends_on(order: list[int], pairs: set[tuple[int, int]]) -> None:
    before = {n: tuple(f"c{a}" for a, b in sorted(pairs) if b == n and a < n) for n in range(6)}
    plan = tuple((case(f"c{n}", group="g", depends_on=before[n]), (1,)) for n in order)
    (unit,) = grouped(plan)
    placed = [one.id for one in unit.cases]
    assert sorted(placed) == [f"c{n}" for n in range(6)]
    for one in unit.cases:
        assert all(placed.index(name) < placed.index(one.id) for name in one.depends_on)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Crashed(reason=""), "crashed"),
        (TimedOut(reason=""), "timed out"),
        (Paused(reason=""), "ended waiting for an answer"),
        (Throttled(reason=""), "was throttled"),
        (Refused(reason=""), "was refused"),
    ],
)
def test_what_a_dependent_says_of_its_condition(outcome: Outcome, words: str) -> None:
    refused = unmet(case("b", depends_on=("a",)), {"a": outcome})
    assert refused == Refused(reason=f"not run: depends on 'a', which {words}")


def test_a_met_condition_and_one_that_is_not_planned_hold_nothing_back() -> None:
    assert unmet(case("b", depends_on=("a",)), {"a": Completed()}) is None
    assert unmet(case("b", depends_on=("a",)), {}) is None
