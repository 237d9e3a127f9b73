"""When a trial of a case passes, and which metrics have a say in it."""

from collections.abc import Mapping, Sequence

from gate.model.baseline import Sample, Value
from gate.model.config import Rule
from gate.model.run import MetricFacts, TrialRecord
from gate.model.score import Score, Scored

TOLERANCE = 1e-9
"""Below this, two numbers are the same: means of thirds must not break a rule by rounding."""


def is_decisive(
    name: str, kind: str, *, pass_at: float | None, expected: bool, rules: Sequence[Rule]
) -> bool:
    """Whether a metric decides if a case passes.

    `completed` always does. A metric with rules does if one of them blocks; a metric without rules does if
    it scores an `expect` key by default (`expected`). Without a `pass_at` there is nothing to hold an item
    against.
    """
    if kind != "quality" or pass_at is None:
        return False
    if name == "completed":
        return True
    own = [rule for rule in rules if rule.metric == name]
    return any(rule.level == "block" for rule in own) if own else expected


def record_passes(metrics: Sequence[MetricFacts], record: TrialRecord) -> bool | None:
    """`trial_passes` for a record."""
    return trial_passes(metrics, {name: sample_of(score) for name, score in record.scores.items()})


def sample_of(score: Score) -> Sample:
    """A score as evidence keeps it."""
    return Value(mean=score.value, worst=score.worst) if isinstance(score, Scored) else score.cause


def trial_passes(metrics: Sequence[MetricFacts], samples: Mapping[str, Sample]) -> bool | None:
    """True or False; None where an unmeasured metric could still make it fail."""
    verdicts = [_holds(metric, samples[metric.name]) for metric in metrics if _counts(metric, samples)]
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _counts(metric: MetricFacts, samples: Mapping[str, Sample]) -> bool:
    return metric.decisive and metric.name in samples


def _holds(metric: MetricFacts, sample: Sample) -> bool | None:
    if not isinstance(sample, Value):
        return None
    return metric.pass_at is None or sample.worst >= metric.pass_at - TOLERANCE
