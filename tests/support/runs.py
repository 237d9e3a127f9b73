"""Builders of evidence and baselines for tests of comparing."""

from collections.abc import Mapping, Sequence
from datetime import date

from gate.model.baseline import Baseline, BaselineFacts, BaselineLine, BaselineRun, Sample, Value
from gate.model.case import Quarantine
from gate.model.config import Policy, Rule
from gate.model.finding import Place
from gate.model.run import CaseEvidence, CaseFacts, Commit, Evidence, Meta, MetricFacts
from gate.model.verdict import Comparison, Report

PLACE = Place(file="golden/a.yaml", line=3, column=5)
NONE = BaselineFacts(state="none")
COMPARED = BaselineFacts(state="compared", runs=1, commit="a1b2c3d", date="2026-11-01T00:00:00+00:00")


def value(number: float, worst: float | None = None) -> Value:
    return Value(mean=number, worst=number if worst is None else worst)


def samples(given: Sequence[float | str]) -> tuple[Sample, ...]:
    return tuple(s if isinstance(s, str) else value(s) for s in given)  # type: ignore[misc]  # causes as text


def a_metric(name: str = "calls", **changes: object) -> MetricFacts:
    facts: dict[str, object] = {
        "name": name,
        "type": name,
        "version": "1",
        "unit": "",
        "kind": "quality",
        "better": "higher",
        "pass_at": 1.0,
        "decisive": True,
    }
    return MetricFacts(**{**facts, **changes})  # type: ignore[arg-type]  # a builder's keywords


LATENCY = a_metric("latency_ms", unit="ms", kind="measure", better="lower", pass_at=None, decisive=False)


def a_case(
    id_: str = "a",
    trials: int | None = None,
    *,
    key: str = "k",
    category: str = "",
    quarantined: bool = False,
    **metrics: Sequence[float | str],
) -> CaseEvidence:
    metrics = metrics or {"calls": [1]}
    count = trials or max(map(len, metrics.values()))
    return CaseEvidence(
        facts=CaseFacts(
            id=id_,
            place=PLACE,
            keys=dict.fromkeys(metrics, key),
            category=category,
            trials=count,
            quarantine=Quarantine(owner="ann", reason="flaky", until=date(2099, 1, 1))
            if quarantined
            else None,
        ),
        samples={name: samples(given) for name, given in metrics.items() if given},
        outcomes=("completed",) * max(map(len, metrics.values())),
    )


def a_baseline(*cases: CaseEvidence, key: str = "k", run: str = "r1") -> Baseline:
    lines = {
        (case.facts.id, metric): BaselineLine(case=case.facts.id, metric=metric, key=key, runs={run: values})
        for case in cases
        for metric, values in case.samples.items()
    }
    return Baseline(
        runs=(BaselineRun(run=run, commit="a1b2c3d", date="2026-11-01T00:00:00+00:00"),), lines=lines
    )


def a_meta(**changes: object) -> Meta:
    facts: dict[str, object] = {
        "run": "r2",
        "gate": "0.1.0",
        "started_at": "2026-11-30T06:00:00+00:00",
        "duration_s": 1.0,
        "config": "agent-gate.yml",
        "protocol": "http",
        "planned_trials": 1,
        "measured_trials": 1,
    }
    return Meta(**{**facts, **changes})  # type: ignore[arg-type]  # a builder's keywords


def an_evidence(*cases: CaseEvidence, **meta: object) -> Evidence:
    return Evidence(meta=a_meta(**meta), metrics=(a_metric(),), cases=cases)


def a_rule(metric: str = "calls", **changes: object) -> Rule:
    return Rule(metric=metric, place=PLACE, **changes)  # type: ignore[arg-type]  # a builder's keywords


CASES_RULE = a_rule("cases", counts={"regressed": 0, "new_failing": 0})


def a_report(
    comparison: Comparison, evidence: Evidence, rules: Sequence[Rule] = (), **undecided: Policy
) -> Report:
    policies: Mapping[str, Policy] = undecided
    return Report(
        meta=evidence.meta,
        metrics=evidence.metrics,
        rules=tuple(rules),
        undecided=policies,
        comparison=comparison,
    )


def a_commit(*, dirty: bool = False) -> Commit:
    return Commit(sha="e4f5a6b", branch="main", date="2026-11-30T05:00:00+00:00", dirty=dirty)
