from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import BadInput
from gate.model.case import Expect
from gate.model.score import Unscored
from gate.model.trace import Call, Crashed, Event, Paused, Result, TurnTrace
from gate.score.figures import Number
from gate.score.numbers import Known
from tests.score.made import case, metric, said, score, scored, trace, turn

ONE = case(Expect())
CALL = Event(author="agent", parts=(Call(id="1", name="f", args={}),))


def returned(value: Any) -> Event:
    return Event(author="agent", parts=(Result(call_id="1", name="f", value=value),))


def grounded(answer: str, value: Any, **options: Any) -> float:
    recorded = trace(turn(CALL, returned(value), said(answer)))
    return scored(metric("numbers", **options), ONE, recorded).value


@pytest.mark.parametrize(
    ("answer", "value", "expected"),
    [
        ("It is 14 °C.", {"celsius": 14}, 1),
        ("It is 14 °C.", {"celsius": 13.96}, 1),
        ("It is 14 °C.", {"celsius": 15}, 0),
        ("It is 14.0 °C.", {"celsius": 13.96}, 1),
        ("It is 14.0 °C.", {"celsius": 13.9}, 0),
        ("It is -3 °C.", {"celsius": -3}, 1),
        ("1,234.50 EUR", {"total": 1234.5}, 1),
        ("1.234,50 EUR", {"total": 1234.5}, 1),
        ("12 %", {"rate": 0.12}, 1),
        ("12 %", {"rate": 12}, 1),
        ("0.12", {"rate": "12 %"}, 1),
        ("about 1.2 million", {"people": 1_234_567}, 1),
        ("about 1.3 million", {"people": 1_234_567}, 0),
        ("on 30 November 2026", {"date": "2026-11-30"}, 1),
        ("between 3 and 5", {"range": [3, 5]}, 1),
        ("3 and 9", {"range": [3, 5]}, 0.5),
        ("3, 3 and 3", {"n": 3}, 1),
        ("nothing to count", {}, 1),
        ("1. a\n2. b\n- 3) c\nthere are 7", {"n": 7}, 1),
        ("gate A380", {}, 1),
        ("year 2026", {"2026": True}, 1),
        ("1", {"ok": True}, 0),
        ("19.99", {"a": 19, "b": 99}, 0),
        ("5", "5 kg", 1),
        ("5", [[[{"x": [5]}]]], 1),
        ("7", None, 0),
        ("9" * 400, {"n": 10**399}, 0),
        ("1", {"n": float("inf")}, 0),
    ],
)
def test_figures_of_the_answer_are_looked_for_in_what_the_tool_returned(
    answer: str, value: Any, expected: float
) -> None:
    assert grounded(answer, value) == expected


def test_figures_may_have_to_be_exact_or_need_no_source() -> None:
    assert grounded("14", 13.96, rounded=False) == 0
    assert grounded("14", 14.0, rounded=False) == 1
    assert grounded("open 24 hours, 365 days", {}, allow=[24, 365]) == 1


def test_what_a_tool_returned_or_the_user_said_before_counts_and_what_comes_later_does_not() -> None:
    asked = TurnTrace(sent="7 nights?", events=(said("7 at 50"),), ended="answered", started_ms=0, ended_ms=1)
    recorded = trace(asked, turn(CALL, returned(50), said("50")))
    found = scored("numbers", case(Expect(), Expect()), recorded)
    assert [(item.where, item.value) for item in found.items] == [("turn 1", 0.5), ("turn 2", 1)]
    assert found.reason == "turn 1: no tool returned `50`, which the answer says"


def test_the_start_state_is_a_source() -> None:
    of = case(Expect(), start_state={"budget": 900})
    assert scored("numbers", of, trace(turn(said("900")))).value == 1


def test_calls_without_any_result_are_not_exposed_rather_than_ungrounded() -> None:
    for outcome in (None, Paused(reason="x")):
        found = score("numbers", ONE, trace(turn(CALL, said("7")), outcome=outcome))
        assert isinstance(found, Unscored)
        assert found.cause == "not_exposed"
    assert scored("numbers", ONE, trace(turn(said("7")))).value == 0
    hidden = score("numbers", ONE, trace(turn(said("7")), exposes=("text",)))
    assert isinstance(hidden, Unscored)


def test_what_broke_off_proves_nothing() -> None:
    crashed = trace(turn(CALL, ended="failed"), outcome=Crashed(reason="HTTP 500"))
    found = scored("numbers", case(Expect(), Expect()), crashed)
    assert [item.value for item in found.items] == [0, 0]
    assert "not reached" in found.reason


@pytest.mark.parametrize("allow", ["24", [True], ["24"], 24, {"a": 1}])
def test_numbers_that_need_no_source_are_numbers(allow: Any) -> None:
    with pytest.raises(BadInput):
        metric("numbers", allow=allow)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=9,
)


@given(JSON, st.text("0123456789., %k-\u0661a", max_size=20))
def test_no_result_and_no_answer_makes_it_raise(value: Any, answer: str) -> None:
    assert 0 <= grounded(answer, value) <= 1


@given(st.lists(st.floats(-1e6, 1e6)), st.floats(0, 1e6), st.floats(0, 10))
def test_a_number_is_found_where_a_search_of_all_finds_it(
    values: list[float], value: float, within: float
) -> None:
    known = Known()
    known.add(values)
    near = within + value * 1e-12
    expected = any(value - near <= abs(each) <= value + near for each in values)
    assert known.has(Number(value=value, within=within), rounded=True) == expected


def test_a_deep_result_is_walked() -> None:
    value: Any = 5
    for _ in range(50_000):
        value = [value]
    assert grounded("5", value) == 1
