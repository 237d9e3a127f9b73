import pytest

from gate.model.case import Expect
from gate.model.score import Scored, Unscored
from gate.model.trace import Completed, Crashed, Outcome, Pause, Paused, Refused, Throttled, TimedOut
from tests.score.made import case, metric, said, score, scored, trace, turn, waits

ASK = Pause(id="1", name="adk_request_input", kind="input")
CASE = case(Expect(), Expect())


@pytest.mark.parametrize(
    ("outcome", "value", "reason"),
    [
        (Completed(), 1, ""),
        (Crashed(reason="exit code 1"), 0, "the agent crashed: exit code 1"),
        (TimedOut(reason="no answer in 120 s"), 0, "the trial timed out: no answer in 120 s"),
        (Paused(reason="waits for `x`"), 0, "waits for `x`"),
        (Paused(reason=""), 0, "the agent waits for an answer"),
    ],
)
def test_completed_says_how_the_trial_ended(outcome: Outcome, value: float, reason: str) -> None:
    found = score("completed", CASE, trace(turn(said("a")), turn(said("b")), outcome=outcome))
    assert isinstance(found, Scored)
    assert (found.value, found.reason) == (value, reason)


@pytest.mark.parametrize(
    ("outcome", "cause"),
    [(Throttled(reason="429"), "throttled"), (Refused(reason="connection refused"), "refused")],
)
def test_what_the_agent_is_not_to_blame_for_is_not_scored(outcome: Outcome, cause: str) -> None:
    found = score("completed", CASE, trace(outcome=outcome))
    assert isinstance(found, Unscored)
    assert (found.cause, found.reason) == (cause, outcome.reason)


def test_a_turn_that_was_never_sent_was_not_answered() -> None:
    found = scored("completed", CASE, trace(turn(said("a"))))
    assert (found.value, found.reason) == (0, "the conversation ended after turn 1 of 2")
    found = scored(
        "completed", CASE, trace(turn(said("a")), outcome=Completed(reason="the agent did not pause"))
    )
    assert (found.value, found.reason) == (0, "the agent did not pause")


@pytest.mark.parametrize(
    ("expect", "whole", "open_now", "value"),
    [
        (Expect(pauses=("adk_request_input",)), Expect(), (ASK,), 1),
        (Expect(), Expect(pauses=("adk_request_input",)), (ASK,), 1),
        (Expect(pauses=("other",)), Expect(), (ASK,), 0),
        (Expect(pauses=()), Expect(), (ASK,), 0),
        (Expect(pauses=("1",)), Expect(), (ASK, Pause(id="2", name="other", kind="input")), 0),
        (
            Expect(pauses=("1",)),
            Expect(pauses=("other",)),
            (ASK, Pause(id="2", name="other", kind="input")),
            1,
        ),
    ],
)
def test_a_pause_that_the_case_expects_at_its_end_is_its_end(
    expect: Expect, whole: Expect, open_now: tuple[Pause, ...], value: float
) -> None:
    recorded = trace(turn(waits(*open_now), ended="paused"), outcome=Paused(reason="waits"))
    assert scored("completed", case(expect, whole=whole), recorded).value == value


def test_completed_applies_to_every_case() -> None:
    assert metric("completed").expectation(CASE) == {}
    assert metric("completed").expectation(case(Expect(pauses=("b", "a")))) == {"pauses": ["a", "b"]}
