"""Verdicts of agentevals 0.0.9 (agentevals/trajectory), its choices included.

Each call takes the first counterpart that is free and fits, so that an early call may take what a later one
needs. Arguments are compared as Python compares them: 1 is 1.0 and also true. `subset` and the second half of
`unordered` swap the two sides, and with them what subset and superset of arguments mean.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from gate.model import Json
from gate.model.case import ExpectedCall
from gate.model.trace import Call
from gate.score.arguments import Comparison, Way
from gate.score.matching import first_unserved

Wanted: TypeAlias = tuple[str, Sequence[ExpectedCall]]
"""A message of the reference: its role and its calls."""

Made: TypeAlias = tuple[str, Sequence[Call]]
"""A message of the agent: its role and its calls."""

_TURNED: Mapping[Way, Way] = {"subset": "superset", "superset": "subset"}


Fits: TypeAlias = Callable[[ExpectedCall, Call], bool]
"""Whether a call of the agent, whose arguments could be read, is the expected one."""


def fitting(comparison: Comparison) -> Fits:
    """The test of agentevals for two calls, by the ways of a comparison."""

    def fits(expected: ExpectedCall, actual: Call) -> bool:
        if expected.name != actual.name:
            return False
        return _equal(comparison.of(expected), expected.args or {}, actual.args or {})

    return fits


def turned(comparison: Comparison) -> Comparison:
    """The same where the sides are swapped: what was a subset is a superset."""
    tools = {name: _TURNED.get(way, way) for name, way in comparison.tools.items()}
    return replace(comparison, way=_TURNED.get(comparison.way, comparison.way), tools=tools)


def lacking(expected: Sequence[ExpectedCall], actual: Sequence[Call], fits: Fits) -> ExpectedCall | None:
    """The first expected call that no call is left for: None where the agent's are a superset."""
    index = first_unserved(expected, actual, fits)
    return None if index is None else expected[index]


def beyond(expected: Sequence[ExpectedCall], actual: Sequence[Call], fits: Fits) -> Call | None:
    """The first call that no expected one is left for: None where the agent's are a subset."""
    index = first_unserved(actual, expected, _swapped(fits))
    return None if index is None else actual[index]


def departure(references: Sequence[Wanted], messages: Sequence[Made], fits: Fits) -> tuple[int, Call | None]:
    """The first message, from 1, that is unlike the reference, and the call that makes it so; 0 for none.

    Texts are not compared, and calls of one message may come in any order.
    """
    if len(references) != len(messages):
        return min(len(references), len(messages)) + 1, None
    for number, ((role, wants), (made_role, calls)) in enumerate(zip(references, messages, strict=True), 1):
        if role != made_role or len(wants) != len(calls):
            return number, None
        index = first_unserved(calls, wants, _swapped(fits))
        if index is not None:
            return number, calls[index]
    return 0, None


def _swapped(fits: Fits) -> Callable[[Call, ExpectedCall], bool]:
    return lambda call, want: fits(want, call)


def _equal(way: Way, expected: Mapping[str, Json], actual: Mapping[str, Json]) -> bool:
    match way:
        case "ignore":
            return True
        case "exact" | "at_least":
            return expected == actual
        case "superset":
            return _within(expected, actual)
        case "subset":
            return _within(actual, expected)
        case _:
            return all(_at(expected, name) == _at(actual, name) for name in way)


def _within(part: Mapping[str, Json], whole: Mapping[str, Json]) -> bool:
    return all(name in whole and whole[name] == value for name, value in part.items())


def _at(args: Mapping[str, Json], path: str) -> Json:
    """What stands at a dotted path; what is missing is null."""
    value: Json = args
    for key in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value
