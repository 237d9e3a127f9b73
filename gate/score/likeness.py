"""`exact` and `similarity`: how near the answer is to the reference, whatever its Unicode spelling.

Both sides are brought into normal form KC, folded in case and their white space made single spaces first;
`exact` can be told not to. The answer is what the agent said last, without what it said ahead of a tool call.
"""

from collections.abc import Mapping
from typing import ClassVar

from gate.score.reference import ToReference
from gate.score.rouge import tokens
from gate.score.spelling import normal
from gate.score.values import shown

LONGEST = 20_000
"""Characters of either side that are compared; each further one counts as a difference."""


def folded(text: str) -> str:
    """The text in normal form KC, folded in case, with single spaces (Unicode 16.0, section 3.13, NFKC)."""
    return " ".join(normal("NFKC", normal("NFKC", text).casefold()).split())


class Exact(ToReference):
    """1 where the answer is the reference, but for white space around it."""

    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {"normalize": (False, True)}

    def compare(self, reference: str, answer: str) -> tuple[float, str]:
        form = folded if self.options["normalize"] else _composed
        if form(reference) == form(answer):
            return 1.0, ""
        said = f"it said {shown(answer)}" if answer else "it said nothing"
        return 0.0, f"expected {shown(reference)}; {said}"


class Similarity(ToReference):
    """How alike they are: 1 less the edits for each character (`edit`), or the share of words (`tokens`)."""

    default_pass_at = None
    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {"by": ("edit", "tokens")}

    def compare(self, reference: str, answer: str) -> tuple[float, str]:
        if self.options["by"] == "tokens":
            value = jaccard(reference, answer)
            return value, "" if value == 1 else f"{value:.0%} of the words of both are in each"
        value = edit_similarity(folded(reference), folded(answer))
        return value, "" if value == 1 else f"{1 - value:.0%} of the characters differ from the reference"


def edit_similarity(reference: str, answer: str) -> float:
    """1 less the edit distance divided by the longer length; 1 for two empty texts.

    Of texts beyond LONGEST what follows counts as different, so that a long answer is never flattered and
    costs no time.
    """
    longer = max(len(reference), len(answer))
    if not longer or reference == answer:
        return 1.0
    beyond = max(len(reference) - LONGEST, len(answer) - LONGEST, 0)
    distance = min(edits(reference[:LONGEST], answer[:LONGEST]) + beyond, longer)
    return 1 - distance / longer


def edits(reference: str, answer: str) -> int:
    """The least number of characters to insert, delete or replace (Levenshtein 1966).

    Myers, A fast bit-vector algorithm for approximate string matching based on dynamic programming, 1999, in
    the form of Hyyrö 2003: bit i of `up` and `down` says that the column rises or falls at row i.
    """
    if not reference or not answer:
        return len(reference) + len(answer)
    places: dict[str, int] = {}
    for index, char in enumerate(reference):
        places[char] = places.get(char, 0) | 1 << index
    every, last = (1 << len(reference)) - 1, 1 << len(reference) - 1
    up, down, distance = every, 0, len(reference)
    for char in answer:
        same = places.get(char, 0)
        flat = ((same & up) + up ^ up) | same | down
        rise, fall = down | ~(flat | up) & every, up & flat
        distance += bool(rise & last) - bool(fall & last)
        rise = rise << 1 | 1
        up, down = (fall << 1 | ~(flat | rise)) & every, rise & flat & every
    return distance


def jaccard(reference: str, answer: str) -> float:
    """The words that both have divided by those that either has (Jaccard 1901); 1 for two without words."""
    left, right = (set(tokens(text.casefold(), unicode=True)) for text in (reference, answer))
    return len(left & right) / len(left | right) if left or right else 1.0


def _composed(text: str) -> str:
    return normal("NFC", text).strip()
