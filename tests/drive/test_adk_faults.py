"""The fault table of what carries ADK's events: `/run_sse`, and Agent Engine's lines, bare or as events."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gate.drive import drive
from gate.model.config import AgentConfig, NoBoot, RunConfig
from gate.model.derived import calls_of, texts_of
from gate.model.trace import Completed, Crashed, Outcome, Refused, Throttled, TimedOut, Trace
from gate.redact import Redactor
from tests.support.conformance.speakers.agent_engine import snake
from tests.support.driving import FastPace, StillAgent, case
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

QUOTA = "429 RESOURCE_EXHAUSTED. You exceeded your current quota."
SSE = "text/event-stream; charset=utf-8"


class Carrier:
    """One way in which ADK's events travel: how a stream of them is written, and what is no turn."""

    def __init__(self, protocol: str, media: str, write: Callable[[bytes], bytes]) -> None:
        self.protocol = protocol
        self.media = media
        self._write = write

    def frames(self, *values: Any) -> bytes:
        return b"".join(self._write(self._encoded(value)) for value in values)

    def _encoded(self, value: Any) -> bytes:
        if isinstance(value, bytes):
            return value
        return json.dumps(snake(value) if self.protocol == "agent-engine" else value).encode()

    def server(self, turns: Behaviour) -> Behaviour:
        """Opens sessions as it should, and meets turns, counted by themselves, with this behaviour."""
        number = 0

        async def behave(exchange: Exchange) -> None:
            nonlocal number
            if exchange.path.endswith(("/run_sse", "/api/stream_reasoning_engine")):
                number += 1
                await turns(replace(exchange, number=number))
            else:
                await answers({"language": "python", "id": "s", "output": {"id": "s"}})(exchange)

        return behave

    def streams(self, *values: Any, end: str = "in order") -> Behaviour:
        """A stream that ends in order, is cut, or stands still after these frames."""

        async def behave(exchange: Exchange) -> None:
            head = f"HTTP/1.1 200 OK\r\ncontent-type: {self.media}\r\ntransfer-encoding: chunked\r\n\r\n"
            await exchange.write(head.encode())
            for data in filter(None, (self.frames(value) for value in values)):
                await exchange.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            if end == "in order":
                await exchange.write(b"0\r\n\r\n")
                return
            await (hangs if end == "stands still" else cuts)(exchange)

        return behave


async def cuts(exchange: Exchange) -> None:
    exchange.writer.close()
    raise ConnectionResetError


REST = Carrier("adk", SSE, lambda data: b"data: " + data + b"\n\n")
LINES = Carrier("agent-engine", "application/json", lambda data: data + b"\n")
FRAMED = Carrier("agent-engine", SSE, lambda data: b"data: " + data + b"\n\n")
ALL = pytest.mark.parametrize("carrier", [REST, LINES, FRAMED], ids=["run_sse", "lines", "server-sent"])
ENGINE = pytest.mark.parametrize("carrier", [LINES, FRAMED], ids=["lines", "server-sent"])


async def faced(carrier: Carrier, turns: Behaviour, *, redact: Redactor | None = None, **run: Any) -> Trace:
    """The one trace of a trial against this behaviour; no task may be left over."""
    before = asyncio.all_tasks()
    config = AgentConfig(protocol=carrier.protocol, boot=NoBoot(), app="toy", options={"streaming": True})
    settings = {"concurrency": 1, "trial_timeout_s": 20.0, **run}
    async with faulty_agent(carrier.server(turns)) as agent:
        traces = drive(
            *(StillAgent(agent.url), config, RunConfig(**settings), ((case(), (1,)),)),
            redact or Redactor(),
            pace=FastPace(),
        )
        [trace] = [trace async for trace in traces]
    assert asyncio.all_tasks() == before
    return trace


def event(*parts: Any, **fields: Any) -> dict[str, Any]:
    return {"author": "toy", "id": "e", "content": {"role": "model", "parts": list(parts)}, **fields}


