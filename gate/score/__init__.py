"""Score: what a trial's trace says of its case, by every metric that applies."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from gate.documents.messages import did_you_mean
from gate.errors import BadInput
from gate.model.case import Case
from gate.model.config import MetricConfig
from gate.model.finding import Finding, Place
from gate.model.score import Score
from gate.model.trace import Trace
from gate.redact import Redactor
from gate.score.metric import Metric
from gate.score.table import Table

if TYPE_CHECKING:
    from gate.score.judge import Judge

METRICS: Final[Mapping[str, type[Metric]]] = Table(
    {
        "calls": "calls.Calls",
        "nodes": "nodes.NodeOrder",
        "state": "state.StateHolds",
        "says": "says.Says",
        "pauses": "pauses.Pauses",
        "completed": "completed.TrialCompleted",
        "latency_ms": "operational.Latency",
        "turns": "operational.TurnCount",
        "tool_calls": "operational.ToolCalls",
        "tokens": "operational.Tokens",
        "cost": "cost.Cost",
        "retries": "repeats.Retries",
        "tool_errors": "repeats.ToolErrors",
        "loops": "repeats.Loops",
        "trajectory_exact_match": "trajectory.ExactMatch",
        "trajectory_in_order_match": "trajectory.InOrderMatch",
        "trajectory_any_order_match": "trajectory.AnyOrderMatch",
        "trajectory_precision": "trajectory.Precision",
        "trajectory_recall": "trajectory.Recall",
        "trajectory_f1": "trajectory.F1",
        "trajectory_single_tool_use": "trajectory.SingleToolUse",
        "trajectory_match": "trajectory_match.TrajectoryMatch",
        "rouge_1": "rouge.Rouge1",
        "rouge_2": "rouge.Rouge2",
        "rouge_l": "rouge.RougeL",
        "exact": "likeness.Exact",
        "similarity": "likeness.Similarity",
        "regex": "patterns.Regex",
        "json_schema": "json_schema.JsonSchema",
        "numbers": "numbers.Numbers",
        "citations": "citations.Citations",
        "tool_trajectory_avg_score": "adk.ToolTrajectory",
        "response_match_score": "adk.ResponseMatch",
        "judge": "judge.Judge",
        "command": "custom_command.Command",
        "python": "custom_python.Python",
    }
)
"""Every type of metric; a new one is a file and a line here."""
ALWAYS: Final = (
    "calls",
    "nodes",
    "state",
    "says",
    "pauses",
    "completed",
    "latency_ms",
    "turns",
    "tool_calls",
    "tokens",
)
"""The types that run without being configured; METRICS need not be loaded to know them."""
_OF_TRACKS: Final[Mapping[str, type[Metric]]] = Table({"junit": "junit.JunitTests"})


def build(configs: Sequence[MetricConfig], redact: Redactor | None = None) -> tuple[Metric, ...]:
    """The metrics of a run: those configured, then each that always runs and whose name no other took.

    `redact` takes secrets out of what comes from elsewhere than the trace.
    Raises BadInput with every finding of all of them.
    """
    names = {config.name for config in configs}
    implied = [
        MetricConfig(name=name, type=name, place=Place(file="")) for name in ALWAYS if name not in names
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


def runs_code(config: MetricConfig) -> bool:
    """Whether a metric of this config runs code of the user."""
    kind = METRICS.get(config.type)
    return kind is not None and kind.foreign


def judges_among(metrics: Iterable[Metric]) -> tuple["Judge", ...]:
    """Those that ask a judge."""
    asking = [metric for metric in metrics if metric.type == "judge"]
    if not asking:
        return ()
    from gate.score.judge import Judge  # most suites have no judge

    return tuple(metric for metric in asking if isinstance(metric, Judge))


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
