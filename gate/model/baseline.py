"""The baseline: the evidence of earlier accepted runs, and what a run could make of it."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from gate.frozen import frozen
from gate.model.judge import JudgeReading
from gate.model.score import Cause


@frozen
class Value:
    """One trial's value of one metric and its lowest item."""

    mean: float
    worst: float


Sample: TypeAlias = Value | Cause
"""A trial's value of a metric, or why there is none."""


@frozen
class BaselineRun:
    """One accepted run in the baseline's header, with what its judges said of their anchors."""

    run: str
    commit: str
    date: str
    reason: str = ""
    branch: str = ""
    judges: tuple[JudgeReading, ...] = ()


@frozen
class BaselineLine:
    """One case and metric: every trial's sample by run, valid for `key` only."""

    case: str
    metric: str
    key: str
    runs: Mapping[str, tuple[Sample, ...]]


@frozen
class Baseline:
    """Pooled evidence of accepted runs, oldest first."""

    runs: tuple[BaselineRun, ...]
    lines: Mapping[tuple[str, str], BaselineLine]


@frozen
class BaselineFacts:
    """What the run was compared with."""

    state: Literal["none", "compared", "unreadable"]
    path: str = ""
    runs: int = 0
    commit: str = ""
    branch: str = ""
    date: str = ""
    problem: str = ""
