"""`citations`: what the answer cites was returned by a tool.

`cites` is a pattern that finds what is cited, in its first group if it has one. Without it an id in square
brackets is, such as `[doc-12]` or `[a, b]`, unless it is the text of a link. A tool has returned an id that
is a text, a key or a number of its answer, or a word in one of its texts. The user's words count too.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, Final, cast

from gate.model import Json
from gate.model.config import MetricConfig
from gate.score.bounded import TooSlow, bounded
from gate.score.every_case import EveryCase
from gate.score.grounding import Grounded, Sources, leaves
from gate.score.patterns import compiled, too_slow, wrong_pattern
from gate.score.values import names

_ID: Final = r"[^\[\]\s,;]{1,200}"
BRACKETS: Final = rf"\[({_ID}(?:[,;]\s{{0,3}}{_ID})*)\](?!\()"
_WORD: Final = re.compile(r"[^\s\[\](){}<>\"'`,;|]+")
_AROUND: Final = ".:!?*"


class Citations(Grounded):
    """The share of each answer's citations that a tool returned; 1 where it cites nothing.

    With `required: true` an answer that cites nothing is 0.
    """

    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {"required": (False, True)}
    shapes: ClassVar[Mapping[str, Callable[[Json], str]]] = {**EveryCase.shapes, "cites": wrong_pattern}

    def __init__(self, config: MetricConfig) -> None:
        super().__init__(config)
        self._pattern = compiled(str(self.options.get("cites", BRACKETS)))

    def sources(self) -> "Returned":
        return Returned()

    def check(self, text: str, sources: Sources) -> tuple[float, str]:
        try:
            cited = bounded(lambda: [*dict.fromkeys(self._cited(text))])
        except TooSlow:
            raise too_slow(self._pattern.pattern, text) from None
        if not cited:
            return (0.0, "it cites nothing") if self.options["required"] else (1.0, "")
        returned = cast("Returned", sources)
        loose = [each for each in cited if each not in returned]
        reason = f"no tool returned {names(loose)}, which the answer cites" if loose else ""
        return (len(cited) - len(loose)) / len(cited), reason

    def _cited(self, text: str) -> Iterator[str]:
        own = "cites" in self.options
        for found in self._pattern.finditer(text):
            id_ = (found[1] if self._pattern.groups else found[0]) or ""
            yield from filter(None, (id_,) if own else re.split(r"[,;]\s*", id_))


class Returned:
    """The texts of tools' answers, whole and word by word."""

    def __init__(self) -> None:
        self._words: set[str] = set()

    def __contains__(self, id_: str) -> bool:
        """Whether an id stands there, but for dots and the like around it."""
        return id_ in self._words or id_.strip(_AROUND) in self._words

    def add(self, value: Json) -> None:
        """Take in every text, key and number of a value."""
        for leaf in leaves(value):
            if isinstance(leaf, str):
                self._words.add(leaf.strip())
                for word in _WORD.findall(leaf):
                    self._words |= {word, word.strip(_AROUND)}
            elif isinstance(leaf, int | float) and not isinstance(leaf, bool):
                self._words.add(_digits(leaf))


def _digits(number: float) -> str:
    try:
        return str(number)
    except ValueError:  # more digits than Python writes
        return ""
