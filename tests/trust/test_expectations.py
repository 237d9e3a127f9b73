"""What a case no longer expects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model.case import Case, Expect, ExpectedCall, TextPart, Turn, User
from gate.model.finding import Place
from gate.trust.expectations import dropped
from tests.support.cases import made

NOTHING = Expect()
CALL = ExpectedCall(name="get", args={"a": 1, "b": 2})
LESS: dict[str, tuple[Expect, Expect]] = {
    "calls": (Expect(calls=(CALL,)), Expect()),
    "none": (Expect(calls=()), Expect()),
    "one call": (Expect(calls=(CALL, CALL)), Expect(calls=(CALL,))),
    "an argument": (Expect(calls=(CALL,)), Expect(calls=(ExpectedCall(name="get", args={"a": 1}),))),
    "arguments": (Expect(calls=(CALL,)), Expect(calls=(ExpectedCall(name="get"),))),
    "a text": (Expect(contains=("x", "y")), Expect(contains=("x",))),
    "a part of a text": (Expect(contains=("18 degrees",)), Expect(contains=("18",))),
    "more of what is banned": (Expect(excludes=("sorry",)), Expect(excludes=("so sorry",))),
    "a key": (Expect(state={"a": 1, "b": 1}), Expect(state={"a": 1})),
    "a node": (Expect(nodes=("a", "b")), Expect(nodes=("b",))),
    "a rubric": (Expect(rubric="x"), Expect()),
    "two texts for one that has both": (Expect(contains=("ab", "b")), Expect(contains=("b",))),
}
NOT_LESS: dict[str, tuple[Expect, Expect]] = {
    "another text": (Expect(contains=("x",)), Expect(contains=("y",))),
    "more of a text": (Expect(contains=("18",)), Expect(contains=("18 degrees",))),
    "less of what is banned": (Expect(excludes=("so sorry",)), Expect(excludes=("sorry",))),
    "one more": (Expect(contains=("x",)), Expect(contains=("x", "y"))),
    "silence": (Expect(calls=(CALL,)), Expect(calls=())),
    "a call for silence": (Expect(calls=()), Expect(calls=(CALL,))),
    "another argument": (Expect(calls=(CALL,)), Expect(calls=(ExpectedCall(name="get", args={"a": 2}),))),
    "another tool": (Expect(calls=(CALL,)), Expect(calls=(ExpectedCall(name="put"),))),
    "another order": (Expect(nodes=("a", "b")), Expect(nodes=("b", "a"))),
    "something where nothing was": (Expect(), Expect(contains=("x",))),
}


def a_case(*turns: Expect, whole: Expect = NOTHING) -> Case:
    place = Place(file="g.yaml")
    sent = User(parts=(TextPart(text="hi"),))
    return made("a", turns=tuple(Turn(sent=sent, expect=e, place=place) for e in turns), expect=whole)


@pytest.mark.parametrize(("before", "after"), LESS.values(), ids=LESS)
def test_what_is_left_out_is_dropped_of_a_turn_and_of_a_case(before: Expect, after: Expect) -> None:
    assert list(dropped(a_case(before), a_case(after)))
    assert list(dropped(a_case(Expect(), whole=before), a_case(Expect(), whole=after)))


@pytest.mark.parametrize(("before", "after"), NOT_LESS.values(), ids=NOT_LESS)
def test_what_says_something_else_or_more_is_no_loss(before: Expect, after: Expect) -> None:
    assert list(dropped(a_case(before), a_case(after))) == []


def test_a_turn_that_is_gone_is_dropped() -> None:
    assert list(dropped(a_case(Expect(), Expect()), a_case(Expect()))) == ["2 turns, now 1"]


texts = st.none() | st.lists(st.sampled_from(["a", "b", "ab"]), max_size=3).map(tuple)
expects = st.builds(
    Expect,
    contains=texts,
    excludes=texts,
    state=st.none() | st.dictionaries(st.sampled_from("ab"), st.integers(0, 1)),
)


@given(expects)
def test_the_same_drops_nothing(expect: Expect) -> None:
    assert list(dropped(a_case(expect), a_case(expect))) == []


@given(expects, expects)
def test_what_drops_in_one_direction_alone_is_told_there_alone(one: Expect, two: Expect) -> None:
    """Where only texts that must be said differ, both cannot ask for less than the other."""
    if (one.excludes, one.state) == (two.excludes, two.state) and one.contains != two.contains:
        assert not (list(dropped(a_case(one), a_case(two))) and list(dropped(a_case(two), a_case(one))))
