"""Values of a config that fits its schema as their own kinds; what is not there is empty."""

from collections.abc import Mapping
from typing import TypeAlias

from gate.model import Json

Map: TypeAlias = Mapping[str, Json]


def map_of(value: Json) -> Map:
    """A mapping."""
    return value if isinstance(value, dict) else {}


def text(value: Json) -> str:
    """A text."""
    return value if isinstance(value, str) else ""


def texts(value: Json) -> tuple[str, ...]:
    """A list of texts, or one text alone."""
    return tuple(map(text, value)) if isinstance(value, list) else (text(value),)


def text_map(value: Json) -> dict[str, str]:
    """A mapping to texts."""
    return {key: text(item) for key, item in map_of(value).items()}
