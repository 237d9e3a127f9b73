from collections.abc import Mapping
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model.case import Expect, ExpectedCall
from gate.model.score import Unscored
from gate.model.trace import Call, Crashed, Event, Result
from gate.score.arguments import BY_ARGS
from tests.score.made import called, case, expected, metric, said, score, scored, trace, turn

CITY = {"city": "London"}
Spec = str | tuple[str, Mapping[str, Any]]


def value(wanted: list[Spec], made: list[Spec], **options: Any) -> float:
    return scored(
        metric("calls", **options), case(Expect(calls=expected(*wanted))), trace(turn(called(*made)))
    ).value


def reason(wanted: list[Spec], made: list[Any], **options: Any) -> str:
    return scored(
        metric("calls", **options), case(Expect(calls=expected(*wanted))), trace(turn(called(*made)))
    ).reason


@pytest.mark.parametrize(
    ("wanted", "made", "at_least", "exactly", "at_most", "in_order"),
    [
        ([], [], 1, 1, 1, 1),
        ([], ["f"], 0, 0, 0, 0),
        (["f"], [], 0, 0, 1, 0),
        (["f"], ["f"], 1, 1, 1, 1),
        (["f"], ["f", "f"], 1, 0, 0, 1),
        (["f", "f"], ["f"], 0, 0, 1, 0),
        (["f", "g"], ["g", "f"], 1, 1, 1, 0),
        (["f", "g"], ["f", "x", "g"], 1, 0, 0, 1),
        (["f", "g"], ["f", "x"], 0, 0, 0, 0),
        (["f", "g", "f"], ["f", "f", "g", "f"], 1, 0, 0, 1),
        (["f"], ["F"], 0, 0, 0, 0),
        (["天気"], ["天気"], 1, 1, 1, 1),
    ],
)
def test_a_mode_says_what_may_lack_and_what_may_come_on_top(
    wanted: list[Spec], made: list[Spec], at_least: int, exactly: int, at_most: int, in_order: int
) -> None:
    assert value(wanted, made) == at_least
    assert value(wanted, made, mode="exactly") == exactly
    assert value(wanted, made, mode="at_most") == at_most
    assert value(wanted, made, mode="in_order") == in_order


@pytest.mark.parametrize(
    ("wanted", "made", "exact", "subset"),
    [
        (CITY, CITY, 1, 1),
        (CITY, {"city": "London", "units": "C"}, 0, 1),
        (CITY, {"city": "london"}, 0, 0),
        (CITY, {"city": "London "}, 0, 0),
        ({"n": 20}, {"n": 20.0}, 1, 1),
        ({"n": 1}, {"n": True}, 0, 0),
        ({}, {}, 1, 1),
        ({}, {"n": 1}, 0, 1),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, 0, 1),
        ({"a": None}, {}, 0, 0),
    ],
)
def test_arguments_are_compared_as_asked(
    wanted: dict[str, Any], made: dict[str, Any], exact: int, subset: int
) -> None:
    assert value([("f", wanted)], [("f", made)]) == exact
    assert value([("f", wanted)], [("f", made)], args="subset") == subset
    assert value([("f", wanted)], [("f", made)], args="ignore") == 1
    assert value(["f"], [("f", made)]) == 1


def test_a_call_that_two_expectations_fit_is_left_to_the_one_that_needs_it() -> None:
    wanted: list[Spec] = [("book", {"x": 1}), ("book", {"x": 1, "y": 2})]
    made: list[Spec] = [("book", {"x": 1, "y": 2}), ("book", {"x": 1})]
    assert value(wanted, made, args="subset") == 1
    assert value(wanted, made, args="subset", mode="exactly") == 1
    assert value(wanted, made, args="subset", mode="at_most") == 1


