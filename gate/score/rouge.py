"""`rouge_1`: how many words the answer shares with the reference, as rouge-score 0.1.2 has it in `rouge1`.

Lin, ROUGE: a package for automatic evaluation of summaries, 2004. `tokenizer: ascii` is rouge-score's own,
which sees nothing but a-z and 0-9; `unicode` keeps the words of every script, and takes those that are
written without spaces letter by letter, as google-adk's response_match_score does. `stemmer: true` is
rouge-score's `use_stemmer`.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar
from unicodedata import category, normalize

from gate.model import Json
from gate.model.case import Expect
from gate.model.trace import Exposed
from gate.score.items import ExpectMetric, Level
from gate.score.porter import stem

SHORTEST_STEMMED = 4
"""rouge-score leaves shorter words alone."""

IDEOGRAPHS = ((0x4E00, 0x9FFF), (0x3040, 0x30FF), (0xAC00, 0xD7AF))
"""Han, Hiragana and Katakana, Hangul: each character is a word."""

UNSPACED = ((0x0E00, 0x0EFF), (0x1780, 0x17FF), (0x1000, 0x109F))
"""Thai and Lao, Khmer, Myanmar: each letter with the marks that follow it is a word."""


class Rouge1(ExpectMetric):
    """The F-measure of shared words; an answer that broke off is none and scores 0."""

    reads = ("reference",)
    default_pass_at = None
    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {
        "tokenizer": ("ascii", "unicode"),
        "stemmer": (False, True),
    }
    needs: ClassVar[Exposed] = "text"

    def wants(self, expect: Expect) -> Json:
        return expect.reference

    def measure(self, level: Level) -> tuple[float, str]:
        if level.broken:
            return 0.0, ""
        stemmed, unicode = self.options["stemmer"] is True, self.options["tokenizer"] == "unicode"
        wanted = tokens(level.expect.reference or "", stemmed=stemmed, unicode=unicode)
        got = tokens(level.text, stemmed=stemmed, unicode=unicode)
        return likeness(wanted, got)


def likeness(reference: Sequence[str], answer: Sequence[str]) -> tuple[float, str]:
    """The F-measure of the words in common, and in words what keeps it from 1."""
    value, precision, recall = rouge_1(reference, answer)
    if value == 1:
        return 1.0, ""
    return (
        value,
        f"shares {precision:.0%} of its words with the reference and {recall:.0%} of the reference's",
    )


def rouge_1(reference: Sequence[str], answer: Sequence[str]) -> tuple[float, float, float]:
    """F-measure, precision and recall of the words in common, each counted as often as both have it."""
    common = (Counter(reference) & Counter(answer)).total()
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / len(answer), common / len(reference)
    return 2 * precision * recall / (precision + recall), precision, recall


def tokens(text: str, *, stemmed: bool = False, unicode: bool = False) -> list[str]:
    """The words of a text in lower case."""
    found = _unicode_words(text) if unicode else re.findall(r"[a-z0-9]+", text.lower())
    return [_stemmed(word) for word in found] if stemmed else found


def _stemmed(word: str) -> str:
    return stem(word) if len(word) >= SHORTEST_STEMMED and word.isascii() else word


def _unicode_words(text: str) -> list[str]:
    return "".join(map(_spaced, normalize("NFKC", text).lower())).split()


def _spaced(char: str) -> str:
    """A character with the spaces that set it apart from the words around it."""
    mark = category(char).startswith("M")
    if _within(char, IDEOGRAPHS):
        return f" {char} "
    if _within(char, UNSPACED):
        return char if mark else f" {char}"
    return char if mark or char.isalnum() else " "


def _within(char: str, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(low <= ord(char) <= high for low, high in ranges)
