"""agent-gate.yml as data; durations are seconds."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from gate.frozen import frozen
from gate.model import Json
from gate.model.finding import Place
from gate.model.judge import Anchor, JudgeConfig

RuleLevel = Literal["block", "warn", "info"]
Policy = Literal["fail", "warn", "pass"]

PLACEHOLDERS = ("text", "parts", "session", "state", "history", "case", "trial", "turn", "answers")
"""What a template of the `http` block may have in braces."""


@frozen
class Ready:
    """When the agent is up: `path` answers below 400 (None: the TCP port accepts), within `within_s`.

    `healthcheck` asks the HEALTHCHECK of the container's image instead.
    """

    path: str | None = None
    within_s: float = 60.0
    healthcheck: bool = False


@frozen
class UrlBoot:
    """An agent that is already running."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    ready: Ready = field(default_factory=Ready)


@frozen
class CommandBoot:
    """A command that the gate starts. `{port}` and `{tmp}` are replaced in `command`, `env` and `cwd`.

    `env` holds literals, `pass_env` names of variables whose values are secrets. `cwd` is relative to the
    config, and so are the patterns of `hidden`: golden files and baseline.
    """

    command: tuple[str, ...]
    cwd: str = "."
    ready: Ready = field(default_factory=Ready)
    env: Mapping[str, str] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    stop_grace_s: float = 5.0
    hidden: tuple[str, ...] = ()


@frozen
class NoBoot:
    """Nothing to start: recorded traces."""


@frozen
class Image:
    """An image by name: the engine's own, or pulled where it has none of that name."""

    name: str


@frozen
class Build:
    """An image that is built. `context` is relative to the config, `dockerfile` to the context."""

    context: str
    dockerfile: str = "Dockerfile"
    target: str = ""
    args: Mapping[str, str] = field(default_factory=dict)


@frozen
class Confinement:
    """What holds a container's agent; every key that differs from its default is a loosening, or a limit.

    `user` "" is the image's own, or nobody where that is root. `tmpfs` gives the size in bytes of each folder
    that the agent may write to.
    """

    user: str = ""
    capabilities: tuple[str, ...] = ()
    read_only: bool = True
    memory_bytes: int = 2 * 1024**3
    pids: int = 512
    tmpfs: Mapping[str, int] = field(default_factory=dict)
    egress: Literal["none", "open"] = "none"


@frozen
class ContainerBoot:
    """A container that the gate starts, its agent listening on `port` of all addresses.

    `command` () is the image's own. `setup` holds shell lines that run before, as root and with the network.
    `hidden` are patterns of files that must not get into the container, relative to the config: golden files
    and baseline. Placeholders and `env`, `pass_env` are as for a command; `{tmp}` is /tmp.
    """

    source: Image | Build
    command: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    cwd: str = ""
    port: int = 8080
    ready: Ready = field(default_factory=Ready)
    env: Mapping[str, str] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    stop_grace_s: float = 5.0
    confinement: Confinement = field(default_factory=Confinement)
    hidden: tuple[str, ...] = ()


BootConfig: TypeAlias = UrlBoot | CommandBoot | ContainerBoot | NoBoot


@frozen
class AgentConfig:
    """What is under test. `options` are the keys of the protocol's own block (`http: {…}`, `adk: {…}`).

    `root` is the folder that paths in them start from.
    """

    protocol: str
    boot: BootConfig
    app: str = ""
    options: Mapping[str, Json] = field(default_factory=dict)
    root: str = "."


@frozen
class RunConfig:
    """How trials are executed; `rate_per_s` None means unlimited."""

    trials: int = 1
    concurrency: int = 4
    trial_timeout_s: float = 120.0
    rate_per_s: float | None = None
    retries: int = 3


@frozen
class MetricConfig:
    """A metric by the name that rules use; `pass_at` None takes the type's own.

    `judge` is whom it asks, None where that is nobody or somebody unknown; `anchors` come from their file.
    """

    name: str
    type: str
    options: Mapping[str, Json] = field(default_factory=dict)
    pass_at: float | None = None
    judge: JudgeConfig | None = None
    anchors: tuple[Anchor, ...] = ()
    place: Place


@frozen
class Amount:
    """A difference: absolute, or relative to the baseline where `percent` is set (25 means 25 %)."""

    value: float
    percent: bool = False


@frozen
class Rule:
    """What a metric must satisfy. For `cases`, `counts` bounds how many cases may be in a class.

    `coverage` is the least share of trials that must have been scored.
    """

    metric: str
    min: float | None = None
    max: float | None = None
    max_drop: Amount | None = None
    max_rise: Amount | None = None
    ignore_below: float | None = None
    coverage: float | None = None
    by: Literal["suite", "category", "case"] = "suite"
    level: RuleLevel = "block"
    counts: Mapping[str, int] = field(default_factory=dict)
    place: Place


@frozen
class AcceptPolicy:
    """What counts as acceptance of a changed bar: a label, or an approving review (of not the author)."""

    by: Literal["label", "review"] = "label"
    label: str = "agent-gate: accept"
    not_author: bool = False


@frozen
class Config:
    """The whole of agent-gate.yml. `root` is the folder that relative paths start from.

    `judges` are all that metrics may name, and `judge_cache` is the file of earlier judgements ("": none).
    `baseline` is the file's path; with `baseline_branch` it is read from that branch. `when_changed` are
    patterns of files, from the repository's root: a pull request that changes none passes at once.
    """

    file: str
    root: str
    agent: AgentConfig
    dataset: tuple[str, ...]
    run: RunConfig
    metrics: tuple[MetricConfig, ...]
    rules: tuple[Rule, ...]
    undecided: Mapping[str, Policy]
    baseline: str
    baseline_branch: str = ""
    enforce: Literal["block", "report"] = "block"
    accept: AcceptPolicy = field(default_factory=AcceptPolicy)
    when_changed: tuple[str, ...] = ()
    strict_publish: bool = False
    judges: tuple[JudgeConfig, ...] = ()
    judge_cache: str = ""
