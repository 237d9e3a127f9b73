"""The fault table of both openai protocols, streamed and whole, through the runner and over a real socket."""

import asyncio
import json
from typing import Any

import pytest

from gate.model.derived import texts_of
from gate.model.trace import Call, Completed, Crashed, Outcome, Refused, Throttled, TimedOut, Trace
from tests.support.driving import StillAgent, case, run
from tests.support.faulty_agent import (
    Behaviour,
    Exchange,
    answers,
    closes,
    dribbles,
    faulty_agent,
    floods,
    hangs,
    one_after_another,
    resets,
    resets_after_first_byte,
    speaks_no_http,
)

SSE = {"content-type": "text/event-stream; charset=utf-8"}
BOTH = pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses"])
STREAMED = pytest.mark.parametrize("stream", [False, True])
QUOTA = "429 RESOURCE_EXHAUSTED. You exceeded your current quota."


async def faced(protocol: str, behaviour: Behaviour, *, stream: bool = True, **settings: Any) -> Trace:
    """The one trace of a trial against this behaviour; no task may be left over."""
    before = asyncio.all_tasks()
    async with faulty_agent(behaviour) as agent:
        (trace,) = await run(
            StillAgent(agent.url), [case()], options={"stream": stream}, protocol=protocol, **settings
        )
    assert asyncio.all_tasks() == before
    return trace


def frames(*values: Any) -> bytes:
    return b"".join(
        b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n"
        for value in values
    )


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


def says(text: str, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}


def delta(text: str) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "delta": text}


def ends(status: str = "completed", **fields: Any) -> dict[str, Any]:
    response = {"id": "r", "object": "response", "status": status, "output": [], **fields}
    return {"type": f"response.{status}", "response": response}


CALL = {"index": 0, "id": "c1", "function": {"name": "f", "arguments": '{"a'}}
FREE = {"choices": [], "usage": {"prompt_tokens": 0, "completion_tokens": 0}}
HALF = {
    "openai-chat": (says("It is"), {"choices": [{"delta": {"tool_calls": [CALL]}}]}),
    "openai-responses": (
        delta("It is"),
        {
            "type": "response.output_item.added",
            "output_index": 1,
            "item": {"type": "function_call", "id": "i", "call_id": "c1", "name": "f", "arguments": ""},
        },
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"a'},
    ),
}
GOOD = {
    "openai-chat": (says("It is 14 °C.", "stop"), b"[DONE]"),
    "openai-responses": (delta("It is 14 °C."), ends()),
}


@BOTH
@STREAMED
@pytest.mark.parametrize(
    ("behaviour", "outcome", "words"),
    [
        (resets, Crashed, "closed the connection without an answer"),
        (closes, Crashed, "closed the connection without an answer"),
        (resets_after_first_byte, Crashed, "cut its answer off"),
        (floods, Crashed, "exceeds 33,554,432 bytes"),
        (speaks_no_http, Crashed, "did not answer in HTTP"),
        (answers(body=b'{"choices": '), Crashed, "not JSON"),
        (answers(body=b'{"choices": NaN}'), Crashed, "NaN"),
        (answers(body=b'{"choices": "\xff"}'), Crashed, "not UTF-8"),
        (answers(body=b""), Crashed, "empty"),
        (answers(body=b"<html>", headers={"content-type": "text/html"}), Crashed, "content-type 'text/html'"),
        (streams(b'{"choices": '), Crashed, "not JSON"),
        (streams(b'"\xff"'), Crashed, "not UTF-8"),
        (streams(b"[DONE]"), Crashed, "no answer of its API"),
        (streams(), Crashed, "ended before"),
        (answers({"error": {"message": "boom"}}), Crashed, "boom"),
        (streams({"error": {"message": "boom"}}), Crashed, "boom"),
        (answers(body=b"event: error\ndata: it broke\n\n", headers=SSE), Crashed, "it broke"),
        (streams({"error": {"message": QUOTA, "code": 429}}), Throttled, "RESOURCE_EXHAUSTED"),
        (answers({"error": {"code": "rate_limit_exceeded"}}, status="429 x"), Throttled, "429 Too Many"),
        (answers({}, status="503 x"), Throttled, "503 Service Unavailable"),
        (answers({"error": {"type": "insufficient_quota"}}, status="500 x"), Throttled, "500"),
        (answers({"error": {"message": "boom"}}, status="500 x"), Crashed, "boom"),
        (answers({"error": {"message": "no key"}}, status="401 x"), Refused, "credentials"),
        (answers({"error": {"message": "unknown field"}}, status="400 x"), Refused, "`openai-"),
        (answers({}, status="302 x", headers={"location": "/login"}), Refused, "redirects to /login"),
    ],
)
async def test_each_fault_has_its_outcome(
    protocol: str, *, stream: bool, behaviour: Behaviour, outcome: type[Outcome], words: str
) -> None:
    trace = await faced(protocol, behaviour, stream=stream, retries=0)
    assert type(trace.outcome) is outcome, trace.outcome
    assert words in trace.outcome.reason


