"""`regex`: a pattern is found in what the agent said, or is not.

A pattern is one of Python's `re`, and searched for in the text in Unicode normal form C. Where that takes
longer than half a second of CPU (bounded.py), the trial is unscored: the text is the agent's.
"""

import re
from collections.abc import Callable, Mapping
from typing import ClassVar

from gate.model import Json
from gate.model.config import MetricConfig
from gate.score.bounded import CPU_S, TooSlow, bounded
from gate.score.every_case import CannotSay, EveryCase
from gate.score.items import Level
from gate.score.spelling import normal
from gate.score.values import quoted, shown

LONGEST = 10_000
"""Characters of a pattern."""


def compiled(pattern: str, *, ignore_case: bool = False) -> re.Pattern[str]:
    """The pattern; raises ValueError with what is wrong with it."""
    if len(pattern) > LONGEST:
        raise ValueError(f"it has more than {LONGEST} characters")
    try:
        return re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from None


def wrong_pattern(value: Json) -> str:
    """What to write in place of a pattern; "" where it is fine."""
    if not isinstance(value, str):
        return "a pattern of Python's `re`"
    try:
        compiled(value)
    except ValueError as error:
        return f"a pattern of Python's `re`; of this one it says: {error}"
    return ""


def matching(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The first match; raises CannotSay where the search takes too long."""
    try:
        return bounded(lambda: pattern.search(text))
    except TooSlow:
        raise too_slow(pattern.pattern, text) from None


def too_slow(pattern: str, text: str) -> CannotSay:
    """What to say of a pattern that backtracks without end."""
    took = f"the pattern {shown(pattern)} took more than {CPU_S:g} s of CPU on {len(text)} characters"
    return CannotSay("malformed", f"{took}: avoid a repetition within a repetition, such as `(a+)+`")


class Regex(EveryCase):
    """1 where `pattern` is found in all that the agent said, or with `found: false` is not."""

    texts = ("pattern",)
    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {
        "found": (True, False),
        "ignore_case": (False, True),
    }
    shapes: ClassVar[Mapping[str, Callable[[Json], str]]] = {**EveryCase.shapes, "pattern": wrong_pattern}

    def __init__(self, config: MetricConfig) -> None:
        super().__init__(config)
        self._pattern = compiled(str(self.options["pattern"]), ignore_case=bool(self.options["ignore_case"]))

    def measure(self, level: Level) -> tuple[float, str]:
        text = normal("NFC", level.text)
        found = matching(self._pattern, text)
        pattern = quoted(self._pattern.pattern)
        if self.options["found"]:
            said = f"it said {shown(text)}" if text else "it said nothing"
            return (1.0, "") if found else (0.0, f"expected the answer to match {pattern}; {said}")
        if found:
            return 0.0, f"the answer matches {pattern}, which it must not: {shown(found.group())}"
        return (
            (0.0, f"nothing shows that the answer would not match {pattern}") if level.broken else (1.0, "")
        )
