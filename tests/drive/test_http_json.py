from typing import Any

import pytest

from gate.drive.http_json import HttpJson
from gate.errors import UsageError
from gate.model.case import Answer, Answers, BlobPart, Case, FilePart, TextPart, Turn, User
from gate.model.derived import state_after
from gate.model.trace import Call, Completed, Crashed, Event, Pause, Refused, Result, Text, Trace, Usage
from tests.support.driving import HERE, StillAgent, answering, case, config, run, says
from tests.support.faulty_agent import Exchange, FaultyAgent, answers, faulty_agent


async def talk(
    body: Any, response: dict[str, Any], *turns: Turn, **options: Any
) -> tuple[Trace, FaultyAgent]:
    """One trial; `body` is what every request gets, or a function of the request."""

    async def behave(exchange: Exchange) -> None:
        await answers(body(exchange) if callable(body) else body)(exchange)

    one: Case = case("c", *turns, start_state={"k": 1})
    async with faulty_agent(behave) as agent:
        (trace,) = await run(
            StillAgent(agent.url), [one], options={"path": "/chat", "response": response, **options}
        )
    return trace, agent


async def heard(body: Any, **response: Any) -> tuple[Event, ...]:
    trace, _ = await talk(body, response)
    assert isinstance(trace.outcome, Completed), trace.outcome
    return trace.events


async def test_everything_that_is_mapped_is_heard() -> None:
    body = {
        "reply": ["one", None, "two"],
        "tool_calls": [{"id": 7, "name": "f", "arguments": {"a": 1}}, {"name": "g"}],
        "tool_results": [{"call_id": 7, "output": [1]}, {"call_id": "x", "name": "h", "is_error": True}],
        "nodes": ["Router", "Save"],
        "usage": {"in": 3, "out": 4.0},
    }
    mapping = {
        "text": "$.reply[*]",
        "calls": "$.tool_calls[*]",
        "results": "$.tool_results[*]",
        "nodes": "$.nodes[*]",
        "usage": {"input": "$.usage.in", "output": "$.usage.out"},
    }
    trace, _ = await talk(body, mapping)
    router, save, rest = trace.events
    assert (router.node, save.node) == ("Router", "Save")
    assert router.not_in_trajectory
    assert rest.parts == (
        Call(id="7", name="f", args={"a": 1}),
        Call(id="", name="g", args={}),
        Result(call_id="7", name="f", value=[1]),
        Result(call_id="x", name="h", value=None, is_error=True),
        Text(text="one\ntwo"),
    )
    assert rest.usage == Usage(input_tokens=3, output_tokens=4)
    assert trace.exposes == ("text", "calls", "nodes", "usage")


@pytest.mark.parametrize(
    ("arguments", "args"),
    [
        ('{"city": "London"}', {"city": "London"}),
        ("", {}),
        ("  ", {}),
        (None, {}),
        ({}, {}),
        ("null", {}),
        ("{broken", None),
        ('{"a": NaN}', None),
        ("[1]", None),
        ([1], None),
        (7, None),
    ],
)
async def test_arguments_are_an_object_or_its_text_or_unreadable(arguments: Any, args: Any) -> None:
    (event,) = await heard({"calls": [{"id": "1", "name": "f", "arguments": arguments}]}, calls="$.calls[*]")
    (call,) = event.parts
    assert isinstance(call, Call)
    assert call.args == args
    assert bool(call.args_error) == (args is None)


async def test_a_call_is_read_as_its_block_says() -> None:
    (event,) = await heard(
        {"calls": [{"function": {"name": "f", "arguments": "{}"}}]},
        calls="$.calls[*]",
        call={"name": "$.function.name", "args": "$.function.arguments"},
    )
    assert event.parts == (Call(id="", name="f", args={}),)


async def test_a_call_without_a_name_is_the_agents_fault() -> None:
    trace, _ = await talk({"calls": [{"id": "1"}]}, {"calls": "$.calls[*]"})
    assert isinstance(trace.outcome, Crashed)
    assert 'has no name at $.name: {"id": "1"}' in trace.outcome.reason


@pytest.mark.parametrize("usage", [{}, {"in": "3"}, {"in": True}, {"in": -1}, None])
async def test_usage_that_is_no_number_is_no_usage(usage: Any) -> None:
    (event,) = await heard({"usage": usage}, usage={"input": "$.usage.in", "output": "$.usage.out"})
    assert event.usage is None


async def test_an_answer_that_says_nothing_is_an_event_without_parts() -> None:
    (event,) = await heard({}, text="$.reply", calls="$.calls[*]")
    assert event.parts == ()


async def test_a_snapshot_of_the_state_becomes_what_changed() -> None:
    states = [{"k": 1, "new": [1]}, {"new": [2]}, {"new": [2], "k": {}}]

    def body(exchange: Exchange) -> Any:
        return {"state": states[exchange.number - 1]}

    trace, agent = await talk(
        body, {"state": "$.state"}, says("a"), says("b"), says("c"), request={"state": "{state}"}
    )
    deltas = [dict(event.state_delta) for event in trace.events]
    assert deltas == [{"new": [1]}, {"new": [2]}, {"k": {}}]
    assert [event.state_removed for event in trace.events] == [(), ("k",), ()]
    assert state_after({"k": 1}, (event for turn in trace.turns[:2] for event in turn.events)) == {"new": [2]}
    assert [seen.json["state"] for seen in agent.seen] == [
        {"k": 1},
        {"k": 1, "new": [1]},
        {"new": [2]},
    ]
    assert trace.exposes == ("state",)


