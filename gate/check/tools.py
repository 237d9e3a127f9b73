"""The lint that the field learned the hard way: allow-lists alone pass an agent that calls no tool."""

from collections.abc import Iterator, Sequence

from gate.model.case import Case
from gate.model.config import Config
from gate.model.finding import Finding

_DEMANDING = frozenset(
    {
        "trajectory_exact_match",
        "trajectory_in_order_match",
        "trajectory_any_order_match",
        "trajectory_recall",
        "trajectory_single_tool_use",
    }
)


def tool_findings(config: Config, cases: Sequence[Case]) -> Iterator[Finding]:
    """At most one finding: where calls are expected on, and an agent that calls nothing passes them all."""
    having = [case for case in cases if any(expect.calls is not None for expect in case.expects)]
    if not having or any(metric.type in _DEMANDING for metric in config.metrics):
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
