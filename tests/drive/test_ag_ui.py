"""What the ag-ui protocol sends: conversation, state, what the client offers, and answers to pauses."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gate.drive import PROTOCOLS
from gate.model.case import Answer, Answers, BlobPart, FilePart, TextPart, Turn, User
from gate.model.derived import state_after, texts_of
from gate.model.trace import Completed, Paused, Trace
from tests.support.ag_ui_made import (
    FINISHED,
    SSE,
    STARTED,
    a_result,
    called,
    ev,
    frames,
    interrupting,
    patch,
    said,
)
from tests.support.driving import HERE, StillAgent, answering, case, config, run, says
from tests.support.faulty_agent import Exchange, answers, faulty_agent, raw_answer

Script = list[list[dict[str, Any]]]
TOOLS = [{"name": "paint", "description": "Paints.", "parameters": {"type": "object"}}]


async def talk(script: Script, *turns: Turn, **fields: Any) -> tuple[Trace, list[Any]]:
    """The trace of a case, and the requests; each is answered by the next run of the script."""
    options, runs = fields.pop("options", {}), iter(script)

    async def behave(exchange: Exchange) -> None:
        ids = {"threadId": exchange.json["threadId"], "runId": exchange.json["runId"]}
        events = next(runs)
        ends = [] if events and events[-1]["type"] == "RUN_FINISHED" else [FINISHED]
        sent = [{**event, **ids} if event["type"] == "RUN_FINISHED" else event for event in [*events, *ends]]
        body = frames({"type": "RUN_STARTED", **ids}, *sent)
        await exchange.write(raw_answer(body, headers=SSE))

    async with faulty_agent(behave) as agent:
        made = case("c", *turns, **fields)
        (trace,) = await run(StillAgent(agent.url), [made], options=options, protocol="ag-ui")
    return trace, [exchange.json for exchange in agent.seen]


def reject(to: str) -> Turn:
    return Turn(sent=Answers(answers=(Answer(to=to, decision="reject"),)), place=HERE)


HELLO = said("m", "Hello.")


async def test_a_run_input_has_every_key_that_servers_of_either_generation_want() -> None:
    _, (request,) = await talk([HELLO], says("hi"))
    assert set(request) == {
        *("threadId", "runId", "protocolVersion", "state", "messages", "tools", "context", "forwardedProps")
    }
    assert request["protocolVersion"] == "1.0"
    assert (request["state"], request["tools"], request["context"]) == ({}, [], [])
    (message,) = request["messages"]
    assert (message["role"], message["content"]) == ("user", "hi")


async def test_the_client_offers_what_the_block_says() -> None:
    context = [{"description": "today", "value": "Monday"}]
    options = {"tools": TOOLS, "context": context, "forwarded_props": {"model": "m"}}
    _, (request,) = await talk([HELLO], says("hi"), options=options)
    assert (request["tools"], request["context"]) == (TOOLS, context)
    assert request["forwardedProps"] == {"model": "m"}


async def test_each_turn_carries_what_was_said_before_under_the_same_ids() -> None:
    script: Script = [[*called("k", "f", "{}"), a_result("k", "ok"), *HELLO], said("n", "Bye.")]
    trace, (first, second) = await talk(script, says("hi"), says("bye"))
    assert first["threadId"] == second["threadId"] == trace.session
    assert first["runId"] != second["runId"]
    assert second["messages"][:1] == first["messages"]
    assert [(message["role"], message.get("content")) for message in second["messages"]] == [
        ("user", "hi"),
        ("assistant", None),
        ("tool", "ok"),
        ("assistant", "Hello."),
        ("user", "bye"),
    ]
    ids = [message["id"] for message in second["messages"]]
    assert ids[1:4] == ["k", "of k", "m"]
    assert len(set(ids)) == len(ids)
    assert list(texts_of(trace.turns[1].events)) == ["Bye."]


async def test_trials_have_threads_of_their_own() -> None:
    first = (await talk([HELLO], says("hi")))[1][0]
    second = (await talk([HELLO], says("hi")))[1][0]
    assert first["threadId"] != second["threadId"]


async def test_the_state_begins_with_the_case_and_goes_back_as_the_agent_left_it() -> None:
    start = {"seen": 1, "draft": {"lines": ["a"]}}
    script: Script = [
        [
            patch({"op": "add", "path": "/draft/lines/-", "value": "b"}, {"op": "remove", "path": "/seen"}),
            *HELLO,
        ],
        HELLO,
    ]
    trace, requests = await talk(script, says("hi"), says("more"), start_state=start)
    assert [request["state"] for request in requests] == [
        {"seen": 1, "draft": {"lines": ["a"]}},
        {"draft": {"lines": ["a", "b"]}},
    ]
    assert start == {"seen": 1, "draft": {"lines": ["a"]}}
    assert state_after(start, trace.events) == {"draft": {"lines": ["a", "b"]}}


async def test_what_a_turn_sets_goes_with_it_and_is_not_the_agents_doing() -> None:
    turns = (says("hi"), replace(says("more"), state_delta={"unit": {"t": "K"}}))
    script: Script = [HELLO, [patch({"op": "add", "path": "/unit/p", "value": "Pa"}), *HELLO]]
    trace, requests = await talk(script, *turns, start_state={"seen": 1})
    assert [request["state"] for request in requests] == [{"seen": 1}, {"seen": 1, "unit": {"t": "K"}}]
    told = [(event.author, dict(event.state_delta)) for event in trace.events if event.state_delta]
    assert told == [("user", {"unit": {"t": "K"}}), ("assistant", {"unit": {"t": "K", "p": "Pa"}})]
    assert turns[1].state_delta == {"unit": {"t": "K"}}


async def test_a_state_that_is_no_object_goes_back_as_it_is() -> None:
    _, requests = await talk([[ev("STATE_SNAPSHOT", snapshot=[1])], HELLO], says("hi"), says("more"))
    assert requests[1]["state"] == [1]


async def test_files_of_a_user_are_media_parts() -> None:
    parts = (
        TextPart(text="look"),
        BlobPart(mime_type="image/png", data="QUJD"),
        FilePart(mime_type="application/pdf", uri="https://example.com/a.pdf"),
        FilePart(mime_type="audio/wav", uri="gs://b/a.wav"),
    )
    _, (request,) = await talk([HELLO], Turn(sent=User(parts=parts), place=HERE))
    assert request["messages"][0]["content"] == [
        {"type": "text", "text": "look"},
        {"type": "image", "source": {"type": "data", "value": "QUJD", "mimeType": "image/png"}},
        {
            "type": "document",
            "source": {"type": "url", "value": "https://example.com/a.pdf", "mimeType": "application/pdf"},
        },
        {"type": "audio", "source": {"type": "url", "value": "gs://b/a.wav", "mimeType": "audio/wav"}},
    ]


async def test_calls_of_offered_tools_wait_until_the_case_has_answered_all() -> None:
    tools = [*TOOLS, {"name": "print", "description": "Prints."}]
    script: Script = [[*called("a", "paint", "{}"), *called("b", "print")], HELLO]
    turns = (says("go"), answering("paint", {"done": True}), answering("b", "printed"))
    trace, (_, second) = await talk(script, *turns, options={"tools": tools})
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert [turn.ended for turn in trace.turns] == ["paused", "paused", "answered"]
    given = [message for message in second["messages"] if message["role"] == "tool"]
    assert [(message["toolCallId"], message["content"]) for message in given] == [
        ("a", '{"done": true}'),
        ("b", "printed"),
    ]
    assert "resume" not in second


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        (answering("delete_repo"), '{"confirmed": true}'),
        (reject("adk_request_confirmation"), '{"confirmed": false}'),
        (answering("k", {"why": "old"}), '{"confirmed": true, "payload": {"why": "old"}}'),
    ],
)
async def test_adks_runtime_is_answered_as_it_wants_it(answer: Turn, content: str) -> None:
    asks = '{"originalFunctionCall": {"id": "c", "name": "delete_repo"}}'
    request = called("k", "adk_request_confirmation", asks)
    script: Script = [[*called("c", "delete_repo"), *request], [a_result("c", "gone"), *HELLO]]
    trace, (_, second) = await talk(script, says("go"), answer)
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert [message for message in second["messages"] if message["role"] == "tool"] == [
        {"id": second["messages"][-1]["id"], "role": "tool", "toolCallId": "k", "content": content}
    ]


async def test_a_call_that_nobody_answers_ends_the_trial_paused() -> None:
    trace, _ = await talk([called("a", "paint")], says("go"), options={"tools": TOOLS})
    assert isinstance(trace.outcome, Paused)
    assert "'paint'" in trace.outcome.reason


async def test_a_message_in_place_of_answers_is_not_sent() -> None:
    script: Script = [[interrupting({"id": "i", "reason": "input_required"})], HELLO]
    trace, requests = await talk(script, says("go"), says("never mind"))
    assert isinstance(trace.outcome, Paused)
    assert len(requests) == 1


async def test_interrupts_are_resumed_together_and_without_a_message() -> None:
    asked = [{"id": "i", "reason": "tool_call", "toolCallId": "k"}, {"id": "j", "reason": "input_required"}]
    script: Script = [[*called("k", "delete"), interrupting(*asked)], [a_result("k", "gone"), *HELLO]]
    turns = (says("go"), answering("delete"), answering("j", {"name": "Ada"}))
    trace, (first, second) = await talk(script, *turns)
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert second["resume"] == [
        {"interruptId": "i", "status": "resolved", "payload": {"approved": True}},
        {"interruptId": "j", "status": "resolved", "payload": {"name": "Ada"}},
    ]
    assert second["threadId"] == first["threadId"]
    assert [message["role"] for message in second["messages"]] == ["user", "assistant"]


async def test_a_pause_after_a_resumed_run_is_answered_in_turn() -> None:
    script: Script = [
        [interrupting({"id": "i", "reason": "input_required"})],
        [interrupting({"id": "j", "reason": "input_required"})],
        HELLO,
    ]
    turns = (says("go"), answering("input_required", 1), answering("input_required", 2), says("bye"))
    trace, requests = await talk([*script, HELLO], *turns)
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert [[entry["interruptId"] for entry in request.get("resume", ())] for request in requests] == [
        [],
        ["i"],
        ["j"],
        [],
    ]


BOOLEAN = {"type": "boolean"}


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def abandon(to: str) -> Turn:
    return Turn(sent=Answers(answers=(Answer(to=to, decision="input"),)), place=HERE)


@pytest.mark.parametrize(
    ("reason", "wanted", "answer", "entry"),
    [
        ("tool_call", None, answering, {"payload": {"approved": True}}),
        ("tool_call", None, reject, {"payload": {"approved": False}}),
        ("tool_call", schema(approved=BOOLEAN, editedArgs={}), answering, {"payload": {"approved": True}}),
        ("x:y", schema(confirmed=BOOLEAN, why={"type": "string"}), reject, {"payload": {"confirmed": False}}),
        ("x:y", schema(a=BOOLEAN, b=BOOLEAN), answering, {"payload": {"approved": True}}),
        ("x:y", {"properties": [1]}, answering, {"payload": {"approved": True}}),
        ("confirmation", None, answering, {"payload": True}),
        ("confirmation", BOOLEAN, reject, {"payload": False}),
        ("confirmation", schema(ok=BOOLEAN), answering, {"payload": {"ok": True}}),
        ("input_required", None, lambda to: answering(to, "Ada"), {"payload": "Ada"}),
        ("input_required", None, lambda to: answering(to, 0), {"payload": 0}),
        ("input_required", None, abandon, {"status": "cancelled"}),
    ],
)
async def test_an_answer_takes_the_form_that_the_interrupt_asks_for(
    reason: str, wanted: Any, answer: Callable[[str], Turn], entry: dict[str, Any]
) -> None:
    asked = {"id": "i", "reason": reason, **({"responseSchema": wanted} if wanted else {})}
    _, (_, second) = await talk([[interrupting(asked)], HELLO], says("go"), answer("i"))
    assert second["resume"] == [{"interruptId": "i", "status": "resolved", **entry}]


async def test_questions_of_older_langgraph_servers_are_answered_as_they_want_it() -> None:
    question = ev("CUSTOM", name="on_interrupt", value="Sure?", rawEvent={"id": "lg"})
    options = {"forwarded_props": {"model": "m"}}
    script: Script = [[question], HELLO]
    _, (_, second) = await talk(script, says("go"), answering("on_interrupt", "yes"), options=options)
    assert second["forwardedProps"] == {"model": "m", "command": {"resume": "yes"}}
    assert "resume" not in second
    two: Script = [[question, {**question, "rawEvent": {"id": "other"}}], HELLO]
    _, (_, second) = await talk(two, says("go"), answering("lg", "yes"), answering("other", "no"))
    assert second["forwardedProps"] == {"command": {"resume": {"lg": "yes", "other": "no"}}}


@pytest.mark.parametrize(
    ("base", "path", "asked"),
    [("", None, "/"), ("/agent", None, "/agent"), ("", "/runs", "/runs"), ("/api", "/runs", "/api/runs")],
)
async def test_a_run_is_posted_to_the_agents_address_and_path(
    base: str, path: str | None, asked: str
) -> None:
    async with faulty_agent(answers(body=frames(STARTED, *HELLO, FINISHED), headers=SSE)) as agent:
        options = {} if path is None else {"path": path}
        (trace,) = await run(StillAgent(agent.url + base), [case()], options=options, protocol="ag-ui")
    assert isinstance(trace.outcome, Completed), trace.outcome
    (request,) = agent.seen
    assert (request.method, request.path) == ("POST", asked)
    assert request.headers["accept"] == "text/event-stream"


async def test_tokens_are_exposed_once_an_agent_counts_them() -> None:
    made = PROTOCOLS["ag-ui"](config({}, "ag-ui"), StillAgent(""))
    assert "usage" not in getattr(made, "exposes", ())
    silent, _ = await talk([HELLO], says("hi"))
    counting, _ = await talk([[*HELLO, {**FINISHED, "usage": [{"inputTokens": 1}]}]], says("hi"))
    assert "usage" not in silent.exposes
    assert "usage" in counting.exposes
