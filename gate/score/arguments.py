"""How the arguments of a tool call are held against those expected: one way for all tools, or one a tool."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from math import inf
from typing import Literal, TypeAlias

from gate.frozen import frozen
from gate.model import Json
from gate.model.case import ExpectedCall
from gate.model.derived import found_at
from gate.model.trace import Call
from gate.score.values import ABSENT, Args, Difference, differences, same

Way: TypeAlias = Literal["exact", "at_least", "subset", "superset", "ignore"] | tuple[str, ...]
"""`at_least`: those expected are there, and so within each value. By top-level argument, whose values must be
equal: `subset` (none but those expected), `superset` (all those expected), or the ones that are named, by
dotted path."""


@frozen
class Comparison:
    """The way for every tool, and those of the tools that have one of their own.

    `unreadable` is the answer where arguments matter and the agent's cannot be read.
    """

    way: Way = "exact"
    tools: Mapping[str, Way] = field(default_factory=dict)
    unreadable: bool = False

    def of(self, expected: ExpectedCall) -> Way:
        """The way in which a call's arguments are compared; they do not matter where none are written."""
        return "ignore" if expected.args is None else self.tools.get(expected.name, self.way)

    def fits(self, expected: ExpectedCall, actual: Call) -> bool:
        """Whether a call is what was expected."""
        if expected.name != actual.name:
            return False
        way = self.of(expected)
        if way == "ignore":
            return True
        return self.unreadable if actual.args is None else _same(way, expected.args or {}, actual.args)

    def distance(self, expected: ExpectedCall, actual: Call) -> float:
        """How many arguments differ; one that cannot be read is farthest away."""
        if actual.args is None:
            return inf
        way, wanted, made = self.of(expected), expected.args or {}, actual.args
        return sum(
            not same(_at(way, wanted, name), _at(way, made, name), subset=way == "at_least")
            for name in _compared(way, wanted, made)
        )

    def differences(self, expected: ExpectedCall, actual: Call) -> Iterator[Difference]:
        """Yield what differs between the arguments, leaf by leaf."""
        way, wanted, made = self.of(expected), expected.args or {}, actual.args or {}
        if way in ("exact", "at_least"):
            yield from differences(wanted, made, subset=way == "at_least")
            return
        for name in _compared(way, wanted, made):
            for found in differences(_at(way, wanted, name), _at(way, made, name)):
                yield Difference(path=(name, *found.path), expected=found.expected, actual=found.actual)


BY_ARGS: Mapping[Args, Comparison] = {
    "exact": Comparison(),
    "subset": Comparison(way="at_least"),
    "ignore": Comparison(way="ignore"),
}
"""What the option `args` of `calls` and of the trajectory metrics means."""


def _same(way: Way, expected: Mapping[str, Json], actual: Mapping[str, Json]) -> bool:
    if way in ("exact", "at_least"):
        return same(expected, actual, subset=way == "at_least")
    return all(
        same(_at(way, expected, name), _at(way, actual, name)) for name in _compared(way, expected, actual)
    )


def _compared(way: Way, expected: Mapping[str, Json], actual: Mapping[str, Json]) -> Iterator[str]:
    match way:
        case "exact":
            yield from {**expected, **actual}
        case "superset" | "at_least":
            yield from expected
        case "subset":
            yield from actual
        case "ignore":
            pass
        case _:
            yield from way


def _at(way: Way, args: Mapping[str, Json], name: str) -> Json:
    return next(found_at(args, name), ABSENT) if isinstance(way, tuple) else args.get(name, ABSENT)
