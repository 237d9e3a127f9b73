"""Which rules ask less: what fails by the base's rules never passes by rules that are not called looser."""

from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gate.compare.passing import is_decisive
from gate.compare.rules import Side, judge
from gate.compare.verdict import compare
from gate.model.baseline import Baseline
from gate.model.config import Amount, Rule
from gate.model.finding import Place
from gate.model.run import CaseEvidence
from gate.model.verdict import Comparison
from gate.trust.rules import implies, rule_changes
from tests.support.runs import COMPARED, NONE, a_baseline, a_case, a_metric, an_evidence

PLACE = Place(file="agent-gate.yml")
bounds = st.none() | st.sampled_from([0.0, 0.4, 0.5, 0.6, 1.0])
amounts = st.none() | st.builds(
    Amount, value=st.sampled_from([0.0, 0.1, 0.3, 1.0, 20.0, 50.0]), percent=st.booleans()
)
levels = st.sampled_from(["block", "block", "warn", "info"])
about_calls = st.builds(
    Rule,
    metric=st.just("calls"),
    min=bounds,
    max=bounds,
    max_drop=amounts,
    max_rise=amounts,
    ignore_below=st.none() | st.sampled_from([0.0, 0.2, 0.5]),
    coverage=st.none() | st.sampled_from([0.5, 1.0]),
    by=st.sampled_from(["suite", "category", "tag", "case"]),
    aggregate=st.sampled_from(["mean", "mean", "min", "pass_rate"]),
    at=st.none() | st.just(0.5),
    level=levels,
    place=st.just(PLACE),
)
counts = st.dictionaries(st.sampled_from(["regressed", "new_failing", "removed"]), st.integers(0, 2))
about_cases = st.builds(Rule, metric=st.just("cases"), counts=counts, level=levels, place=st.just(PLACE))
rules = st.lists(about_calls | about_cases, max_size=4)
values = st.lists(st.sampled_from([0.0, 0.5, 1.0, "throttled"]), min_size=1, max_size=2)
cases = st.lists(
    st.builds(
        lambda id_, category, calls: a_case(id_, category=category, calls=calls),
        st.sampled_from("abcd"),
        st.sampled_from(["", "x"]),
        values,
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda case: case.facts.id,
)


def judged(rules_: list[Rule], evidence: list[CaseEvidence], baseline: Baseline | None) -> Comparison:
    decisive = is_decisive("calls", "quality", pass_at=1.0, expected=True, rules=rules_)
    return compare(
        replace(an_evidence(*evidence), metrics=(a_metric(decisive=decisive),)),
        baseline,
        COMPARED if baseline else NONE,
        rules=rules_,
        undecided={},
    )


def is_looser(base: list[Rule], head: list[Rule]) -> bool:
    told = any(change.needs_acceptance for change in rule_changes(base, head))
    decides = [
        is_decisive("calls", "quality", pass_at=1.0, expected=True, rules=each) for each in (base, head)
    ]
    return told or decides == [True, False]


@st.composite
def two_sides(draw: st.DrawFn) -> tuple[list[Rule], list[Rule]]:
    """Rules, and others that have mostly the same keys."""
    base = draw(rules)
    head = [draw(st.just(rule) | _altered(rule)) for rule in base]
    return base, draw(st.permutations([*head, *draw(st.lists(about_calls | about_cases, max_size=2))]))


def _altered(rule: Rule) -> st.SearchStrategy[Rule]:
    if rule.metric == "cases":
        return st.builds(lambda other: replace(rule, counts=other.counts, level=other.level), about_cases)
    keys = st.sampled_from(
        ["min", "max", "max_drop", "max_rise", "ignore_below", "coverage", "level", "aggregate", "at"]
    )
    return st.builds(lambda other, key: replace(rule, **{key: getattr(other, key)}), about_calls, keys)


@settings(max_examples=100, deadline=None)
@given(two_sides(), cases, st.none() | cases)
def test_what_fails_by_the_base_s_rules_passes_by_no_tighter_ones(
    sides: tuple[list[Rule], list[Rule]], now: list[CaseEvidence], before: list[CaseEvidence] | None
) -> None:
    base, head = sides
    assume(not is_looser(base, head))
    baseline = a_baseline(*before) if before else None
    old, new = judged(base, now, baseline), judged(head, now, baseline)
    order = ("pass", "undecided", "regression")
    assert order.index(new.verdict) >= order.index(old.verdict)


def random_rule(random: Random) -> Rule:
    """One or two bounds, so that many pairs imply each other."""
    amounts_ = [Amount(value=value) for value in (0.0, 0.1, 0.3)]
    amounts_ += [Amount(value=value, percent=True) for value in (0.0, 15.0, 40.0)]
    bounds_ = {"min": (0.3, 0.5, 0.7), "max": (0.5, 0.7), "max_drop": amounts_, "max_rise": amounts_}
    keys = random.sample(sorted(bounds_), random.choice([1, 1, 2]))
    return Rule(
        metric="calls",
        by=random.choice(["suite", "category", "case"]),
        level=random.choice(["block", "block", "warn"]),
        ignore_below=random.choice([None, None, 0.0, 0.2]),
        place=PLACE,
        **{key: random.choice(bounds_[key]) for key in keys},  # type: ignore[arg-type]  # a builder's keywords
    )


def random_side(random: Random) -> Side:
    def some() -> list[CaseEvidence]:
        return [
            a_case(
                id_, category=category, calls=random.choices([0.0, 0.25, 0.5, 0.75, 1.0, "throttled"], k=2)
            )
            for id_, category in (("a", "x"), ("b", "x"), ("c", "y"))
        ]

    return Side(cases=tuple(some()), verdicts=(), baseline=a_baseline(*some()), facts=COMPARED)


def severity(rule: Rule, side: Side) -> int:
    """How bad it is for the run: 2 for a regression, 1 for what is undecided."""
    words = [each.verdict for each in judge(rule, {"calls": a_metric()}, side) if rule.level == "block"]
    return 2 if "regression" in words else 1 if "undecided" in words else 0


def test_whatever_fails_a_rule_fails_each_that_implies_it() -> None:
    random = Random(7)
    pool = [random_rule(random) for _ in range(250)]
    sides = [random_side(random) for _ in range(60)]
    outcomes = [[severity(rule, side) for side in sides] for rule in pool]
    assert {word for row in outcomes for word in row} == {0, 1, 2}
    implied = [(i, j) for i, j in permutations(range(len(pool)), 2) if implies(pool[i], pool[j])]
    assert len(implied) > 500
    for i, j in implied:
        assert all(a >= b for a, b in zip(outcomes[i], outcomes[j], strict=True)), (pool[i], pool[j])


@given(about_calls | about_cases)
def test_a_rule_implies_itself(rule: Rule) -> None:
    assert implies(rule, rule)


@given(st.lists(about_calls, min_size=3, max_size=6))
def test_what_implies_a_rule_implies_what_that_implies(some: list[Rule]) -> None:
    for one, two, three in permutations(some, 3):
        if implies(one, two) and implies(two, three):
            assert implies(one, three)


@given(rules)
def test_the_same_rules_in_another_order_are_no_change(base: list[Rule]) -> None:
    assert list(rule_changes(base, base[::-1])) == []


@pytest.mark.parametrize(
    ("base", "head", "looser"),
    [
        ({"regressed": 0}, {"regressed": 0, "removed": 0}, False),
        ({"regressed": 2}, {"regressed": 1}, False),
        ({"regressed": 1}, {"regressed": 2}, True),
        ({"regressed": 0, "removed": 0}, {"regressed": 0}, True),
    ],
)
def test_counts_ask_less_where_one_is_higher_or_gone(
    base: dict[str, int], head: dict[str, int], looser: bool
) -> None:
    sides = [[Rule(metric="cases", counts=counts_, place=PLACE)] for counts_ in (base, head)]
    assert any(change.needs_acceptance for change in rule_changes(*sides)) is looser


def a_rule(**keys: object) -> Rule:
    return Rule(**{"metric": "calls", "place": PLACE, **keys})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("base", "head", "told"),
    [
        ([a_rule(min=0.9)], [a_rule(min=0.95)], [("tightened", "{min: 0.9}", "{min: 0.95}")]),
        ([a_rule(min=0.9)], [a_rule(min=0.8)], [("loosened", "{min: 0.9}", "{min: 0.8}")]),
        ([a_rule(min=0.9)], [], [("removed", "{min: 0.9}", "")]),
        ([], [a_rule(min=0.9)], [("added", "", "{min: 0.9}")]),
        (
            [a_rule(max_drop=Amount(value=5, percent=True))],
            [a_rule(max_drop=Amount(value=0.05))],
            [("loosened", "{max_drop: 5%}", "{max_drop: 0.05}")],
        ),
        (
            [a_rule(min=0.5, coverage=0.9)],
            [a_rule(min=0.6, coverage=0.8)],
            [("loosened", "{min: 0.5, coverage: 0.9}", "{min: 0.6, coverage: 0.8}")],
        ),
        (
            [a_rule(max_drop=Amount(value=5, percent=True))],
            [a_rule(max_drop=Amount(value=0))],
            [("tightened", "{max_drop: 5%}", "{max_drop: 0}")],
        ),
        (
            [a_rule(min=0.9, by="category")],
            [a_rule(min=0.9)],
            [("loosened", "{min: 0.9, by: category}", "{min: 0.9}")],
        ),
        (
            [a_rule(min=0.9), a_rule(min=0.5, by="case")],
            [a_rule(min=0.9), a_rule(min=0.4, by="case")],
            [("loosened", "{min: 0.5, by: case}", "{min: 0.4, by: case}")],
        ),
    ],
)
def test_a_change_is_told_with_both_sides(
    base: list[Rule], head: list[Rule], told: list[tuple[str, str, str]]
) -> None:
    assert [(each.kind, each.before, each.after) for each in rule_changes(base, head)] == told


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ({}, {"aggregate": "max"}),
        ({}, {"aggregate": "min"}),
        ({"aggregate": "pass_rate"}, {"aggregate": "pass_rate", "at": 0.1}),
        ({"aggregate": "pass_rate", "at": 0.9}, {"aggregate": "pass_rate", "at": 0.1}),
        ({"aggregate": "pass_k", "number": 3}, {"aggregate": "pass_k", "number": 1}),
        ({"aggregate": "percentile", "number": 5}, {"aggregate": "percentile", "number": 95}),
        ({"by": "tag"}, {"by": "suite"}),
    ],
)
def test_another_aggregate_is_another_rule_and_waits(base: dict[str, Any], head: dict[str, Any]) -> None:
    old, new = (Rule(metric="calls", min=0.5, place=PLACE, **each) for each in (base, head))
    assert not implies(new, old)
    assert not implies(old, new)
    (change,) = rule_changes([old], [new])
    assert (change.kind, change.needs_acceptance) == ("loosened", True)
    assert change.before != change.after


def test_a_rule_is_told_beside_that_of_the_same_aggregate() -> None:
    mean = Rule(metric="calls", min=0.5, place=PLACE)
    tail = Rule(metric="calls", min=0.3, aggregate="percentile", number=5, place=PLACE)
    (change,) = rule_changes([mean, tail], [mean, replace(tail, min=0.1)])
    assert (change.before, change.after) == ("{aggregate: p5, min: 0.3}", "{aggregate: p5, min: 0.1}")
