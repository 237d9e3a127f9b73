"""The pooled baseline: what a run adds, what is kept, and what is refused."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.compare.baseline import KEPT_RUNS, accepted_by, from_lines, must_not, pool, refusals, to_lines
from gate.compare.verdict import compare
from gate.formats.records import Malformed
from gate.model import Json
from gate.model.bar import Acceptance, Bar
from gate.model.baseline import Baseline, BaselineLine, BaselineRun, Value
from gate.model.run import CaseEvidence
from gate.model.score import Cause
from gate.model.verdict import Report
from tests.support.runs import CASES_RULE, NONE, a_case, a_commit, a_report, an_evidence


def pooled(*cases: CaseEvidence, into: Baseline | None = None, run: str = "r1") -> Baseline:
    return pool(into, an_evidence(*cases, run=run, commit=a_commit()), "")


def test_a_first_run_becomes_the_baseline() -> None:
    baseline = pooled(a_case("a", calls=[1, 0]))
    assert [(run.run, run.commit) for run in baseline.runs] == [("r1", "e4f5a6b")]
    line = baseline.lines["a", "calls"]
    assert line.runs == {"r1": (Value(mean=1, worst=1), Value(mean=0, worst=0))}


def test_runs_are_pooled_and_the_last_ten_are_kept() -> None:
    baseline = None
    for number in range(KEPT_RUNS + 3):
        baseline = pooled(a_case("a", calls=[1]), into=baseline, run=f"r{number}")
    assert baseline is not None
    assert [run.run for run in baseline.runs] == [f"r{number}" for number in range(3, 13)]
    assert set(baseline.lines["a", "calls"].runs) == {f"r{number}" for number in range(3, 13)}


def test_accepting_the_same_run_twice_changes_nothing() -> None:
    once = pooled(a_case("a", calls=[1]))
    assert pooled(a_case("a", calls=[1]), into=once) == once


def test_values_under_another_key_are_dropped_with_the_line() -> None:
    old = pooled(a_case("a", calls=[1], says=[1]))
    changed = a_case("a", calls=[0], says=[1])
    keys = {"calls": "other", "says": "k"}
    new = pooled(replace(changed, facts=replace(changed.facts, keys=keys)), into=old, run="r2")
    assert set(new.lines["a", "calls"].runs) == {"r2"}
    assert set(new.lines["a", "says"].runs) == {"r1", "r2"}


def test_a_case_that_the_suite_no_longer_has_leaves_the_baseline() -> None:
    old = pooled(a_case("a", calls=[1]), a_case("gone", calls=[1]))
    assert {case for case, _ in pooled(a_case("a", calls=[1]), into=old, run="r2").lines} == {"a"}


def test_a_trial_that_never_ran_is_kept_as_such() -> None:
    baseline = pooled(a_case("a", trials=3, calls=[1, "throttled"]))
    assert baseline.lines["a", "calls"].runs["r1"] == (Value(mean=1, worst=1), "throttled", "not_run")


causes = st.sampled_from(["throttled", "refused", "not_exposed", "not_run", "judge", "crashed"])
numbers = st.floats(0, 1e6, allow_nan=False)
values = st.tuples(numbers, numbers).map(lambda two: Value(mean=max(two), worst=min(two)))
one_sample: st.SearchStrategy[Value | Cause] = st.one_of(values, causes)
texts = st.text(max_size=5)


@st.composite
def baselines(draw: st.DrawFn) -> Baseline:
    trials = draw(st.dictionaries(texts, st.integers(1, 3), min_size=1, max_size=3))
    runs = tuple(BaselineRun(run=run, commit=draw(texts), date="d", reason=draw(texts)) for run in trials)
    columns = {run: st.lists(one_sample, min_size=n, max_size=n).map(tuple) for run, n in trials.items()}
    some = st.sets(st.sampled_from(sorted(trials)), min_size=1)
    lines = {
        (case, metric): BaselineLine(
            case=case, metric=metric, key="k", runs={run: draw(columns[run]) for run in sorted(draw(some))}
        )
        for case, metric in draw(st.sets(st.tuples(texts, st.sampled_from(["calls", "says"])), max_size=4))
    }
    return Baseline(runs=runs, lines=lines)


@given(baselines())
def test_a_baseline_that_was_written_reads_back_the_same(baseline: Baseline) -> None:
    assert from_lines(list(to_lines(baseline))) == baseline


def test_the_lines_are_sorted_whatever_the_order_of_the_cases() -> None:
    one = list(to_lines(pooled(a_case("b"), a_case("a"))))
    other = list(to_lines(pooled(a_case("a"), a_case("b"))))
    assert one == other


RUN: dict[str, Json] = {"run": "r", "commit": "c", "date": "d"}
HEADER: Json = {"version": 1, "runs": [RUN]}
LINE: dict[str, Json] = {"case": "a", "metric": "m", "key": "k", "runs": {"r": [1]}}


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "line 1: the file is empty"),
        ([{"version": 2, "runs": []}], "version 1 baseline"),
        ([[]], "line 1: expected the header"),
        ([{"version": 1, "runs": [{"run": "x"}]}], "line 1"),
        ([{"version": True, "runs": [RUN]}], "version 1 baseline"),
        ([{"version": 1, "runs": [RUN], "note": ""}], "line 1: 'note' is no key"),
        ([{"version": 1, "runs": []}], "line 1: it has no run"),
        ([{"version": 1, "runs": {}}], "line 1: .*a list"),
        ([{"version": 1, "runs": [RUN, RUN]}], "line 1: a run is there twice"),
        ([{"version": 1, "runs": [{**RUN, "commit": 5}]}], "line 1: .*expected text, got '5'"),
        ([HEADER, {"case": "a"}], "line 2"),
        ([HEADER, 5], "line 2"),
        ([HEADER, LINE, {**LINE, "runs": {"r": [0]}}], "line 3: metric 'm' of case 'a' is there twice"),
        ([HEADER, {**LINE, "runs": {}}], "line 2: it has no run"),
        ([HEADER, {**LINE, "runs": {"other": [1]}}], "line 2: run 'other' is not in the header"),
        ([HEADER, LINE, {**LINE, "metric": "n", "runs": {"r": [1, 1]}}], "line 3: 2 trials of run 'r'"),
        ([HEADER, {**LINE, "runs": {"r": []}}], "line 2: 0 trials"),
        ([HEADER, {**LINE, "runs": {"r": ["oops"]}}], "oops"),
        ([HEADER, {**LINE, "runs": {"r": [True]}}], "True"),
        ([HEADER, {**LINE, "runs": {"r": [-1]}}], "line 2: run 'r' has a sample that no metric gives"),
        ([HEADER, {**LINE, "runs": {"r": [[0.5, 0.9]]}}], "a worst item above the mean"),
        ([HEADER, {**LINE, "runs": {"r": [[1, 1, 1]]}}], "line 2"),
        ([HEADER, {**LINE, "runs": {"r": "throttled"}}], "a list"),
        ([HEADER, {**LINE, "runs": {"r": [10**400]}}], "a measurable number"),
        ([HEADER, {**LINE, "runs": {"r": [float("nan")]}}], "a measurable number"),
    ],
)
def test_a_malformed_baseline_says_which_line_and_why(lines: Sequence[Json], says: str) -> None:
    with pytest.raises(Malformed, match=says):
        from_lines(lines)


def test_a_run_that_no_line_knows_and_a_metric_that_came_later_are_no_damage() -> None:
    old, new = RUN, {**RUN, "run": "s"}
    lines = [
        {"version": 1, "runs": [old, new]},
        {**LINE, "runs": {"r": [1], "s": [1, 1]}},
        {**LINE, "metric": "n", "runs": {"s": [0, "throttled"]}},
    ]
    assert len(from_lines(lines).lines) == 2


def reported(*cases: CaseEvidence, **meta: object) -> Report:
    facts: dict[str, object] = {"commit": a_commit(), **meta}
    evidence = an_evidence(*cases, **facts)
    comparison = compare(evidence, None, NONE, rules=(CASES_RULE,), undecided={})
    return a_report(comparison, evidence)


@pytest.mark.parametrize(
    ("trials", "meta", "says"),
    [
        ([0], {}, "it is red: cases (new_failing)"),
        (["throttled"], {}, "it is undecided (throttled)"),
        ([1], {"selection": ("--case a",)}, "it is filtered (--case a)"),
        ([1], {"interrupted": True}, "it was interrupted"),
        ([1], {"planned_trials": 3, "measured_trials": 2}, "only 2 of 3 trials were measured"),
        ([1], {"commit": a_commit(dirty=True)}, "it was made from uncommitted changes"),
    ],
)
def test_a_run_is_refused_with_every_reason(
    trials: list[float | str], meta: dict[str, object], says: str
) -> None:
    assert any(says in reason for reason in refusals(reported(a_case("a", calls=trials), **meta)))


def test_a_green_whole_clean_run_is_refused_for_nothing() -> None:
    assert list(refusals(reported(a_case("a", calls=[1])))) == []


def test_no_reason_makes_a_filtered_or_an_empty_run_a_baseline() -> None:
    assert "filtered" in must_not(reported(a_case("a", calls=[1]), selection=("--case a",)))
    assert "nothing was measured" in must_not(reported(a_case("a", calls=["refused"]), measured_trials=0))
    assert must_not(reported(a_case("a", calls=[0]))) == ""


def test_the_reason_of_an_accepted_pull_request_is_who_accepted_it() -> None:
    evidence = an_evidence(a_case("a", calls=[1]), run="r1", commit=a_commit())
    report = a_report(compare(evidence, None, NONE, rules=(), undecided={}), evidence, ())
    assert accepted_by(report) == ""
    accepted = Acceptance(by="ann", how="label", at="2026-11-30T07:12:00Z", head="0f1e2d3c4b5a" + "0" * 28)
    bar = Bar(base="a" * 40, side="head", accepted=accepted)
    report = replace(report, comparison=replace(report.comparison, bar=bar))
    assert accepted_by(report) == "accepted by ann (label, 2026-11-30T07:12:00Z) for 0f1e2d3c4b5a"
