"""What a judge's words mean, read strictly: what is not the asked form is no verdict, and never a 0.

`rubric`: the first word is YES or NO (any case, bare, in bold or quotes) and its line or sentence ends there;
what follows is the explanation. Words ahead of it, and a second verdict that says the opposite, are none.
`score`, `trajectory`: one JSON object with a `score` from 0 to 1, bare or in one code fence. A number outside
is not clipped. The thoughts that a reasoning model puts in front (`<think>…</think>`) are not its answer.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from gate.formats.strict import strict_json
from gate.frozen import frozen
from gate.model.judge import JudgeKind
from gate.redact import quoted

LONGEST: Final = 400
"""Characters of an explanation that are kept."""
_EXCERPT: Final = 120
_THOUGHTS: Final = "</think>"
_FENCE: Final = "```"
_FIRST: Final = re.compile(
    r"[*_`\"'\s]{0,8}(yes|no)[*_`\"']{0,8}\s{0,8}(?=$|[\n.,:;!\u2013\u2014-])", re.IGNORECASE
)
_AGAIN: Final = re.compile(
    r"(?:^|[.,:!?;\n\u2013\u2014-])[*_`\"' \t]{0,8}(yes|no)[*_`\"']{0,8} ?(?=$|[\n.,:;!])", re.IGNORECASE
)
_LEADING: Final = " \t\n.,:;!\u2013\u2014-*_"


class Unreadable(Exception):
    """The judge's words are no verdict; the message says what is wrong with them."""


@frozen
class Verdict:
    """A value in 0..1 and the judge's own explanation, one line."""

    value: float
    why: str = ""


def read_rubric(text: str) -> Verdict:
    """1 for YES, 0 for NO; raises Unreadable."""
    words = _answer(text)
    found = _FIRST.match(words)
    if found is None:
        raise Unreadable(f"it did not begin with YES or NO: {_shown(words)}")
    verdict, rest = found[1].lower(), words[found.end() :]
    if any(again.lower() != verdict for again in _AGAIN.findall(rest)):
        raise Unreadable(f"it said both YES and NO: {_shown(words)}")
    return Verdict(value=1.0 if verdict == "yes" else 0.0, why=_line(rest.lstrip(_LEADING)))


def read_score(text: str) -> Verdict:
    """The score and its explanation; raises Unreadable."""
    words = _answer(text)
    try:
        value = strict_json(words, deepest=20)
    except ValueError as error:
        raise Unreadable(f"it gave no JSON object that can be read ({error}): {_shown(words)}") from None
    if not isinstance(value, dict) or "score" not in value:
        raise Unreadable(f"it gave no JSON object with a 'score': {_shown(words)}")
    score, why = value["score"], value.get("explanation", "")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise Unreadable(f"its 'score' is no number: {_shown(words)}")
    if not 0 <= score <= 1:
        raise Unreadable(f"its 'score' is outside of 0 to 1: {_shown(words)}")
    if not isinstance(why, str):
        raise Unreadable(f"its 'explanation' is no text: {_shown(words)}")
    return Verdict(value=float(score), why=_line(why))


VERDICTS: Final[Mapping[JudgeKind, Callable[[str], Verdict]]] = {
    "rubric": read_rubric,
    "score": read_score,
    "trajectory": read_score,
}


def _answer(text: str) -> str:
    """The words without thoughts in front and without one code fence around all of them."""
    words = text.strip()
    if words.startswith("<think>") and _THOUGHTS in words:
        words = words.partition(_THOUGHTS)[2].strip()
    if words.startswith(_FENCE) and words.endswith(_FENCE) and words.count(_FENCE) == 2:  # noqa: PLR2004
        words = words[len(_FENCE) : -len(_FENCE)].partition("\n")[2].strip()
    if not words:
        raise Unreadable("its answer was empty")
    return words


def _line(text: str) -> str:
    return " ".join(text[: 4 * LONGEST].split())[:LONGEST]


def _shown(words: str) -> str:
    return repr(quoted(words.encode("utf-8", "replace"), _EXCERPT))