def says(text: str, **fields: Any) -> dict[str, Any]:
    return event({"text": text}, **fields)


def calls(name: str = "f", **fields: Any) -> dict[str, Any]:
    return event({"functionCall": {"id": "c1", "name": name, "args": {}}}, **fields)


def gave(**fields: Any) -> dict[str, Any]:
    return event({"functionResponse": {"id": "c1", "name": "f", "response": {"ok": True}}}, **fields)


BEGUN = says("Let me see.", id="a")
DONE = says("It is 14 °C.", id="b")
STATE = {"author": "toy", "actions": {"stateDelta": {"a": 1}}}


@ALL
@pytest.mark.parametrize(
    ("behaviour", "outcome", "retries", "words"),
    [
        (resets, Crashed, 3, "closed the connection without an answer"),
        (closes, Crashed, 3, "closed the connection without an answer"),
        (resets_after_first_byte, Crashed, 0, ""),
        (floods, Crashed, 0, ""),
        (speaks_no_http, Crashed, 0, "did not answer in HTTP"),
        (answers(body=b"<html>", headers={"content-type": "text/html"}), Crashed, 0, "text/html"),
        (answers(body=b"hi", headers={}), Crashed, 0, "no type"),
        (answers({"detail": "slow down"}, status="429 x"), Throttled, 3, "429 Too Many"),
        (answers({}, status="503 x"), Throttled, 3, "503 Service Unavailable"),
        (answers({"error": {"status": "RESOURCE_EXHAUSTED"}}, status="500 x"), Throttled, 3, "500"),
        (answers(body=b"Internal Server Error", status="500 x"), Crashed, 0, "500"),
        (answers(body=b"", status="502 x"), Crashed, 0, "502 Bad Gateway"),
        (answers({"error": {"message": "no"}}, status="401 x"), Refused, 0, "401"),
        (answers({}, status="302 x", headers={"location": "/login"}), Refused, 0, "redirects to /login"),
        (answers({"detail": "field required"}, status="422 x"), Refused, 0, "field required"),
    ],
)
async def test_each_fault_of_a_turn_has_its_outcome(
    carrier: Carrier, behaviour: Behaviour, outcome: type[Outcome], retries: int, words: str
) -> None:
    trace = await faced(carrier, behaviour)
    assert type(trace.outcome) is outcome, trace.outcome
    assert words in trace.outcome.reason
    assert trace.retries == retries


@ALL
@pytest.mark.parametrize(
    ("frames", "outcome", "heard", "words"),
    [
        ([BEGUN, STATE, DONE], Completed, ["Let me see.", "It is 14 °C."], ""),
        ([says("a\u2028b\u0085c")], Completed, ["a\u2028b\u0085c"], ""),
        ([says("x" * 1_000_000)], Completed, ["x" * 1_000_000], ""),
        ([BEGUN, b"{"], Crashed, ["Let me see."], "not JSON"),
        ([BEGUN, b'{"author": NaN}'], Crashed, ["Let me see."], "NaN"),
        ([BEGUN, b'"\xff"'], Crashed, ["Let me see."], "not UTF-8"),
        ([BEGUN, b"[]"], Crashed, ["Let me see."], "an event is an object, this is a list"),
        ([BEGUN, b"{}"], Crashed, ["Let me see."], "no ADK event"),
        ([BEGUN, b"null"], Crashed, ["Let me see."], "this is null"),
        ([BEGUN, {"author": 7}], Crashed, ["Let me see."], "author is a number"),
        ([BEGUN, b"[" * 200], Crashed, ["Let me see."], "not JSON"),
        ([BEGUN, b'"' + b"x" * 9_000_000 + b'"'], Crashed, ["Let me see."], "exceeds 8,388,608"),
        ([BEGUN, {"error": "it broke"}], Crashed, ["Let me see."], "it broke"),
        ([BEGUN, {"error": {"message": "it broke"}}], Crashed, ["Let me see."], "it broke"),
        ([BEGUN, {**STATE, "errorCode": "X", "errorMessage": "boom"}], Crashed, ["Let me see."], "X: boom"),
        ([BEGUN, {**STATE, "errorCode": "RESOURCE_EXHAUSTED"}], Throttled, ["Let me see."], "EXHAUSTED"),
        ([{"error": QUOTA}], Throttled, [], "429"),
        ([says(QUOTA, usageMetadata={"promptTokenCount": 0})], Throttled, [QUOTA], "cost no token"),
        ([says("It ", partial=True), {"error": "it broke"}], Crashed, ["It "], "it broke"),
    ],
)  # fmt: skip
async def test_each_fault_of_a_stream_has_its_outcome(
    carrier: Carrier, frames: list[Any], outcome: type[Outcome], heard: list[str], words: str
) -> None:
    trace = await faced(carrier, carrier.streams(*frames), retries=0)
    assert type(trace.outcome) is outcome, trace.outcome
    assert words in trace.outcome.reason
    assert list(texts_of(trace.events)) == heard