@pytest.mark.parametrize(
    ("wanted", "made", "options", "text"),
    [
        (
            [("get_weather", CITY)],
            [],
            {},
            'expected a call of `get_weather {"city": "London"}`; the agent called no tool',
        ),
        (
            [("get_weather", CITY)],
            [("get_weather", {"city": "Paris"})],
            {},
            '`get_weather` was called with city = "Paris"; expected "London"',
        ),
        (
            [("get_weather", CITY)],
            [("get_weather", {})],
            {},
            '`get_weather` was called without city; expected "London"',
        ),
        (
            [("get_weather", CITY)],
            [("get_weather", {"city": "London", "units": "C"})],
            {},
            '`get_weather` was called with units = "C", which is not expected',
        ),
        (
            [("f", {"a": {"b": [1]}})],
            [("f", {"a": {"b": [2]}})],
            {},
            "`f` was called with a.b.0 = 2; expected 1",
        ),
        (
            [("f", {"n": 1, "m": 1})],
            [("f", {"n": 2, "m": 2}), ("f", {"n": 1, "m": True})],
            {},
            "`f` was called with m = true; expected 1",
        ),
        (
            [("f", {"n": 1})],
            [("f", None)],
            {},
            '`f` was called with arguments that could not be read (not JSON: {); expected {"n": 1}',
        ),
        (["f", "g"], ["f", "h"], {}, "expected a call of `g`; the agent called `f`, `h`"),
        (["f", "f"], ["f"], {}, "expected another call of `f`; the agent called `f`"),
        ([("f", CITY)], ["g"], {"args": "ignore"}, "expected a call of `f`; the agent called `g`"),
        (
            [],
            [("f", CITY), "g"],
            {},
            'expected no tool call; the agent called `f {"city": "London"}`, `g`',
        ),
        (["f"], ["f", "g"], {"mode": "exactly"}, "called beyond what is expected: `g`"),
        (["f"], ["f", "f"], {"mode": "at_most"}, "called beyond what is expected: `f`"),
        (["f"], ["f"] * 6, {"mode": "exactly"}, "called beyond what is expected: `f` 5 times"),
        (
            ["f"],
            ["f", "g", "h", "i", "i", "j"],
            {"mode": "exactly"},
            "called beyond what is expected: `g`, `h`, `i` 2 times, and 1 more",
        ),
        (
            ["f", "g"],
            ["g", "f"],
            {"mode": "in_order"},
            "after `f`, expected a call of `g`; the agent called nothing more",
        ),
        (
            ["f", ("g", {"n": 1})],
            ["f", ("g", {"n": 2})],
            {"mode": "in_order"},
            "after `f`, `g` was called with n = 2; expected 1",
        ),
        (list("abcde"), ["x"], {"mode": "in_order"}, "expected a call of `a`; the agent called `x`"),
    ],
)
def test_the_reason_names_the_call_and_what_differs(
    wanted: list[Spec], made: list[Any], options: dict[str, Any], text: str
) -> None:
    assert reason(wanted, made, **options) == text


def test_a_reason_stays_short_when_much_is_wrong() -> None:
    found = reason(list("abcdefgh"), [])
    assert found.count("expected a call") == 3
    assert found.endswith("; 5 more")
    assert len(reason([], ["x" * 5000] * 5000)) < 1000


def test_unreadable_arguments_fit_where_arguments_do_not_matter() -> None:
    unreadable = Call(id="1", name="f", args=None, args_error="not JSON")
    assert BY_ARGS["exact"].fits(ExpectedCall(name="f"), unreadable)
    assert BY_ARGS["ignore"].fits(ExpectedCall(name="f", args={"n": 1}), unreadable)
    assert not BY_ARGS["subset"].fits(ExpectedCall(name="f", args={}), unreadable)


def test_results_and_plumbing_are_no_calls() -> None:
    result = Event(author="agent", parts=(Result(call_id="1", name="f", value=1),))
    plumbing = Event(
        parts=(Call(id="2", name="adk_request_confirmation", args={}),), not_in_trajectory="plumbing"
    )
    found = scored("calls", case(Expect(calls=())), trace(turn(result, plumbing)))
    assert found.value == 1


def test_a_turn_sees_its_own_calls_and_the_case_sees_all() -> None:
    of = case(
        Expect(calls=expected("f")), Expect(calls=expected("f")), whole=Expect(calls=expected("f", "g"))
    )
    found = scored("calls", of, trace(turn(called("f")), turn(called("g"))))
    assert [(item.where, item.value) for item in found.items] == [("turn 1", 1), ("turn 2", 0), ("case", 1)]
    assert found.value == pytest.approx(2 / 3)
    assert found.reason == "turn 2: expected a call of `f`; the agent called `g`"


