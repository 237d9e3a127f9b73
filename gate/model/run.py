"""A run: what was planned and what was measured."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from gate.frozen import frozen
from gate.model.agent import AgentFacts
from gate.model.baseline import Sample
from gate.model.case import Quarantine
from gate.model.finding import Place
from gate.model.judge import JudgeReading
from gate.model.score import Score
from gate.model.trace import Outcome

AGENT = "agent"
"""The track of the cases; every other one is of the project's own tests."""


@frozen
class Commit:
    """Where the tested source stood; `sha` "" outside a repository."""

    sha: str = ""
    branch: str = ""
    date: str = ""
    dirty: bool = False


@frozen
class TrackFacts:
    """The project's own tests: the files with their results, how many ran, and how many were skipped."""

    name: str
    files: tuple[str, ...]
    tests: int
    skipped: int = 0


@frozen
class Meta:
    """When, of what and how completely. `started_at` is ISO 8601 UTC, `duration_s` covers boot to verdict.

    `head` is the pull request's own commit, where there is one: `commit` may be its merge with the base.
    """

    run: str
    gate: str
    started_at: str
    duration_s: float
    config: str
    protocol: str
    commit: Commit = field(default_factory=Commit)
    head: str = ""
    selection: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    interrupted: bool = False
    agent_down: str = ""
    hint: str = ""
    log_tail: str = ""
    planned_trials: int = 0
    measured_trials: int = 0
    retries: int = 0
    tokens: int | None = None
    agent: AgentFacts | None = None
    tracks: tuple[TrackFacts, ...] = ()


@frozen
class MetricFacts:
    """A metric as this run used it; `decisive` metrics decide whether a case passes, at `pass_at`."""

    name: str
    type: str
    version: str
    unit: str
    kind: Literal["quality", "measure"]
    better: Literal["higher", "lower"]
    pass_at: float | None
    decisive: bool


@frozen
class CaseFacts:
    """What comparing and publishing need of a case; `keys` maps each applicable metric to its line's key."""

    id: str
    place: Place
    keys: Mapping[str, str]
    category: str = ""
    tags: tuple[str, ...] = ()
    track: str = "agent"
    quarantine: Quarantine | None = None
    trials: int = 1


@frozen
class TrialRecord:
    """One trial after scoring: its outcome, every score, and excerpts for people (redacted, capped)."""

    case: str
    trial: int
    outcome: Outcome
    scores: Mapping[str, Score]
    answer: str = ""
    calls: tuple[str, ...] = ()
    duration_ms: float = 0.0
    retries: int = 0
    track: str = "agent"


@frozen
class Track:
    """The project's own tests as cases of the run, and what came of each time that one of them was run."""

    facts: TrackFacts
    cases: tuple[CaseFacts, ...]
    trials: tuple[TrialRecord, ...]


@frozen
class CaseEvidence:
    """One case in one run: per metric one sample a trial (in step across metrics), and trials to show."""

    facts: CaseFacts
    samples: Mapping[str, tuple[Sample, ...]]
    outcomes: tuple[str, ...]
    exhibits: tuple[TrialRecord, ...] = ()
    duration_ms: float = 0.0


@frozen
class Evidence:
    """All that comparing needs of a run, without its traces."""

    meta: Meta
    metrics: tuple[MetricFacts, ...]
    cases: tuple[CaseEvidence, ...]
    judges: tuple[JudgeReading, ...] = ()
