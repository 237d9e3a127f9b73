"""The fault table of the ag-ui protocol, through the runner and over a real socket."""

import asyncio
from typing import Any

import pytest

from gate.model.derived import texts_of
from gate.model.trace import Call, Completed, Crashed, Outcome, Refused, Throttled, TimedOut, Trace
from gate.redact import Redactor
from tests.support.ag_ui_made import FINISHED, SSE, STARTED, frames, said
from tests.support.driving import StillAgent, case, run, says
from tests.support.faulty_agent import (
    Behaviour,
    Exchange,
    answers,
    closes,
    faulty_agent,
    hangs,
    one_after_another,
    resets,
    speaks_no_http,
)

QUOTA = "429 RESOURCE_EXHAUSTED. You exceeded your current quota."


CALL = (
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"a'},
)
HALF = (STARTED, *said("m", "It is")[:-1], *CALL)
GOOD = (STARTED, *said("m", "It is ", "14 °C."), FINISHED)
FREE = {**FINISHED, "usage": [{"inputTokens": 0, "outputTokens": 0}]}
COSTLY = {**FINISHED, "usage": [{"inputTokens": 11, "outputTokens": 7}]}


async def faced(behaviour: Behaviour, **settings: Any) -> Trace:
    """The one trace of a trial against this behaviour; no task may be left over."""
    before = asyncio.all_tasks()
    async with faulty_agent(behaviour) as agent:
        (trace,) = await run(StillAgent(agent.url), [case()], options={}, protocol="ag-ui", **settings)
    assert asyncio.all_tasks() == before
    return trace


def streams(*values: Any) -> Behaviour:
    return answers(body=frames(*values), headers=SSE)


def cuts(*values: Any, hang: bool = False) -> Behaviour:
    """A stream whose connection is lost, or stands still, in the middle of it."""

    async def behave(exchange: Exchange) -> None:
        await exchange.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99999\r\n\r\n"
        )
        await exchange.write(frames(*values))
        if hang:
            await hangs(exchange)
        exchange.writer.close()
        raise ConnectionResetError

    return behave


def repeats(piece: bytes, *, every_s: float = 0) -> Behaviour:
    """A stream that goes on with the same bytes until nobody listens any more."""

    async def behave(exchange: Exchange) -> None:
        await exchange.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        await exchange.write(frames(STARTED))
        while True:
            await exchange.write(piece)
            await asyncio.sleep(every_s)

    return behave


@pytest.mark.parametrize(
    ("behaviour", "outcome", "words"),
    [
        (resets, Crashed, "closed the connection without an answer"),
        (closes, Crashed, "closed the connection without an answer"),
        (cuts(STARTED), Crashed, "cut its answer off"),
        (
            repeats(frames({"type": "CUSTOM", "name": "n", "value": "x" * 1_000_000})),
            Crashed,
            "exceeds 33,554,432",
        ),
        (repeats(b"data: " + b"x" * 1_000_000), Crashed, "exceeds 8,388,608 bytes"),
        (speaks_no_http, Crashed, "did not answer in HTTP"),
        (answers({"messages": []}), Crashed, "content-type 'application/json', not text/event-stream"),
        (answers(body=b"<html>", headers={"content-type": "text/html"}), Crashed, "content-type 'text/html'"),
        (
            answers(body=b"\x00", headers={"content-type": "application/vnd.ag-ui.event+proto"}),
            Crashed,
            "content-type 'application/vnd.ag-ui.event+proto'",
        ),
        (streams(b'{"type": '), Crashed, "not JSON"),
        (streams(b'{"type": NaN}'), Crashed, "NaN"),
        (streams(b'"\xff"'), Crashed, "not UTF-8"),
        (streams(b"[" * 200), Crashed, "not JSON"),
        (streams(b"[DONE]"), Crashed, "not JSON"),
        (streams(b"5"), Crashed, "malformed by AG-UI's rules: an event is an object, this is a number"),
        (streams({}), Crashed, "malformed by AG-UI's rules: an event has a type"),
        (streams(), Crashed, "ended before RUN_FINISHED came"),
        (streams(STARTED), Crashed, "ended before RUN_FINISHED came"),
        (streams({"type": "SOMETHING_NEW"}), Crashed, "ended before RUN_FINISHED came"),
        (streams(*said("m", "Hi"), FINISHED), Crashed, "the first event is 'TEXT_MESSAGE_START'"),
        (streams(STARTED, said("m", "x")[1], FINISHED), Crashed, "'m', which is not open"),
        (streams(STARTED, *said("m", "x")[:-1], FINISHED), Crashed, "while a text message was open"),
        (streams(STARTED, *CALL, FINISHED), Crashed, "while a tool call was open"),
        (streams(*GOOD, said("m", "x")[0]), Crashed, "came after RUN_FINISHED"),
        (streams(STARTED, {"type": "RUN_ERROR", "message": "boom", "code": "E"}), Crashed, "E: boom"),
        (streams({"type": "RUN_ERROR", "message": "boom"}), Crashed, "boom"),
        (streams(*GOOD, {"type": "RUN_ERROR", "message": "late"}), Crashed, "late"),
        (streams(STARTED, {"type": "RUN_ERROR", "message": QUOTA}), Throttled, "RESOURCE_EXHAUSTED"),
        (streams(STARTED, {"type": "RUN_ERROR", "message": "x", "code": "429"}), Throttled, "429"),
        (streams(STARTED, {**FINISHED, "outcome": {"type": "cancelled"}}), Crashed, "was cancelled"),
        (streams(STARTED, *said("m", QUOTA), FINISHED), Throttled, "no token"),
        (streams(STARTED, *said("m", QUOTA), FREE), Throttled, "no token"),
        (streams(STARTED, *said("m", QUOTA), COSTLY), Completed, ""),
        (answers({"detail": "slow"}, status="429 x"), Throttled, "429 Too Many"),
        (answers({}, status="503 x"), Throttled, "503 Service Unavailable"),
        (answers({"error": "boom"}, status="500 x"), Crashed, "boom"),
        (answers({"detail": "insufficient_quota"}, status="500 x"), Throttled, "500"),
        (answers({"detail": "no"}, status="401 x"), Refused, "credentials"),
        (answers({}, status="404 x"), Refused, "`ag-ui: {path: /…}`"),
        (answers({}, status="405 x"), Refused, "`ag-ui: {path: /…}`"),
        (answers({"detail": [{"loc": ["body", "tools"]}]}, status="422 x"), Refused, "`ag-ui` has tools"),
        (answers({}, status="302 x", headers={"location": "/login"}), Refused, "redirects to /login"),
        (answers({}, status="204 x"), Refused, "204"),
    ],
)
async def test_each_fault_has_its_outcome(behaviour: Behaviour, outcome: type[Outcome], words: str) -> None:
    trace = await faced(behaviour, retries=0)
    assert type(trace.outcome) is outcome, trace.outcome
    assert words in trace.outcome.reason


