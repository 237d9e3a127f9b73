from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model.case import Expect
from gate.model.score import Scored, Unscored
from gate.model.trace import Completed, Crashed, Outcome, Paused, Refused, Throttled, TimedOut
from tests.score.made import (
    ALL,
    all_scores,
    at,
    called,
    case,
    config,
    delta,
    expected,
    said,
    scored,
    trace,
    turn,
)

EVERYTHING = Expect(
    calls=expected("f"),
    nodes=("A",),
    state={"n": 1},
    contains=("hi",),
    excludes=("bye",),
    pauses=(),
    reference="hi",
)
NOTHING = Expect(calls=(), nodes=(), excludes=("bye",), pauses=())
EXTRA = (
    *(
        config(name)
        for name in ("trajectory_exact_match", "trajectory_in_order_match", "trajectory_precision")
    ),
    *(config(name) for name in ("trajectory_any_order_match", "trajectory_recall", "rouge_1")),
    config("trajectory_single_tool_use", tool="f"),
)
QUALITY = ("calls", "nodes", "state", "says", "pauses", *(each.name for each in EXTRA))
GOOD = turn(called("f"), said("hi"), delta(n=1), *at("A"))


def qualities(of: Any, recorded: Any) -> dict[str, Any]:
    return {name: found for name, found in all_scores(of, recorded, *EXTRA).items() if name in QUALITY}


def test_a_good_trial_is_one_everywhere_and_has_no_reasons() -> None:
    found = qualities(case(EVERYTHING, EVERYTHING, whole=EVERYTHING), trace(GOOD, GOOD))
    assert found.keys() == set(QUALITY)
    graded = {
        name: score.value
        for name, score in found.items()
        if name not in {"rouge_1", "trajectory_exact_match"}
    }
    assert set(graded.values()) == {1.0}
    assert not {score.reason for name, score in found.items() if name in graded} - {""}


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (Crashed(reason="HTTP 500"), "HTTP 500"),
        (TimedOut(reason="120 s"), "120 s"),
        (Paused(reason="waits for `x`"), "waits for `x`"),
        (Completed(reason="the agent did not pause"), "the agent did not pause"),
        (Completed(), "the conversation ended after turn 1 of 2"),
    ],
)
@pytest.mark.parametrize("expect", [EVERYTHING, NOTHING])
def test_a_turn_that_was_not_reached_is_zero_with_the_reason(
    outcome: Outcome, why: str, expect: Expect
) -> None:
    recorded = trace(turn(ended="answered"), outcome=outcome)
    for name, found in qualities(case(Expect(), expect), recorded).items():
        if name != "trajectory_single_tool_use":
            assert [(item.where, item.value) for item in found.items] == [("turn 2", 0)]
            assert found.reason == f"not reached: {why}"


@pytest.mark.parametrize("expect", [NOTHING])
def test_a_case_that_expects_nothing_is_zero_where_not_every_turn_was_run(expect: Expect) -> None:
    recorded = trace(turn(), outcome=TimedOut(reason="120 s"))
    for name, found in qualities(case(Expect(), Expect(), whole=expect), recorded).items():
        assert found.value == 0, name
        assert "not every turn was run: 120 s" in found.reason


@pytest.mark.parametrize(
    ("outcome", "cause"), [(Throttled(reason="429"), "throttled"), (Refused(reason="422"), "refused")]
)
def test_a_trial_that_was_throttled_or_refused_is_not_scored_at_all(outcome: Outcome, cause: str) -> None:
    found = all_scores(case(EVERYTHING), trace(GOOD, outcome=outcome), *EXTRA)
    assert len(found) == len(QUALITY) + 5
    assert set(found.values()) == {Unscored(cause=cause, reason=outcome.reason)}  # type: ignore[arg-type]


def test_a_trial_that_waits_after_its_last_turn_is_scored_as_it_stands() -> None:
    recorded = trace(turn(said("hi"), ended="paused"), outcome=Paused(reason="waits"))
    assert scored("calls", case(Expect(calls=()), whole=Expect(calls=())), recorded).value == 1


def test_more_turns_than_the_case_has_are_seen_by_the_case() -> None:
    found = scored(
        "calls", case(Expect(), whole=Expect(calls=expected("f"))), trace(turn(), turn(called("f")))
    )
    assert found.value == 1


def test_the_value_is_the_mean_over_items_and_the_worst_is_kept() -> None:
    of = case(Expect(calls=()), Expect(calls=()), Expect(calls=()), whole=Expect(calls=()))
    found = scored("calls", of, trace(turn(), turn(called("f")), turn()))
    assert (found.value, found.worst) == (0.5, 0)
    why = "expected no tool call; the agent called `f`"
    assert found.reason == f"turn 2: {why}; case: {why}"


EVENTS = st.sampled_from(
    [called("f"), called("g"), said("hi"), said("bye"), delta(n=1), delta(n=2), *at("A", "B")]
)
EXPECTS = st.builds(
    Expect,
    calls=st.none() | st.lists(st.sampled_from("fg"), max_size=2).map(lambda names: expected(*names)),
    nodes=st.none() | st.lists(st.sampled_from("AB"), max_size=2).map(tuple),
    state=st.none() | st.sampled_from([{"n": 1}, {"n": 2}, {"s": 0}]),
    state_keys=st.none() | st.sampled_from([("n",), ("s", "n"), ("x",)]),
    contains=st.none() | st.just(("hi",)),
    excludes=st.none() | st.just(("bye",)),
    pauses=st.none() | st.just(()),
    reference=st.none() | st.just("hi hi"),
)


@given(st.lists(st.lists(EVENTS, max_size=4), min_size=1, max_size=3), st.data())
def test_a_crash_never_improves_a_value(turns: Any, data: st.DataObject) -> None:
    of = case(*[data.draw(EXPECTS) for _ in turns], whole=data.draw(EXPECTS))
    last = data.draw(st.integers(0, len(turns) - 1))
    kept = data.draw(st.integers(0, len(turns[last])))
    whole = trace(*(turn(*events) for events in turns), start_state={"s": 0})
    failed = turn(*turns[last][:kept], ended="failed")
    broken = trace(
        *(turn(*events) for events in turns[:last]), failed, outcome=Crashed(reason="x"), start_state={"s": 0}
    )
    before, after = qualities(of, whole), qualities(of, broken)
    assert before.keys() == after.keys()
    for name in before:
        assert after[name].value <= before[name].value, name


@given(EXPECTS, st.lists(EVENTS, max_size=4))
def test_a_reason_is_given_exactly_where_a_value_is_not_one(expect: Expect, events: Any) -> None:
    for name, found in all_scores(case(expect), trace(turn(*events)), *EXTRA).items():
        if isinstance(found, Scored) and found.items:
            assert (found.value < 1) is bool(found.reason), name
            assert all(0 <= item.value <= 1 and (item.value < 1) is bool(item.reason) for item in found.items)


def test_what_is_not_exposed_is_never_scored() -> None:
    needs = {"calls": "calls", "nodes": "nodes", "state": "state", "says": "text", "pauses": "pauses"}
    for name, key in needs.items():
        recorded = trace(GOOD, exposes=tuple(each for each in ALL if each != key))
        found = all_scores(case(EVERYTHING), recorded)
        hidden = {metric for metric in needs if isinstance(found[metric], Unscored)}
        assert hidden == {name}
