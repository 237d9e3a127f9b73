"""What an unquoted YAML scalar means: the core schema of YAML 1.2 (section 10.3); how YAML 1.1 differs."""

import re
from collections.abc import Mapping
from typing import Final

from gate.frozen import frozen
from gate.model import Json

CONSTANTS: Final[Mapping[str, Json]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_SWITCHES: Final = {
    **dict.fromkeys(("on", "On", "ON", "yes", "Yes", "YES"), "true"),
    **dict.fromkeys(("off", "Off", "OFF", "no", "No", "NO"), "false"),
}
NUMBER_STARTS: Final = frozenset("0123456789+-.")
MAX_DIGITS: Final = 400
_BEYOND: Final = 1 << 1023
"""From here on a whole number may be more than a float can hold, and other tools read it as infinite."""

_INT = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_JSON = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
# YAML 1.1 (https://yaml.org/type/): what its tools make of texts that 1.2 reads in another way.
_FLOAT_1_1 = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_OCTAL_1_1 = re.compile(r"[-+]?0[0-7]+")
_SEXAGESIMAL = re.compile(r"[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}.*")
_UNDERSCORES = re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?")
_BINARY = re.compile(r"[-+]?0b[01_]+")


class NotJson(Exception):
    """The scalar is a number that JSON has no text for."""


@frozen
class Surprise:
    """A scalar that tools of YAML 1.1 read as `elsewhere`, and this one as `here`."""

    here: str
    elsewhere: str
    fix: str


def resolve(text: str) -> Json:
    """The JSON value of an unquoted scalar that is no constant and starts as a number may; raises NotJson."""
    if _INT.fullmatch(text):
        return whole(text)
    if _BASED.fullmatch(text):
        return whole(text, base=0)
    if _FLOAT.fullmatch(text):
        return finite(text)
    if _NOT_JSON.fullmatch(text):
        raise NotJson(f"{text} is no JSON number")
    return text


def finite(text: str) -> float:
    """The number that a decimal text stands for; raises NotJson where it is too large."""
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise NotJson(f"{text[:40]} is too large for a number")
    return number


def whole(text: str, base: int = 10) -> int:
    """The whole number that a text stands for; raises NotJson where it is too long."""
    if len(text) > MAX_DIGITS:
        raise NotJson(f"a number of {len(text)} digits is too long")
    number = int(text, base)
    if abs(number) >= _BEYOND:
        raise NotJson(f"{text[:40]}… is too large for a number")
    return number


def is_date(text: str) -> bool:
    """Whether the text is an ISO date."""
    return _DATE.fullmatch(text) is not None


def surprise(text: str) -> Surprise | None:
    """How tools of YAML 1.1 would read an unquoted scalar, where that differs from YAML 1.2."""
    quoted = f'Quote it: "{text}".'
    if (switch := _SWITCHES.get(text)) is not None:
        return Surprise(here="text", elsewhere=switch, fix=quoted)
    if text[:1] not in NUMBER_STARTS:
        return None
    if _LEADING_ZERO.fullmatch(text):
        elsewhere = str(int(text, 8)) if _OCTAL_1_1.fullmatch(text) else "text"
        return Surprise(here=str(int(text)), elsewhere=elsewhere, fix=f"{quoted[:-1]}, or write {int(text)}.")
    if text.startswith("0o") and _BASED.fullmatch(text):
        return Surprise(
            here=str(int(text, 0)), elsewhere="text", fix=f"{quoted[:-1]}, or write {int(text, 0)}."
        )
    if _FLOAT.fullmatch(text) and not _FLOAT_1_1.fullmatch(text) and not _INT.fullmatch(text):
        number = repr(float(text))
        return Surprise(here=number, elsewhere="text", fix=f"{quoted[:-1]}, or write {number}.")
    for pattern, elsewhere in (
        (_SEXAGESIMAL, "a number to the base 60"),
        (_DATE, "a date"),
        (_TIME, "a date"),
        (_UNDERSCORES, "a number"),
        (_BINARY, "a number"),
    ):
        if pattern.fullmatch(text):
            return Surprise(here="text", elsewhere=elsewhere, fix=quoted)
    return None


MIGHT_SURPRISE: Final = frozenset(_SWITCHES)
