"""Fields of ADK records: camelCase on the wire, snake_case and full of nulls in storage."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeGuard

from gate.model import Json
from gate.model.trace import MOST_TOKENS

_KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "an object",
}


class UnreadableEvent(ValueError):
    """What was given is no ADK event; the message says which field is of the wrong kind."""


def kind(value: Json) -> str:
    """Name the JSON kind of a value for a message: `a list`."""
    return _KINDS.get(type(value), type(value).__name__)


def field(record: Mapping[str, Json], name: str) -> Json:
    """Return the field `name` (camelCase) under either spelling; null and absent are both None."""
    value = record.get(name)
    return record.get(_snake(name)) if value is None else value


def has(record: Mapping[str, Json], name: str) -> bool:
    """Tell whether the field is there and not null."""
    return field(record, name) is not None


def mapping(record: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    """Return an object, empty where it is null or absent; raises UnreadableEvent for anything else."""
    value = field(record, name)
    if value is None:
        return {}
    if not is_mapping(value):
        raise UnreadableEvent(f"{name} is {kind(value)}, not an object")
    return value


def items(record: Mapping[str, Json], name: str) -> Sequence[Json]:
    """Return a list, empty where it is null or absent; raises UnreadableEvent for anything else."""
    value = field(record, name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise UnreadableEvent(f"{name} is {kind(value)}, not a list")
    return value


def text(record: Mapping[str, Json], name: str) -> str:
    """Return text, empty where it is null or absent; raises UnreadableEvent for anything else."""
    value = field(record, name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UnreadableEvent(f"{name} is {kind(value)}, not text")
    return value


def word(record: Mapping[str, Json], name: str) -> str:
    """Return a code or a message as text whatever its kind, because vendors write numbers there too."""
    value = field(record, name)
    return "" if value is None else str(value)


def count(record: Mapping[str, Json], name: str) -> int | None:
    """Return a count of tokens; None where it is absent or is no whole number that a count can be."""
    value = field(record, name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Two counts are added to one usage.
    return int(value) if 0 <= value <= MOST_TOKENS // 2 and value == value // 1 else None


def is_mapping(value: Json) -> TypeGuard[Mapping[str, Json]]:
    """Tell whether a JSON value is an object."""
    return isinstance(value, dict)


@cache
def _snake(name: str) -> str:
    return re.sub(r"(?=[A-Z])", "_", name).lower()
