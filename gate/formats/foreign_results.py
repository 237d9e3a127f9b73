"""What other tools measured: results of `agents-cli eval grade` (1.11) and of `adk eval` (google-adk 2.13).

Neither tool compares, and both are green where nothing was measured. A case is joined by its id, never by its
index; what was not scored is unscored, with the tool's own words; a case that waits or never answered did not
complete.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from gate.formats.adk_fields import UnreadableEvent, field, is_mapping, items, kind, mapping, text
from gate.formats.agents_cli_traces import case_trace
from gate.formats.sessions import trace_of
from gate.formats.stored import NotASession, Recording
from gate.formats.strict import strict_json
from gate.frozen import frozen
from gate.model import Json
from gate.model.score import Item, Score, Scored, Unscored
from gate.model.trace import Crashed, Trace

NOT_EVALUATED, INFORMATIONAL = 3, 4
"""google-adk's EvalStatus; names are read too."""
_NAMES = {"NOT_EVALUATED": NOT_EVALUATED, "INFORMATIONAL": INFORMATIONAL}


@frozen
class ForeignMetric:
    """A metric by its name there; a case passes at `pass_at`, None where the tool has no threshold."""

    name: str
    pass_at: float | None = None
    informational: bool = False


@frozen
class ForeignTrial:
    """One case as it was run and scored once; `key` says what was asked and expected."""

    trace: Trace
    scores: Mapping[str, Score]
    key: str


@frozen
class ForeignRun:
    """A file of results."""

    tool: Literal["agents-cli", "adk eval"]
    made: str
    metrics: Mapping[str, ForeignMetric]
    trials: tuple[ForeignTrial, ...]


class NotResults(ValueError):
    """The value is no file of results; the message says why."""


def read(value: Json, source: str) -> ForeignRun:
    """The run that a file holds; an ADK file may be a JSON text inside of JSON. Raises NotResults."""
    if isinstance(value, str):
        try:
            value = strict_json(value)
        except ValueError as error:
            raise NotResults(f"the text in it is not JSON: {error}") from None
    if not is_mapping(value) or not isinstance(field(value, "evalCaseResults"), list):
        raise NotResults("it has no list eval_case_results")
    try:
        is_adk = field(value, "evaluationDataset") is None
        found = _adk(value, source) if is_adk else _agents_cli(value, source)
    except (UnreadableEvent, NotASession) as error:
        raise NotResults(str(error)) from None
    if not found.trials:
        raise NotResults("it has the result of no case")
    return found


def _agents_cli(value: Mapping[str, Json], source: str) -> ForeignRun:
    datasets = [held for held in items(value, "evaluationDataset") if is_mapping(held)]
    cases = items(datasets[0], "evalCases") if datasets else ()
    counts: dict[str, int] = {}
    metrics: dict[str, ForeignMetric] = {}
    trials: list[ForeignTrial] = []
    known: dict[int, tuple[Trace, str]] = {}
    for number, result in enumerate(items(value, "evalCaseResults"), start=1):
        index = field(result, "evalCaseIndex") if is_mapping(result) else None
        if not is_mapping(result) or not isinstance(index, int) or not 0 <= index < len(cases):
            raise NotResults(f"result {number} is of no case of its evaluation_dataset")
        if index not in known:
            known[index] = (case_trace(cases[index], source), _digest(cases[index], "prompt", "reference"))
        trace, key = known[index]
        for candidate in items(result, "responseCandidateResults"):
            found = mapping(candidate, "metricResults") if is_mapping(candidate) else {}
            metrics |= {name: ForeignMetric(name=name, pass_at=1.0) for name in found}
            counts[trace.case] = counts.get(trace.case, 0) + 1
            scores = {name: _graded(score) for name, score in found.items()}
            trials.append(_trial(trace, counts[trace.case], scores, key))
    made = text(mapping(value, "metadata"), "creationTimestamp")
    return ForeignRun(tool="agents-cli", made=made, metrics=metrics, trials=tuple(trials))


def _graded(result: Json) -> Score:
    score = _number(field(result, "score")) if is_mapping(result) else None
    said = [field(result, name) for name in ("explanation", "errorMessage")] if is_mapping(result) else []
    words = "; ".join(word for word in said if isinstance(word, str))
    if score is None:
        return Unscored(cause="judge", reason=words or "agents-cli gave no score")
    return _scored(score, words)


