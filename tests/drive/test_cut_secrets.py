"""A secret stays one wherever a protocol cuts, folds or spells anew what it heard."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import pytest

from gate.drive import drive
from gate.drive.outcome import EXCERPT
from gate.model.config import RunConfig
from gate.redact import Redactor
from tests.support.driving import SIMPLE, FastPace, StillAgent, case, config
from tests.support.faulty_agent import Exchange, faulty_agent, raw_answer

SECRET = "canary/it's a@Secret;Charset=AB"
PIECE = 6


@dataclass(frozen=True, kw_only=True)
class Reply:
    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


def sse(*frames: object, body: str = "") -> Reply:
    text = "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames)
    return Reply(body=text + body, headers={"content-type": "text/event-stream"})


def event(**fields: object) -> dict[str, object]:
    return {"author": "a", "content": {"parts": [{"text": "hi"}]}, **fields}


def not_json(body: str) -> Reply:
    return Reply(body=body, headers={"content-type": "application/json"})


ADK: Mapping[str, Reply] = {
    "in the path of a node": sse(event(nodeInfo={"path": f"flow/{SECRET}/x@1"})),
    "at the end of a node's path": sse(event(nodeInfo={"path": f"flow/{SECRET}"})),
    "in the node of a streamed part": sse(event(nodeInfo={"path": f"flow/{SECRET}"}, partial=True)),
    "in streamed parts": sse(
        event(partial=True, content={"parts": [{"text": SECRET[:9]}]}),
        event(partial=True, content={"parts": [{"text": SECRET[9:]}]}),
    ),
    "in an error of the server": sse({"error": {"code": SECRET, "name": 'a "b"'}}),
    "in a status": Reply(status=500, body=f"{'x' * (EXCERPT - 9)} {SECRET}"),
    "behind a body's cut": Reply(status=500, body=" " * (64 * EXCERPT - 9) + SECRET),
    "in no JSON": sse(body=f'data: "{SECRET}"x\n\n'),
    "in a content type": Reply(headers={"content-type": SECRET}),
}
HTTP: Mapping[str, Reply] = {
    "in a status": ADK["in a status"],
    "behind a body's cut": ADK["behind a body's cut"],
    "in no JSON": not_json(f'"{SECRET}" {SECRET}'),
    "at the cut of no JSON": not_json("x" * 71 + SECRET),
    "in a content type": Reply(headers={"content-type": f"text/{SECRET}"}),
    "in a content encoding": Reply(body="x", headers={"content-encoding": SECRET}),
    "in an address": Reply(status=302, headers={"location": f"/{SECRET}"}),
    "in a number": not_json("1" * 400 + ".5"),
}


def items(*output: object, **fields: object) -> Reply:
    response = {"object": "response", "status": "completed", "output": list(output), **fields}
    return not_json(json.dumps(response))


RESPONSES: Mapping[str, Reply] = {
    "in a type nobody knows": items({"type": SECRET}),
    "in a type of a call": items({"type": f"{SECRET}_call", "id": SECRET}),
    "in a status": items(status=SECRET),
    "in the reason of a half": items(status="incomplete", incomplete_details={"reason": SECRET}),
    "in an error": items(error={"code": SECRET, "message": {SECRET: 'a "b"'}}),
    "in an id": items(id=SECRET),
    "in the arguments of a call": items(
        {"type": "function_call", "call_id": SECRET, "name": SECRET, "arguments": f'{{"{SECRET}": '}
    ),
    "in an author": items({"type": "message", "role": SECRET, "content": SECRET}),
}


def events(*middle: dict[str, object]) -> Reply:
    ids = {"threadId": "t", "runId": "r"}
    return sse({"type": "RUN_STARTED", **ids}, *middle, {"type": "RUN_FINISHED", **ids})


LONG = "x" * (80 - 9)
AG_UI: Mapping[str, Reply] = {
    "in pieces": events(
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": SECRET[:9]},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": SECRET[9:]},
    ),
    "in pieces of arguments": events(
        {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": SECRET, "delta": SECRET[:9]},
        {"type": "TOOL_CALL_CHUNK", "delta": SECRET[9:]},
    ),
    "in a step": events({"type": "STEP_STARTED", "stepName": SECRET}),
    "at the cut of a step": events({"type": "STEP_FINISHED", "stepName": LONG + SECRET}),
    "in a type nobody knows": events({"type": SECRET}),
    "at the cut of a type": events({"type": LONG + SECRET}),
    "at the cut of a name": events({"type": "CUSTOM", "name": LONG + SECRET, "value": SECRET}),
    "in a pointer": events({"type": "STATE_DELTA", "delta": [{"op": "remove", "path": f"/{SECRET}"}]}),
    "at the cut of a pointer": events(
        {"type": "STATE_DELTA", "delta": [{"op": "remove", "path": f"/{LONG}{SECRET}"}]}
    ),
    "in no pointer": events({"type": "STATE_DELTA", "delta": [{"op": "remove", "path": SECRET}]}),
    "in no operation": events({"type": "STATE_DELTA", "delta": [{"op": LONG + SECRET, "path": "/a"}]}),
    "in the state": events({"type": "STATE_SNAPSHOT", "snapshot": {SECRET: [SECRET]}}),
    "in a role": events({"type": "TEXT_MESSAGE_START", "messageId": SECRET, "role": SECRET}),
    "in an error": events({"type": "RUN_ERROR", "message": SECRET, "code": SECRET}),
    "in a content type": Reply(headers={"content-type": SECRET}),
    "in a status": ADK["in a status"],
}


async def told(protocol: str, reply: Reply, options: Mapping[str, object]) -> str:
    async def serve(exchange: Exchange) -> None:
        meant = exchange.path in ("/", "/run_sse", "/chat", "/v1/responses")
        answer = reply if meant else not_json('{"language": "python"}')
        status = f"{answer.status} {http.client.responses[answer.status]}"
        await exchange.write(raw_answer(answer.body.encode(), status=status, headers=answer.headers))

    plan = ((case(), (1,)),)
    async with faulty_agent(serve) as agent:
        traces = drive(
            StillAgent(agent.url),
            config(options, protocol),
            RunConfig(concurrency=1, trial_timeout_s=5.0, retries=0),
            plan,
            Redactor([SECRET, "1" * 30]),
            pace=FastPace(),
        )
        (trace,) = [trace async for trace in traces]
    return json.dumps(asdict(trace), ensure_ascii=False)


def pieces(secret: str) -> set[str]:
    return {secret[start : start + PIECE].lower() for start in range(len(secret) - PIECE + 1)}


@pytest.mark.parametrize("where", ADK)
async def test_no_piece_of_a_secret_is_left_by_the_adk_protocol(where: str) -> None:
    trace = await told("adk", ADK[where], {})
    assert not [piece for piece in pieces(SECRET) if piece in trace.lower()], trace


@pytest.mark.parametrize("where", HTTP)
async def test_no_piece_of_a_secret_is_left_by_the_http_protocol(where: str) -> None:
    trace = await told("http", HTTP[where], SIMPLE)
    assert not [piece for piece in pieces(SECRET) | pieces("1" * 30) if piece in trace.lower()], trace


@pytest.mark.parametrize("where", RESPONSES)
async def test_no_piece_of_a_secret_is_left_by_the_responses_protocol(where: str) -> None:
    trace = await told("openai-responses", RESPONSES[where], {})
    assert not [piece for piece in pieces(SECRET) if piece in trace.lower()], trace


@pytest.mark.parametrize("where", AG_UI)
async def test_no_piece_of_a_secret_is_left_by_the_ag_ui_protocol(where: str) -> None:
    trace = await told("ag-ui", AG_UI[where], {})
    assert not [piece for piece in pieces(SECRET) if piece in trace.lower()], trace
