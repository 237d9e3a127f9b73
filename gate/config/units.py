"""Durations, rates and percentages as people write them; the schema has said yes to each text before."""

from typing import Final

from gate.model import Json
from gate.model.config import Amount

_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_BYTES: Final = {"k": 1024, "m": 1024**2, "g": 1024**3}
_PER: Final = {"s": 1.0, "min": 60.0, "h": 3600.0}


def seconds(value: Json) -> float:
    """`500ms`, `60s`, `2m`, `1h` or a number of seconds, in seconds."""
    if not isinstance(value, str):
        return number(value)
    digits = value.rstrip("msh")
    return float(digits) * _SECONDS[value.removeprefix(digits)]


def size(value: Json) -> int:
    """`64m`, `2g`, `512k` or a number of bytes, in bytes."""
    if isinstance(value, str):
        return int(value[:-1]) * _BYTES[value[-1].lower()]
    return int(number(value))


def per_second(value: str) -> float:
    """`15/min`, `2/s` or `100/h` as a number a second."""
    count, _, unit = value.partition("/")
    return float(count) / _PER[unit]


def amount(value: Json) -> Amount:
    """A difference: a number, or `25%` of the baseline."""
    if isinstance(value, str):
        return Amount(value=float(value.removesuffix("%")), percent=True)
    return Amount(value=number(value))


def number(value: Json) -> float:
    """A JSON number as float; raises TypeError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{type(value).__name__} is no number")
    return float(value)
