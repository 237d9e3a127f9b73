"""`numbers`: the figures of the answer appear in what the tools returned, or in what the user said.

A cheap check for figures from nowhere; figures.py says how figures are read. A figure may be rounded: `14`
rests on 13.96, `1.2 million` on 1,234,567. That it is the right figure in its place nobody says. A number in
front of a list's line (`1.`) is none.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping
from math import inf
from typing import ClassVar, Final, cast

from gate.model import Json
from gate.score.every_case import EveryCase
from gate.score.figures import Number, figures
from gate.score.grounding import Grounded, Sources, leaves
from gate.score.values import names

_BULLET: Final = re.compile(r"^[ \t]*(?:[-*+][ \t])?\d{1,3}[.)](?=[ \t])", re.MULTILINE)
_SAME: Final = 1e-12
"""Of a value: floats that were read from different spellings of one number."""


def wrong_allow(value: Json) -> str:
    """What to write in place of a value of `allow`; "" where it is fine."""
    fine = isinstance(value, list | tuple) and all(type(number) in (int, float) for number in value)
    return "" if fine else "allow: a list of numbers that need no source"


class Numbers(Grounded):
    """The share of each answer's figures that have a source; 1 where it has no figure."""

    default_pass_at = None
    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {"rounded": (True, False)}
    shapes: ClassVar[Mapping[str, Callable[[Json], str]]] = {**EveryCase.shapes, "allow": wrong_allow}

    def sources(self) -> "Known":
        known = Known()
        known.add(self.options.get("allow", []))
        return known

    def check(self, text: str, sources: Sources) -> tuple[float, str]:
        known, rounded = cast("Known", sources), self.options["rounded"] is True
        found = {figure.text: figure for figure in figures(_BULLET.sub(" ", text))}
        loose = [
            written
            for written, figure in found.items()
            if not any(all(known.has(n, rounded=rounded) for n in reading) for reading in figure.readings)
        ]
        if not loose:
            return 1.0, ""
        reason = f"no tool returned {names(loose)}, which the answer says"
        return (len(found) - len(loose)) / len(found), reason


class Known:
    """Numbers that a tool returned or the user said."""

    def __init__(self) -> None:
        self._values: list[float] = []
        self._sorted = True

    def add(self, value: Json) -> None:
        """Take in every number of a value, and every reading of the figures in its texts."""
        self._sorted = False
        for leaf in leaves(value):
            if isinstance(leaf, str):
                self._values.extend(n.value for f in figures(leaf) for reading in f.readings for n in reading)
            elif isinstance(leaf, int | float) and not isinstance(leaf, bool):
                self._values.append(_size(leaf))

    def has(self, number: Number, *, rounded: bool) -> bool:
        """Whether one of them is the number, or with `rounded` could have been rounded to it."""
        if not self._sorted:
            self._values = sorted(set(self._values))
            self._sorted = True
        within = abs(number.value) * _SAME + (number.within if rounded else 0.0)
        at = bisect_left(self._values, number.value - within)
        return at < len(self._values) and self._values[at] <= number.value + within < inf


def _size(number: float) -> float:
    try:
        return abs(float(number))
    except OverflowError:
        return inf
