"""agent-gate.yml as data; durations are seconds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from gate.model import Json
from gate.model.finding import Place

RuleLevel = Literal["block", "warn", "info"]
Policy = Literal["fail", "warn", "pass"]

PLACEHOLDERS = ("text", "parts", "session", "state", "history", "case", "trial", "turn", "answers")
"""What a template of the `http` block may have in braces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """When the agent is up: `path` answers below 400 (None: the TCP port accepts), within `within_s`."""

    path: str | None = None
    within_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlBoot:
    """An agent that is already running."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    ready: Ready = field(default_factory=Ready)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandBoot:
    """A command that the gate starts. `{port}` and `{tmp}` are replaced in `command`, `env` and `cwd`.

    `env` holds literals, `pass_env` names of variables whose values are secrets. `cwd` is relative to the
    config.
    """

    command: tuple[str, ...]
    cwd: str = "."
    ready: Ready = field(default_factory=Ready)
    env: Mapping[str, str] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    stop_grace_s: float = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoBoot:
    """Nothing to start: recorded traces."""


BootConfig: TypeAlias = UrlBoot | CommandBoot | NoBoot


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """What is under test. `options` are the keys of the protocol's own block (`http: {…}`, `adk: {…}`).

    `root` is the folder that paths in them start from.
    """

    protocol: str
    boot: BootConfig
    app: str = ""
    options: Mapping[str, Json] = field(default_factory=dict)
    root: str = "."


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """How trials are executed; `rate_per_s` None means unlimited."""

    trials: int = 1
    concurrency: int = 4
    trial_timeout_s: float = 120.0
    rate_per_s: float | None = None
    retries: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricConfig:
    """A metric by the name that rules use; `pass_at` None takes the type's own."""

    name: str
    type: str
    options: Mapping[str, Json] = field(default_factory=dict)
    pass_at: float | None = None
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A difference: absolute, or relative to the baseline where `percent` is set (25 means 25 %)."""

    value: float
    percent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a metric must satisfy. For `cases`, `counts` bounds how many cases may be in a class."""

    metric: str
    min: float | None = None
    max: float | None = None
    max_drop: Amount | None = None
    max_rise: Amount | None = None
    ignore_below: float | None = None
    by: Literal["suite", "category", "case"] = "suite"
    level: RuleLevel = "block"
    counts: Mapping[str, int] = field(default_factory=dict)
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The whole of agent-gate.yml. `root` is the folder that relative paths start from."""

    file: str
    root: str
    agent: AgentConfig
    dataset: tuple[str, ...]
    run: RunConfig
    metrics: tuple[MetricConfig, ...]
    rules: tuple[Rule, ...]
    undecided: Mapping[str, Policy]
    baseline: str
    enforce: Literal["block", "report"] = "block"
