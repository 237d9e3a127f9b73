"""Whom a pull request may ask: the base's judges by the base's anchors, until somebody accepts others."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Final

from gate.model import Json
from gate.model.bar import BarChange, ChangeKind
from gate.model.config import Config, MetricConfig
from gate.model.finding import Place
from gate.model.judge import Anchor, JudgeConfig
from gate.trust import words
from gate.trust.keys import Places

_WHERE: Final = frozenset(("place", "root", "commit", "withheld"))
_TOLD: Final = tuple(each.name for each in fields(JudgeConfig) if each.name not in _WHERE)
_NEW: Final = "it is new in this pull request, and is not asked before somebody has accepted that"
_ALONE: Final = "what the base says of judges cannot be read, so that none is asked"


def judge_changes(base: Config, head: Config, places: Places) -> Iterator[BarChange]:
    """Each judge that is new, gone or another one, and each metric whose anchors are others."""
    old, new = {judge.name: judge for judge in base.judges}, {judge.name: judge for judge in head.judges}
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        place = places("judges", name)
        if before is None and after:
            yield _change(f"judges.{name}", "added", place, "", _written(after, after), needed=True)
        elif after is None and before:
            yield _change(f"judges.{name}", "removed", place, _written(before, before), "", needed=False)
        elif before and after and _facts(before) != _facts(after):
            told = _written(before, after), _written(after, before)
            yield _change(f"judges.{name}", "changed", place, *told, needed=True)
    asked = {metric.name: metric for metric in base.metrics}
    for metric in head.metrics:
        other = asked.get(metric.name)
        if other and other.judge and metric.judge and _texts(other.anchors) != _texts(metric.anchors):
            name, place = f"metrics.{metric.name}.anchors", places("metrics", metric.name)
            told, needed = (_counted(other), _counted(metric)), bool(other.anchors)
            yield _change(name, "changed", place, *told, needed=needed)


def judges_in_force(base: Config, head: Config) -> Config:
    """The head with the base's judges, anchors and earlier judgements."""
    judges = {judge.name: judge for judge in base.judges}
    asked = {metric.name: metric for metric in base.metrics}
    held = (_held(metric, judges.get(metric.judge.name), asked) for metric in head.metrics if metric.judge)
    mine = {metric.name: metric for metric in held}
    metrics = tuple(mine.get(metric.name, metric) for metric in head.metrics)
    return replace(head, judges=base.judges, metrics=metrics, judge_cache=base.judge_cache)


def without_judges(head: Config) -> Config:
    """The head where nobody knows what the base asks: no judge is asked at all."""
    metrics = (
        replace(metric, judge=replace(metric.judge, withheld=_ALONE)) if metric.judge else metric
        for metric in head.metrics
    )
    return replace(head, metrics=tuple(metrics), judge_cache="")


def _held(metric: MetricConfig, judge: JudgeConfig | None, asked: dict[str, MetricConfig]) -> MetricConfig:
    if judge is None:
        return replace(metric, judge=metric.judge and replace(metric.judge, withheld=_NEW))
    other = asked.get(metric.name)
    anchors = other.anchors if other and other.judge and other.anchors else metric.anchors
    return replace(metric, judge=judge, anchors=anchors)


def _facts(judge: JudgeConfig) -> tuple[object, ...]:
    return tuple(getattr(judge, name) for name in _TOLD)


def _counted(metric: MetricConfig) -> str:
    return f"{len(metric.anchors)} anchors" if metric.anchors else ""


def _texts(anchors: tuple[Anchor, ...]) -> list[Anchor]:
    return [replace(anchor, place=Place(file="")) for anchor in anchors]


def _written(judge: JudgeConfig, other: JudgeConfig) -> str:
    """The keys in which a judge differs from the other, or who it is where that is itself."""
    differs = [name for name in _TOLD if getattr(judge, name) != getattr(other, name)]
    keys: dict[str, Json] = {}
    for name in differs or ("base_url", "model", "key"):
        value = getattr(judge, name)
        keys[name.removesuffix("_s")] = value if isinstance(value, dict) else str(value)
    return words.block(keys)


def _change(  # one record
    name: str, kind: ChangeKind, place: Place, before: str, after: str, *, needed: bool
) -> BarChange:
    return BarChange(
        subject="judge",
        kind=kind,
        name=name,
        before=before,
        after=after,
        needs_acceptance=needed,
        place=place,
    )
