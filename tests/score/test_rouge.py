import pytest
from google.adk.evaluation.final_response_match_v1 import _UnicodeAwareTokenizer
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer
from rouge_score.rouge_scorer import RougeScorer

from gate.model.case import Expect
from gate.model.score import Unscored
from gate.model.trace import Crashed
from gate.score.rouge import longest_common, rouge_1, rouge_2, rouge_l, tokens
from tests.score.made import case, metric, said, score, scored, trace, turn

PLAIN, STEMMED = (RougeScorer(["rouge1"], use_stemmer=stemmer) for stemmer in (False, True))
WORD = (
    "run",
    "running",
    "Runs",
    "a",
    "the",
    "cafe",
    "café",
    "10%",
    "東京",
    "flies,",
    "yyyy",
    "its",
    "it",
    "İ",
    "\u212a",
)
WORDS = st.lists(st.sampled_from(WORD)).map(" ".join)
TEXTS = st.text(max_size=30) | WORDS


def value(reference: str, answer: str, *, stemmed: bool = False, unicode: bool = False) -> float:
    options = {"stemmed": stemmed, "unicode": unicode}
    return rouge_1(tokens(reference, **options), tokens(answer, **options))[0]


@pytest.mark.parametrize(
    ("answer", "reference", "plain", "stemmed", "unicode"),
    [
        ("The capital of France is Paris.", "Paris", 0.2857, 0.2857, 0.2857),
        ("running runs", "run run", 0, 1, 0),
        ("", "", 0, 0, 0),
        ("x", "", 0, 0, 0),
        ("café", "cafe", 0, 0, 0),
        ("cafe\u0301", "café", 0, 0, 1),
        ("東京タワー", "東京", 0, 0, 0.5714),
        ("10% off", "10 off", 1, 1, 1),
        ("its", "it", 0, 0, 0),
        ("a a a", "a", 0.5, 0.5, 0.5),
        ("\uff26\uff55\uff4c\uff4c width", "full width", 0.6667, 0.6667, 1),
    ],
)
def test_known_pairs_have_known_values(
    answer: str, reference: str, plain: float, stemmed: float, unicode: float
) -> None:
    assert value(reference, answer) == pytest.approx(plain, abs=5e-5)
    assert value(reference, answer, stemmed=True) == pytest.approx(stemmed, abs=5e-5)
    assert value(reference, answer, unicode=True) == pytest.approx(unicode, abs=5e-5)


@given(TEXTS, TEXTS)
def test_the_value_is_the_one_that_rouge_score_gives(reference: str, answer: str) -> None:
    assert value(reference, answer) == PLAIN.score(reference, answer)["rouge1"].fmeasure
    assert value(reference, answer, stemmed=True) == STEMMED.score(reference, answer)["rouge1"].fmeasure


@pytest.mark.parametrize("kind", ["rouge2", "rougeL"])
@given(TEXTS, TEXTS)
def test_pairs_and_sequences_are_those_of_rouge_score(kind: str, reference: str, answer: str) -> None:
    ours = {"rouge2": rouge_2, "rougeL": rouge_l}[kind]
    theirs = RougeScorer([kind]).score(reference, answer)[kind]
    value, precision, recall = ours(tokens(reference), tokens(answer))
    assert value == theirs.fmeasure
    if value:
        assert (precision, recall) == (theirs.precision, theirs.recall)


@given(st.lists(st.integers(0, 4), max_size=90), st.lists(st.integers(0, 4), max_size=90))
def test_the_longest_sequence_in_common_is_that_of_rouge_score(left: list[int], right: list[int]) -> None:
    table = rouge_scorer._lcs_table([*map(str, left)], [*map(str, right)])
    assert longest_common(left, right) == table[-1][-1]


@pytest.mark.parametrize(
    ("reference", "answer", "two", "longest"),
    [
        ("the cat sat", "the cat ran", 0.5, 2 / 3),
        ("a b c d", "d c b a", 0, 0.25),
        ("a b c", "a x b x c", 0, 0.75),
        ("one", "one", 0, 1),
        ("", "", 0, 0),
        ("日 本 語", "日本語", 1, 1),
    ],
)
def test_pairs_and_sequences_of_known_texts(reference: str, answer: str, two: float, longest: float) -> None:
    of, recorded = case(Expect(reference=reference)), trace(turn(said(answer)))
    for name, expected in (("rouge_2", two), ("rouge_l", longest)):
        found = scored(metric(name, tokenizer="unicode"), of, recorded)
        assert found.value == pytest.approx(expected)
        assert bool(found.reason) == (expected < 1)


def test_words_of_scripts_without_spaces_are_their_letters_with_their_marks() -> None:
    assert tokens("สวัสดี Hello", unicode=True) == ["ส", "วั", "ส", "ดี", "hello"]
    assert tokens("नमस्ते दुनिया", unicode=True) == ["नमस्ते", "दुनिया"]
    assert tokens("naïve_running 東京", unicode=True, stemmed=True) == ["naïve", "run", "東", "京"]


@given(st.text(max_size=30) | st.text("aกั東é_ 1", max_size=20), st.booleans())
def test_unicode_words_are_those_of_google_adk(text: str, stemmed: bool) -> None:
    assert tokens(text, unicode=True, stemmed=stemmed) == _UnicodeAwareTokenizer(stemmed).tokenize(text)


def test_the_answer_of_each_level_is_compared_with_its_reference() -> None:
    of = case(Expect(reference="one"), Expect(), whole=Expect(reference="one two"))
    found = scored("rouge_1", of, trace(turn(said("one")), turn(said("two three"))))
    assert [(item.where, item.value) for item in found.items] == [("turn 1", 1), ("case", pytest.approx(0.8))]
    assert found.reason == "case: shares 67% of its words with the reference and 100% of the reference's"


def test_an_answer_that_broke_off_is_none() -> None:
    broken = trace(turn(said("one"), ended="failed"), outcome=Crashed(reason="HTTP 500"))
    found = scored("rouge_1", case(Expect(reference="one")), broken)
    assert (found.value, found.reason) == (0, "the turn failed: HTTP 500")


def test_options_change_the_value_and_the_expectation() -> None:
    of, recorded = case(Expect(reference="run 東京")), trace(turn(said("running 東京")))
    assert scored("rouge_1", of, recorded).value == 0
    both = metric("rouge_1", stemmer=True, tokenizer="unicode")
    assert scored(both, of, recorded).value == 1
    assert metric("rouge_1").expectation(of) == {"turns": {"1": "run 東京"}}
    options = {"stemmer": True, "tokenizer": "unicode"}
    assert both.expectation(of) == {"turns": {"1": "run 東京"}, "options": options}
    assert metric("rouge_1").expectation(case(Expect())) is None
    assert metric("rouge_1").pass_at is None


def test_text_that_is_not_exposed_is_not_scored() -> None:
    assert isinstance(score("rouge_1", case(Expect(reference="x")), trace(turn(), exposes=())), Unscored)
