"""The lint that the field learned the hard way: allow-lists alone pass an agent that calls no tool."""

from collections.abc import Iterator, Mapping, Sequence

from gate.documents.messages import did_you_mean
from gate.model.case import Case
from gate.model.config import Config, MetricConfig
from gate.model.finding import Finding

_DEMANDING = frozenset(
    {
        "trajectory_exact_match",
        "trajectory_in_order_match",
        "trajectory_any_order_match",
        "trajectory_recall",
        "trajectory_single_tool_use",
        "tool_trajectory_avg_score",
    }
)


def tool_findings(config: Config, cases: Sequence[Case]) -> Iterator[Finding]:
    """Where an agent that calls nothing passes all that is expected, and tools that no case expects."""
    yield from _unknown_tools(config, cases)
    having = [case for case in cases if any(expect.calls is not None for expect in case.expects)]
    if not having or any(map(_demands, config.metrics)):
        return
    metrics = [metric for metric in config.metrics if metric.type == "calls"]
    allow_lists = bool(metrics) and all(metric.options.get("mode") == "at_most" for metric in metrics)
    named = any(expect.calls for case in having for expect in case.expects)
    if named and not allow_lists:
        return
    yield Finding.warn(
        "half-a-suite",
        metrics[0].place if named else having[0].place,
        f"every 'calls' is {'at_most' if named else 'none'}: an agent that calls nothing passes",
        fix="Add a case that requires a call.",
    )


def _demands(metric: MetricConfig) -> bool:
    """Whether an agent that calls nothing fails by this metric."""
    if metric.type == "trajectory_match":
        return metric.options.get("mode") != "subset"
    return metric.type in _DEMANDING


def _unknown_tools(config: Config, cases: Sequence[Case]) -> Iterator[Finding]:
    expected = {call.name for case in cases for expect in case.expects for call in expect.calls or ()}
    for metric in config.metrics:
        tools = metric.options.get("tools") if metric.type == "trajectory_match" else None
        for name in tools if expected and isinstance(tools, Mapping) else ():
            if name not in expected:
                yield Finding.warn(
                    "unknown-tool",
                    metric.place,
                    f"no case expects a call of '{name}', whose arguments metric '{metric.name}' compares "
                    f"in a way of its own{did_you_mean(name, expected)}",
                )
