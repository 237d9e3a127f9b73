"""JSON values of expectations and agents: compared without coercion, and shown in reasons on one line."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from gate.frozen import frozen
from gate.model import Json

LONGEST = 200
"""Characters of one value that a reason shows."""

Args: TypeAlias = Literal["exact", "subset", "ignore"]
ARGS: tuple[Args, ...] = ("exact", "subset", "ignore")


_LEAVES = frozenset({str, int, float, bool, type(None)})
_OBJECTS = (dict, Mapping)  # the first is what they are: to ask for the second alone is slow


@frozen(kw_only=False)
class Absent:
    """No value at all, which differs from null."""


ABSENT = Absent()
"""The one instance of Absent."""


@frozen
class Difference:
    """Two values that differ at `path`, from the top level down; either may be ABSENT."""

    path: tuple[str, ...]
    expected: Json
    actual: Json


def differences(expected: Json, actual: Json, *, subset: bool = False) -> Iterator[Difference]:
    """Yield what differs, leaf by leaf: numbers by value, true is not 1; `subset` lets more keys be there."""
    yield from _differences((), expected, actual, subset=subset)


def same(expected: Json, actual: Json, *, subset: bool = False) -> bool:
    """Whether nothing differs; much faster than to look for differences."""
    kind = type(expected)
    if kind in _LEAVES:  # most values are, and to ask whether one is a Mapping is slow
        return expected == actual if kind is type(actual) else _same_leaf(expected, actual)
    if isinstance(expected, _OBJECTS) and isinstance(actual, _OBJECTS):
        if not subset and len(expected) != len(actual):
            return False
        for key, value in expected.items():
            other = actual.get(key, ABSENT)
            kind = type(value)
            if kind is type(other) and kind in _LEAVES:  # as most are: to ask `same` costs more
                if value != other:
                    return False
            elif not same(value, other, subset=subset):
                return False
        return True
    if isinstance(expected, list | tuple) and isinstance(actual, list | tuple):
        return len(expected) == len(actual) and all(
            same(left, right, subset=subset) for left, right in zip(expected, actual, strict=True)
        )
    return _same_leaf(expected, actual)


def plain(value: Json) -> Json:
    """The value made of dicts and lists alone, as a JSON writer wants it."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def shown(value: Json) -> str:
    """The value as JSON on one line of at most LONGEST characters; what is absent reads `nothing`."""
    if isinstance(value, Absent):
        return "nothing"
    try:
        return line(json.dumps(plain(value), ensure_ascii=False))
    except RecursionError:
        return "a value that is nested too deeply to show"


def line(text: str) -> str:
    """The text on one line, cut to LONGEST characters; whoever prints it still has to make it harmless."""
    whole = re.sub(
        r"[\ud800-\udfff]", "\ufffd", text[: 4 * LONGEST]
    )  # half a pair cannot be written as UTF-8
    flat = re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", whole).strip()
    return flat if len(flat) <= LONGEST and len(text) <= 4 * LONGEST else f"{flat[: LONGEST - 1]}…"


def quoted(text: str) -> str:
    """A name between backticks, on one line."""
    return f"`{line(text)}`"


def names(values: Sequence[str], *, most: int = 12) -> str:
    """Names in a row, the first `most` of them, and how many more there are."""
    rest = len(values) - most
    return ", ".join(
        [*(quoted(value) for value in values[:most]), *([f"and {rest} more"] if rest > 0 else [])]
    )


def _differences(
    path: tuple[str, ...], expected: Json, actual: Json, *, subset: bool
) -> Iterator[Difference]:
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        keys = [*expected, *(() if subset else (key for key in actual if key not in expected))]
        for key in keys:
            yield from _differences(
                (*path, key), expected.get(key, ABSENT), actual.get(key, ABSENT), subset=subset
            )
    elif (
        isinstance(expected, list | tuple)
        and isinstance(actual, list | tuple)
        and len(expected) == len(actual)
    ):
        for index, (left, right) in enumerate(zip(expected, actual, strict=True)):
            yield from _differences((*path, str(index)), left, right, subset=subset)
    elif not _same_leaf(expected, actual):
        yield Difference(path=path, expected=expected, actual=actual)


def _same_leaf(expected: Json, actual: Json) -> bool:
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        return expected == actual
    return type(expected) is type(actual) and expected == actual
