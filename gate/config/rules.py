"""`rules:` to the model, with the rules that stand where none is written."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from gate.config.floors import floor_of
from gate.config.narrow import Map, map_of, text
from gate.config.units import amount, number
from gate.documents import Document
from gate.model.config import Aggregate, Amount, Rule, RuleLevel, Scope
from gate.model.finding import Place

COUNTS: Final = ("regressed", "new_failing", "removed")


def rules_of(
    rules: Map, types: Mapping[str, str], document: Document, tracks: Sequence[str]
) -> Iterator[Rule]:
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
                yield _rule(name, map_of(rule), types, document.place(("rules", name, index)))
        else:
            yield _rule(name, map_of(value), types, document.place(("rules", name), key=True))


def _rule(name: str, rule: Map, types: Mapping[str, str], place: Place) -> Rule:
    level = cast("RuleLevel", rule.get("level", "block"))
    moves = tuple(amount(rule[key]) if key in rule else None for key in ("max_drop", "max_rise"))
    written = _bound(rule, "ignore_below")
    kind, rank = _aggregate(text(rule.get("aggregate", "mean")))
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
