"""The ladder of verdicts, and what quarantine and policy do to it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gate.compare.verdict import compare
from gate.model.baseline import Baseline, BaselineFacts
from gate.model.config import Amount, Policy, Rule
from gate.model.run import CaseEvidence, TrialRecord
from gate.model.score import Unscored
from gate.model.trace import Refused
from gate.model.verdict import Comparison
from tests.support.runs import CASES_RULE, COMPARED, NONE, a_baseline, a_case, a_rule, an_evidence


def conclude(
    cases: Sequence[CaseEvidence],
    baseline: Baseline | None = None,
    rules: Sequence[Rule] = (CASES_RULE,),
    facts: BaselineFacts | None = None,
    undecided: dict[str, Policy] | None = None,
    *,
    enforced: bool = True,
    **meta: object,
) -> Comparison:
    return compare(
        an_evidence(*cases, **meta),
        baseline,
        facts or (COMPARED if baseline else NONE),
        rules=rules,
        undecided=undecided or {},
        enforced=enforced,
    )


def refused(case: str, why: str) -> TrialRecord:
    scores = {"calls": Unscored(cause="refused", reason=why)}
    return TrialRecord(case=case, trial=1, outcome=Refused(reason=why), scores=scores)


BEFORE = a_baseline(a_case("a", calls=[1] * 10), a_case("b", calls=[1] * 10))


@pytest.mark.parametrize(
    ("a", "b", "word", "code"),
    [
        ([1], [1], "pass", 0),
        ([0], [1], "regression", 1),
        ([0], ["throttled"], "regression", 1),
        ([1], ["throttled"], "undecided", 3),
    ],
)
def test_a_regression_outranks_what_is_undecided(
    a: list[float | str], b: list[float | str], word: str, code: int
) -> None:
    found = conclude([a_case("a", calls=a), a_case("b", calls=b)], BEFORE)
    assert (found.verdict, found.exit_code) == (word, code)


def test_an_agent_that_never_came_up_is_undecided_and_exits_with_3() -> None:
    found = conclude(
        [a_case("a", trials=1, calls=[])], BEFORE, agent_down="it exited with 1", measured_trials=0
    )
    assert (found.verdict, found.cause, found.exit_code) == ("undecided", "agent_down", 3)


def test_a_run_in_which_nothing_was_measured_is_never_green_whatever_the_policy() -> None:
    found = conclude(
        [a_case("a", calls=["throttled"])], BEFORE, undecided={"throttled": "pass"}, measured_trials=0
    )
    assert (found.verdict, found.cause, found.exit_code) == ("undecided", "agent_down", 3)
    assert found.reason == "nothing was measured (1 completed)"


def test_where_nothing_was_measured_the_usual_reason_is_told() -> None:
    cases = [
        replace(a_case(id_, calls=["refused"]), exhibits=(refused(id_, why),))
        for id_, why in (("a", "answered 404"), ("b", "answered 404"), ("c", "answered 422"))
    ]
    found = conclude(cases, BEFORE, measured_trials=0)
    assert found.reason == "nothing was measured (3 completed): answered 404"


@pytest.mark.parametrize(
    ("policy", "word", "code"), [("fail", "undecided", 3), ("warn", "undecided", 0), ("pass", "pass", 0)]
)
def test_policy_decides_what_an_undecided_cause_does(policy: Policy, word: str, code: int) -> None:
    cases = [a_case("a", calls=[1]), a_case("b", calls=["throttled"])]
    found = conclude(cases, BEFORE, undecided={"throttled": policy})
    assert (found.verdict, found.exit_code) == (word, code)


def test_a_failing_cause_outranks_one_that_only_warns() -> None:
    cases = [a_case("a", calls=["refused"]), a_case("b", calls=["throttled"])]
    rules = [CASES_RULE, a_rule(min=0.1)]
    found = conclude(cases, BEFORE, rules, undecided={"throttled": "warn", "coverage": "fail"})
    assert found.exit_code == 3


def test_enforce_report_says_what_would_have_happened_and_exits_with_0() -> None:
    found = conclude([a_case("a", calls=[0])], BEFORE, enforced=False)
    assert (found.verdict, found.exit_code, found.enforced) == ("regression", 0, False)


@pytest.mark.parametrize("level", ["warn", "info"])
def test_a_rule_that_does_not_block_changes_no_verdict_and_is_still_judged(level: str) -> None:
    found = conclude([a_case("a", calls=[0.5])], rules=[a_rule(min=0.9, level=level)])
    assert found.verdict == "pass"
    assert [rule.verdict for rule in found.rules] == ["regression"]


def test_without_a_baseline_the_expectations_decide() -> None:
    assert conclude([a_case("a", calls=[1])]).reason == "nothing to compare yet"
    assert conclude([a_case("a", calls=[0])]).verdict == "regression"


def test_a_baseline_that_is_gone_is_undecided_but_a_failing_new_case_is_red() -> None:
    gone = BaselineFacts(state="unreadable", problem="golden/baseline.jsonl is committed but not there")
    assert conclude([a_case("a", calls=[1])], facts=gone).cause == "baseline_unreadable"
    assert conclude([a_case("a", calls=[0])], facts=gone).verdict == "regression"


def test_a_quarantined_case_is_out_of_the_aggregates_on_both_sides() -> None:
    cases = [a_case("a", calls=[1]), a_case("b", quarantined=True, calls=[0])]
    before = a_baseline(a_case("a", calls=[1]), a_case("b", calls=[1]))
    found = conclude(cases, before, [CASES_RULE, a_rule(max_drop=Amount(value=0.0), min=1.0)])
    assert found.verdict == "pass"
    assert {(s.metric, s.scope, s.value, s.baseline) for s in found.metrics} == {("calls", "suite", 1.0, 1.0)}
    assert [(case.id, case.klass) for case in found.cases] == [("a", "unchanged"), ("b", "quarantined")]


def test_an_interrupted_run_keeps_what_was_measured_and_is_undecided() -> None:
    cases = [a_case("a", calls=[1]), a_case("b", trials=1, calls=[])]
    found = conclude(cases, BEFORE, interrupted=True)
    assert (found.verdict, found.cause) == ("undecided", "interrupted")
    assert found.cases[0].klass == "unchanged"


def test_metrics_are_summed_up_over_the_suite_and_by_category() -> None:
    cases = [a_case("a", category="x", calls=[1]), a_case("b", category="y", calls=[0, "throttled"])]
    found = conclude(cases, a_baseline(a_case("a", calls=[1])))
    assert [(s.scope, s.value, s.baseline, dict(s.unscored)) for s in found.metrics] == [
        ("suite", 0.5, 1.0, {"throttled": 1}),
        ("category:x", 1.0, 1.0, {}),
        ("category:y", 0.0, None, {"throttled": 1}),
    ]


def test_the_same_input_gives_the_same_verdict() -> None:
    cases = [a_case("a", calls=[1, 0]), a_case("b", calls=["throttled"])]
    assert conclude(cases, BEFORE) == conclude(cases, BEFORE)
