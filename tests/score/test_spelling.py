import sys
from unicodedata import combining, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.score import spelling
from gate.score.spelling import normal

MOST_IN_A_RUN = 4 * 30
"""One mark may be four when it is taken apart."""
MARKS = "\u0301\u0323\u0f73\uff9e\u0344\u05b0"


@given(st.text(), st.sampled_from(["NFC", "NFKC"]))
def test_it_is_unicodes_normal_form(text: str, form: str) -> None:
    assert normal(form, text * 9) == normalize(form, text * 9)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
def test_long_texts_of_real_scripts_are_left_as_they_are(form: str) -> None:
    text = "re\u0301sume\u0301 ﾀﾞ \u0915\u094d\u0937 \u05e9\u05bc\u05c1 \u1ea5 " * 200
    assert normal(form, text) == normalize(form, text)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
@given(st.text(MARKS + "a", min_size=1001, max_size=1200), st.integers(1, 50))
def test_no_run_of_marks_is_longer_than_can_be_sorted_at_once(form: str, text: str, times: int) -> None:
    found = normal(form, text * times)  # type: ignore[arg-type]
    runs = "".join("x" if combining(each) else " " for each in found).split()
    assert max(map(len, runs), default=0) <= MOST_IN_A_RUN


def test_marks_in_the_worst_order_take_no_longer_than_others() -> None:
    text = "a" + "\u0301" * 300_000 + "\u0323" * 300_000
    assert len(normal("NFC", text)) > 500_000  # by Python's own means it takes twenty minutes


def test_every_character_that_becomes_a_mark_is_known_as_one() -> None:
    late = {
        code
        for code in range(sys.maxunicode + 1)
        if not combining(chr(code)) and combining(normalize("NFKD", chr(code))[0])
    }
    assert late == set(spelling._LATE)
