"""Code of custom metrics on two sides: what is the same on both is run as the base has it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gate.errors import BadInput
from gate.model.config import MetricConfig
from gate.score import METRICS, runs_code


def by_base_code(base: Sequence[MetricConfig], head: Sequence[MetricConfig]) -> tuple[MetricConfig, ...]:
    """The head's metrics; one that the base has too, of the same options and code, is run from the base.

    So data beside the code, and what is imported in a way that only a run tells, is the base's as well.
    """
    old = {metric.name: metric for metric in base if runs_code(metric)}
    return tuple(
        replace(metric, commit=there.commit, folder=there.folder)
        if (there := old.get(metric.name)) and _is_same(there, metric)
        else metric
        for metric in head
    )


def changed_code(base: Sequence[MetricConfig]) -> Iterator[str]:
    """The names of metrics whose code in the work tree is not the base's."""
    for metric in base:
        if runs_code(metric) and not _is_same(metric, replace(metric, commit="", folder="")):
            yield metric.name


def reads_extra(metrics: Sequence[MetricConfig]) -> bool:
    """Whether something is held against what a case only knows besides."""
    return any(map(runs_code, metrics))


def _is_same(one: MetricConfig, other: MetricConfig) -> bool:
    if (one.type, one.options) != (other.type, other.options):
        return False
    return _code(one) == _code(other) != ""


def _code(metric: MetricConfig) -> str:
    """The fingerprint; "" of one that cannot be built."""
    try:
        return METRICS[metric.type](metric).code
    except BadInput:
        return ""
