"""What a judge that is not to be believed says counts for nothing: neither for the agent nor against it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from gate.compare.passing import TOLERANCE, trial_passes
from gate.compare.values import samples_of
from gate.model.baseline import Sample, Value
from gate.model.judge import Disagreement, JudgeHealth, JudgeState
from gate.model.run import CaseEvidence, MetricFacts, TrialRecord
from gate.model.score import Scored, Unscored
from gate.model.verdict import RuleVerdict, UndecidedCause

_CAUSES: Mapping[JudgeState, UndecidedCause] = {
    "changed": "judge_changed",
    "unfit": "judge_changed",
    "down": "judge_down",
}
_EVEN = 0.5


def distrusted(judges: Sequence[JudgeHealth]) -> dict[str, JudgeHealth]:
    """The metrics whose judge does not count, each with why."""
    return {judge.metric: judge for judge in judges if judge.state in _CAUSES}


def without_values(case: CaseEvidence, metrics: Mapping[str, JudgeHealth]) -> CaseEvidence:
    """The evidence in which nobody measured these metrics: what failed by others has failed all the same."""
    hidden = {name: samples for name, samples in case.samples.items() if name in metrics}
    if not hidden:
        return case
    blank = {
        name: tuple(_blank(sample, metrics[name]) for sample in samples) for name, samples in hidden.items()
    }
    exhibits = tuple(_doubting(record, metrics) for record in case.exhibits)
    return replace(case, samples={**case.samples, **blank}, exhibits=exhibits)


def _doubting(record: TrialRecord, metrics: Mapping[str, JudgeHealth]) -> TrialRecord:
    """The record in which such a metric says why it is not believed, in the place of what it said."""
    scores = {
        name: Unscored(cause=_unknown(metrics[name]), reason=metrics[name].reason)
        for name, score in record.scores.items()
        if name in metrics and isinstance(score, Scored)
    }
    return replace(record, scores={**record.scores, **scores}) if scores else record


def _blank(sample: Sample, judge: JudgeHealth) -> Sample:
    return _unknown(judge) if isinstance(sample, Value) else sample


def _unknown(judge: JudgeHealth) -> Literal["judge", "judge_changed"]:
    return "judge" if judge.state == "down" else "judge_changed"


def undecided_by(verdict: RuleVerdict, metrics: Mapping[str, JudgeHealth]) -> RuleVerdict:
    """A rule on such a metric is undecided, with the values that it was held against."""
    judge = metrics.get(verdict.rule.metric)
    if judge is None or verdict.verdict == "not_judged":
        return verdict
    return replace(
        verdict,
        verdict="undecided",
        cause=_CAUSES[judge.state],
        reason=f"judge '{judge.judge}' ({judge.model}): {judge.reason}",
    )


def disagreements(cases: Sequence[CaseEvidence], metrics: Sequence[MetricFacts]) -> Iterator[Disagreement]:
    """Where a case passes what rules check and the judge says no, or the other way round.

    Held against each other in the trials of which both say something; a case whose rules check nothing but
    that it completed is none of them.
    """
    judges = [metric for metric in metrics if metric.type == "judge"]
    others = [metric for metric in metrics if metric.decisive and metric.type != "judge"]
    for case in cases:
        checked = [metric for metric in others if metric.name in case.facts.keys]
        if all(metric.name == "completed" for metric in checked):
            continue
        for judge in judges:
            if judge.name in case.facts.keys:
                yield from _disagreement(case, judge, checked)


def _disagreement(
    case: CaseEvidence, judge: MetricFacts, checked: Sequence[MetricFacts]
) -> Iterator[Disagreement]:
    at = _EVEN if judge.pass_at is None else judge.pass_at
    columns = {metric.name: samples_of(case, metric.name) for metric in checked}
    pairs = []
    for trial, sample in enumerate(samples_of(case, judge.name)):
        passes = trial_passes(checked, {name: column[trial] for name, column in columns.items()})
        if passes is not None and isinstance(sample, Value):
            pairs.append((passes, sample.worst >= at - TOLERANCE))
    opinions: tuple[Literal["no", "yes"], ...] = ("no", "yes")
    for says in opinions:
        trials = sum(passes != judged and judged is (says == "yes") for passes, judged in pairs)
        if trials:
            yield Disagreement(
                case=case.facts.id, metric=judge.name, says=says, trials=trials, measured=len(pairs)
            )
