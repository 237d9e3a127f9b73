from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model.case import Expect
from gate.model.score import Unscored
from gate.model.trace import Crashed
from gate.score.state import look_up
from gate.score.values import ABSENT
from tests.score.made import case, delta, metric, said, score, scored, trace, turn

STATE = {
    "draft_card": {"phone": "+886", "tags": ["a", {"b": 1}], "none": None},
    "draft_card.phone": "literal",
    "a.b": {"c.d": 1, "e": 2},
    "a": {"b": {"e": 3}},
    "temp:x": 1,
    "user:saved": True,
    "7": "seven",
    "": "empty",
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("draft_card.phone", "literal"),
        ("draft_card.tags.0", "a"),
        ("draft_card.tags.1.b", 1),
        ("draft_card.tags.2", ABSENT),
        ("draft_card.tags.-1", ABSENT),
        ("draft_card.tags.x", ABSENT),
        ("draft_card.tags.²", ABSENT),
        ("draft_card.none", None),
        ("draft_card.none.x", ABSENT),
        ("a.b.c.d", 1),
        ("a.b.e", 2),
        ("a.b.x", ABSENT),
        ("temp:x", 1),
        ("x", ABSENT),
        ("user:saved", True),
        ("7", "seven"),
        ("", "empty"),
        ("draft_card.phone.0", ABSENT),
    ],
)
def test_a_path_is_looked_up_with_the_longest_key_first(path: str, found: Any) -> None:
    assert look_up(STATE, path) == found


@given(st.dictionaries(st.text("ab.0", max_size=4), st.integers(), min_size=1), st.data())
def test_every_literal_key_is_found(state: dict[str, int], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(state)))
    assert look_up(state, key) == state[key]


@pytest.mark.parametrize(
    ("expect", "value"),
    [
        (Expect(state={"n": 1}), 1),
        (Expect(state={"n": 1.0}), 1),
        (Expect(state={"n": True}), 0),
        (Expect(state={"n": 1, "m": 2}), 0.5),
        (Expect(state={"n": 1}, state_keys=("gone", "n", "null")), 0.75),
        (Expect(state_keys=("null",)), 1),
        (Expect(state={"null": None}), 1),
        (Expect(state={"gone": None}), 0),
        (Expect(state={"start": "s"}), 1),
        (Expect(state={"changed": "new"}), 1),
        (Expect(state={"card": {"name": "Lin"}}), 0),
        (Expect(state={"card.name": "Lin", "card.list.1": 2}), 1),
    ],
)
def test_the_value_is_the_share_that_holds(expect: Expect, value: float) -> None:
    recorded = trace(
        turn(
            delta(n=1, changed="old"),
            delta(changed="new", null=None),
            delta(card={"name": "Lin", "list": [1, 2]}),
        ),
        start_state={"start": "s", "changed": "start"},
    )
    assert scored("state", case(expect), recorded).value == value


def test_deltas_add_up_over_turns_and_a_turn_sees_the_state_at_its_end() -> None:
    of = case(Expect(state={"n": 1}), Expect(state={"n": 2, "kept": True}), whole=Expect(state={"n": 2}))
    found = scored("state", of, trace(turn(delta(n=1, kept=True)), turn(delta(n=2))))
    assert [item.value for item in found.items] == [1, 1, 1]


@pytest.mark.parametrize(
    ("expect", "reason"),
    [
        (Expect(state={"card.phone": "+1"}), 'the state\'s `card.phone` is "+2"; expected "+1"'),
        (Expect(state={"card": {"phone": "+1", "x": 1}}),
         'the state\'s `card.phone` is "+2"; expected "+1"; the state\'s `card.x` is nothing; expected 1'),
        (Expect(state={"card.fax": 1}), "the state has no `card.fax` (`card` has `phone`); expected 1"),
        (Expect(state={"n.x": 1}), "the state has no `n.x` (`n` is 1); expected 1"),
        (Expect(state_keys=("saved",)), "the state has no `saved` (it has `card`, `n`)"),
        (Expect(state={"n": "1"}), 'the state\'s `n` is 1; expected "1"'),
    ],
)  # fmt: skip
def test_the_reason_lists_what_is_there_and_what_was_expected(expect: Expect, reason: str) -> None:
    assert scored("state", case(expect), trace(turn(delta(card={"phone": "+2"}, n=1)))).reason == reason


def test_an_empty_state_says_so() -> None:
    found = scored("state", case(Expect(state_keys=("x",))), trace(turn()))
    assert found.reason == "the state has no `x` (it has no keys)"


def test_a_long_list_of_differences_is_cut() -> None:
    found = scored(
        "state", case(Expect(state={"x": {str(n): n for n in range(9)}})), trace(turn(delta(x={})))
    )
    assert found.reason.endswith("; 6 more differences in `x`")


def test_where_a_turn_failed_only_a_key_that_it_set_holds() -> None:
    broken = trace(
        turn(delta(new=1), ended="failed"), outcome=Crashed(reason="HTTP 500"), start_state={"old": 1}
    )
    found = scored("state", case(Expect(state={"new": 1}, state_keys=("new", "old"))), broken)
    assert found.value == pytest.approx(1 / 3)
    assert found.reason == (
        "the value of `new` is as expected, which shows nothing of what was not run; "
        "the key `old` is as expected, which shows nothing of what was not run; the turn failed: HTTP 500"
    )


def test_nothing_to_check_is_no_expectation() -> None:
    assert metric("state").expectation(case(Expect(state={}, state_keys=()))) is None


def test_the_order_of_keys_is_no_expectation() -> None:
    one, other = (case(Expect(state={"n": 1}, state_keys=keys)) for keys in (("a", "b"), ("b", "a")))
    assert metric("state").expectation(one) == metric("state").expectation(other)
    assert metric("state").expectation(one) == {"turns": {"1": {"state": {"n": 1}, "state_keys": ["a", "b"]}}}


def test_state_that_is_not_exposed_is_not_scored() -> None:
    found = score("state", case(Expect(state_keys=("x",))), trace(turn(said("hi")), exposes=("text",)))
    assert isinstance(found, Unscored)
    assert "`state` or `state_delta`" in found.reason
