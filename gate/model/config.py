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
Scope = Literal["suite", "category", "tag", "case"]
Aggregate = Literal["mean", "min", "max", "percentile", "pass_rate", "pass_k"]
"""How trials become a case and cases a scope; gate/compare/aggregate.py has the formulas."""

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
    """An agent that is already running. `pass_env` names variables that `{NAME}` in a header stands for."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    ready: Ready = field(default_factory=Ready)
    pass_env: tuple[str, ...] = ()


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
    Code of the user is read from the config's folder: `root` in the work tree, or `folder` in `commit`.
    """

    name: str
    type: str
    options: Mapping[str, Json] = field(default_factory=dict)
    pass_at: float | None = None
    judge: JudgeConfig | None = None
    anchors: tuple[Anchor, ...] = ()
    place: Place
    root: str = "."
    commit: str = ""
    folder: str = ""


@frozen
class Amount:
    """A difference: absolute, or relative to the baseline where `percent` is set (25 means 25 %)."""

    value: float
    percent: bool = False


@frozen
class Rule:
    """What a metric must satisfy. For `cases`, `counts` bounds how many cases may be in a class.

    `coverage` is the least share of trials that must have been scored.
    `number` is the q of a percentile and the k of `pass_k`; `at` is what a trial passes at (None: as the
    metric has it).
    """

    metric: str
    min: float | None = None
    max: float | None = None
    max_drop: Amount | None = None
    max_rise: Amount | None = None
    ignore_below: float | None = None
    coverage: float | None = None
    by: Scope = "suite"
    level: RuleLevel = "block"
    counts: Mapping[str, int] = field(default_factory=dict)
    aggregate: Aggregate = "mean"
    number: int = 0
    at: float | None = None
    place: Place

    @property
    def folded(self) -> str:
        """The aggregate as the config writes it: `mean`, `pass_rate`, `p95`, `pass^3`."""
        spelled = {"percentile": f"p{self.number}", "pass_k": f"pass^{self.number}"}
        return spelled.get(self.aggregate, self.aggregate)

    @property
    def counts_passes(self) -> bool:
        """Whether it bounds a share of trials that pass, whatever the metric measures."""
        return self.aggregate in ("pass_rate", "pass_k")


@frozen
class TrackConfig:
    """Results of the project's own tests: `junit` are patterns of JUnit files, relative to the config."""

    name: str
    junit: tuple[str, ...]
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
    `metrics_from` is another tool's file whose metrics are among `metrics`, "" for none.
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
    metrics_from: str = ""
    enforce: Literal["block", "report"] = "block"
    accept: AcceptPolicy = field(default_factory=AcceptPolicy)
    when_changed: tuple[str, ...] = ()
    strict_publish: bool = False
    judges: tuple[JudgeConfig, ...] = ()
    judge_cache: str = ""
    tracks: tuple[TrackConfig, ...] = ()
