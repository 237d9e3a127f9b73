"""How the values of trials become one number of a case, and those of cases one of the suite (or a scope).

With x(c, t) the value of trial t of case c, n(c) the number of its trials, and C the number of cases:

- `mean`: the mean over cases of each case's mean, (1/C) Σc (1/n(c)) Σt x(c, t).
- `pass_rate`: the same of y(c, t), which is 1 where every item of the trial is at `at` or over it, else 0; of
  a measure where the trial is at `at` or under it.
- `min`, `max`: the least and the greatest x(c, t) of all.
- `p1` to `p99`: the least x that at least q per cent of the trials do not exceed, where each case counts
  once and its trials share that: the inverted distribution function (Hyndman and Fan, Sample quantiles in
  statistical packages, 1996, definition 1), weighted. It is a value that was measured.
- `pass^k`: the probability that k trials of a case all pass, estimated without bias by
  binom(p(c), k) / binom(n(c), k) with p(c) = Σt y(c, t), and the mean of that over cases (Yao et al.,
  τ-bench, 2024, https://arxiv.org/abs/2406.12045). A case of fewer than k trials has none.

Each grows with every x, so that what was not measured bounds the number from both sides.
"""

from collections.abc import Iterable, Sequence
from math import comb, fsum
from typing import TypeAlias, assert_never

from gate.compare.passing import TOLERANCE
from gate.frozen import frozen
from gate.model.baseline import Value
from gate.model.config import Aggregate, Rule
from gate.model.run import MetricFacts

Column: TypeAlias = Sequence[float]
"""The numbers of one case's trials: at least one."""


@frozen
class Fold:
    """An aggregate of one metric: `number` is the q of a percentile or the k of `pass^k`."""

    kind: Aggregate = "mean"
    number: int = 0
    at: float = 0.0
    lower_is_better: bool = False

    @property
    def passes(self) -> bool:
        """Whether it counts trials that pass, so that it is a share whatever the metric measures."""
        return self.kind in ("pass_rate", "pass_k")

    @property
    def trials(self) -> int:
        """How many trials of a case it takes."""
        return self.number if self.kind == "pass_k" else 1

    def number_of(self, value: Value) -> float:
        """What of a trial's value is folded."""
        if not self.passes:
            return value.mean
        if self.lower_is_better:
            return float(value.mean <= self.at + TOLERANCE)
        return float(value.worst >= self.at - TOLERANCE)

    def of(self, columns: Sequence[Column], short: float | None = None) -> float | None:
        """The number of cases' columns, None of none; `short` stands for a case of too few trials."""
        match self.kind:
            case "mean" | "pass_rate":
                return mean_of(map(mean_of, columns)) if columns else None
            case "min":
                return min(map(min, columns), default=None)
            case "max":
                return max(map(max, columns), default=None)
            case "percentile":
                return percentile(columns, self.number) if columns else None
            case "pass_k":
                found = [pass_k(column, self.number, short) for column in columns]
                shares = [share for share in found if share is not None]
                return mean_of(shares) if shares else None
            case never:
                assert_never(never)


MEAN = Fold()


def fold_of(rule: Rule, metric: MetricFacts) -> Fold:
    """What a rule bounds. Without `at` a trial passes as the metric has it, else only at the best value."""
    best = 1.0 if metric.kind == "quality" else 0.0
    at = metric.pass_at if rule.at is None else rule.at
    return Fold(
        kind=rule.aggregate,
        number=rule.number,
        at=best if at is None else at,
        lower_is_better=metric.better == "lower",
    )


def mean_of(values: Iterable[float]) -> float:
    """The mean of at least one value; what statistics.fmean gives, without the 3 ms of its import."""
    listed = [*values]
    return fsum(listed) / len(listed)


def percentile(columns: Sequence[Column], number: int) -> float:
    """The least value that `number` per cent do not exceed; each case weighs the same."""
    weighted = sorted((value, 1 / len(column)) for column in columns for value in column)
    wanted, reached = number / 100 * len(columns), 0.0
    for value, weight in weighted:
        reached += weight
        if reached >= wanted - TOLERANCE:
            return value
    return weighted[-1][0]


def pass_k(column: Column, k: int, short: float | None = None) -> float | None:
    """The unbiased estimate that k trials all pass; `short` where there are fewer."""
    trials, passed = len(column), sum(number == 1 for number in column)
    return comb(passed, k) / comb(trials, k) if trials >= k else short
