"""A document that fits the schema becomes a Config, with every default in place."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias, cast

from gate.config.floors import floor_of
from gate.config.judges import answer_key, asked, cache_of, judges
from gate.config.units import amount, number, per_second, seconds, size
from gate.documents import Document
from gate.model import Json
from gate.model.config import (
    AcceptPolicy,
    AgentConfig,
    Aggregate,
    Amount,
    BootConfig,
    Build,
    CommandBoot,
    Config,
    Confinement,
    ContainerBoot,
    Image,
    MetricConfig,
    NoBoot,
    Policy,
    Ready,
    Rule,
    RuleLevel,
    RunConfig,
    Scope,
    TrackConfig,
    UrlBoot,
)
from gate.model.finding import Place
from gate.model.judge import JudgeConfig

Map: TypeAlias = Mapping[str, Json]

BASELINE: Final = "golden/baseline.jsonl"
JUNIT: Final = "junit"
COUNTS: Final = ("regressed", "new_failing", "removed")
_METRIC_KEYS: Final = frozenset({"type", "pass_at"})
_COST: Final = "cost"


def build(document: Document, root: str) -> Config:
    """Make the config of a document without errors; `root` is the folder that its paths start from."""
    top = _map(document.value)
    dataset, (baseline, branch) = _texts(top["dataset"]), _baseline(top.get("baseline"))
    known = judges(top, document, root)
    tracks = tuple(_tracks(top.get("tracks"), document))
    written = _metrics(_map(top.get("metrics")), _map(top.get("prices")), document, root, known)
    metrics = (*written, *map(_measured, tracks))
    types = {metric.name: metric.type for metric in metrics}
    return Config(
        file=document.file,
        root=root,
        agent=_agent(_map(top["agent"]), root, (*dataset, baseline, *answer_key(top))),
        dataset=dataset,
        run=_run(_map(top.get("run"))),
        metrics=metrics,
        metrics_from=_text(top.get("metrics_from")),
        rules=tuple(_rules(_map(top.get("rules")), types, document, [track.name for track in tracks])),
        undecided={cause: cast("Policy", policy) for cause, policy in _map(top.get("undecided")).items()},
        baseline=baseline,
        baseline_branch=branch,
        enforce="report" if top.get("enforce") == "report" else "block",
        accept=_accept(_map(top.get("accept"))),
        when_changed=_texts(_map(top.get("when")).get("changed", [])),
        strict_publish=top.get("strict_publish") is True,
        judges=known,
        judge_cache=cache_of(top),
        tracks=tracks,
    )


def _baseline(value: Json) -> tuple[str, str]:
    """The path, and the branch where it is not committed beside the config."""
    keys = _map(value)
    return _text(value) or _text(keys.get("path")) or BASELINE, _text(keys.get("branch"))


def _accept(accept: Map) -> AcceptPolicy:
    return AcceptPolicy(
        by="review" if accept.get("by") == "review" else "label",
        label=_text(accept.get("label")) or AcceptPolicy().label,
        not_author=accept.get("not_author") is True,
    )


def _map(value: Json) -> Map:
    return value if isinstance(value, dict) else {}


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(_text(item) for item in value) if isinstance(value, list) else (_text(value),)


def _text_map(value: Json) -> dict[str, str]:
    return {key: _text(item) for key, item in _map(value).items()}


def _agent(agent: Map, root: str, hidden: tuple[str, ...]) -> AgentConfig:
    protocol = _text(agent["protocol"])
    return AgentConfig(
        protocol=protocol,
        boot=_boot(_map(agent.get("boot")), hidden),
        app=_text(agent.get("app")),
        options=_map(agent.get(protocol)),
        root=root,
    )


def _boot(boot: Map, hidden: tuple[str, ...]) -> BootConfig:
    if "url" in boot:
        return UrlBoot(
            url=_text(boot["url"]).rstrip("/"),
            headers=_text_map(boot.get("headers")),
            ready=_ready(_map(boot.get("ready"))),
            pass_env=_texts(boot.get("pass_env", [])),
        )
    if "image" in boot or "build" in boot:
        return _container(boot, hidden)
    if "command" not in boot:
        return NoBoot()
    return CommandBoot(
        command=_texts(boot["command"]),
        cwd=_text(boot.get("cwd", ".")),
        ready=_ready(_map(boot.get("ready"))),
        env=_text_map(boot.get("env")),
        pass_env=_texts(boot.get("pass_env", [])),
        headers=_text_map(boot.get("headers")),
        stop_grace_s=seconds(boot.get("stop_grace", 5)),
        hidden=hidden,
    )


def _container(boot: Map, hidden: tuple[str, ...]) -> ContainerBoot:
    return ContainerBoot(
        source=Image(name=_text(boot["image"])) if "image" in boot else _built(boot["build"]),
        command=_texts(boot.get("command", [])),
        setup=_texts(boot.get("setup", [])),
        cwd=_text(boot.get("cwd")),
        port=int(number(boot.get("port", 8080))),
        ready=_ready(_map(boot.get("ready"))),
        env=_text_map(boot.get("env")),
        pass_env=_texts(boot.get("pass_env", [])),
        headers=_text_map(boot.get("headers")),
        stop_grace_s=seconds(boot.get("stop_grace", 5)),
        confinement=_confinement(boot),
        hidden=hidden,
    )


def _built(build: Json) -> Build:
    if isinstance(build, str):
        return Build(context=build)
    keys = _map(build)
    return Build(
        context=_text(keys["context"]),
        dockerfile=_text(keys.get("dockerfile", "Dockerfile")),
        target=_text(keys.get("target")),
        args=_text_map(keys.get("args")),
    )


def _confinement(boot: Map) -> Confinement:
    return Confinement(
        user=_text(boot.get("user")),
        capabilities=_texts(boot.get("capabilities", [])),
        read_only=boot.get("read_only") is not False,
        memory_bytes=size(boot.get("memory", "2g")),
        pids=int(number(boot.get("pids", 512))),
        tmpfs={path: size(most) for path, most in _map(boot.get("tmpfs")).items()},
        egress="open" if boot.get("egress") == "open" else "none",
    )


def _ready(ready: Map) -> Ready:
    return Ready(
        path=_text(ready["path"]) if "path" in ready else None,
        within_s=seconds(ready.get("within", 60)),
        healthcheck=ready.get("healthcheck") is True,
    )


def _run(run: Map) -> RunConfig:
    return RunConfig(
        trials=int(number(run.get("trials", 1))),
        concurrency=int(number(run.get("concurrency", 4))),
        trial_timeout_s=seconds(run.get("trial_timeout", 120)),
        rate_per_s=per_second(_text(run["rate"])) if "rate" in run else None,
        retries=int(number(run.get("retries", 3))),
    )


def _metrics(
    metrics: Map, prices: Map, document: Document, root: str, known: tuple[JudgeConfig, ...]
) -> Iterator[MetricConfig]:
    """The metrics as written; where there are prices, cost is measured by them."""
    priced = {"prices": prices} if prices else {}
    for name, value in metrics.items():
        metric = _map(value)
        type_ = _text(metric.get("type", name))
        options = {key: option for key, option in metric.items() if key not in _METRIC_KEYS}
        yield MetricConfig(
            name=name,
            type=type_,
            options={**options, **(priced if type_ == _COST else {})},
            pass_at=number(metric["pass_at"]) if "pass_at" in metric else None,
            judge=asked(metric, known) if metric.get("type", name) == "judge" else None,
            place=document.place(("metrics", name), key=True),
            root=root,
        )
    if prices and _COST not in metrics:
        place = document.place(("prices",), key=True)
        yield MetricConfig(name=_COST, type=_COST, options=priced, place=place)


def _tracks(tracks: Json, document: Document) -> Iterator[TrackConfig]:
    for index, track in enumerate(tracks if isinstance(tracks, list) else ()):
        keys = _map(track)
        place = document.place(("tracks", index))
        yield TrackConfig(name=_text(keys["name"]), junit=_texts(keys["junit"]), place=place)


def _measured(track: TrackConfig) -> MetricConfig:
    """A track is measured by a metric of its name: whether each test passed."""
    return MetricConfig(name=track.name, type=JUNIT, options={"junit": [*track.junit]}, place=track.place)


def _rules(rules: Map, types: Mapping[str, str], document: Document, tracks: Sequence[str]) -> Iterator[Rule]:
    """The rules as written; where a name has none, its default."""
    default = Place(file=document.file)
    for counted in ("cases", *tracks):
        if counted not in rules:
            yield Rule(metric=counted, counts={"regressed": 0, "new_failing": 0}, place=default)
    if "completed" not in rules:
        yield Rule(metric="completed", max_drop=Amount(value=0.0), place=default)
    for name, value in rules.items():
        if isinstance(value, list):
            for index, rule in enumerate(value):
                yield _rule(name, _map(rule), types, document.place(("rules", name, index)))
        else:
            yield _rule(name, _map(value), types, document.place(("rules", name), key=True))


def _rule(name: str, rule: Map, types: Mapping[str, str], place: Place) -> Rule:
    level = cast("RuleLevel", rule.get("level", "block"))
    moves = tuple(amount(rule[key]) if key in rule else None for key in ("max_drop", "max_rise"))
    written = _bound(rule, "ignore_below")
    kind, rank = _aggregate(_text(rule.get("aggregate", "mean")))
    return Rule(
        metric=name,
        counts={key: int(number(rule[key])) for key in COUNTS if key in rule},
        min=_bound(rule, "min"),
        max=_bound(rule, "max"),
        max_drop=moves[0],
        max_rise=moves[1],
        ignore_below=_floor(types.get(name, name), moves, kind) if written is None else written,
        coverage=_bound(rule, "coverage"),
        by=cast("Scope", rule.get("by", "suite")),
        level=level,
        aggregate=kind,
        number=rank,
        at=_bound(rule, "at"),
        place=place,
    )


def _aggregate(written: str) -> tuple[Aggregate, int]:
    """`p95` is a percentile and `pass^3` three passes in a row; the schema has said yes to it before."""
    if written.startswith("pass^"):
        return "pass_k", int(written.removeprefix("pass^"))
    if written.removeprefix("p").isdecimal():
        return "percentile", int(written.removeprefix("p"))
    return cast("Aggregate", written), 0


def _floor(type_: str, moves: tuple[Amount | None, ...], kind: Aggregate) -> float | None:
    """The floor of a measure's own unit; a share of trials that pass has none."""
    return None if kind in ("pass_rate", "pass_k") else floor_of(type_, moves)


def _bound(rule: Map, key: str) -> float | None:
    return number(rule[key]) if key in rule else None
