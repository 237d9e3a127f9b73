"""Rules over aggregates: what decides, what hangs on the unmeasured, and what is compared with what."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from gate.compare import rules
from gate.compare.baseline import pool
from gate.compare.cases import case_verdicts
from gate.compare.rules import Side, judge
from gate.model.baseline import Baseline
from gate.model.config import Amount, Rule
from gate.model.run import CaseEvidence
from gate.model.verdict import Coverage, RuleVerdict
from tests.support.runs import COMPARED, LATENCY, NONE, a_baseline, a_case, a_metric, a_rule, an_evidence

METRICS = {"calls": a_metric(), "latency_ms": LATENCY}


def judged(
    rule: Rule,
    cases: Sequence[CaseEvidence],
    baseline: Baseline | None = None,
    apart: Sequence[CaseEvidence] = (),
) -> list[RuleVerdict]:
    side = Side(
        cases=tuple(cases),
        verdicts=case_verdicts(cases, list(METRICS.values()), baseline, whole=True),
        baseline=baseline,
        facts=COMPARED if baseline else NONE,
        apart=tuple(apart),
    )
    return list(judge(rule, METRICS, side))


def only(rule: Rule, cases: Sequence[CaseEvidence], baseline: Baseline | None = None) -> RuleVerdict:
    (verdict,) = judged(rule, cases, baseline)
    return verdict


def tagged(case: CaseEvidence, *tags: str) -> CaseEvidence:
    return replace(case, facts=replace(case.facts, tags=tags))


@pytest.mark.parametrize(
    ("rule", "trials", "word", "cause"),
    [
        ({"aggregate": "pass_rate", "min": 0.5}, [1, 0.9], "pass", None),
        ({"aggregate": "pass_rate", "min": 0.6}, [1, 0.9], "regression", None),
        ({"aggregate": "pass_rate", "at": 0.9, "min": 1}, [1, 0.9], "pass", None),
        ({"aggregate": "pass_rate", "min": 0.6}, [1, "throttled"], "undecided", "throttled"),
        ({"aggregate": "pass_rate", "min": 0.5}, [1, "judge"], "pass", None),
        ({"aggregate": "min", "min": 0.5}, [1, 0.4], "regression", None),
        ({"aggregate": "min", "min": 0.5}, [1, "judge"], "undecided", "judge_down"),
        ({"aggregate": "min", "min": 0.5}, [0.4, "judge"], "regression", None),
        ({"aggregate": "max", "min": 0.9}, [0.1, 1], "pass", None),
        ({"aggregate": "max", "min": 0.9}, [0.1, "judge"], "undecided", "judge_down"),
        ({"aggregate": "percentile", "number": 50, "min": 0.5}, [0, 1, 1], "pass", None),
        ({"aggregate": "percentile", "number": 50, "min": 0.5}, [0, 1, "judge"], "undecided", "judge_down"),
        ({"aggregate": "percentile", "number": 50, "min": 0.5}, [1, 1, 1, "judge"], "pass", None),
        ({"aggregate": "pass_k", "number": 2, "min": 0.5}, [1, 1, 1, 0], "pass", None),
        ({"aggregate": "pass_k", "number": 2, "min": 0.6}, [1, 1, 1, 0], "regression", None),
        ({"aggregate": "pass_k", "number": 2, "min": 0.6}, [1, 1, 1, "judge"], "undecided", "judge_down"),
        ({"aggregate": "pass_k", "number": 2, "min": 0.2}, [1, 1, "judge"], "pass", None),
        ({"aggregate": "pass_k", "number": 3, "min": 0.1}, [1, 1], "undecided", "too_few_trials"),
        ({"aggregate": "pass_k", "number": 3, "min": 0.1}, [1, "judge", "judge"], "undecided", "judge_down"),
    ],
)
def test_a_bound_is_decided_where_no_unmeasured_trial_could_change_it(
    rule: dict[str, Any], trials: list[float | str], word: str, cause: str | None
) -> None:
    found = only(a_rule(**rule), [a_case(calls=trials)])
    assert (found.verdict, found.cause) == (word, cause)


@pytest.mark.parametrize(
    ("rule", "times", "word"),
    [
        ({"aggregate": "percentile", "number": 95, "max": 100}, [50, 100, 90], "pass"),
        ({"aggregate": "percentile", "number": 95, "max": 100}, [50, 101, 90], "regression"),
        ({"aggregate": "percentile", "number": 50, "max": 100}, [50, 101, 90], "pass"),
        ({"aggregate": "percentile", "number": 50, "max": 100}, [50, 90, "throttled"], "pass"),
        ({"aggregate": "percentile", "number": 95, "max": 100}, [50, 90, "throttled"], "undecided"),
        ({"aggregate": "percentile", "number": 95, "max": 100}, [50, 90, "crashed"], "pass"),
        ({"aggregate": "max", "max": 100}, [50, 101], "regression"),
        ({"aggregate": "pass_rate", "at": 100, "min": 0.5}, [50, 101], "pass"),
        ({"aggregate": "pass_rate", "at": 100, "min": 0.6}, [50, 101], "regression"),
        ({"aggregate": "pass_rate", "at": 100, "min": 0.6}, [50, "throttled"], "undecided"),
    ],
)
def test_a_measure_is_bounded_by_percentile_maximum_and_share(
    rule: dict[str, Any], times: list[float | str], word: str
) -> None:
    assert only(a_rule("latency_ms", **rule), [a_case(latency_ms=times)]).verdict == word


@pytest.mark.parametrize(
    ("rule", "before", "now", "word"),
    [
        ({"aggregate": "pass_rate"}, [1, 1, 1, 0], [1, 1, 0, 0], "regression"),
        ({"aggregate": "pass_rate"}, [1, 1, 0, 0], [1, 0], "pass"),
        ({"aggregate": "pass_k", "number": 2}, [1, 1, 1, 1, 0], [1, 1, 0], "regression"),
        ({"aggregate": "pass_k", "number": 2}, [1, 1, 0], [1, 1, 0], "pass"),
        ({"aggregate": "percentile", "number": 50}, [0, 1, 1], [0, 0, 1], "regression"),
        ({"aggregate": "min"}, [0.5, 1], [0.4, 1], "regression"),
        ({"aggregate": "min"}, [0.5, 1], [0.5, 1], "pass"),
    ],
)
def test_a_drop_is_between_the_same_aggregates(
    rule: dict[str, Any], before: list[float], now: list[float], word: str
) -> None:
    found = only(
        a_rule(max_drop=Amount(value=0.01), **rule), [a_case(calls=now)], a_baseline(a_case(calls=before))
    )
    assert found.verdict == word
    assert found.compared == found.value


def test_the_least_of_many_runs_is_not_held_against_the_least_of_one() -> None:
    baseline: Baseline | None = None
    for run in range(10):
        one = a_case(calls=[0.9, 0.1 if run == 3 else 0.9])
        baseline = pool(baseline, an_evidence(one, run=f"r{run}"), "")
    assert baseline
    found = only(a_rule(aggregate="min", max_drop=Amount(value=0.1)), [a_case(calls=[0.5, 0.9])], baseline)
    assert found.baseline == pytest.approx(0.82)
    assert found.verdict == "regression"


def test_a_baseline_of_too_few_trials_is_not_comparable() -> None:
    rule = a_rule(aggregate="pass_k", number=3, max_drop=Amount(value=0.1))
    cases = [a_case("a", calls=[1, 1, 0]), a_case("b", calls=[0, 0, 0])]
    found = only(rule, cases, a_baseline(a_case("a", calls=[1, 1, 1]), a_case("b", calls=[1])))
    assert (found.baseline, found.compared, found.not_comparable) == (1, 0, 1)
    alone = only(rule, cases[1:], a_baseline(a_case("b", calls=[1])))
    assert (alone.verdict, alone.cause) == ("undecided", "not_comparable")


def test_extremes_of_no_run_in_common_are_not_comparable_rather_than_new() -> None:
    one = pool(None, an_evidence(a_case("a", calls=[1]), run="r1"), "")
    two = pool(None, an_evidence(a_case("b", calls=[1]), run="r2"), "")
    both = Baseline(runs=(*one.runs, *two.runs), lines={**one.lines, **two.lines})
    rule = a_rule(aggregate="min", max_drop=Amount(value=0))
    found = only(rule, [a_case("a", calls=[0]), a_case("b", calls=[0])], both)
    assert (found.verdict, found.cause, found.not_comparable) == ("undecided", "not_comparable", 2)


def test_a_case_counts_under_each_of_its_tags() -> None:
    cases = [
        tagged(a_case("a", calls=[1]), "billing", "slow"),
        tagged(a_case("b", calls=[0]), "slow"),
        a_case("c", calls=[0]),
    ]
    found = {verdict.scope: verdict.value for verdict in judged(a_rule(by="tag", min=0.5), cases)}
    assert found == {"billing": 1, "slow": 0.5}
    (none,) = judged(a_rule(by="tag", min=0.5), cases[2:])
    assert none.verdict == "not_judged"


def test_what_a_number_rests_on_stands_beside_it() -> None:
    cases = [
        a_case("a", calls=[1, "judge"]),
        a_case("b", calls=["crashed", "judge"]),
        a_case("c", calls=[1, 1]),
    ]
    aside = a_case("d", quarantined=True, calls=[1, 1])
    (found,) = judged(a_rule(min=0.1), cases, apart=[aside])
    lost = {"judge": 2, "crashed": 1}
    assert found.coverage == Coverage(cases=3, measured=2, trials=6, unscored=lost, quarantined=1)
    by_case = judged(a_rule(min=0.1, by="case"), cases, apart=[aside])
    assert [verdict.coverage.quarantined for verdict in by_case if verdict.coverage] == [0, 0, 0]


def test_each_case_is_looked_at_once_however_many_tags_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    def counted(rule: Rule, case: CaseEvidence) -> Sequence[str]:
        nonlocal looked
        looked += 1
        return names(rule, case)

    names = rules._names
    monkeypatch.setattr(rules, "_names", counted)
    cases = [tagged(a_case(f"c{n}", calls=[1]), f"t{n}") for n in range(40)]
    apart = [tagged(a_case(f"q{n}", calls=[1], quarantined=True), f"t{n}") for n in range(40)]
    found = judged(a_rule(by="tag", min=0.5), cases, apart=apart)
    assert [each.coverage.quarantined for each in found if each.coverage] == [1] * 40
    assert looked == 80
