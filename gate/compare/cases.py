"""What became of each case."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from gate.compare.passing import TOLERANCE, trial_passes
from gate.compare.values import NO_POLICIES, samples_of, scored, undecided_cause
from gate.model.baseline import Baseline
from gate.model.config import Policy
from gate.model.finding import Place
from gate.model.run import AGENT, CaseEvidence, MetricFacts, TrialRecord
from gate.model.score import Scored
from gate.model.verdict import CaseClass, CaseVerdict, Reason, UndecidedCause

RELIABLE = 0.9
"""A case that passed at least this share of the baseline's trials and none now has regressed."""

REASONS = 12
TEST = "junit"
"""The key of each line of the baseline that is about a test of the project's own."""


def case_verdicts(
    cases: Sequence[CaseEvidence],
    metrics: Sequence[MetricFacts],
    baseline: Baseline | None,
    *,
    whole: bool,
    policies: Mapping[str, Policy] = NO_POLICIES,
) -> tuple[CaseVerdict, ...]:
    """One verdict a case in the suite's order, then the removed ones (only where the `whole` suite ran)."""
    known = {id_ for id_, _ in baseline.lines} if baseline else set()
    verdicts = [
        _verdict(case, metrics, baseline if case.facts.id in known else None, policies) for case in cases
    ]
    gone = sorted(known - {case.facts.id for case in cases}) if whole else []
    tracks = _tracks_of_tests(baseline) if gone and baseline else {}
    nowhere = Place(file="")
    removed = [
        CaseVerdict(id=id_, klass="removed", place=nowhere, track=tracks.get(id_, AGENT)) for id_ in gone
    ]
    return tuple(verdicts + removed)


def _tracks_of_tests(baseline: Baseline) -> dict[str, str]:
    return {id_: metric for (id_, metric), line in baseline.lines.items() if line.key == TEST}


def _verdict(
    case: CaseEvidence,
    metrics: Sequence[MetricFacts],
    baseline: Baseline | None,
    policies: Mapping[str, Policy],
) -> CaseVerdict:
    now = _passes_now(case, metrics)
    before = _passes_before(case, metrics, baseline) if baseline else []
    changed = _changed(case, metrics, baseline) if baseline else ()
    failing = bool(now) and all(passed is False for passed in now)
    klass = _classify(case, now, before, known=baseline is not None, changed=bool(changed))
    return CaseVerdict(
        id=case.facts.id,
        klass=klass,
        place=case.facts.place,
        category=case.facts.category,
        track=case.facts.track,
        passed=now.count(True),
        measured=sum(passed is not None for passed in now),
        planned=case.facts.trials,
        base_passed=before.count(True),
        base_measured=sum(passed is not None for passed in before),
        failing=failing,
        cause=_cause(case, metrics, policies) if None in now else None,
        changed=changed,
        reasons=tuple(_reasons(case, metrics)),
        answer=case.exhibits[0].answer if case.exhibits else "",
        calls=case.exhibits[0].calls if case.exhibits else (),
        outcomes=Counter(case.outcomes),
        metrics={name: fmean(values) for name, values in _measured(case)},
        unscored={name: str(causes[0]) for name, causes in _unmeasured(case)},
        quarantine=case.facts.quarantine,
        duration_ms=case.duration_ms,
    )


def _classify(
    case: CaseEvidence, now: list[bool | None], before: list[bool | None], *, known: bool, changed: bool
) -> CaseClass:
    if case.facts.quarantine:
        return "quarantined"
    if known and changed:
        return "changed"
    measured = [passed for passed in before if passed is not None]
    if not known or not measured:
        return "new"
    rate = fmean(measured)
    if rate >= RELIABLE - TOLERANCE and True not in now:
        return "undecided" if None in now else "regressed"
    if rate <= 1 - RELIABLE + TOLERANCE and all(now):
        return "fixed"
    return "unchanged"


def _passes_now(case: CaseEvidence, metrics: Sequence[MetricFacts]) -> list[bool | None]:
    columns = {metric.name: samples_of(case, metric.name) for metric in _own(case, metrics)}
    return [
        trial_passes(metrics, {name: column[trial] for name, column in columns.items()})
        for trial in range(case.facts.trials)
    ]


def _passes_before(
    case: CaseEvidence, metrics: Sequence[MetricFacts], baseline: Baseline
) -> list[bool | None]:
    lines = {
        metric.name: line
        for metric in _own(case, metrics)
        if (line := baseline.lines.get((case.facts.id, metric.name)))
        and line.key == case.facts.keys[metric.name]
    }
    passes: list[bool | None] = []
    for run in baseline.runs:
        columns = {name: line.runs[run.run] for name, line in lines.items() if run.run in line.runs}
        trials = min(map(len, columns.values()), default=0)
        passes += [
            trial_passes(metrics, {n: column[i] for n, column in columns.items()}) for i in range(trials)
        ]
    return passes


def _own(case: CaseEvidence, metrics: Sequence[MetricFacts]) -> Iterator[MetricFacts]:
    return (metric for metric in metrics if metric.decisive and metric.name in case.facts.keys)


def _changed(case: CaseEvidence, metrics: Sequence[MetricFacts], baseline: Baseline) -> tuple[str, ...]:
    own = [(metric.name, baseline.lines.get((case.facts.id, metric.name))) for metric in _own(case, metrics)]
    return tuple(name for name, line in own if line is None or line.key != case.facts.keys[name])


def _cause(
    case: CaseEvidence, metrics: Sequence[MetricFacts], policies: Mapping[str, Policy]
) -> UndecidedCause:
    """Why trials could not be decided; what has no say in whether they pass has none in this either."""
    own = [sample for metric in _own(case, metrics) for sample in samples_of(case, metric.name)]
    return undecided_cause((str(sample) for sample in own if isinstance(sample, str)), policies)


def _measured(case: CaseEvidence) -> Iterator[tuple[str, list[float]]]:
    return ((name, values) for name, samples in case.samples.items() if (values := scored(samples)))


def _unmeasured(case: CaseEvidence) -> Iterator[tuple[str, list[str]]]:
    for name in case.facts.keys:
        samples = samples_of(case, name)
        if not scored(samples):
            yield name, [str(sample) for sample in samples] or ["not_run"]


def _reasons(case: CaseEvidence, metrics: Sequence[MetricFacts]) -> list[Reason]:
    if not case.exhibits:
        return []
    record = case.exhibits[0]
    found = [reason for metric in metrics if metric.decisive for reason in _misses(record, metric)]
    ended = [reason for reason in found if reason.metric == "completed"]
    return (ended or found)[:REASONS]


def _misses(record: TrialRecord, metric: MetricFacts) -> Iterator[Reason]:
    score = record.scores.get(metric.name)
    match score:
        case None:
            return
        case Scored(items=items):
            for item in items:
                if metric.pass_at is not None and item.value < metric.pass_at:
                    yield Reason(metric=metric.name, where=item.where, text=item.reason)
        case _:
            yield Reason(metric=metric.name, where="case", text=score.reason, measured=False)
