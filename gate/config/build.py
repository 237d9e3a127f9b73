"""A document that fits the schema becomes a Config, with every default in place."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias, cast

from gate.config.judges import answer_key, asked, cache_of, judges
from gate.config.units import amount, number, per_second, seconds, size
from gate.documents import Document
from gate.model import Json
from gate.model.config import (
    AcceptPolicy,
    AgentConfig,
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
    UrlBoot,
)
from gate.model.finding import Place
from gate.model.judge import JudgeConfig

Map: TypeAlias = Mapping[str, Json]

BASELINE: Final = "golden/baseline.jsonl"
COUNTS: Final = ("regressed", "new_failing", "removed")
_METRIC_KEYS: Final = frozenset({"type", "pass_at"})


def build(document: Document, root: str) -> Config:
    """Make the config of a document without errors; `root` is the folder that its paths start from."""
    top = _map(document.value)
    dataset, (baseline, branch) = _texts(top["dataset"]), _baseline(top.get("baseline"))
    known, metrics = judges(top, document, root), _map(top.get("metrics"))
    return Config(
        file=document.file,
        root=root,
        agent=_agent(_map(top["agent"]), root, (*dataset, baseline, *answer_key(top))),
        dataset=dataset,
        run=_run(_map(top.get("run"))),
        metrics=tuple(_metrics(metrics, document, known)),
        rules=tuple(_rules(_map(top.get("rules")), document)),
        undecided={cause: cast("Policy", policy) for cause, policy in _map(top.get("undecided")).items()},
        baseline=baseline,
        baseline_branch=branch,
        enforce="report" if top.get("enforce") == "report" else "block",
        accept=_accept(_map(top.get("accept"))),
        when_changed=_texts(_map(top.get("when")).get("changed", [])),
        strict_publish=top.get("strict_publish") is True,
        judges=known,
        judge_cache=cache_of(top),
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


def _metrics(metrics: Map, document: Document, known: tuple[JudgeConfig, ...]) -> Iterator[MetricConfig]:
    for name, value in metrics.items():
        metric = _map(value)
        yield MetricConfig(
            name=name,
            type=_text(metric.get("type", name)),
            options={key: option for key, option in metric.items() if key not in _METRIC_KEYS},
            pass_at=number(metric["pass_at"]) if "pass_at" in metric else None,
            judge=asked(metric, known) if metric.get("type", name) == "judge" else None,
            place=document.place(("metrics", name), key=True),
        )


def _rules(rules: Map, document: Document) -> Iterator[Rule]:
    """The rules as written; where a name has none, its default."""
    default = Place(file=document.file)
    if "cases" not in rules:
        yield Rule(metric="cases", counts={"regressed": 0, "new_failing": 0}, place=default)
    if "completed" not in rules:
        yield Rule(metric="completed", max_drop=Amount(value=0.0), place=default)
    for name, value in rules.items():
        if isinstance(value, list):
            for index, rule in enumerate(value):
                yield _rule(name, _map(rule), document.place(("rules", name, index)))
        else:
            yield _rule(name, _map(value), document.place(("rules", name), key=True))


def _rule(name: str, rule: Map, place: Place) -> Rule:
    level = cast("RuleLevel", rule.get("level", "block"))
    if name == "cases":
        counts = {key: int(number(rule[key])) for key in COUNTS if key in rule}
        return Rule(metric=name, counts=counts, level=level, place=place)
    return Rule(
        metric=name,
        min=_bound(rule, "min"),
        max=_bound(rule, "max"),
        max_drop=amount(rule["max_drop"]) if "max_drop" in rule else None,
        max_rise=amount(rule["max_rise"]) if "max_rise" in rule else None,
        ignore_below=_bound(rule, "ignore_below"),
        coverage=_bound(rule, "coverage"),
        by=cast("Literal['suite', 'category', 'case']", rule.get("by", "suite")),
        level=level,
        place=place,
    )


def _bound(rule: Map, key: str) -> float | None:
    return number(rule[key]) if key in rule else None
