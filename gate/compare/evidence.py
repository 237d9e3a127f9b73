"""Fold trials into the evidence of a run, so that no trace and no passing trial has to be kept."""

from collections.abc import Iterable, Mapping, Sequence

from gate.compare.passing import sample_of, trial_passes
from gate.formats.records import kind_of
from gate.model.baseline import Sample, Value
from gate.model.judge import JudgeReading
from gate.model.run import CaseEvidence, CaseFacts, Evidence, Meta, MetricFacts, TrialRecord
from gate.model.score import Score

EXHIBITS = 3
"""How many failing trials of a case are kept whole, to show why it failed."""


class Tally:
    """Collects the trials of a run; memory grows by one shared reference a trial and metric."""

    def __init__(self, metrics: Sequence[MetricFacts], cases: Sequence[CaseFacts]) -> None:
        self._metrics = tuple(metrics)
        self._cases = {facts.id: _CaseTally(facts) for facts in cases}
        self._values: dict[float, Value] = {}

    def add(self, record: TrialRecord) -> None:
        """Count one trial of a known case."""
        case = self._cases[record.case]
        samples = {name: self._sample(score) for name, score in record.scores.items()}
        case.add(record, samples, passed=trial_passes(self._metrics, samples))

    def evidence(self, meta: Meta, judges: tuple[JudgeReading, ...] = ()) -> Evidence:
        """What was counted so far; cases without a trial are there, with no samples."""
        cases = tuple(case.evidence() for case in self._cases.values())
        return Evidence(meta=meta, metrics=self._metrics, cases=cases, judges=judges)

    def _sample(self, score: Score) -> Sample:
        sample = sample_of(score)
        if isinstance(sample, Value) and sample.mean == sample.worst and sample.mean in {0.0, 1.0}:
            return self._values.setdefault(sample.mean, sample)
        return sample


class _CaseTally:
    def __init__(self, facts: CaseFacts) -> None:
        self.facts = facts
        self.samples: dict[str, list[Sample]] = {}
        self.outcomes: list[str] = []
        self.failing: list[TrialRecord] = []
        self.other: TrialRecord | None = None
        self.broken = False
        self.duration_ms = 0.0

    def add(self, record: TrialRecord, samples: Mapping[str, Sample], *, passed: bool | None) -> None:
        not_run: Sample = "not_run"
        for name in self.facts.keys:
            self.samples.setdefault(name, []).append(samples.get(name, not_run))
        self.outcomes.append(kind_of(record.outcome))
        self.duration_ms += record.duration_ms
        if passed is False:
            if len(self.failing) < EXHIBITS:
                self.failing.append(record)
        elif self.other is None or ("metric" in samples.values() and not self.broken):
            self.other, self.broken = record, "metric" in samples.values()

    def evidence(self) -> CaseEvidence:
        exhibits = self.failing or ([self.other] if self.other else [])
        return CaseEvidence(
            facts=self.facts,
            samples={name: tuple(values) for name, values in self.samples.items()},
            outcomes=tuple(self.outcomes),
            exhibits=tuple(exhibits),
            duration_ms=self.duration_ms,
        )


def tally(
    meta: Meta,
    metrics: Sequence[MetricFacts],
    cases: Sequence[CaseFacts],
    trials: Iterable[TrialRecord],
    judges: tuple[JudgeReading, ...] = (),
) -> Evidence:
    """The evidence of trials that are all at hand."""
    collected = Tally(metrics, cases)
    for record in trials:
        collected.add(record)
    return collected.evidence(meta, judges)
