import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model.case import Expect
from gate.model.score import Unscored
from gate.model.trace import Crashed, Event, Text, Thought
from tests.score.made import case, metric, said, score, scored, trace, turn


@pytest.mark.parametrize(
    ("text", "contains", "excludes", "value"),
    [
        ("It is 14 °C in London.", ("London",), (), 1),
        ("It is 14 °C in London.", ("london",), (), 0),
        ("It is 14 °C in London.", ("London", "Paris"), (), 0.5),
        ("It is 14 °C in London.", ("London",), ("Paris",), 1),
        ("It is 14 °C in London.", ("Paris",), ("London",), 0),
        ("It is 14 °C in London.", ("London", "14", "Rome"), ("Paris",), 0.75),
        ("", (), ("Paris",), 1),
        ("", ("x",), (), 0),
        ("cafe\u0301", ("café",), (), 1),
        ("café", ("cafe\u0301",), (), 1),
        ("cafe\u0301", ("cafe",), (), 0),
        ("cafe\u0301", (), ("café",), 0),
        ("東京タワー", ("東京",), (), 1),
        ("a  b", ("a b",), (), 0),
    ],
)
def test_the_value_is_the_share_of_texts_that_are_there_or_not(
    text: str, contains: tuple[str, ...], excludes: tuple[str, ...], value: float
) -> None:
    expect = Expect(contains=contains, excludes=excludes)
    assert scored("says", case(expect), trace(turn(said(text)))).value == value


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("LONDON", "london"), ("Straße", "STRASSE"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("İ", "i\u0307")],
)
def test_case_is_ignored_on_request(text: str, wanted: str) -> None:
    lax = metric("says", ignore_case=True)
    assert scored(lax, case(Expect(contains=(wanted,))), trace(turn(said(text)))).value == 1
    assert scored(lax, case(Expect(excludes=(wanted,))), trace(turn(said(text)))).value == 0
    assert scored("says", case(Expect(contains=(wanted,))), trace(turn(said(text)))).value == 0


def test_only_what_the_agent_says_counts() -> None:
    thought = Event(author="agent", parts=(Thought(text="secret plan"), Text(text="Hello")))
    recorded = trace(turn(said("secret question", author="user"), thought))
    found = scored("says", case(Expect(contains=("Hello",), excludes=("secret",))), recorded)
    assert found.value == 1


def test_a_turn_sees_its_own_text_and_the_case_sees_all() -> None:
    of = case(
        Expect(contains=("one",)),
        Expect(contains=("one",)),
        whole=Expect(contains=("one", "two", "one\ntwo")),
    )
    found = scored("says", of, trace(turn(said("one")), turn(said("two"))))
    assert [item.value for item in found.items] == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "expect", "reason"),
    [
        (
            "It rains.",
            Expect(contains=("saved",)),
            'expected the answer to contain "saved"; it said "It rains."',
        ),
        ("", Expect(contains=("saved",)), 'expected the answer to contain "saved"; it said nothing'),
        (
            "It rains.",
            Expect(contains=("saved", "rains", "card")),
            'expected the answer to contain "saved" and "card"; it said "It rains."',
        ),
        (
            "no Paris",
            Expect(excludes=("Paris",)),
            'the answer contains "Paris", which it must not: "no Paris"',
        ),
    ],
)
def test_the_reason_says_what_is_missing_or_too_much(text: str, expect: Expect, reason: str) -> None:
    assert scored("says", case(expect), trace(turn(said(text)))).reason == reason


def test_a_reason_shows_the_place_in_a_long_answer() -> None:
    found = scored(
        "says", case(Expect(excludes=("Paris",))), trace(turn(said("x" * 5000 + "Paris" + "y" * 5000)))
    )
    assert "xxxParisyyy" in found.reason
    assert len(found.reason) < 300


def test_a_turn_that_failed_shows_what_was_said_but_not_what_was_not() -> None:
    broken = trace(turn(said("one"), ended="failed"), outcome=Crashed(reason="HTTP 500"))
    assert scored("says", case(Expect(contains=("one",))), broken).value == 1
    found = scored("says", case(Expect(excludes=("two",))), broken)
    assert found.value == 0
    assert found.reason == 'nothing shows that the answer would not contain "two"; the turn failed: HTTP 500'


def test_nothing_to_check_is_no_expectation() -> None:
    assert metric("says").expectation(case(Expect(contains=(), excludes=()))) is None


def test_the_expectation_holds_the_option() -> None:
    of = case(Expect(contains=("b", "a")), whole=Expect(excludes=("c",)))
    plain = {"turns": {"1": {"contains": ["a", "b"]}}, "case": {"excludes": ["c"]}}
    assert metric("says").expectation(of) == plain
    assert metric("says", ignore_case=True).expectation(of) == {**plain, "options": {"ignore_case": True}}


def test_text_that_is_not_exposed_is_not_scored() -> None:
    found = score("says", case(Expect(excludes=("x",))), trace(turn(), exposes=("calls",)))
    assert isinstance(found, Unscored)


@given(st.text(max_size=20), st.text(min_size=1, max_size=5), st.booleans())
def test_a_text_is_contained_or_not_and_never_both(text: str, wanted: str, ignore_case: bool) -> None:
    recorded = trace(turn(said(text)))
    says = metric("says", ignore_case=ignore_case)
    has = scored(says, case(Expect(contains=(wanted,))), recorded).value
    lacks = scored(says, case(Expect(excludes=(wanted,))), recorded).value
    assert {has, lacks} == {0, 1}