@ENGINE
@pytest.mark.parametrize(
    ("frame", "outcome", "words"),
    [
        ({"code": 498, "message": "the agent raised"}, Crashed, "498: the agent raised"),
        ({"code": 429, "message": "Resource exhausted"}, Throttled, "429"),
        ({"code": 498, "message": "429 RESOURCE_EXHAUSTED"}, Throttled, "RESOURCE_EXHAUSTED"),
        ({"error": {"code": 503, "message": "try again", "status": "UNAVAILABLE"}}, Throttled, "UNAVAILABLE"),
        (
            {"error": {"code": 500, "message": "broken", "status": "INTERNAL"}},
            Crashed,
            "500: INTERNAL: broken",
        ),
        ({"detail": "Agent Engine Error"}, Crashed, "Agent Engine Error"),
        ({"detail": [{"loc": ["body"]}]}, Crashed, "loc"),
    ],
)
async def test_the_engine_fails_in_a_200_in_its_own_words(
    carrier: Carrier, frame: Any, outcome: type[Outcome], words: str
) -> None:
    trace = await faced(carrier, carrier.streams(BEGUN, json.dumps(frame).encode()), retries=0)
    assert type(trace.outcome) is outcome, trace.outcome
    assert words in trace.outcome.reason
    assert list(texts_of(trace.events)) == ["Let me see."]


@ENGINE
@pytest.mark.parametrize(
    ("frames", "lacking"),
    [
        ([], "its first event"),
        ([says("It ", partial=True)], "the whole of an answer that it had begun"),
        ([BEGUN, calls()], "the result of the call of 'f'"),
        ([BEGUN, calls(), STATE], "the result of the call of 'f'"),
        ([calls(), gave()], "what follows on the call of 'f'"),
        ([calls(), gave(), DONE], ""),
        ([STATE], ""),
        ([calls(longRunningToolIds=["c1"])], ""),
        ([calls(), calls("adk_request_credential", longRunningToolIds=["c2"]), gave()], ""),
        ([calls(longRunningToolIds=["c1"]), says("It ", partial=True)], "the whole of an answer"),
        ([calls(), gave(actions={"skipSummarization": True})], ""),
        ([calls(), gave(actions={"escalate": True})], ""),
        ([calls(), gave(), {"author": "toy", "output": {"a": 1}, "nodeInfo": {"path": "toy@1"}}], ""),
        ([says("It ", partial=True), DONE], ""),
    ],
)
async def test_a_stream_that_ends_in_order_ends_where_a_run_does(
    carrier: Carrier, frames: list[Any], lacking: str
) -> None:
    trace = await faced(carrier, carrier.streams(*frames), retries=0)
    if lacking:
        assert isinstance(trace.outcome, Crashed), trace.outcome
        assert f"ended in order, but before {lacking}" in trace.outcome.reason
    else:
        assert not isinstance(trace.outcome, Crashed), trace.outcome


