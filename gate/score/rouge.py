"""`rouge_1`, `rouge_2`, `rouge_l`: what the answer shares with the reference, as rouge-score 0.1.2 has it.

Lin, ROUGE: a package for automatic evaluation of summaries, 2004: words (`rouge1`), pairs of neighbours
(`rouge2`), and the longest sequence of words in common (`rougeL`). `tokenizer: ascii` is rouge-score's own,
which sees nothing but a-z and 0-9; `unicode` keeps the words of every script, and takes those that are
written without spaces letter by letter, as google-adk's response_match_score does. `stemmer: true` is
rouge-score's `use_stemmer`.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar, TypeAlias
from unicodedata import category

from gate.score.items import Level
from gate.score.porter import stem
from gate.score.reference import ToReference
from gate.score.spelling import normal

SHORTEST_STEMMED = 4
"""rouge-score leaves shorter words alone."""

IDEOGRAPHS = ((0x4E00, 0x9FFF), (0x3040, 0x30FF), (0xAC00, 0xD7AF))
"""Han, Hiragana and Katakana, Hangul: each character is a word."""

UNSPACED = ((0x0E00, 0x0EFF), (0x1780, 0x17FF), (0x1000, 0x109F))
"""Thai and Lao, Khmer, Myanmar: each letter with the marks that follow it is a word."""


class Rouge1(ToReference):
    """The F-measure of shared words; an answer that broke off is none and scores 0."""

    shares: ClassVar[str] = "words"

    default_pass_at = None
    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {
        "tokenizer": ("ascii", "unicode"),
        "stemmer": (False, True),
    }

    def answer(self, level: Level) -> str:
        """All that the agent said."""
        return level.text

    def compare(self, reference: str, answer: str) -> tuple[float, str]:
        stemmed, unicode = self.options["stemmer"] is True, self.options["tokenizer"] == "unicode"
        wanted = tokens(reference, stemmed=stemmed, unicode=unicode)
        got = tokens(answer, stemmed=stemmed, unicode=unicode)
        return _told(self.measured(wanted, got), self.shares)

    def measured(self, reference: Sequence[str], answer: Sequence[str]) -> "Overlap":
        """F-measure, precision and recall of what two lists of words have in common."""
        return rouge_1(reference, answer)


class Rouge2(Rouge1):
    """The F-measure of shared pairs of neighbouring words."""

    shares = "pairs of words"

    def measured(self, reference: Sequence[str], answer: Sequence[str]) -> "Overlap":
        return rouge_2(reference, answer)


class RougeL(Rouge1):
    """The F-measure of the longest sequence of words that both have, with others between."""

    shares = "words in order"

    def measured(self, reference: Sequence[str], answer: Sequence[str]) -> "Overlap":
        return rouge_l(reference, answer)


Overlap: TypeAlias = tuple[float, float, float]
"""F-measure, precision (the share of the answer) and recall (the share of the reference)."""


def likeness(reference: Sequence[str], answer: Sequence[str]) -> tuple[float, str]:
    """The F-measure of the words in common, and in words what keeps it from 1."""
    return _told(rouge_1(reference, answer), "words")


def rouge_1(reference: Sequence[str], answer: Sequence[str]) -> Overlap:
    """The overlap of words, each counted as often as both have it."""
    return _overlap(_in_common(reference, answer), len(reference), len(answer))


def rouge_2(reference: Sequence[str], answer: Sequence[str]) -> Overlap:
    """The overlap of pairs of neighbouring words, each counted as often as both have it."""
    wanted, got = list(pairwise(reference)), list(pairwise(answer))
    return _overlap(_in_common(wanted, got), len(wanted), len(got))


def rouge_l(reference: Sequence[str], answer: Sequence[str]) -> Overlap:
    """The overlap that is the longest common subsequence of words."""
    return _overlap(longest_common(reference, answer), len(reference), len(answer))


def longest_common(reference: Sequence[Hashable], answer: Sequence[Hashable]) -> int:
    """The length of a longest common subsequence, in time of both lengths' product divided by a word's bits.

    Hyyrö, Bit-parallel LCS-length computation revisited, 2004: a bit of `open_` is 0 where a row of the
    dynamic programme rises.
    """
    places: dict[Hashable, int] = {}
    for index, word in enumerate(reference):
        places[word] = places.get(word, 0) | 1 << index
    every = (1 << len(reference)) - 1
    open_ = every
    for word in answer:
        if found := open_ & places.get(word, 0):
            open_ = (open_ + found | open_ - found) & every
    return len(reference) - open_.bit_count()


def _in_common(reference: Iterable[Hashable], answer: Iterable[Hashable]) -> int:
    return (Counter(reference) & Counter(answer)).total()


def _overlap(common: int, wanted: int, got: int) -> Overlap:
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / got, common / wanted
    return 2 * precision * recall / (precision + recall), precision, recall


def _told(overlap: Overlap, shares: str) -> tuple[float, str]:
    """The value, and in words what keeps it from 1."""
    value, precision, recall = overlap
    if value == 1:
        return 1.0, ""
    return (
        value,
        f"shares {precision:.0%} of its {shares} with the reference and {recall:.0%} of the reference's",
    )


def tokens(text: str, *, stemmed: bool = False, unicode: bool = False) -> list[str]:
    """The words of a text in lower case."""
    found = _unicode_words(text) if unicode else re.findall(r"[a-z0-9]+", text.lower())
    return [_stemmed(word) for word in found] if stemmed else found


def _stemmed(word: str) -> str:
    return stem(word) if len(word) >= SHORTEST_STEMMED and word.isascii() else word


def _unicode_words(text: str) -> list[str]:
    return "".join(map(_spaced, normal("NFKC", text).lower())).split()


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