@pytest.mark.parametrize(
    ("wanted", "mode", "counts"),
    [
        (["f"], "at_least", 1),
        (["f"], "in_order", 1),
        (["f"], "exactly", 0),
        (["f"], "at_most", 0),
        ([], "at_least", 0),
    ],
)
def test_a_turn_that_failed_shows_what_was_called_but_not_what_was_not(
    wanted: list[Spec], mode: str, counts: int
) -> None:
    events = (called("f"),) if wanted else (said("Hel"),)
    broken = trace(turn(*events, ended="failed"), outcome=Crashed(reason="HTTP 500"))
    found = scored(metric("calls", mode=mode), case(Expect(calls=expected(*wanted))), broken)
    assert found.value == counts
    assert found.reason == ("" if counts else "the turn failed: HTTP 500")


def test_calls_that_are_not_exposed_are_not_scored() -> None:
    found = score("calls", case(Expect(calls=())), trace(turn(said("hi")), exposes=("text",)))
    assert found == Unscored(
        cause="not_exposed",
        reason="the protocol does not expose tool calls (for `protocol: http`, map `calls` under `response`)",
    )


def test_the_expectation_holds_what_changes_a_value_and_nothing_else() -> None:
    of = case(Expect(calls=expected("f", ("g", {"n": 1}))), Expect(), Expect(calls=()))
    turns = {"1": [{"name": "f"}, {"name": "g", "args": {"n": 1}}], "3": []}
    assert metric("calls").expectation(of) == {"turns": turns}
    assert metric("calls", mode="at_least").expectation(of) == {"turns": turns}
    assert metric("calls", mode="exactly").expectation(of) == {
        "turns": turns,
        "options": {"mode": "exactly"},
    }
    assert metric("calls").expectation(case(Expect(contains=("x",)))) is None
    assert metric("calls").expectation(case(Expect(), whole=Expect(calls=()))) == {"case": []}


CALLS = st.lists(
    st.tuples(st.sampled_from("fg"), st.dictionaries(st.sampled_from("ab"), st.integers(0, 1), max_size=2)),
    max_size=4,
)
ARGS = st.sampled_from(["exact", "subset", "ignore"])


@given(CALLS, CALLS, ARGS)
def test_the_modes_agree_with_trying_every_assignment(wanted: Any, made: Any, args: Any) -> None:
    wants, calls = expected(*wanted), called(*made).parts

    def assigned(left: Any, right: Any, fit: Any) -> bool:
        return any(
            all(fit(one, other) for one, other in zip(left, way, strict=True))
            for way in permutations(right, len(left))
        )

    covers = assigned(wants, calls, BY_ARGS[args].fits)
    within = assigned(calls, wants, lambda call, want: BY_ARGS[args].fits(want, call))
    none_holds = bool(wanted) or not made
    assert value(wanted, made, args=args) == (covers and none_holds)
    assert value(wanted, made, args=args, mode="at_most") == within
    assert value(wanted, made, args=args, mode="exactly") == (covers and within)


@given(CALLS, CALLS, ARGS)
def test_stricter_modes_pass_no_more_than_laxer_ones(wanted: Any, made: Any, args: Any) -> None:
    values = {
        mode: value(wanted, made, args=args, mode=mode)
        for mode in ("at_least", "exactly", "at_most", "in_order")
    }
    assert values["in_order"] <= values["at_least"]
    assert values["exactly"] <= min(values["at_least"], values["at_most"])
    assert value(wanted, made, args="exact") <= value(wanted, made, args="subset")
    assert value(wanted, made, args="subset") <= value(wanted, made, args="ignore")


@given(CALLS.flatmap(lambda made: st.tuples(st.just(made), st.permutations(made))), CALLS)
def test_without_order_the_order_of_the_calls_does_not_matter(made: Any, wanted: Any) -> None:
    for mode in ("at_least", "exactly", "at_most"):
        assert value(wanted, made[0], mode=mode) == value(wanted, made[1], mode=mode)


def test_a_reason_is_given_exactly_where_the_value_is_not_one() -> None:
    for made in ([], ["f"], ["g"]):
        found = scored("calls", case(Expect(calls=expected("f"))), trace(turn(called(*made))))
        assert bool(found.reason) is (found.value < 1)