@ALL
@pytest.mark.parametrize(("end", "outcome"), [("cut", Crashed), ("stands still", TimedOut)])
async def test_what_came_of_a_stream_is_kept(carrier: Carrier, end: str, outcome: type[Outcome]) -> None:
    behaviour = carrier.streams(BEGUN, calls(), says("It ", partial=True, id="z"), end=end)
    trace = await faced(carrier, behaviour, trial_timeout_s=0.5)
    assert type(trace.outcome) is outcome, trace.outcome
    assert trace.turns[0].ended == "failed"
    assert next(iter(texts_of(trace.events))) == "Let me see."
    assert [call.name for call in calls_of(trace.events)] == ["f"]
    if outcome is Crashed:
        assert list(texts_of(trace.events)) == ["Let me see.", "It "]


@ALL
@pytest.mark.parametrize("behaviour", [hangs, dribbles])
async def test_the_deadline_ends_what_hangs_or_dribbles(carrier: Carrier, behaviour: Behaviour) -> None:
    """Bytes that are no event of `run_sse` are the agent's failure before any deadline."""
    trace = await faced(carrier, behaviour, trial_timeout_s=0.2)
    no_stream = carrier is REST and behaviour is dribbles
    assert isinstance(trace.outcome, Crashed if no_stream else TimedOut), trace.outcome


@ALL
async def test_a_throttled_trial_is_tried_again_in_a_fresh_session(carrier: Carrier) -> None:
    trace = await faced(carrier, one_after_another(answers({}, status="429 x"), carrier.streams(DONE)))
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert trace.retries == 1
    assert list(texts_of(trace.events)) == ["It is 14 °C."]


@ALL
async def test_a_secret_that_a_stream_cuts_in_two_is_taken_out(carrier: Carrier) -> None:
    halves = (says("key sk-can", partial=True), says("ary-4711", partial=True), {"error": "boom"})
    trace = await faced(carrier, carrier.streams(*halves), redact=Redactor(["sk-canary-4711"]))
    assert list(texts_of(trace.events)) == ["key ***"]


@ALL
async def test_a_secret_in_an_artifact_s_name_is_taken_out(carrier: Carrier) -> None:
    saved = {**DONE, "actions": {"artifactDelta": {"sk-canary-4711.txt": 0}}}
    trace = await faced(carrier, carrier.streams(saved), redact=Redactor(["sk-canary-4711"]))
    assert [event.artifact_delta for event in trace.events] == [{"***.txt": 0}]


@ENGINE
@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        (answers({}), Crashed, "async_create_session answered without a session's id"),
        (answers({"output": {"id": 7}}), Crashed, "without a session's id"),
        (answers(body=b"<html>"), Crashed, "not JSON"),
        (answers({}, status="429 x"), Throttled, "429"),
        (answers({"detail": "it broke"}, status="500 x"), Crashed, "it broke"),
        (answers({"error": {"message": "no"}}, status="401 x"), Refused, "gcloud auth"),
        (answers({"error": {"message": "no"}}, status="403 x"), Refused, "aiplatform.reasoningEngines.query"),
        (answers({"error": {"message": "no"}}, status="400 x"), Refused, "does not understand"),
        (resets, Crashed, "closed the connection"),
    ],
)
async def test_a_session_that_cannot_be_opened_has_its_outcome(
    carrier: Carrier, answer: Behaviour, outcome: type[Outcome], words: str
) -> None:
    class Closed(Carrier):
        def server(self, turns: Behaviour) -> Behaviour:
            return turns

    trace = await faced(Closed(carrier.protocol, carrier.media, lambda data: data), answer, retries=0)
    assert type(trace.outcome) is outcome, trace.outcome
    assert words in trace.outcome.reason
    assert not trace.turns
