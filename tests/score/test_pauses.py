from dataclasses import replace

import pytest

from gate.model.case import Answer, Answers, Case, Expect, TextPart, User
from gate.model.derived import open_pauses
from gate.model.trace import Crashed, Event, Pause, Result, TurnTrace
from tests.score.made import case, metric, said, scored, trace, turn, waits

ASK = Pause(id="interrupt-1", name="adk_request_input", kind="input")
CONFIRM = Pause(id="call-2", name="adk_request_confirmation", kind="confirm", tool="transfer")
OTHER = Pause(id="call-3", name="adk_request_confirmation", kind="confirm", tool="delete")


@pytest.mark.parametrize(
    ("expected", "open_now", "value"),
    [
        (("adk_request_input",), (ASK,), 1),
        (("interrupt-1",), (ASK,), 1),
        (("transfer",), (CONFIRM,), 1),
        (("adk_request_confirmation",), (CONFIRM,), 1),
        (("adk_request_input",), (), 0),
        (("adk_request_input",), (CONFIRM,), 0),
        (("adk_request_input",), (CONFIRM, ASK), 1),
        (("adk_request_confirmation",) * 2, (CONFIRM,), 0),
        (("adk_request_confirmation", "transfer"), (CONFIRM, OTHER), 1),
        (("adk_request_confirmation", "transfer"), (CONFIRM, CONFIRM), 0),
        ((), (), 1),
        ((), (ASK,), 0),
    ],
)
def test_each_expected_pause_is_open_by_id_name_or_tool(
    expected: tuple[str, ...], open_now: tuple[Pause, ...], value: float
) -> None:
    recorded = trace(turn(waits(*open_now), ended="paused" if open_now else "answered"))
    assert scored("pauses", case(Expect(pauses=expected)), recorded).value == value


def left(of: Case, *turns: TurnTrace) -> tuple[Pause, ...]:
    return open_pauses(of, trace(*turns), len(turns))


def test_a_turn_that_was_answered_left_no_pause_open() -> None:
    assert left(case(Expect()), turn(waits(ASK), said("done"))) == ()
    assert left(case(Expect())) == ()


def test_a_result_with_its_id_closes_a_pause() -> None:
    result = Event(parts=(Result(call_id=ASK.id, name="f", value=1),))
    assert left(case(Expect()), turn(waits(ASK, CONFIRM), result, ended="paused")) == (CONFIRM,)


def test_a_pause_that_was_reported_twice_is_open_once() -> None:
    assert left(case(Expect()), turn(waits(ASK), waits(ASK), ended="paused")) == (ASK,)


@pytest.mark.parametrize(
    ("sent", "still_open"),
    [
        (Answers(answers=(Answer(to="transfer", decision="approve"),)), (OTHER,)),
        (Answers(answers=(Answer(to="call-3", decision="reject"),)), (CONFIRM,)),
        (Answers(answers=(Answer(to="adk_request_confirmation", decision="reject"),)), ()),
        (User(parts=(TextPart(text="never mind"),)), ()),
    ],
)
def test_a_pause_that_was_not_answered_stays_open(
    sent: User | Answers, still_open: tuple[Pause, ...]
) -> None:
    first, second = case(Expect(), Expect(pauses=("delete",))).turns
    of = replace(case(Expect()), turns=(first, replace(second, sent=sent)))
    turns = (turn(waits(CONFIRM, OTHER), ended="paused"), turn(said("and the other?"), ended="paused"))
    assert left(of, *turns) == still_open
    assert scored("pauses", of, trace(*turns)).value == (OTHER in still_open)


def test_the_case_looks_at_its_last_turn() -> None:
    of = case(Expect(), Expect(), whole=Expect(pauses=()))
    assert scored("pauses", of, trace(turn(waits(ASK), ended="paused"), turn(said("done")))).value == 1
    assert scored("pauses", of, trace(turn(said("hi")), turn(waits(ASK), ended="paused"))).value == 0


@pytest.mark.parametrize(
    ("expected", "open_now", "reason"),
    [
        (("x",), (), "expected the agent to wait for `x`; it waits for nothing"),
        (("x",), (CONFIRM,),
         "expected the agent to wait for `x`; it waits for `adk_request_confirmation` (tool `transfer`)"),
        ((), (ASK,), "expected no pause; the agent waits for `adk_request_input`"),
    ],
)  # fmt: skip
def test_the_reason_says_what_the_agent_waits_for(
    expected: tuple[str, ...], open_now: tuple[Pause, ...], reason: str
) -> None:
    recorded = trace(turn(waits(*open_now), ended="paused" if open_now else "answered"))
    assert scored("pauses", case(Expect(pauses=expected)), recorded).reason == reason


def test_a_turn_that_failed_did_not_end_without_a_pause() -> None:
    broken = trace(turn(ended="failed"), outcome=Crashed(reason="HTTP 500"))
    assert scored("pauses", case(Expect(pauses=())), broken).value == 0
    assert scored("pauses", case(Expect(pauses=()), whole=Expect(pauses=())), trace()).value == 0


def test_no_pause_is_an_expectation() -> None:
    assert metric("pauses").expectation(case(Expect(pauses=()))) == {"turns": {"1": []}}
    assert metric("pauses").expectation(case(Expect())) is None
