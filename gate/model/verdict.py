"""What comparing makes of a run: a verdict for it, for every rule and for every case, with the evidence."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from gate.frozen import frozen
from gate.model.bar import Bar
from gate.model.baseline import BaselineFacts
from gate.model.case import Quarantine
from gate.model.config import Policy, Rule
from gate.model.finding import Place
from gate.model.judge import Disagreement, JudgeHealth, JudgeReading
from gate.model.run import Meta, MetricFacts

UndecidedCause = Literal[
    "agent_down",
    "throttled",
    "coverage",
    "too_few_trials",
    "not_comparable",
    "judge_changed",
    "judge_down",
    "needs_acceptance",
    "baseline_unreadable",
    "interrupted",
]

VerdictWord = Literal["pass", "regression", "undecided"]
CaseClass = Literal[
    "regressed", "fixed", "new", "removed", "changed", "unchanged", "undecided", "quarantined"
]


@frozen
class Coverage:
    """What a number rests on: `measured` of `cases` that count, whose `trials` have `unscored` by cause.

    `quarantined` cases have the metric too, and do not count.
    """

    cases: int
    measured: int
    trials: int
    unscored: Mapping[str, int] = field(default_factory=dict)
    quarantined: int = 0


@frozen
class RuleVerdict:
    """One rule over one scope (`suite`, or a category, tag or case by name), with its evidence.

    `value` is over all cases of the scope; `baseline` and `compared` over those that can be compared, which
    relative bounds are held against. `low` and `high` bound the value over whatever the unmeasured trials
    could have been; they are equal where all was measured.
    """

    rule: Rule
    scope: str
    verdict: Literal["pass", "regression", "undecided", "not_judged"]
    reason: str
    cause: UndecidedCause | None = None
    baseline: float | None = None
    value: float | None = None
    compared: float | None = None
    low: float | None = None
    high: float | None = None
    not_comparable: int = 0
    coverage: Coverage | None = None


@frozen
class MetricSummary:
    """A metric over the suite or a category: means on both sides, and how much was measured.

    `baseline` and `compared` are over the cases that can be compared, `value` over all of them: `measured` of
    `cases`, beside which are the `quarantined`.
    """

    metric: str
    scope: str
    cases: int
    trials: int
    value: float | None
    baseline: float | None
    compared: float | None = None
    unscored: Mapping[str, int] = field(default_factory=dict)
    measured: int | None = None
    quarantined: int = 0


@frozen
class Reason:
    """Why a trial did not pass: metric, item (`turn 2`, `case`), and what differed or was not measured."""

    metric: str
    where: str
    text: str
    measured: bool = True


@frozen
class ByBase:
    """How a case fares by the base's text and metrics: it passed `passed` of `measured` trials."""

    passed: int
    measured: int
    planned: int
    reasons: tuple[Reason, ...] = ()


@frozen
class CaseVerdict:
    """What became of a case.

    It passed `passed` of `measured` trials now (of `planned`), and `base_passed` of `base_measured` in the
    baseline. `by_base` is there where the pull request changes or removes the case. One of another track than
    `agent` is a test of the project's own.
    """

    id: str
    klass: CaseClass
    place: Place
    category: str = ""
    track: str = "agent"
    passed: int = 0
    measured: int = 0
    planned: int = 0
    base_passed: int = 0
    base_measured: int = 0
    failing: bool = False
    cause: UndecidedCause | None = None
    changed: tuple[str, ...] = ()
    by_base: ByBase | None = None
    reasons: tuple[Reason, ...] = ()
    answer: str = ""
    calls: tuple[str, ...] = ()
    outcomes: Mapping[str, int] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    unscored: Mapping[str, str] = field(default_factory=dict)
    quarantine: Quarantine | None = None
    duration_ms: float = 0.0


@frozen
class Comparison:
    """The verdict with all that led to it: `exit_code` is 0 where not `enforced`, `bar` of two sides."""

    verdict: VerdictWord
    reason: str
    exit_code: int
    enforced: bool
    cause: UndecidedCause | None
    rules: tuple[RuleVerdict, ...]
    metrics: tuple[MetricSummary, ...]
    cases: tuple[CaseVerdict, ...]
    baseline: BaselineFacts
    bar: Bar | None = None
    judges: tuple[JudgeHealth, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()


@frozen
class Report:
    """What every surface is rendered from: run.json without its trials."""

    meta: Meta
    metrics: tuple[MetricFacts, ...]
    rules: tuple[Rule, ...]
    undecided: Mapping[str, Policy]
    comparison: Comparison
    judges: tuple[JudgeReading, ...] = ()
