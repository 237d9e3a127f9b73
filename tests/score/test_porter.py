import os
import re
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.tokenizers import DefaultTokenizer

from gate.score.porter import DERIVED, ENDINGS, GRADED, stem

ORACLE = DefaultTokenizer(use_stemmer=True)._stemmer
STARTS = ("", "t", "yy", "hop", "relat")
SUFFIXES = (
    *(
        "s",
        "es",
        "ies",
        "sses",
        "ss",
        "ed",
        "eed",
        "ied",
        "ing",
        "y",
        "ly",
        "e",
        "ll",
        "logi",
        "at",
        "bl",
        "iz",
    ),
    *(suffix for suffix, _ in (*DERIVED, *GRADED)),
    *ENDINGS,
)


@cache
def words() -> frozenset[str]:
    """Every word of many of the standard library's sources: thousands, English and not."""
    root = Path(os.__file__).parent
    texts = (path.read_text("utf-8", "replace") for path in sorted(root.glob("[a-p]*.py")))
    return frozenset(word for text in texts for word in re.findall(r"[a-z0-9]+", text.lower()))


def test_every_word_of_a_large_list_has_the_stem_that_rouge_score_gives_it() -> None:
    found = words()
    assert len(found) > 5000
    assert [word for word in found if stem(word) != ORACLE.stem(word)] == []


def test_every_pair_of_suffixes_on_short_and_long_starts_is_stemmed_alike() -> None:
    made = {"".join(parts) for parts in product(STARTS, SUFFIXES, ("", *SUFFIXES))}
    assert [word for word in made if stem(word) != ORACLE.stem(word)] == []


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        *(("running", "run"), ("flies", "fli"), ("dies", "die"), ("died", "die"), ("skies", "sky")),
        *(("enjoy", "enjoy"), ("relational", "relat"), ("yyyy", "yyyi"), ("a", "a"), ("", "")),
    ],
)
def test_known_words_have_known_stems(word: str, expected: str) -> None:
    assert stem(word) == expected


@given(st.text("abdeinlostuyz1", max_size=12))
def test_any_word_has_the_stem_that_rouge_score_gives_it(word: str) -> None:
    assert stem(word) == ORACLE.stem(word)
