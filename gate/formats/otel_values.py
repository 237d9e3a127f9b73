"""Values of OTLP/JSON: attributes, ids and times, in camelCase, snake_case, and as real exporters write them.

https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: ids are hex, 64-bit numbers may be text.
"""

import base64
import binascii
import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from gate.formats.adk_fields import field, is_mapping
from gate.formats.strict import strict_json
from gate.model import Json

DEEPEST: Final = 90
"""Levels that a value may have: a trace puts a few around it, and is read again with its own limit."""

_HEX: Final = re.compile(r"[0-9a-fA-F]+")
_WHOLE: Final = re.compile(r"-?[0-9]{1,19}")
_ID_BYTES: Final = (8, 16)
_SCALARS: Final = ("stringValue", "boolValue", "intValue", "doubleValue", "bytesValue")


def attributes(value: Json) -> dict[str, Json]:
    """Attributes by name, from OTLP's list of `{key, value}` or an object; the first of a name counts."""
    if is_mapping(value):
        return dict(_flat(value))
    found: dict[str, Json] = {}
    for item in value if isinstance(value, list) else ():
        if is_mapping(item) and isinstance(key := item.get("key"), str):
            found.setdefault(key, any_value(item.get("value")))
    return found


def any_value(value: Json) -> Json:
    """The JSON value of an AnyValue; one that is empty or of an unknown kind is None."""
    if not is_mapping(value):
        return None
    for name in _SCALARS:
        if (held := field(value, name)) is not None:
            return _scalar(name, held)
    if is_mapping(listed := field(value, "arrayValue")):
        return [any_value(item) for item in _values(listed)]
    if is_mapping(pairs := field(value, "kvlistValue")):
        return attributes(_values(pairs))
    return None


def identifier(value: Json) -> str:
    """A trace's or span's id as hex in lower case; base64 of that many bytes is read too; "" for none.

    Leading zeros do not count: Jaeger leaves them out.
    """
    if not isinstance(value, str):
        return ""
    if value.endswith("=") and (decoded := _decoded(value)):
        value = decoded.hex()
    return value.lower().lstrip("0") if _HEX.fullmatch(value) else value.strip()


def nanoseconds(value: Json) -> int:
    """A time since 1970 as a number or as text; 0 for anything else."""
    number = whole(value)
    return number if number is not None and number > 0 else 0


def whole(value: Json) -> int | None:
    """A whole number of at most 64 bits, which may be text; None for anything else."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if abs(value) < 2**64 and value == math.floor(value) else None


def number(value: Json) -> float:
    """A number for sorting; 0 for anything else."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


class NotJson(ValueError):
    """An attribute's text should be JSON and is not; the message says why."""


def structured(value: Json) -> Json:
    """What an attribute holds that is either structured or JSON text; raises NotJson."""
    if not isinstance(value, str):
        return value
    try:
        return strict_json(value, deepest=DEEPEST)
    except ValueError as error:
        raise NotJson(f"no whole JSON ({error}; {len(value)} characters)") from None


def loose(value: Json) -> Json:
    """As `structured`; a text that is no JSON is that text."""
    try:
        return structured(value)
    except NotJson:
        return value


def _flat(value: Mapping[str, Json]) -> Sequence[tuple[str, Json]]:
    """The leaves of nested objects under dotted names: some exports nest `gen_ai` → `tool` → `name`."""
    found: list[tuple[str, Json]] = []
    todo: list[tuple[str, Json]] = [(key, held) for key, held in reversed(list(value.items()))]
    while todo:
        name, held = todo.pop()
        if is_mapping(held) and held:
            todo += ((f"{name}.{key}", inner) for key, inner in reversed(list(held.items())))
        else:
            found.append((name, held))
    return found


def _values(holder: Mapping[str, Json]) -> list[Json]:
    values = holder.get("values")
    return values if isinstance(values, list) else []


def _scalar(name: str, held: Json) -> Json:
    if name == "intValue":
        exact = whole(held)
        return held if exact is None else exact
    if name == "doubleValue" and isinstance(held, str):
        return _double(held)
    return held if isinstance(held, str | bool | int | float) else None


def _double(digits: str) -> Json:
    try:
        value = float(digits)
    except ValueError:
        return digits
    return value if math.isfinite(value) else digits


def _decoded(value: str) -> bytes:
    try:
        decoded = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return b""
    return decoded if len(decoded) in _ID_BYTES else b""
