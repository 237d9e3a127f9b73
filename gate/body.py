"""What came over a wire as text and as JSON, strict and capped; and how an exchange fails."""

import json
import math
import re
from typing import Final

from gate.model import Json
from gate.redact import excerpt

MAX_DEPTH: Final = 100
"""How deep a JSON value of a stranger may nest: code that walks it recursively must not overflow."""
MOST_VALUES: Final = 1_000_000
"""Commas and brackets of one JSON text: reading a flood of values would keep every other trial waiting."""
_ALWAYS_FINITE: Final = 308
"""Digits of a whole number that every float can hold."""
_CONTAINERS: Final = (list, dict)  # a union would be asked five times slower
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class HttpError(Exception):
    """An exchange that gave no usable answer; `reason` says why, for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotConnected(HttpError):
    """The connection failed before a byte came back; `sent`: although the agent had accepted it."""

    def __init__(self, reason: str, *, sent: bool = False) -> None:
        super().__init__(reason)
        self.sent = sent


class Cut(HttpError):
    """The connection was lost after the first byte."""


class Slow(HttpError):
    """Nothing arrived (or could be sent) for the time that was allowed."""


class TooBig(HttpError):
    """A body or a header exceeds its cap."""


class BadBody(HttpError):
    """What came is not UTF-8, not JSON, not of the expected content type, or not HTTP at all."""


def decode_text(data: bytes) -> str:
    """Strict UTF-8; raises BadBody with the offset of the first bad byte."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadBody(f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}") from None


def parse_json(text: str) -> Json:
    """JSON as RFC 8259 has it: no NaN, no number beyond a float, MAX_DEPTH and MOST_VALUES; raises BadBody.

    Half a surrogate pair, which no UTF-8 file can hold, becomes U+FFFD.
    """
    if not text.strip():
        raise BadBody("the body is empty; expected JSON")
    # Counting characters is quick and never too low, and 32 MiB of prose have not that many commas.
    brackets = text.count("[") + text.count("{")
    if brackets + text.count(",") > MOST_VALUES:
        raise BadBody(f"JSON with more than {MOST_VALUES:,} commas and brackets")
    try:
        value: Json = json.loads(text, parse_constant=_finite, parse_float=_finite, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise BadBody(f"not JSON: {error}; it starts with {excerpt(text, 80)!r}") from None
    halves = "\\ud" in text or "\\uD" in text
    return _walked(value, mend=halves) if brackets > MAX_DEPTH or halves else value


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{excerpt(digits, 20)} is no JSON number that a float can hold")
    return value


def _whole(digits: str) -> int:
    """A number that was written whole; one beyond a float could not be read back from a recording."""
    if len(digits) > _ALWAYS_FINITE:
        _finite(digits)
    return int(digits)


def _walked(value: Json, *, mend: bool) -> Json:
    """The value itself, without halves of surrogate pairs where they are to be mended; raises BadBody."""
    whole: list[Json] = [value]
    level: list[list[Json] | dict[str, Json]] = [whole]
    for _ in range(MAX_DEPTH + 2):
        if not level:
            return whole[0]
        for node in level if mend else ():
            _mend(node)
        level = [
            item
            for node in level
            for item in (node.values() if isinstance(node, dict) else node)
            if isinstance(item, _CONTAINERS)
        ]
    raise BadBody(f"JSON nested deeper than {MAX_DEPTH} levels")


def _mend(node: list[Json] | dict[str, Json]) -> None:
    if isinstance(node, list):
        for place, item in enumerate(node):
            if isinstance(item, str) and not item.isascii():
                node[place] = _SURROGATE.sub("\ufffd", item)
        return
    for key, item in node.items():  # the keys stay while the values change
        if isinstance(item, str) and not item.isascii():
            node[key] = _SURROGATE.sub("\ufffd", item)
    for key in [key for key in node if not key.isascii() and _SURROGATE.search(key)]:
        node[_SURROGATE.sub("\ufffd", key)] = node.pop(key)
