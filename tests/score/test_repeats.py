from typing import Any

import pytest

from gate.model.case import Expect
from gate.model.score import Unscored
from gate.model.trace import Call, Crashed, Event, Result
from tests.score.made import case, score, scored, trace, turn

ONE = case(Expect())
NAMES = ("tool_errors", "retries", "loops")


def events(script: str) -> list[Event]:
    """`f(1)` calls f with 1, `!` after it fails, `.` after it succeeds; the result follows at once."""
    found: list[Event] = []
    for number, word in enumerate(script.split()):
        name, _, rest = word.partition("(")
        made = Call(id=str(number), name=name, args={"x": rest.partition(")")[0]})
        failed = Result(call_id=str(number), name="", value="", is_error=word.endswith("!"))
        found += [Event(parts=(made,)), Event(parts=(failed,), not_in_trajectory="a tool's answer")]
    return found


@pytest.mark.parametrize(
    ("script", "errors", "retries", "loops"),
    [
        ("f(1). g(2).", 0, 0, 0),
        ("f(1)! f(1).", 1, 1, 0),
        ("f(1)! f(2).", 1, 1, 0),
        ("f(1)! g(1). f(1).", 1, 1, 0),
        ("f(1)! f(1)! f(1).", 2, 2, 0),
        ("f(1)! g(2)!", 2, 0, 0),
        ("f(1)! f(1). f(2).", 1, 1, 0),
        ("f(1). f(1).", 0, 0, 1),
        ("f(1). g(1). f(1). g(1).", 0, 0, 2),
        ("f(1). f(2). f(3).", 0, 0, 0),
        ("f(1). f(1)! f(1).", 1, 1, 1),
        ("f(1). f(1). f(1).", 0, 0, 2),
        ("", 0, 0, 0),
    ],
)
def test_what_was_done_in_vain_is_counted(script: str, errors: int, retries: int, loops: int) -> None:
    recorded = trace(turn(*events(script)))
    assert [scored(name, ONE, recorded).value for name in NAMES] == [errors, retries, loops]


def test_asking_again_in_the_next_turn_is_no_loop_and_a_retry_then_is_one() -> None:
    again = trace(turn(*events("f(1).")), turn(*events("f(1).")))
    assert scored("loops", case(Expect(), Expect()), again).value == 0
    failed = trace(turn(*events("f(1)!")), turn(*events("f(1).")))
    assert scored("retries", case(Expect(), Expect()), failed).value == 1


@pytest.mark.parametrize(
    ("first", "second", "loops"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, 1),
        ({"a": 1}, {"a": True}, 0),
        ({"a": 1}, {"a": "1"}, 0),
        ({}, {}, 1),
        (None, None, 0),
        ({"a": [1, {"b": 2.0}]}, {"a": [1.0, {"b": 2}]}, 1),
        ({"a": 10**5000}, {"a": 10**5000}, 0),
    ],
)
def test_calls_are_the_same_whatever_the_spelling_of_their_arguments(
    first: Any, second: Any, loops: int
) -> None:
    calls = (Call(id="1", name="f", args=first), Call(id="2", name="f", args=second))
    assert scored("loops", ONE, trace(turn(Event(parts=calls)))).value == loops


def test_arguments_that_are_too_deep_make_no_call_like_another() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"x": deep}
    calls = (Call(id="1", name="f", args=deep), Call(id="2", name="f", args=deep))
    assert scored("loops", ONE, trace(turn(Event(parts=calls)))).value == 0


def test_plumbing_of_the_runtime_is_no_call() -> None:
    asked = Event(parts=(Call(id="1", name="adk_request_input", args={}),) * 2, not_in_trajectory="plumbing")
    assert scored("loops", ONE, trace(turn(asked))).value == 0


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_shown_or_broke_off_is_not_zero(name: str) -> None:
    call = Event(parts=(Call(id="1", name="f", args={}),))
    results = score(name, ONE, trace(turn(call)))
    assert isinstance(results, Unscored) == (name != "loops")
    for recorded in (
        trace(turn(call), exposes=("text",)),
        trace(turn(call), outcome=Crashed(reason="HTTP 500")),
    ):
        assert isinstance(score(name, ONE, recorded), Unscored)
