"""Which metrics of the head measure less than those of the base."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from gate.config.build import JUNIT
from gate.model import Json
from gate.model.bar import BarChange, ChangeKind
from gate.model.finding import Place
from gate.score.metric import Metric
from gate.trust import words

STRICTER: Final[Mapping[tuple[str, Json], tuple[Json, ...]]] = {
    ("args", "ignore"): ("subset", "exact"),
    ("args", "subset"): ("exact",),
    ("mode", "at_least"): ("exactly", "in_order"),
    ("mode", "at_most"): ("exactly",),
    ("match_type", "ANY_ORDER"): ("IN_ORDER", "EXACT"),
    ("match_type", "IN_ORDER"): ("EXACT",),
    ("ignore_args", True): (False,),
}
"""To which values an option may change so that whatever passes afterwards would have passed before."""


def metric_changes(
    base: Sequence[Metric],
    head: Sequence[Metric],
    deciding: Collection[str],
    place: Mapping[str, Place],
    spared: Collection[str] = (),
) -> Iterator[BarChange]:
    """Each metric that is gone, new, measures otherwise or decides on no case any more.

    `deciding` names those of the base that a rule holds or a case hangs on: without them nothing is lost.
    `spared` are those on which a case hangs at the base and not at the head, though no rule was loosened.
    """
    old, new = {metric.name: metric for metric in base}, {metric.name: metric for metric in head}
    for name, metric in old.items():
        there = new.get(name)
        where = place.get(name, place[""])
        if there is None:
            yield _change(name, "removed", metric, None, where, needed=name in deciding)
        elif _facts(metric) != _facts(there):
            tighter = _is_tighter(metric, there)
            kind: ChangeKind = "tightened" if tighter else "loosened"
            yield _change(name, kind, metric, there, where, needed=not tighter and name in deciding)
        if there is not None and name in spared:
            yield _spared(name, where)
    for name in new.keys() - old.keys():
        yield _change(name, "added", None, new[name], place.get(name, place[""]), needed=False)


def _facts(metric: Metric) -> tuple[str, Mapping[str, Json], float | None, str]:
    return metric.type, metric.options, metric.pass_at, metric.code


def _is_tighter(base: Metric, head: Metric) -> bool:
    if (base.type, base.code) != (head.type, head.code) or base.options.keys() != head.options.keys():
        return False
    if base.pass_at is not None and (head.pass_at is None or head.pass_at < base.pass_at):
        return False
    return all(
        value == head.options[name]
        or (isinstance(value, str | bool) and head.options[name] in STRICTER.get((name, value), ()))
        for name, value in base.options.items()
    )


def _spared(name: str, where: Place) -> BarChange:
    """A rule that only warns takes the place of the default, by which a case hangs on each expectation."""
    return BarChange(
        subject="metric",
        kind="loosened",
        name=f"metrics.{name}",
        before="decides whether a case passes",
        after="does not",
        needs_acceptance=True,
        place=where,
    )


def _change(  # one record
    name: str, kind: ChangeKind, before: Metric | None, after: Metric | None, where: Place, *, needed: bool
) -> BarChange:
    return BarChange(
        subject="metric",
        kind=kind,
        name=f"{_block(before or after)}.{name}",
        before=_written(before),
        after=_written(after),
        needs_acceptance=needed,
        place=where,
    )


def _block(metric: Metric | None) -> str:
    """Which block of the config it is written in."""
    return "tracks" if metric and metric.type == JUNIT else "metrics"


def _written(metric: Metric | None) -> str:
    if metric is None:
        return ""
    keys: dict[str, Json] = {"type": metric.type, **metric.options}
    if metric.code:
        keys["code"] = metric.code[:12]
    if metric.pass_at is not None:
        keys["pass_at"] = words.number(metric.pass_at)
    return words.block(keys)
