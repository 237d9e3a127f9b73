import pytest

from gate.model.case import Expect
from gate.model.score import Scored, Unscored
from gate.model.trace import Call, Crashed, Event, Outcome, Paused, Refused, Throttled, TimedOut, Usage
from tests.score.made import called, case, metric, said, score, scored, trace, turn

CASE = case(Expect(), Expect())
USED = Event(author="agent", usage=Usage(input_tokens=10, output_tokens=5))
PLUMBING = Event(parts=(Call(id="1", name="adk_request_input", args={}),), not_in_trajectory="plumbing")
FULL = trace(
    turn(called("f", "f"), USED, PLUMBING, took_ms=20.5), turn(said("x"), called("g"), USED, took_ms=30)
)


@pytest.mark.parametrize(
    ("name", "value", "unit"),
    [("latency_ms", 50.5, "ms"), ("turns", 2, "turns"), ("tool_calls", 3, "calls"), ("tokens", 30, "tokens")],
)
def test_a_trial_is_measured_as_a_whole(name: str, value: float, unit: str) -> None:
    assert scored(name, CASE, FULL) == Scored(value=value, items=())
    subject = metric(name)
    assert (subject.unit, subject.kind, subject.better, subject.pass_at) == (unit, "measure", "lower", None)
    assert subject.expectation(CASE) == {}


@pytest.mark.parametrize("name", ["latency_ms", "turns", "tool_calls", "tokens"])
@pytest.mark.parametrize(
    ("outcome", "cause"),
    [
        (Crashed(reason="why"), "crashed"),
        (TimedOut(reason="why"), "crashed"),
        (Throttled(reason="why"), "throttled"),
        (Refused(reason="why"), "refused"),
    ],
)
def test_a_trial_that_broke_off_never_looks_cheap(name: str, outcome: Outcome, cause: str) -> None:
    found = score(name, CASE, trace(turn(USED), turn(USED), outcome=outcome))
    assert found == Unscored(cause=cause, reason="why")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["latency_ms", "turns", "tool_calls", "tokens"])
def test_a_trial_that_lacks_turns_is_not_measured(name: str) -> None:
    found = score(name, CASE, trace(turn(USED), outcome=Paused(reason="waits for `x`")))
    assert found == Unscored(cause="crashed", reason="not every turn was run: waits for `x`")


def test_tokens_that_nobody_reports_are_not_zero() -> None:
    found = score("tokens", CASE, trace(turn(said("a")), turn(said("b"))))
    assert found == Unscored(cause="not_exposed", reason="no event of this trial carries token usage")
    hidden = score("tokens", CASE, trace(turn(USED), turn(USED), exposes=("text",)))
    assert isinstance(hidden, Unscored)
    assert "does not expose token usage" in hidden.reason
    nothing = trace(turn(Event(usage=Usage(input_tokens=0, output_tokens=0))), turn())
    assert scored("tokens", CASE, nothing).value == 0


def test_calls_that_are_not_exposed_are_not_zero() -> None:
    assert isinstance(score("tool_calls", CASE, trace(turn(), turn(), exposes=("text",))), Unscored)
    assert scored("tool_calls", CASE, trace(turn(), turn())).value == 0
