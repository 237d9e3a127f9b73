"""Figures in a text, in each way that they can be read.

A figure is a run of digits that does not belong to a word (`A380`, `GPT-4` and `v2.1` are names). What it can
mean is decided leniently, because readers differ and this is only a check for figures from nowhere:

- `1,234` is 1234 or 1.234, and so is `1.234`; `1,234.5`, `1.234,5`, `1 234,5` and `1'234.5` are 1234.5;
- a percentage is itself or a hundredth (`12 %`: 12 or 0.12); `3k`, `1.2 million`, `2bn` are themselves or
  multiplied out;
- a range, a date, a time and a list are the numbers in them (`10-12`, `2026-11-30`, `14:05`, `3,4,5`);
- a sign, a currency and a unit are not looked at: `-3 °C` is 3.
"""

import re
from collections.abc import Iterator, Sequence
from math import inf
from typing import Final

from gate.frozen import frozen

_TOKEN: Final = re.compile(
    r"""(?<![\w.,])(?<![^\W\d_]-)                               # not within a word, nor a part of a number
    (\d+(?:(?:[.,'\u2019\u00a0\u202f]|(?<!\d{4})\ (?=\d{3}(?!\d)))(?=\d)\d+)*) # groups and decimals
    (?:\s?(%|‰|percent\b|per\ cent\b|(?:[kKMB]|bn|mn)(?!\w)|(?:thousand|million|billion|trillion)\b))?""",
    re.VERBOSE,
)
_SEPARATOR: Final = re.compile(r"[^\d]")
_SCALES: Final = {
    **dict.fromkeys(("%", "percent", "per cent"), 1e-2),
    "‰": 1e-3,
    **dict.fromkeys(("k", "K", "thousand"), 1e3),
    **dict.fromkeys(("M", "mn", "million"), 1e6),
    **dict.fromkeys(("B", "bn", "billion"), 1e9),
    "trillion": 1e12,
}
_GROUP: Final = 3
_SMALL_GROUP: Final = 2
"""India writes 12,34,567."""


@frozen
class Number:
    """A value, and how far the number that it was rounded from can be from it."""

    value: float
    within: float = 0.0


@frozen
class Figure:
    """A figure as it is written, and its readings: each is one number, or the several that stand in it."""

    text: str
    readings: tuple[tuple[Number, ...], ...]


def figures(text: str) -> Iterator[Figure]:
    """Yield the figures of a text in order, in time that grows with its length."""
    for found in _TOKEN.finditer(text):
        digits, suffix = found.groups()
        scales = (1.0, _SCALES[suffix]) if suffix else (1.0,)
        readings = tuple(
            tuple(Number(value=n.value * scale, within=n.within * scale) for n in reading)
            for reading in _readings(digits)
            for scale in scales
        )
        yield Figure(text=found.group(), readings=readings)


def _readings(token: str) -> Iterator[tuple[Number, ...]]:
    parts, marks = _SEPARATOR.split(token), _SEPARATOR.findall(token)
    if not marks:
        yield (_number(token),)
        return
    joined = _grouped(parts, marks)
    pointed = marks[-1] in ".," and marks[-1] not in marks[:-1] and _grouped(parts[:-1], marks[:-1])
    if joined:
        yield (_number("".join(parts)),)
    if pointed:
        yield (_number("".join(parts[:-1]), parts[-1]),)
    if not (joined or pointed) or {*marks} in ({","}, {" "}):
        yield tuple(Number(value=_number(part).value) for part in parts)


def _grouped(parts: Sequence[str], marks: Sequence[str]) -> bool:
    """Whether the parts are groups of one number's digits: all but the first of three, or in India of two."""
    if not marks:
        return True
    sizes = [len(part) for part in parts]
    inner = all(size in (_SMALL_GROUP, _GROUP) if marks[0] == "," else size == _GROUP for size in sizes[1:-1])
    return len(set(marks)) == 1 and sizes[0] <= _GROUP and inner and sizes[-1] == _GROUP


def _number(whole: str, decimals: str = "") -> Number:
    """The number, which was rounded to its last digit; one too long for a float is infinite."""
    try:
        value = float(f"{whole}.{decimals or '0'}")
    except ValueError:  # no digits of one script
        value = inf
    return Number(value=value, within=0.5 * 10.0 ** -len(decimals))
