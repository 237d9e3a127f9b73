"""From any JSON value to what the schema of golden files allows, or Refused."""

import re
from collections.abc import Callable
from typing import TypeVar

from gate.dataset.reader import LABEL
from gate.model import Json

_T = TypeVar("_T")


class Refused(Exception):
    """The value is not what the schema wants; the schema itself says what is wrong."""


def mapping(value: Json, allowed: frozenset[str], *needed: str) -> dict[str, Json]:
    """A mapping without other keys than those allowed, and with all that are needed."""
    if not isinstance(value, dict) or not allowed.issuperset(value):
        raise Refused
    for key in needed:
        if key not in value:
            raise Refused
    return value


def free_mapping(value: Json) -> dict[str, Json]:
    """A mapping with any keys."""
    if not isinstance(value, dict):
        raise Refused
    return value


def one_of(found: dict[str, Json], *names: str) -> str:
    """The only one of these names that is a key."""
    present = [name for name in names if name in found]
    if len(present) != 1:
        raise Refused
    return present[0]


def any_text(value: Json) -> str:
    """A string, also an empty one."""
    if not isinstance(value, str):
        raise Refused
    return value


def text(value: Json) -> str:
    """A string that is not empty."""
    if not isinstance(value, str) or not value:
        raise Refused
    return value


def matching(pattern: re.Pattern[str], value: Json) -> str:
    """A string that the pattern matches whole."""
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise Refused
    return value


def label(value: Json) -> str:
    """What may be an id, a category, a tag or an owner."""
    return matching(LABEL, value)


def many(item: Callable[[Json], _T], value: Json) -> tuple[_T, ...]:
    """A list of at least one."""
    if not isinstance(value, list) or not value:
        raise Refused
    return tuple(map(item, value))


def texts(value: Json) -> tuple[str, ...]:
    """One string or a list of them, none of them empty."""
    return (text(value),) if isinstance(value, str) else many(text, value)


def distinct(values: tuple[str, ...]) -> tuple[str, ...]:
    """The same values, of which no two are equal."""
    if len(set(values)) != len(values):
        raise Refused
    return values