@pytest.mark.parametrize(
    ("behaviour", "outcome"),
    [(cuts(*HALF), Crashed), (streams(*HALF), Crashed), (cuts(*HALF, hang=True), TimedOut)],
    ids=["cut", "ended too early", "stands still"],
)
async def test_what_came_of_a_stream_is_kept(behaviour: Behaviour, outcome: type[Outcome]) -> None:
    trace = await faced(behaviour, trial_timeout_s=0.3)
    assert type(trace.outcome) is outcome, trace.outcome
    assert trace.turns[0].ended == "failed"
    if outcome is TimedOut:
        return
    assert list(texts_of(trace.events)) == ["It is"]
    assert [
        (part.name, part.args) for event in trace.events for part in event.parts if isinstance(part, Call)
    ] == [("f", None)]
    assert not any(event.pauses for event in trace.events)


async def test_a_secret_that_a_stream_cuts_in_two_is_taken_out() -> None:
    behaviour = streams(STARTED, *said("m", "key sk-can", "ary-4711"), FINISHED)
    trace = await faced(behaviour, redact=Redactor(["sk-canary-4711"]))
    assert list(texts_of(trace.events)) == ["key ***"]


@pytest.mark.parametrize("behaviour", [hangs, repeats(b":\n", every_s=0.01)], ids=["hangs", "dribbles"])
async def test_the_deadline_ends_what_hangs_or_dribbles(behaviour: Behaviour) -> None:
    assert isinstance((await faced(behaviour, trial_timeout_s=0.1)).outcome, TimedOut)


async def test_a_throttled_trial_is_tried_again_in_a_fresh_thread() -> None:
    seen: list[str] = []

    def noting(behaviour: Behaviour) -> Behaviour:
        async def behave(exchange: Exchange) -> None:
            seen.append(exchange.json["threadId"])
            await behaviour(exchange)

        return behave

    behaviour = one_after_another(noting(answers({}, status="429 x")), noting(streams(*GOOD)))
    trace = await faced(behaviour)
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert trace.retries == 1
    assert list(texts_of(trace.events)) == ["It is 14 °C."]
    assert len(set(seen)) == 2


async def test_a_fault_in_the_second_turn_leaves_the_first_as_it_was() -> None:
    behaviour = one_after_another(streams(*GOOD), streams(STARTED, {"type": "RUN_ERROR", "message": "boom"}))
    async with faulty_agent(behaviour) as agent:
        cases = [case("two", says("hi"), says("again"))]
        (trace,) = await run(StillAgent(agent.url), cases, options={}, protocol="ag-ui")
    assert isinstance(trace.outcome, Crashed)
    assert [turn.ended for turn in trace.turns] == ["answered", "failed"]
    assert list(texts_of(trace.turns[0].events)) == ["It is 14 °C."]
