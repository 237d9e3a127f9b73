"""Rules over scopes, with bounds for what was not measured."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gate.compare.cases import case_verdicts
from gate.compare.rules import Side, judge
from gate.model.baseline import Baseline, BaselineFacts
from gate.model.config import Amount, Rule
from gate.model.run import CaseEvidence, TrialRecord
from gate.model.score import Unscored
from gate.model.trace import Completed
from gate.model.verdict import RuleVerdict
from tests.support.runs import COMPARED, LATENCY, NONE, a_baseline, a_case, a_metric, a_rule

METRICS = {"calls": a_metric(), "latency_ms": LATENCY}


def judged(
    rule: Rule,
    cases: Sequence[CaseEvidence],
    baseline: Baseline | None = None,
    facts: BaselineFacts | None = None,
) -> list[RuleVerdict]:
    verdicts = case_verdicts(cases, list(METRICS.values()), baseline, whole=True)
    facts = facts or (COMPARED if baseline else NONE)
    side = Side(cases=tuple(cases), verdicts=verdicts, baseline=baseline, facts=facts)
    return list(judge(rule, METRICS, side))


def only(rule: Rule, cases: Sequence[CaseEvidence], baseline: Baseline | None = None) -> RuleVerdict:
    (verdict,) = judged(rule, cases, baseline)
    return verdict


@pytest.mark.parametrize(
    ("trials", "word"),
    [
        ([1, 1], "pass"),
        ([1, 0], "regression"),
        ([1, "throttled"], "undecided"),
        ([0, 0, 0, "throttled"], "regression"),
        (["throttled"], "undecided"),
        ([0.9], "pass"),
        ([0.1 + 0.2 + 0.6], "pass"),
        ([0.899], "regression"),
    ],
)
def test_a_minimum_fails_only_when_the_best_case_fails_and_holds_only_when_the_worst_holds(
    trials: list[float | str], word: str
) -> None:
    assert only(a_rule(min=0.9), [a_case(calls=trials)]).verdict == word


def test_the_suite_mean_is_the_mean_over_cases_of_each_mean_over_trials() -> None:
    cases = [a_case("a", calls=[1, 1, 1, 0]), a_case("b", calls=[0])]
    found = only(a_rule(min=0.375), cases)
    assert found.value == pytest.approx(0.375)
    assert found.verdict == "pass"


@pytest.mark.parametrize(
    ("before", "now", "allowed", "word"),
    [
        ([1, 1], [1, 0], Amount(value=0.5), "pass"),
        ([1, 1], [0, 0], Amount(value=0.5), "regression"),
        ([1, 1], [1, "throttled"], Amount(value=0.4), "undecided"),
        ([1, 1], [1, "throttled"], Amount(value=0.5), "pass"),
        ([0.8], [0.6], Amount(value=25, percent=True), "pass"),
        ([0.8], [0.59], Amount(value=25, percent=True), "regression"),
        ([0.5], [1], Amount(value=0), "pass"),
        ([1 / 3] * 3, [1 / 3], Amount(value=0), "pass"),
    ],
)
def test_a_drop_is_held_against_the_pooled_baseline(
    before: list[float | str], now: list[float | str], allowed: Amount, word: str
) -> None:
    baseline = a_baseline(a_case(calls=before))
    assert only(a_rule(max_drop=allowed), [a_case(calls=now)], baseline).verdict == word


@pytest.mark.parametrize(
    ("now", "rule", "word"),
    [
        (2400, a_rule("latency_ms", max_rise=Amount(value=25, percent=True)), "pass"),
        (2600, a_rule("latency_ms", max_rise=Amount(value=25, percent=True)), "regression"),
        (2600, a_rule("latency_ms", max_rise=Amount(value=25, percent=True), ignore_below=700), "pass"),
        (2800, a_rule("latency_ms", max_rise=Amount(value=25, percent=True), ignore_below=700), "regression"),
        (2100, a_rule("latency_ms", max_rise=Amount(value=50)), "regression"),
        (100, a_rule("latency_ms", max_rise=Amount(value=50)), "pass"),
        (100, a_rule("latency_ms", max_rise=Amount(value=50), max_drop=Amount(value=50)), "regression"),
        (2040, a_rule("latency_ms", max_rise=Amount(value=50), max_drop=Amount(value=50)), "pass"),
        (2040, a_rule("latency_ms", max=2000), "regression"),
        (2000, a_rule("latency_ms", max=2000), "pass"),
    ],
)
def test_a_measure_rises_against_the_baseline_with_a_floor(now: float, rule: Rule, word: str) -> None:
    baseline = a_baseline(a_case(latency_ms=[2000]))
    assert only(rule, [a_case(latency_ms=[now])], baseline).verdict == word


@pytest.mark.parametrize(
    ("trials", "rule", "word"),
    [
        ([100, "crashed"], a_rule("latency_ms", max=150), "pass"),
        ([100, "throttled"], a_rule("latency_ms", max=150), "undecided"),
        ([100, "not_exposed"], a_rule("latency_ms", max=150), "undecided"),
        ([400, "throttled"], a_rule("latency_ms", max=150), "regression"),
        ([100, "throttled"], a_rule("latency_ms", min=40), "pass"),
        ([100, "throttled"], a_rule("latency_ms", max_rise=Amount(value=100)), "undecided"),
        ([900, "throttled"], a_rule("latency_ms", max_rise=Amount(value=100)), "regression"),
        ([100, "throttled"], a_rule("latency_ms", max_drop=Amount(value=60)), "pass"),
    ],
)
def test_a_measure_that_was_not_taken_could_be_anything_and_one_of_a_crash_does_not_exist(
    trials: list[float | str], rule: Rule, word: str
) -> None:
    found = only(rule, [a_case(latency_ms=trials)], a_baseline(a_case(latency_ms=[100])))
    assert found.verdict == word
    assert found.value == trials[0]


def test_a_measure_of_which_nothing_was_measured_is_undecided() -> None:
    found = only(a_rule("latency_ms", max=150), [a_case(latency_ms=["throttled"])])
    assert (found.verdict, found.cause) == ("undecided", "throttled")


def test_without_a_baseline_a_relative_rule_is_not_judged_and_an_absolute_one_is() -> None:
    relative = only(a_rule(max_drop=Amount(value=0.0)), [a_case(calls=[0])])
    assert (relative.verdict, relative.reason) == ("not_judged", "no baseline yet")
    both = only(a_rule(max_drop=Amount(value=0.0), min=0.5), [a_case(calls=[0])])
    assert both.verdict == "regression"


def test_an_unreadable_baseline_leaves_a_relative_rule_undecided() -> None:
    facts = BaselineFacts(state="unreadable", problem="it is gone")
    (found,) = judged(a_rule(max_drop=Amount(value=0.0)), [a_case(calls=[1])], None, facts)
    assert (found.verdict, found.cause, found.reason) == ("undecided", "baseline_unreadable", "it is gone")


def test_values_under_another_key_are_left_out_and_counted() -> None:
    baseline = a_baseline(a_case("a", calls=[1]), a_case("b", calls=[1]))
    cases = [a_case("a", calls=[1]), a_case("b", key="other", calls=[0])]
    found = only(a_rule(max_drop=Amount(value=0.0)), cases, baseline)
    assert (found.verdict, found.not_comparable, found.baseline) == ("pass", 1, 1.0)


def test_where_nothing_is_comparable_a_relative_rule_is_undecided() -> None:
    baseline = a_baseline(a_case("a", calls=[1]))
    found = only(a_rule(max_drop=Amount(value=0.0)), [a_case("a", key="other", calls=[0])], baseline)
    assert (found.verdict, found.cause) == ("undecided", "not_comparable")


def test_a_case_that_the_baseline_never_had_cannot_drop() -> None:
    baseline = a_baseline(a_case("a", calls=[1]))
    found = only(a_rule(max_drop=Amount(value=0.0)), [a_case("new", calls=[0])], baseline)
    assert found.verdict == "not_judged"


@pytest.mark.parametrize(
    ("by", "scopes"),
    [("suite", ["suite"]), ("category", ["", "routing"]), ("case", ["a", "b", "c"])],
)
def test_a_rule_is_judged_in_each_of_its_scopes(by: str, scopes: list[str]) -> None:
    cases = [a_case("a", category="routing"), a_case("b"), a_case("c", category="routing")]
    found = judged(a_rule(min=1.0, by=by), cases)
    assert [verdict.scope for verdict in found] == scopes


def test_a_rule_whose_metric_no_case_carries_is_shown_as_not_judged() -> None:
    found = only(a_rule("latency_ms", max=1), [a_case(calls=[1])])
    assert (found.verdict, found.reason) == ("not_judged", "no case that counts has what it is held against")


def count_rule(**counts: int) -> Rule:
    return a_rule("cases", counts=counts)


@pytest.mark.parametrize(
    ("name", "bound", "now", "word"),
    [
        ("regressed", 0, [0], "regression"),
        ("regressed", 1, [0], "pass"),
        ("regressed", 0, [1], "pass"),
        ("regressed", 0, ["refused"], "undecided"),
        ("regressed", 1, ["refused"], "pass"),
    ],
)
def test_cases_are_counted_against_a_bound_and_undecided_ones_leave_it_open(
    name: str, bound: int, now: list[float | str], word: str
) -> None:
    baseline = a_baseline(a_case(calls=[1]))
    found = only(count_rule(**{name: bound}), [a_case(calls=now)], baseline)
    assert found.verdict == word


@pytest.mark.parametrize(
    ("now", "word"),
    [([0, 0], "regression"), ([0, 1], "pass"), (["throttled", 0], "undecided"), (["throttled", 1], "pass")],
)
def test_a_new_case_fails_when_no_trial_passed(now: list[float | str], word: str) -> None:
    assert only(count_rule(new_failing=0), [a_case(calls=now)]).verdict == word


def test_a_removed_case_is_counted_where_a_rule_asks_for_it() -> None:
    baseline = a_baseline(a_case("a", calls=[1]), a_case("gone", calls=[1]))
    assert only(count_rule(removed=0), [a_case("a", calls=[1])], baseline).verdict == "regression"


def test_the_undecided_reason_names_the_cases_and_the_commonest_cause() -> None:
    names = "abcdefg"
    baseline = a_baseline(*(a_case(name, calls=[1]) for name in names))
    cases = [a_case(name, calls=["throttled" if name < "f" else "refused"]) for name in names]
    found = only(count_rule(regressed=0), cases, baseline)
    assert found.cause == "throttled"
    assert found.reason == "7 could not be decided: a, b, c, d, e and more"


def test_the_change_is_told_over_the_cases_that_can_be_compared() -> None:
    baseline = a_baseline(a_case("a", calls=[1]))
    cases = [a_case("a", calls=[1]), a_case("new", calls=[0])]
    found = only(a_rule(max_drop=Amount(value=0.0)), cases, baseline)
    assert (found.verdict, found.baseline, found.compared, found.value) == ("pass", 1.0, 1.0, 0.5)


def test_a_metric_whose_own_code_failed_leaves_the_rule_undecided_and_says_how() -> None:
    why = Unscored(cause="metric", reason="it did not answer within 10 s")
    record = TrialRecord(case="b", trial=1, outcome=Completed(), scores={"calls": why})
    cases = [a_case("a", calls=[1, 1]), replace(a_case("b", calls=["metric", 1]), exhibits=(record,))]
    found = only(a_rule(min=0.9), cases)
    assert (found.verdict, found.cause) == ("undecided", "coverage")
    assert found.reason == (
        "hangs on 1 of 4 trials that were not measured (1 metric);"
        " the metric itself failed in b: it did not answer within 10 s"
    )
    assert only(a_rule(min=0.1), cases).reason == ""
