"""A document that fits the schema becomes a Config, with every default in place."""

from collections.abc import Iterator
from typing import Final, cast

from gate.config.boots import boot_of
from gate.config.judges import answer_key, asked, cache_of, judges
from gate.config.narrow import Map, map_of, text, texts
from gate.config.rules import rules_of
from gate.config.units import number, per_second, seconds
from gate.documents import Document
from gate.model import Json
from gate.model.config import (
    AcceptPolicy,
    AgentConfig,
    Config,
    MetricConfig,
    Policy,
    RunConfig,
    TrackConfig,
)
from gate.model.judge import JudgeConfig

BASELINE: Final = "golden/baseline.jsonl"
JUNIT: Final = "junit"
_METRIC_KEYS: Final = frozenset({"type", "pass_at"})
_COST: Final = "cost"


def build(document: Document, root: str) -> Config:
    """Make the config of a document without errors; `root` is the folder that its paths start from."""
    top = map_of(document.value)
    dataset, (baseline, branch) = texts(top["dataset"]), _baseline(top.get("baseline"))
    known = judges(top, document, root)
    tracks = tuple(_tracks(top.get("tracks"), document))
    written = _metrics(map_of(top.get("metrics")), map_of(top.get("prices")), document, root, known)
    metrics = (*written, *map(_measured, tracks))
    types = {metric.name: metric.type for metric in metrics}
    return Config(
        file=document.file,
        root=root,
        agent=_agent(map_of(top["agent"]), root, (*dataset, baseline, *answer_key(top))),
        dataset=dataset,
        run=_run(map_of(top.get("run"))),
        metrics=metrics,
        metrics_from=text(top.get("metrics_from")),
        rules=tuple(rules_of(map_of(top.get("rules")), types, document, [track.name for track in tracks])),
        undecided={cause: cast("Policy", policy) for cause, policy in map_of(top.get("undecided")).items()},
        baseline=baseline,
        baseline_branch=branch,
        enforce="report" if top.get("enforce") == "report" else "block",
        accept=_accept(map_of(top.get("accept"))),
        when_changed=texts(map_of(top.get("when")).get("changed", [])),
        strict_publish=top.get("strict_publish") is True,
        judges=known,
        judge_cache=cache_of(top),
        tracks=tracks,
    )


def _baseline(value: Json) -> tuple[str, str]:
    """The path, and the branch where it is not committed beside the config."""
    keys = map_of(value)
    return text(value) or text(keys.get("path")) or BASELINE, text(keys.get("branch"))


def _accept(accept: Map) -> AcceptPolicy:
    return AcceptPolicy(
        by="review" if accept.get("by") == "review" else "label",
        label=text(accept.get("label")) or AcceptPolicy().label,
        not_author=accept.get("not_author") is True,
    )


def _agent(agent: Map, root: str, hidden: tuple[str, ...]) -> AgentConfig:
    protocol = text(agent["protocol"])
    return AgentConfig(
        protocol=protocol,
        boot=boot_of(map_of(agent.get("boot")), hidden),
        app=text(agent.get("app")),
        options=map_of(agent.get(protocol)),
        root=root,
    )


def _run(run: Map) -> RunConfig:
    return RunConfig(
        trials=int(number(run.get("trials", 1))),
        concurrency=int(number(run.get("concurrency", 4))),
        trial_timeout_s=seconds(run.get("trial_timeout", 120)),
        rate_per_s=per_second(text(run["rate"])) if "rate" in run else None,
        retries=int(number(run.get("retries", 3))),
    )


def _metrics(
    metrics: Map, prices: Map, document: Document, root: str, known: tuple[JudgeConfig, ...]
) -> Iterator[MetricConfig]:
    """The metrics as written; where there are prices, cost is measured by them."""
    priced = {"prices": prices} if prices else {}
    for name, value in metrics.items():
        metric = map_of(value)
        type_ = text(metric.get("type", name))
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
        keys = map_of(track)
        place = document.place(("tracks", index))
        yield TrackConfig(name=text(keys["name"]), junit=texts(keys["junit"]), place=place)


def _measured(track: TrackConfig) -> MetricConfig:
    """A track is measured by a metric of its name: whether each test passed."""
    return MetricConfig(name=track.name, type=JUNIT, options={"junit": [*track.junit]}, place=track.place)