def _adk(value: Mapping[str, Json], source: str) -> ForeignRun:
    counts: dict[str, int] = {}
    metrics: dict[str, ForeignMetric] = {}
    trials: list[ForeignTrial] = []
    for number, result in enumerate(items(value, "evalCaseResults"), start=1):
        name = text(result, "evalId") if is_mapping(result) else ""
        if not is_mapping(result) or not name:
            raise NotResults(f"result {number} has no eval_id")
        scores: dict[str, Score] = {}
        for found in items(result, "overallEvalMetricResults"):
            if is_mapping(found) and (metric := _adk_metric(found)).name:
                metrics[metric.name] = metric
                scores[metric.name] = _judged(found)
        counts[name] = counts.get(name, 0) + 1
        trace = _adk_trace(name, result, source, measured=bool(scores))
        invocations = [_expected(one) for one in items(result, "evalMetricResultPerInvocation")]
        trials.append(_trial(trace, counts[name], scores, _digest({"expected": invocations}, "expected")))
    made = _day(_number(field(value, "creationTimestamp")))
    return ForeignRun(tool="adk eval", made=made, metrics=metrics, trials=tuple(trials))


def _day(seconds: float | None) -> str:
    try:
        return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""


def _adk_metric(found: Mapping[str, Json]) -> ForeignMetric:
    informational = _status(found) == INFORMATIONAL
    threshold = None if informational else _number(field(found, "threshold"))
    return ForeignMetric(name=text(found, "metricName"), pass_at=threshold, informational=informational)


def _judged(found: Mapping[str, Json]) -> Score:
    score = _number(field(found, "score"))
    if score is None or _status(found) == NOT_EVALUATED:
        return Unscored(cause="judge", reason="`adk eval` did not evaluate it, and counts it for nothing")
    return _scored(score, "")


def _status(found: Mapping[str, Json]) -> int:
    status = field(found, "evalStatus")
    return _NAMES.get(status, 0) if isinstance(status, str) else status if isinstance(status, int) else 0


def _expected(invocation: Json) -> Json:
    wanted = mapping(invocation, "expectedInvocation") if is_mapping(invocation) else {}
    return {name: field(wanted, name) for name in ("userContent", "finalResponse", "intermediateData")}


def _adk_trace(name: str, result: Mapping[str, Json], source: str, *, measured: bool) -> Trace:
    frames = tuple(
        frame
        for one in items(result, "evalMetricResultPerInvocation")
        if is_mapping(one)
        for frame in _frames(mapping(one, "actualInvocation"))
    )
    if not frames or not measured:
        reason = "`adk eval` measured nothing of this case"
        return _nothing(name, source, reason)
    return trace_of(Recording(id=name, state={}, frames=frames), source=source)


def _frames(invocation: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    data = mapping(invocation, "intermediateData")
    yield {"author": "user", "content": dict(mapping(invocation, "userContent"))}
    for call in items(data, "toolUses"):
        yield {"author": "agent", "content": {"parts": [{"functionCall": call}]}}
    for event in items(data, "invocationEvents"):
        if is_mapping(event):
            yield {"author": field(event, "author"), "content": field(event, "content")}
    yield {"author": "agent", "content": dict(mapping(invocation, "finalResponse"))}


def _nothing(name: str, source: str, reason: str) -> Trace:
    return Trace(
        case=name, trial=1, session="", turns=(), outcome=Crashed(reason=reason), exposes=(), source=source
    )


def left_out(trial: ForeignTrial, run: ForeignRun, source: str) -> ForeignTrial:
    """The trial of a case that one file has and another, of `run`, has not: it is taken for a crash."""
    reason = f"{source} has no result of it: {run.tool} leaves out a case whose run failed"
    scores = {name: Unscored(cause="crashed", reason=reason) for name in trial.scores}
    return ForeignTrial(trace=_nothing(trial.trace.case, source, reason), scores=scores, key=trial.key)


def _trial(trace: Trace, number: int, scores: Mapping[str, Score], key: str) -> ForeignTrial:
    return ForeignTrial(trace=replace(trace, trial=number), scores=scores, key=key)


def _scored(value: float, reason: str) -> Scored:
    return Scored(value=value, items=(Item(where="case", value=value, reason=reason),), reason=reason)


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _digest(value: Json, *names: str) -> str:
    if not is_mapping(value):
        raise NotResults(f"expected an object, not {kind(value)}")
    held = _without_nulls([value.get(name) for name in names])
    written = json.dumps(held, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode("ascii")).hexdigest()[:16]


def _without_nulls(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _without_nulls(held) for key, held in value.items() if held is not None}
    return [_without_nulls(held) for held in value] if isinstance(value, list) else value
