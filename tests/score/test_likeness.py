import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model.case import Expect
from gate.model.trace import Call, Crashed, Event, Text
from gate.score import likeness
from gate.score.likeness import edit_similarity, edits, folded, jaccard
from gate.score.rouge import tokens
from tests.score.made import case, metric, said, scored, trace, turn

TEXTS = st.text("abcé ", max_size=90)


@given(TEXTS, TEXTS)
def test_edits_are_those_of_nltk(reference: str, answer: str) -> None:
    assert edits(reference, answer) == nltk.edit_distance(reference, answer)


@given(st.lists(st.sampled_from(["a", "b", "東", "x1"])), st.lists(st.sampled_from(["a", "B", "東"])))
def test_the_share_of_words_is_that_of_nltk(reference: list[str], answer: list[str]) -> None:
    left, right = " ".join(reference), " ".join(answer)
    words = (set(tokens(text.casefold(), unicode=True)) for text in (left, right))
    expected = 1 - nltk.jaccard_distance(*words) if left or right else 1.0
    assert jaccard(left, right) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("reference", "answer", "edit", "words"),
    [
        ("kitten", "sitting", 1 - 3 / 7, 0),
        ("", "", 1, 1),
        ("", "x", 0, 0),
        ("x", "", 0, 0),
        ("Café", "CAFE\u0301", 1, 1),
        ("\uff21\uff22\uff23  1", "abc 1", 1, 1),
        ("stra\u00dfe", "STRASSE", 1, 1),
        ("one two", "two one", 1 - 6 / 7, 1),
        ("東京", "東", 0.5, 0.5),
    ],
)
def test_texts_are_as_alike_as_their_folded_forms(
    reference: str, answer: str, edit: float, words: float
) -> None:
    of, recorded = case(Expect(reference=reference)), trace(turn(said(answer)))
    assert scored("similarity", of, recorded).value == pytest.approx(edit)
    assert scored(metric("similarity", by="tokens"), of, recorded).value == pytest.approx(words)


@given(TEXTS, TEXTS)
def test_similarity_is_a_share_and_the_same_from_both_sides(left: str, right: str) -> None:
    assert 0 <= edit_similarity(left, right) <= 1
    assert edit_similarity(left, right) == edit_similarity(right, left)
    assert (edit_similarity(left, right) == 1) == (left == right)


@given(TEXTS, TEXTS, st.integers(1, 20))
def test_what_is_too_long_is_never_flattered(left: str, right: str, longest: int) -> None:
    whole = edit_similarity(left, right)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(likeness, "LONGEST", longest)
        assert edit_similarity(left, right) <= whole + 1e-12


def test_a_huge_answer_is_compared_in_no_time() -> None:
    assert edit_similarity("ab" * 100, "xy" * 5_000_000) == 0
    assert folded(" A \n b ") == "a b"


@pytest.mark.parametrize(
    ("reference", "answer", "strict", "loose"),
    [
        ("Paris", " Paris\n", 1, 1),
        ("Paris", "paris", 0, 1),
        ("Caf\u00e9", "Cafe\u0301", 1, 1),
        ("a b", "a  b", 0, 1),
        ("Paris", "Paris.", 0, 0),
        ("", "", 1, 1),
    ],
)
def test_exact_is_the_reference_itself(reference: str, answer: str, strict: float, loose: float) -> None:
    of, recorded = case(Expect(reference=reference)), trace(turn(said(answer)))
    assert scored("exact", of, recorded).value == strict
    assert scored(metric("exact", normalize=True), of, recorded).value == loose


def test_the_answer_is_what_was_said_last() -> None:
    ahead = Event(author="agent", parts=(Text(text="Let me look."), Call(id="1", name="f", args={})))
    recorded = trace(turn(ahead, said("Paris")))
    assert scored("exact", case(Expect(reference="Paris")), recorded).value == 1
    wrong = scored("exact", case(Expect(reference="Rome")), recorded)
    assert wrong.reason == 'expected "Rome"; it said "Paris"'


@pytest.mark.parametrize("name", ["exact", "similarity"])
def test_an_answer_that_broke_off_is_none(name: str) -> None:
    broken = trace(turn(said("one"), ended="failed"), outcome=Crashed(reason="HTTP 500"))
    assert scored(name, case(Expect(reference="one")), broken).value == 0
