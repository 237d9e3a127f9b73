"""Numbers over cases, with the bounds that unmeasured trials leave open."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from types import MappingProxyType

from gate.compare.aggregate import MEAN, Fold, mean_of
from gate.frozen import frozen
from gate.model.baseline import Baseline, BaselineLine, Sample, Value
from gate.model.config import Policy
from gate.model.run import CaseEvidence, MetricFacts
from gate.model.verdict import UndecidedCause

_CAUSES: Mapping[str, UndecidedCause] = {
    "throttled": "throttled",
    "refused": "coverage",
    "not_exposed": "coverage",
    "not_run": "interrupted",
    "judge": "judge_down",
    "judge_changed": "judge_changed",
    "metric": "coverage",
    "crashed": "coverage",
    "malformed": "coverage",
}


_STRICTNESS: Mapping[Policy, int] = {"fail": 0, "warn": 1, "pass": 2}
NO_POLICIES: Mapping[str, Policy] = MappingProxyType({})


@frozen
class Measured:
    """The number that an aggregate makes of cases, such as the mean over cases of each case's mean.

    `value` is over what was measured (None: nothing was): `measured` of the `cases`, of which `short` have
    too few trials for it. `low` and `high` are what it could be had every unmeasured trial had the lowest or
    the highest value that there is: 0 and 1, or for measures 0 and infinity. A measure of a trial that
    crashed does not exist, and leaves nothing open.
    """

    cases: int
    measured: int
    short: int
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


def measure(cases: Sequence[CaseEvidence], metric: MetricFacts, fold: Fold = MEAN) -> Measured:
    """The metric's aggregate over those of the cases that it applies to."""
    columns = all_columns = [
        samples_of(case, metric.name) for case in cases if metric.name in case.facts.keys
    ]
    numbers = [found for column in columns if len(found := folded(column, fold)) >= fold.trials]
    if metric.kind == "measure":
        columns = [
            kept for column in columns if (kept := tuple(each for each in column if each != "crashed"))
        ]
    most = 1.0 if metric.kind == "quality" or fold.passes else inf
    low, high = _bound(columns, fold, 0.0), _bound(columns, fold, most)
    return Measured(
        cases=len(all_columns),
        measured=len(numbers),
        short=sum(len(column) < fold.trials for column in columns),
        trials=sum(map(len, all_columns)),
        value=_within(fold.of(numbers), low, high),
        low=low,
        high=high,
        unscored=Counter(
            sample for column in all_columns for sample in column if not isinstance(sample, Value)
        ),
    )


def _within(value: float | None, low: float | None, high: float | None) -> float | None:
    """The value of what was measured, kept within what the whole can be.

    Of too few trials for `pass^k` one that failed says something already, of which the value knows nothing.
    """
    if value is None or low is None or high is None:
        return value
    return min(max(value, low), high)


def folded(samples: Iterable[Sample], fold: Fold) -> list[float]:
    """What of each measured trial is folded."""
    return [fold.number_of(sample) for sample in samples if isinstance(sample, Value)]


def scored(samples: Iterable[Sample]) -> list[float]:
    """The values among samples."""
    return [sample.mean for sample in samples if isinstance(sample, Value)]


def undecided_cause(unscored: Iterable[str], policies: Mapping[str, Policy] = NO_POLICIES) -> UndecidedCause:
    """The cause that unmeasured values give to a verdict: of the strictest policy, then the most frequent."""
    return gravest((_CAUSES[cause] for cause in unscored if cause in _CAUSES), policies)


def causes_of(unscored: Mapping[str, int]) -> Iterator[UndecidedCause]:
    """Yield for each unmeasured trial the cause that it gives to a verdict."""
    for cause, number in unscored.items():
        if cause in _CAUSES:
            yield from [_CAUSES[cause]] * number


def gravest(causes: Iterable[UndecidedCause], policies: Mapping[str, Policy]) -> UndecidedCause:
    """The cause of the strictest policy, then the most frequent, ties by name: what passes hides nothing."""
    counts = Counter(causes)
    return min(
        counts, key=lambda cause: (strictness(cause, policies), -counts[cause], cause), default="coverage"
    )


def strictness(cause: UndecidedCause, policies: Mapping[str, Policy]) -> int:
    """0 for a cause that fails the run, as each does by default; then those that warn, and that pass."""
    return _STRICTNESS[policies.get(cause, "fail")]


def comparable(case: CaseEvidence, metric: str, baseline: Baseline, fold: Fold = MEAN) -> BaselineLine | None:
    """The baseline's line for a case and metric, if its key is the same and it holds enough values."""
    line = baseline.lines.get((case.facts.id, metric))
    if line is None or line.key != case.facts.keys.get(metric):
        return None
    return line if sum(len(scored(samples)) for samples in line.runs.values()) >= fold.trials else None


def join(
    cases: Sequence[CaseEvidence], metric: str, baseline: Baseline | None, fold: Fold = MEAN
) -> tuple[list[CaseEvidence], list[BaselineLine], int]:
    """The cases with a comparable line, those lines, and how many have a line under another key."""
    if baseline is None:
        return [], [], 0
    pairs = [(case, comparable(case, metric, baseline, fold)) for case in cases]
    joined = [(case, line) for case, line in pairs if line]
    others = sum(line is None and (case.facts.id, metric) in baseline.lines for case, line in pairs)
    return [case for case, _ in joined], [line for _, line in joined], others


def baseline_value(lines: Sequence[BaselineLine], fold: Fold = MEAN) -> float | None:
    """The aggregate over lines of each line's pooled trials; None for no lines.

    The least of thirty trials is lower than the least of three: `min` and `max` are taken of each run that
    has all of the lines, and their mean is what a run is held against. None where no run has.
    """
    if fold.kind in ("min", "max"):
        runs = set.intersection(*map(_measured_runs, lines)) if lines else set()
        each = [fold.of([folded(line.runs[run], fold) for line in lines]) for run in sorted(runs)]
        found = [value for value in each if value is not None]
        return mean_of(found) if found else None
    pooled = [folded((s for samples in line.runs.values() for s in samples), fold) for line in lines]
    return fold.of([column for column in pooled if column])


def _measured_runs(line: BaselineLine) -> set[str]:
    return {run for run, samples in line.runs.items() if scored(samples)}


def _bound(columns: Sequence[tuple[Sample, ...]], fold: Fold, unmeasured: float) -> float | None:
    filled = [
        [fold.number_of(sample) if isinstance(sample, Value) else unmeasured for sample in column]
        for column in columns
        if column
    ]
    return fold.of(filled, short=unmeasured)