async def test_changes_of_the_state_are_taken_as_they_are() -> None:
    trace, _ = await talk({"delta": {"a": 1}}, {"state_delta": "$.delta"}, says("a"), says("b"))
    assert [dict(event.state_delta) for event in trace.events] == [{"a": 1}, {"a": 1}]


async def test_a_request_is_filled_from_its_template() -> None:
    request = {
        "q": "{text}",
        "deep": [{"parts": "{parts}", "n": 1}, "{case}-{trial}-{turn}", "{unknown} {text}", True, None],
        "history": "{history}",
        "json": "state is {state}",
    }
    message = User(
        parts=(
            TextPart(text="hi"),
            BlobPart(mime_type="image/png", data="aGk="),
            FilePart(mime_type="a/b", uri="gs://x"),
        )
    )
    turns = (Turn(sent=message, place=HERE), says("again"))
    trace, agent = await talk(
        {"reply": "hello"},
        {"text": "$.reply"},
        *turns,
        request=request,
        path="/a/{session}/{text}",
        headers={"X-Case": "{case}"},
    )
    first, second = agent.seen
    assert first.json == {
        "q": "hi",
        "deep": [
            {
                "parts": [
                    {"text": "hi"},
                    {"mime_type": "image/png", "data": "aGk="},
                    {"mime_type": "a/b", "uri": "gs://x"},
                ],
                "n": 1,
            },
            "c-1-1",
            "{unknown} hi",
            True,
            None,
        ],
        "history": [],
        "json": 'state is {"k": 1}',
    }
    assert first.headers["x-case"] == "c"
    assert second.path == f"/a/{trace.session}/again"
    assert second.json["history"] == [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hello"},
    ]
    assert trace.turns[0].sent == "hi\n[image/png, 3 bytes]\n[a/b, gs://x]"


async def test_the_agents_own_session_is_used_from_the_next_turn_on() -> None:
    trace, agent = await talk(
        {"id": 42}, {"session": "$.id"}, says("a"), says("b"), request={"session": "{session}"}
    )
    assert agent.seen[0].json["session"].startswith("gate-")
    assert agent.seen[1].json["session"] == "42"
    assert trace.session == "42"


async def test_a_session_may_be_started_by_a_request() -> None:
    start = {"path": "/sessions", "request": {"state": "{state}"}, "session": "$.data.id"}
    trace, agent = await talk({"data": {"id": "s7"}}, {}, start=start, request={"s": "{session}"})
    assert [(seen.path, seen.json) for seen in agent.seen] == [
        ("/sessions", {"state": {"k": 1}}),
        ("/chat", {"s": "s7"}),
    ]
    assert trace.session == "s7"


async def test_a_start_without_a_session_is_refused() -> None:
    trace, _ = await talk({"nothing": 1}, {}, start={"path": "/sessions"})
    assert isinstance(trace.outcome, Refused)
    assert "POST /sessions answered without a session at $.id" in trace.outcome.reason
    assert trace.turns == ()


async def test_a_pause_is_answered_by_its_id() -> None:
    def body(exchange: Exchange) -> Any:
        return {"pauses": [{"id": "p1", "name": "ask", "message": "which?"}]} if exchange.number == 1 else {}

    trace, agent = await talk(
        body,
        {"pauses": "$.pauses[*]"},
        says("a"),
        answering("ask", {"city": "Rome"}),
        request={"text": "{text}", "answers": "{answers}"},
    )
    assert trace.events[0].pauses == (Pause(id="p1", name="ask", kind="input", message="which?"),)
    assert agent.seen[1].json["answers"] == [
        {"id": "p1", "name": "ask", "tool": "", "decision": "input", "value": {"city": "Rome"}}
    ]
    assert isinstance(trace.outcome, Completed)


async def test_a_pause_of_a_tool_is_a_confirmation() -> None:
    def body(exchange: Exchange) -> Any:
        return {"pauses": [{"id": "p1", "tool": "delete"}]} if exchange.number == 1 else {}

    trace, agent = await talk(
        body,
        {"pauses": "$.pauses[*]"},
        says("a"),
        Turn(sent=Answers(answers=(Answer(to="delete", decision="reject"),)), place=HERE),
        request={"text": "{text}"},
    )
    assert trace.events[0].pauses[0].kind == "confirm"
    assert agent.seen[1].json == {"text": "reject"}
    assert trace.turns[1].sent == "delete: reject"


@pytest.mark.parametrize(
    ("response", "words"),
    [
        ({"text": "reply"}, r"http\.response\.text: 'reply' is no JSONPath"),
        ({"call": {"name": "$["}}, r"http\.response\.call\.name: '\$\[' is no JSONPath"),
        ({"text": 7}, r"http\.response\.text is not a JSONPath but 7"),
    ],
)
def test_a_bad_path_is_named_before_anything_is_sent(response: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        HttpJson(config({"response": response}), StillAgent(""))
