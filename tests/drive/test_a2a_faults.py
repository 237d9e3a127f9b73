"""The fault table for streams of A2A, through the runner and over a real socket."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from gate.model.derived import texts_of
from gate.model.trace import Completed, Crashed, Outcome, Refused, Throttled, TimedOut, Trace
from tests.support.a2a_driving import run
from tests.support.a2a_wire import REST_1, RPC_1, SSE, card, frame, posts_in_turn, server, streams, update
from tests.support.driving import case, says
from tests.support.faulty_agent import (
    Behaviour,
    Exchange,
    answers,
    closes,
    faulty_agent,
    floods,
    hangs,
    resets,
    speaks_no_http,
)

BEGUN = frame(update("WORKING", "Let me see."))
DONE = frame(update("COMPLETED", "Hello", "n"))
OK = streams(BEGUN, DONE)


async def faced(posts: Behaviour, *, rest: bool = False, **settings: Any) -> Trace:
    """The one trace of a trial against this behaviour; no task may be left over."""
    before = asyncio.all_tasks()
    async with faulty_agent(server(posts, card(REST_1 if rest else RPC_1))) as agent:
        (trace,) = await run(agent.url, case("c", says("hi")), **settings)
    assert asyncio.all_tasks() == before
    return trace


def said(trace: Trace) -> list[str]:
    return list(texts_of(trace.events))


async def cuts(exchange: Exchange) -> None:
    """Cut a chunked stream in the middle of its next event."""
    exchange.writer.close()
    raise ConnectionResetError


def chunked(*chunks: bytes, then: Behaviour) -> Behaviour:
    async def behave(exchange: Exchange) -> None:
        await exchange.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
        )
        for chunk in chunks:
            await exchange.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
        await then(exchange)

    return behave


def error(code: int, words: str) -> bytes:
    body = {"jsonrpc": "2.0", "id": "1", "error": {"code": code, "message": words}}
    return b"event: error\ndata: " + json.dumps(body).encode() + b"\n\n"


@pytest.mark.parametrize(
    ("posts", "outcome", "heard", "words"),
    [
        (OK, Completed, ["Let me see.", "Hello"], ""),
        (
            streams(b": ping\r\n\r\n", BEGUN.replace(b"\n", b"\r\n"), DONE),
            Completed,
            ["Let me see.", "Hello"],
            "",
        ),
        (streams(frame(update("COMPLETED", "a\u2028b\u0085c"))), Completed, ["a\u2028b\u0085c"], ""),
        (streams(frame(update("COMPLETED", "x" * 1_000_000))), Completed, ["x" * 1_000_000], ""),
        (chunked(BEGUN, then=cuts), Crashed, ["Let me see."], "cut its answer off"),
        (chunked(BEGUN, DONE[:20], then=cuts), Crashed, ["Let me see."], "cut its answer off"),
        (streams(BEGUN), Crashed, ["Let me see."], "answer ended while its task was working"),
        (streams(BEGUN, DONE[:-1]), Crashed, ["Let me see."], "answer ended while its task was working"),
        (streams(), Crashed, [], "answer ended without a message and without a task"),
        (streams(BEGUN, b"data: {\n\n"), Crashed, ["Let me see."], "not JSON"),
        (streams(BEGUN, b'data: {"result": NaN}\n\n'), Crashed, ["Let me see."], "NaN"),
        (streams(BEGUN, b"data: \xff\n\n"), Crashed, ["Let me see."], "not UTF-8"),
        (streams(BEGUN, b"data: []\n\n"), Crashed, ["Let me see."], "JSON that is no object: []"),
        (streams(BEGUN, b"data: {}\n\n"), Crashed, ["Let me see."], "neither result nor error"),
        (streams(BEGUN, frame({"x": 1})), Crashed, ["Let me see."], "what A2A does not have"),
        (
            streams(BEGUN, frame({"artifactUpdate": {"artifact": {"parts": [1]}}}), DONE),
            *(Crashed, ["Let me see."], "a part is a number"),
        ),
        (
            streams(
                BEGUN, frame({"artifactUpdate": {"artifact": {"parts": [1]}}}), error(-32603, "it broke")
            ),
            *(Crashed, ["Let me see."], "it broke"),
        ),
        (streams(BEGUN, frame(None)), Crashed, ["Let me see."], "what A2A does not have: an answer is"),
        (streams(BEGUN, b"data: " + b"[" * 200 + b"\n\n"), Crashed, ["Let me see."], "not JSON"),
        (
            streams(BEGUN, b"data: " + b"x" * 9_000_000 + b"\n\n"),
            Crashed,
            ["Let me see."],
            "exceeds 8,388,608",
        ),
        (streams(BEGUN, error(-32603, "it broke")), Crashed, ["Let me see."], "error -32603: it broke"),
        (streams(BEGUN, error(-32601, "what?")), Crashed, ["Let me see."], "error -32601: what?"),
        (streams(error(-32603, "it broke")), Crashed, [], "error -32603: it broke"),
        (
            streams(BEGUN, frame(update("FAILED", "bad luck", "n"))),
            Crashed,
            ["Let me see."],
            "the task failed: bad",
        ),
        (streams(BEGUN, frame(update("REJECTED"))), Crashed, ["Let me see."], "the task was rejected"),
        (answers({"reply": "hi"}), Crashed, [], "neither result nor error"),
        (answers(body=b"<html>", headers={"content-type": "text/html"}), Crashed, [], "not JSON"),
        (speaks_no_http, Crashed, [], "did not answer in HTTP"),
        (answers({}, status="500 x"), Crashed, [], "500 Internal Server Error"),
        (answers({}, status="401 x"), Refused, [], "credentials"),
        (answers({}, status="422 x"), Refused, [], "422"),
    ],
)
async def test_each_fault_of_a_stream_has_its_outcome(
    posts: Behaviour, outcome: type[Outcome], heard: list[str], words: str
) -> None:
    trace = await faced(posts)
    assert type(trace.outcome) is outcome
    assert words in trace.outcome.reason
    assert said(trace) == heard
    assert trace.retries == 0


@pytest.mark.parametrize(
    ("posts", "outcome", "words"),
    [
        (answers({}, status="429 x"), Throttled, "429"),
        (answers({}, status="503 x"), Throttled, "503"),
        (answers({"error": "RESOURCE_EXHAUSTED"}, status="500 x"), Throttled, "RESOURCE_EXHAUSTED"),
        (streams(BEGUN, error(-32603, "429 RESOURCE_EXHAUSTED")), Throttled, "429"),
        (streams(frame(update("FAILED", "You exceeded your current quota"))), Throttled, "quota"),
        (streams(frame(update("COMPLETED", "error code: 429"))), Throttled, "cost no token"),
        (resets, Crashed, "closed the connection without an answer"),
        (closes, Crashed, "closed the connection without an answer"),
    ],
)
async def test_what_a_limit_or_the_connection_spoiled_is_tried_again(
    posts: Behaviour, outcome: type[Outcome], words: str
) -> None:
    trace = await faced(posts)
    assert type(trace.outcome) is outcome
    assert words in trace.outcome.reason
    assert trace.retries == 3


@pytest.mark.parametrize("posts", [hangs, streams(BEGUN, then=hangs), chunked(BEGUN, BEGUN[:9], then=hangs)])
async def test_a_stream_that_stands_still_meets_the_deadline(posts: Behaviour) -> None:
    trace = await faced(posts, trial_timeout_s=0.5)
    assert isinstance(trace.outcome, TimedOut)
    assert said(trace) == ([] if posts is hangs else ["Let me see."])


async def test_a_slow_stream_is_heard_to_its_end() -> None:
    async def slowly(exchange: Exchange) -> None:
        for byte in DONE:
            await exchange.write(bytes([byte]))
            await asyncio.sleep(0)
        exchange.writer.close()

    trace = await faced(streams(BEGUN, then=slowly))
    assert isinstance(trace.outcome, Completed)
    assert said(trace) == ["Let me see.", "Hello"]


async def test_a_stream_that_nobody_closes_ends_with_its_task() -> None:
    trace = await faced(streams(BEGUN, DONE, then=hangs), trial_timeout_s=10.0)
    assert isinstance(trace.outcome, Completed)


async def test_a_flood_is_cut_off() -> None:
    trace = await faced(floods)
    assert isinstance(trace.outcome, Crashed)
    assert "exceeds 33,554,432 bytes" in trace.outcome.reason


async def test_a_trial_is_tried_again_in_a_fresh_context() -> None:
    trace = await faced(posts_in_turn(answers({}, status="429 x"), OK))
    assert isinstance(trace.outcome, Completed)
    assert (trace.retries, trace.session) == (1, "c")


@pytest.mark.parametrize(
    ("last", "outcome", "words"),
    [
        (frame(update("COMPLETED", "Hello", "n"), wrapped=False), Completed, ""),
        (
            b'event: error\ndata: {"error": {"code": 500, "message": "broken"}}\n\n',
            Crashed,
            "error 500: broken",
        ),
        (b'data: {"error": "broken"}\n\n', Crashed, "the error broken"),
        (b"", Crashed, "while its task was working"),
    ],
)
async def test_rest_fails_in_its_own_words(last: bytes, outcome: type[Outcome], words: str) -> None:
    trace = await faced(streams(frame(update("WORKING", "Let me see."), wrapped=False), last), rest=True)
    assert type(trace.outcome) is outcome
    assert words in trace.outcome.reason
    assert said(trace)[0] == "Let me see."


WAYS = [("1.0", "jsonrpc"), ("1.0", "rest"), ("0.3", "jsonrpc"), ("0.3", "rest")]


class Wire:
    """One generation in one binding: how it writes an update, and how it writes an error."""

    def __init__(self, version: str, transport: str) -> None:
        self._new, self._rest = version == "1.0", transport == "rest"
        self.options = {"version": version, "transport": transport, "stream": True}

    def __call__(self, state: str, words: str = "", message_id: str = "m") -> bytes:
        if self._new:
            return frame(update(state, words, message_id), wrapped=not self._rest)
        named = f"TASK_STATE_{state}" if self._rest else state.lower()
        status = {"state": named, **({"message": self._message(words, message_id)} if words else {})}
        of = {"taskId": "t", "contextId": "c", "status": status, "final": state != "WORKING"}
        return frame(
            {"statusUpdate": of} if self._rest else {"kind": "status-update", **of}, wrapped=not self._rest
        )

    def error(self, words: str) -> bytes:
        wrong = {"code": -32603, "message": words}
        body = {"error": wrong} if self._rest else {"jsonrpc": "2.0", "id": "1", "error": wrong}
        return b"data: " + json.dumps(body).encode() + b"\n\n"

    def _message(self, words: str, message_id: str) -> dict[str, Any]:
        if self._rest:
            return {"messageId": message_id, "role": "ROLE_AGENT", "content": [{"text": words}]}
        return {
            "kind": "message",
            "messageId": message_id,
            "role": "agent",
            "parts": [{"kind": "text", "text": words}],
        }


Make = Callable[[Wire], Behaviour]


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.parametrize(
    ("make", "outcome", "heard", "words"),
    [
        (lambda w: streams(w("WORKING", "Hm."), w("COMPLETED", "Hi", "n")), Completed, ["Hm.", "Hi"], ""),
        (lambda w: streams(w("COMPLETED", "a\u2028b")), Completed, ["a\u2028b"], ""),
        (lambda w: chunked(w("WORKING", "Hm."), then=cuts), Crashed, ["Hm."], "cut its answer off"),
        (lambda w: streams(w("WORKING", "Hm.")), Crashed, ["Hm."], "ended while its task was working"),
        (lambda _: streams(), Crashed, [], "ended without a message and without a task"),
        (lambda w: streams(w("WORKING", "Hm."), b"data: {\n\n"), Crashed, ["Hm."], "not JSON"),
        (lambda w: streams(w("WORKING", "Hm."), b"data: \xff\n\n"), Crashed, ["Hm."], "not UTF-8"),
        (lambda w: streams(w("WORKING", "Hm."), w.error("it broke")), Crashed, ["Hm."], "it broke"),
        (lambda w: streams(w("WORKING", "Hm."), w.error("429 quota")), Throttled, ["Hm."], "429"),
        (lambda w: streams(w("WORKING", "Hm."), w("FAILED", "bad luck", "n")), Crashed, ["Hm."], "bad luck"),
        (lambda w: streams(w("REJECTED")), Crashed, [], "the task was rejected"),
        (lambda _: answers({}, status="429 x"), Throttled, [], "429"),
        (lambda _: answers({}, status="503 x"), Throttled, [], "503"),
        (lambda _: answers({}, status="500 x"), Crashed, [], "500"),
        (lambda _: answers({}, status="401 x"), Refused, [], "credentials"),
        (lambda _: resets, Crashed, [], "closed the connection"),
        (lambda _: speaks_no_http, Crashed, [], "did not answer in HTTP"),
        (lambda w: streams(w("WORKING", "Hm."), then=hangs), TimedOut, ["Hm."], ""),
    ],
)  # fmt: skip
async def test_each_generation_and_binding_fails_alike(
    way: tuple[str, str], make: Make, outcome: type[Outcome], heard: list[str], words: str
) -> None:
    wire = Wire(*way)
    timeout_s = 0.5 if outcome is TimedOut else 20.0
    async with faulty_agent(server(make(wire))) as agent:
        settings = {"retries": 0, "trial_timeout_s": timeout_s}
        (trace,) = await run(agent.url, case("c", says("hi")), options=wire.options, **settings)
    assert type(trace.outcome) is outcome, trace.outcome
    assert words in trace.outcome.reason
    assert said(trace) == heard


async def test_a_stream_s_type_may_have_parameters() -> None:
    async def posts(exchange: Exchange) -> None:
        headers = {"content-type": f"{SSE['content-type']}; charset=utf-8"}
        await answers(body=BEGUN + DONE, headers=headers)(exchange)

    assert isinstance((await faced(posts)).outcome, Completed)
