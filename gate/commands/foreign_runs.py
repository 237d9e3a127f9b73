"""Two result files of agents-cli or `adk eval` as runs of ours, to be compared by the default rules."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from gate import __version__
from gate.compare.evidence import tally
from gate.documents import read_bytes
from gate.errors import UsageError
from gate.formats.foreign_results import ForeignMetric, ForeignRun, ForeignTrial, NotResults, left_out, read
from gate.formats.strict import strict_json
from gate.frozen import frozen
from gate.model.config import Amount, Rule
from gate.model.finding import Place
from gate.model.run import CaseFacts, Evidence, Meta, MetricFacts, TrialRecord
from gate.model.score import Item, Score, Scored, Unscored
from gate.model.trace import Completed, Refused, Throttled, Trace
from gate.record import record_of
from gate.redact import Redactor
from gate.results import LARGEST

_MARKS = (b'"eval_case_results"', b'"evalCaseResults"')
_DROP = 0.05
_NO_PLACE = Place(file="")


@frozen
class Pair:
    """The evidence of both files, measured alike, and the rules that the later one is held to."""

    before: Evidence
    after: Evidence
    metrics: tuple[MetricFacts, ...]
    rules: tuple[Rule, ...]


def foreign_pair(before: Path, after: Path) -> Pair | None:
    """The pair; None where neither file is another tool's. Raises UsageError where only one of them is."""
    first, second = _run(before), _run(after)
    if first is None and second is None:
        return None
    if first is None or second is None or first.tool != second.tool:
        names = [run.tool if run else "agent-gate" for run in (first, second)]
        what = f"{before} is of {names[0]} and {after} of {names[1]}: they cannot be compared"
        raise UsageError(what, hint="Name two files of one tool.")
    second = _with_missing(first, second, str(after))
    metrics = tuple(_facts(first, second))
    return Pair(
        before=_evidence(first, before, metrics),
        after=_evidence(second, after, metrics),
        metrics=metrics,
        rules=tuple(_rules(metrics)),
    )


def _run(path: Path) -> ForeignRun | None:
    """The file as another tool's results; None for a folder, and for a file that is something else."""
    if not path.is_file():
        return None
    try:
        content = read_bytes(path, LARGEST)
        if content.lstrip()[:1] != b'"' and not any(mark in content for mark in _MARKS):
            return None
        return read(strict_json(Redactor().text(content.decode("utf-8"))), str(path))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (NotResults, ValueError) as error:
        hint = "It must be results of `agents-cli eval grade`, or an evalset_result of `adk eval`."
        raise UsageError(f"{path} cannot be used: {error}", hint=hint) from error


def _with_missing(before: ForeignRun, after: ForeignRun, source: str) -> ForeignRun:
    """The later run with a crash for each case that it lost."""
    there = {trial.trace.case for trial in after.trials}
    lost = {trial.trace.case: trial for trial in before.trials if trial.trace.case not in there}
    trials = (*after.trials, *(left_out(trial, after, source) for trial in lost.values()))
    return ForeignRun(tool=after.tool, made=after.made, metrics=after.metrics, trials=trials)


def _facts(before: ForeignRun, after: ForeignRun) -> Sequence[MetricFacts]:
    """`completed`, and each metric; one whose values are no shares is a measure without a say."""
    values: dict[str, list[float]] = {}
    for trial in (*before.trials, *after.trials):
        for name, score in trial.scores.items():
            values.setdefault(name, []).extend([score.value] if isinstance(score, Scored) else [])
    known = {**before.metrics, **after.metrics}
    shares = {name for name, held in values.items() if all(0 <= value <= 1 for value in held)}
    return [
        _fact(ForeignMetric(name="completed", pass_at=1.0), share=True),
        *(_fact(metric, share=name in shares) for name, metric in sorted(known.items())),
    ]


def _fact(metric: ForeignMetric, *, share: bool) -> MetricFacts:
    decisive = share and metric.pass_at is not None
    return MetricFacts(
        name=metric.name,
        type=metric.name,
        version="",
        unit="",
        kind="quality" if share and not metric.informational else "measure",
        better="lower" if metric.informational else "higher",
        pass_at=metric.pass_at if decisive else None,
        decisive=decisive,
    )


def _rules(metrics: Sequence[MetricFacts]) -> Sequence[Rule]:
    """Those of a config that says nothing; and no share's mean may fall by more than 0.05."""
    return [
        Rule(metric="cases", counts={"regressed": 0, "new_failing": 0}, place=_NO_PLACE),
        Rule(metric="completed", max_drop=Amount(value=0.0), place=_NO_PLACE),
        *(
            Rule(metric=metric.name, max_drop=Amount(value=_DROP), place=_NO_PLACE)
            for metric in metrics
            if metric.decisive and metric.name != "completed"
        ),
    ]


def _evidence(run: ForeignRun, path: Path, metrics: Sequence[MetricFacts]) -> Evidence:
    cases = _cases(run)
    records = [_record(trial, cases[trial.trace.case]) for trial in run.trials]
    measured = sum(not isinstance(record.outcome, Throttled | Refused) for record in records)
    meta = Meta(
        run=hashlib.sha256(str(path).encode("utf-8", "replace")).hexdigest()[:12],
        gate=__version__,
        started_at=run.made,
        duration_s=0.0,
        config=str(path),
        protocol=run.tool,
        planned_trials=len(records),
        measured_trials=measured,
    )
    return tally(meta, metrics, tuple(cases.values()), records)


def _cases(run: ForeignRun) -> Mapping[str, CaseFacts]:
    trials: dict[str, list[ForeignTrial]] = {}
    for trial in run.trials:
        trials.setdefault(trial.trace.case, []).append(trial)
    return {
        name: CaseFacts(
            id=name,
            place=_NO_PLACE,
            keys=dict.fromkeys(("completed", *sorted(_names(held))), held[0].key),
            trials=len(held),
        )
        for name, held in trials.items()
    }


def _names(trials: Sequence[ForeignTrial]) -> set[str]:
    return {name for trial in trials for name in trial.scores}


def _record(trial: ForeignTrial, facts: CaseFacts) -> TrialRecord:
    unscored = Unscored(cause="judge", reason="it was not measured in this trial")
    scores: dict[str, Score] = {name: trial.scores.get(name, unscored) for name in facts.keys}
    return record_of(trial.trace, scores | {"completed": _completed(trial.trace)})


def _completed(trace: Trace) -> Score:
    outcome = trace.outcome
    if isinstance(outcome, Throttled | Refused):
        return Unscored(cause="throttled", reason=outcome.reason)
    value = float(isinstance(outcome, Completed))
    item = Item(where="case", value=value, reason=outcome.reason)
    return Scored(value=value, items=(item,), reason=outcome.reason)
