"""JSON that a program wrote (RFC 8259), read strictly: what is odd in it was put there by hand."""

import json
import math
import re
from collections.abc import Sequence

from gate.model import Json

MAX_DEPTH = 200
"""Levels of nesting: an agent's values may have a hundred of them, and a trace puts a few around."""

_MAX_DIGITS = 400
_HALF = re.compile("[\ud800-\udfff]")


def strict_json(text: str, *, deepest: int = MAX_DEPTH) -> Json:
    """The one value in a text; raises ValueError for what no program of ours writes.

    That is a key twice in one object, NaN, a number that no float can hold, half of a surrogate pair, and
    more than `deepest` levels.
    """
    try:
        value: Json = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_finite,
            parse_float=_finite,
            parse_int=_whole,
        )
    except RecursionError:
        raise ValueError(f"it is nested deeper than {deepest} levels") from None
    # Counting brackets is cheap and never too low, so most lines are not walked at all.
    if text.count("[") + text.count("{") > deepest or "\\ud" in text.lower():
        _inspect(value, deepest)
    return value


def _unique(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:80]!r} is there twice")
    return found


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:40]} is no number that JSON and a float can hold")
    return number


def _whole(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits is too long")
    _finite(digits)
    return int(digits)


def _inspect(value: Json, deepest: int) -> None:
    todo: list[tuple[Json, int]] = [(value, 1)]
    while todo:
        node, depth = todo.pop()
        if depth > deepest:
            raise ValueError(f"it is nested deeper than {deepest} levels")
        if isinstance(node, str):
            _whole_text(node)
        elif isinstance(node, list):
            todo += ((item, depth + 1) for item in node)
        elif isinstance(node, dict):
            for key, item in node.items():
                _whole_text(key)
                todo.append((item, depth + 1))


def _whole_text(text: str) -> None:
    if _HALF.search(text):
        raise ValueError("it holds half of a surrogate pair, which is no character")
