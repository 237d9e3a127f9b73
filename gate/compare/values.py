"""Means over cases, with the bounds that unmeasured trials leave open."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, inf
from types import MappingProxyType

from gate.frozen import frozen
from gate.model.baseline import Baseline, BaselineLine, Sample, Value
from gate.model.config import Policy
from gate.model.run import CaseEvidence, MetricFacts, UndecidedCause

_CAUSES: Mapping[str, UndecidedCause] = {
    "throttled": "throttled",
    "refused": "coverage",
    "not_exposed": "coverage",
    "not_run": "interrupted",
    "judge": "judge_down",
    "judge_changed": "judge_changed",
    "crashed": "coverage",
    "malformed": "coverage",
}


_STRICTNESS: Mapping[Policy, int] = {"fail": 0, "warn": 1, "pass": 2}
NO_POLICIES: Mapping[str, Policy] = MappingProxyType({})


@frozen
class Mean:
    """A mean over cases of each case's mean over trials.

    `value` is over what was measured (None: nothing was). `low` and `high` are what it could be had every
    unmeasured trial had the lowest or the highest value that there is: 0 and 1, or for measures 0 and
    infinity. A measure of a trial that crashed does not exist, and leaves nothing open.
    """

    cases: int
    trials: int
    value: float | None
    low: float | None
    high: float | None
    unscored: Mapping[str, int]


def samples_of(case: CaseEvidence, metric: str) -> tuple[Sample, ...]:
    """The metric's samples, filled up with `not_run` to the planned number of trials."""
    samples = case.samples.get(metric, ())
    not_run: Sample = "not_run"
    return samples + (not_run,) * (case.facts.trials - len(samples))


def mean_over(cases: Sequence[CaseEvidence], metric: MetricFacts) -> Mean:
    """The metric's mean over those of the cases that it applies to."""
    columns = all_columns = [
        samples_of(case, metric.name) for case in cases if metric.name in case.facts.keys
    ]
    measured = [mean_of(values) for values in map(scored, columns) if values]
    value = mean_of(measured) if measured else None
    if metric.kind == "measure":
        columns = [
            kept for column in columns if (kept := tuple(each for each in column if each != "crashed"))
        ]
    low, high = _bound(columns, 0.0), _bound(columns, inf if metric.kind == "measure" else 1.0)
    return Mean(
        cases=len(all_columns),
        trials=sum(map(len, all_columns)),
        value=value,
        low=low,
        high=high,
        unscored=Counter(
            sample for column in all_columns for sample in column if not isinstance(sample, Value)
        ),
    )


def mean_of(values: Iterable[float]) -> float:
    """The mean of at least one value; what statistics.fmean gives, without the 3 ms of its import."""
    listed = [*values]
    return fsum(listed) / len(listed)


def scored(samples: Iterable[Sample]) -> list[float]:
    """The values among samples."""
    return [sample.mean for sample in samples if isinstance(sample, Value)]


def undecided_cause(unscored: Iterable[str], policies: Mapping[str, Policy] = NO_POLICIES) -> UndecidedCause:
    """The cause that unmeasured values give to a verdict: of the strictest policy, then the most frequent."""
    return gravest((_CAUSES[cause] for cause in unscored if cause in _CAUSES), policies)


def gravest(causes: Iterable[UndecidedCause], policies: Mapping[str, Policy]) -> UndecidedCause:
    """The cause of the strictest policy, then the most frequent, ties by name: what passes hides nothing."""
    counts = Counter(causes)
    return min(
        counts, key=lambda cause: (strictness(cause, policies), -counts[cause], cause), default="coverage"
    )


def strictness(cause: UndecidedCause, policies: Mapping[str, Policy]) -> int:
    """0 for a cause that fails the run, as each does by default; then those that warn, and that pass."""
    return _STRICTNESS[policies.get(cause, "fail")]


def comparable(case: CaseEvidence, metric: str, baseline: Baseline) -> BaselineLine | None:
    """The baseline's line for a case and metric, if its key is the same and it holds a value."""
    line = baseline.lines.get((case.facts.id, metric))
    if line is None or line.key != case.facts.keys.get(metric):
        return None
    return line if any(scored(samples) for samples in line.runs.values()) else None


def join(
    cases: Sequence[CaseEvidence], metric: str, baseline: Baseline | None
) -> tuple[list[CaseEvidence], list[BaselineLine], int]:
    """The cases with a comparable line, those lines, and how many have a line under another key."""
    if baseline is None:
        return [], [], 0
    pairs = [(case, comparable(case, metric, baseline)) for case in cases]
    joined = [(case, line) for case, line in pairs if line]
    others = sum(line is None and (case.facts.id, metric) in baseline.lines for case, line in pairs)
    return [case for case, _ in joined], [line for _, line in joined], others


def baseline_mean(lines: Sequence[BaselineLine]) -> float | None:
    """The mean over lines of each line's pooled trials; None for no lines."""
    pooled = [[value for samples in line.runs.values() for value in scored(samples)] for line in lines]
    means = [mean_of(values) for values in pooled if values]
    return mean_of(means) if means else None


def _bound(columns: Sequence[tuple[Sample, ...]], unmeasured: float) -> float | None:
    means = [
        mean_of(sample.mean if isinstance(sample, Value) else unmeasured for sample in column)
        for column in columns
        if column
    ]
    return mean_of(means) if means else None
