"""Score: what a trial's trace says of its case, by every metric that applies."""

from collections.abc import Iterator, Mapping, Sequence

from gate.documents.messages import did_you_mean
from gate.errors import BadInput
from gate.model.case import Case
from gate.model.config import MetricConfig
from gate.model.finding import Finding, Place
from gate.model.score import Score
from gate.model.trace import Trace
from gate.redact import Redactor
from gate.score.adk import ResponseMatch, ToolTrajectory
from gate.score.calls import Calls
from gate.score.citations import Citations
from gate.score.completed import TrialCompleted
from gate.score.cost import Cost
from gate.score.custom_command import Command
from gate.score.custom_python import Python
from gate.score.json_schema import JsonSchema
from gate.score.judge import Judge
from gate.score.likeness import Exact, Similarity
from gate.score.metric import Metric
from gate.score.native import NativeTests
from gate.score.nodes import NodeOrder
from gate.score.numbers import Numbers
from gate.score.operational import Latency, Tokens, ToolCalls, TurnCount
from gate.score.patterns import Regex
from gate.score.pauses import Pauses
from gate.score.repeats import Loops, Retries, ToolErrors
from gate.score.rouge import Rouge1, Rouge2, RougeL
from gate.score.says import Says
from gate.score.state import StateHolds
from gate.score.trajectory import (
    F1,
    AnyOrderMatch,
    ExactMatch,
    InOrderMatch,
    Precision,
    Recall,
    SingleToolUse,
)
from gate.score.trajectory_match import TrajectoryMatch

METRICS: Mapping[str, type[Metric]] = {
    "calls": Calls,
    "nodes": NodeOrder,
    "state": StateHolds,
    "says": Says,
    "pauses": Pauses,
    "completed": TrialCompleted,
    "latency_ms": Latency,
    "turns": TurnCount,
    "tool_calls": ToolCalls,
    "tokens": Tokens,
    "cost": Cost,
    "retries": Retries,
    "tool_errors": ToolErrors,
    "loops": Loops,
    "trajectory_exact_match": ExactMatch,
    "trajectory_in_order_match": InOrderMatch,
    "trajectory_any_order_match": AnyOrderMatch,
    "trajectory_precision": Precision,
    "trajectory_recall": Recall,
    "trajectory_f1": F1,
    "trajectory_single_tool_use": SingleToolUse,
    "trajectory_match": TrajectoryMatch,
    "rouge_1": Rouge1,
    "rouge_2": Rouge2,
    "rouge_l": RougeL,
    "exact": Exact,
    "similarity": Similarity,
    "regex": Regex,
    "json_schema": JsonSchema,
    "numbers": Numbers,
    "citations": Citations,
    "tool_trajectory_avg_score": ToolTrajectory,
    "response_match_score": ResponseMatch,
    "judge": Judge,
    "command": Command,
    "python": Python,
}
"""Every type of metric; a new one is a file and a line here."""
_OF_TRACKS: Mapping[str, type[Metric]] = {"junit": NativeTests}


def build(configs: Sequence[MetricConfig], redact: Redactor | None = None) -> tuple[Metric, ...]:
    """The metrics of a run: those configured, then each that always runs and whose name no other took.

    `redact` takes secrets out of what comes from elsewhere than the trace.
    Raises BadInput with every finding of all of them.
    """
    names = {config.name for config in configs}
    implied = [
        MetricConfig(name=name, type=name, place=Place(file=""))
        for name, metric in METRICS.items()
        if metric.always and name not in names
    ]
    built: list[Metric] = []
    findings = list(_duplicates(configs))
    for config in (*configs, *implied):
        try:
            built.append(_build(config))
        except BadInput as error:
            findings.extend(error.findings)
    if findings:
        raise BadInput(findings)
    for metric in built if redact else ():
        metric.redact = redact or metric.redact
    return tuple(built)


async def score_trial(metrics: Sequence[Metric], case: Case, trace: Trace) -> Mapping[str, Score]:
    """The score of every metric that applies to the case, by the metric's name.

    What a metric raises is a bug in the gate: it goes on up, with a note that names case, trial and metric.
    """
    scores: dict[str, Score] = {}
    for metric in metrics:
        try:
            if metric.expectation(case) is not None:
                scores[metric.name] = await metric.score(case, trace)
        except Exception as error:
            error.add_note(f"while metric '{metric.name}' scored trial {trace.trial} of case '{case.id}'")
            raise
    return scores


def _build(config: MetricConfig) -> Metric:
    if metric := METRICS.get(config.type) or _OF_TRACKS.get(config.type):
        return metric(config)
    meant = did_you_mean(config.type, METRICS)
    fix = "" if meant else f"one of: {', '.join(METRICS)}"
    what = f"metric '{config.name}' has the unknown type '{config.type}'{meant}"
    raise BadInput([Finding.error("unknown-metric", config.place, what, fix=fix)])


def _duplicates(configs: Sequence[MetricConfig]) -> Iterator[Finding]:
    seen: set[str] = set()
    for config in configs:
        if config.name in seen and config.type not in _OF_TRACKS:  # the name of a track is checked as such
            what = f"there are two metrics named '{config.name}'"
            yield Finding.error("duplicate-metric", config.place, what)
        seen.add(config.name)