@BOTH
@pytest.mark.parametrize(
    ("sending", "outcome"),
    [
        (lambda values: cuts(*values), Crashed),
        (lambda values: streams(*values), Crashed),
        (lambda values: cuts(*values, hang=True), TimedOut),
    ],
    ids=["cut", "ended too early", "stands still"],
)
async def test_what_came_of_a_stream_is_kept(protocol: str, sending: Any, outcome: type[Outcome]) -> None:
    trace = await faced(protocol, sending(HALF[protocol]), trial_timeout_s=0.3)
    assert type(trace.outcome) is outcome, trace.outcome
    assert trace.turns[0].ended == "failed"
    if outcome is TimedOut:
        return
    assert list(texts_of(trace.events)) == ["It is"]
    assert [
        (part.name, part.args) for event in trace.events for part in event.parts if isinstance(part, Call)
    ] == [("f", None)]
    assert not any(event.pauses for event in trace.events)


@BOTH
async def test_a_secret_that_a_stream_cuts_in_two_is_taken_out(protocol: str) -> None:
    from gate.redact import Redactor

    halves = {
        "openai-chat": (says("key sk-can"), says("ary-4711", "stop")),
        "openai-responses": (delta("key sk-can"), delta("ary-4711"), ends()),
    }
    trace = await faced(protocol, streams(*halves[protocol]), redact=Redactor(["sk-canary-4711"]))
    assert list(texts_of(trace.events)) == ["key ***"]


@BOTH
@pytest.mark.parametrize("behaviour", [hangs, dribbles])
async def test_the_deadline_ends_what_hangs_or_dribbles(protocol: str, behaviour: Behaviour) -> None:
    assert isinstance((await faced(protocol, behaviour, trial_timeout_s=0.1)).outcome, TimedOut)


@BOTH
async def test_a_throttled_trial_is_tried_again_in_a_fresh_conversation(protocol: str) -> None:
    behaviour = one_after_another(answers({}, status="429 x"), streams(*GOOD[protocol]))
    trace = await faced(protocol, behaviour)
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert trace.retries == 1
    assert list(texts_of(trace.events)) == ["It is 14 °C."]


@pytest.mark.parametrize(
    ("values", "outcome", "words"),
    [
        ((says("It is"), says("", "length")), Crashed, "cut off at the limit of tokens"),
        ((says("", "content_filter"), b"[DONE]"), Crashed, "a filter withheld"),
        ((says("It is 14 °C.", "stop"),), Completed, ""),  # no [DONE], as some servers end
        ((says("It is 14 °C."), b"[DONE]"), Completed, ""),  # no finish_reason, as others do
        ((says("It is"), {"error": {"message": "boom"}}, says("more", "stop")), Crashed, "boom"),
        ((says(QUOTA, "stop"), FREE), Throttled, "no token"),
        ((says("Hi", "stop"), b"not json"), Crashed, "not JSON"),
    ],
)
async def test_how_a_stream_of_a_chat_ends(
    values: tuple[Any, ...], outcome: type[Outcome], words: str
) -> None:
    trace = await faced("openai-chat", streams(*values), retries=0)
    assert type(trace.outcome) is outcome, trace.outcome
    assert words in trace.outcome.reason


@pytest.mark.parametrize(
    ("values", "outcome", "words"),
    [
        (
            (delta("It is"), ends("incomplete", incomplete_details={"reason": "max_output_tokens"})),
            Crashed,
            "incomplete: max_output_tokens",
        ),
        (
            (delta("It is"), ends("failed", error={"code": "server_error", "message": "boom"})),
            Crashed,
            "boom",
        ),
        (
            (ends("failed", error={"code": "rate_limit_exceeded", "message": "slow down"}),),
            Throttled,
            "slow down",
        ),
        ((delta("It is"), {"type": "error", "code": "x", "message": "boom"}), Crashed, "x: boom"),
        ((delta("It is 14 °C."), b"[DONE]"), Completed, ""),  # as servers of the other API end
        ((delta("It is 14 °C."), ends(), b"[DONE]"), Completed, ""),
    ],
)
async def test_how_a_stream_of_responses_ends(
    values: tuple[Any, ...], outcome: type[Outcome], words: str
) -> None:
    trace = await faced("openai-responses", streams(*values), retries=0)
    assert type(trace.outcome) is outcome, trace.outcome
    assert words in trace.outcome.reason
