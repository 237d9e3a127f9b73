"""What the openai protocols send: histories, options, answers, and when nothing is sent at all."""

from collections.abc import Sequence
from typing import Any

import pytest

from gate.model.case import Answer, Answers, BlobPart, Case, FilePart, TextPart, Turn, User
from gate.model.trace import Completed, Crashed, Paused, Refused, Trace
from tests.support.driving import HERE, StillAgent, answering, case, run, says
from tests.support.faulty_agent import Exchange, answers, faulty_agent

HELLO = {
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello"}}]
}
MESSAGE = {
    "type": "message",
    "id": "m1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "Hello"}],
}


def response(*items: Any, response_id: str = "r1") -> dict[str, Any]:
    return {"object": "response", "id": response_id, "status": "completed", "output": list(items)}


def asks(*names: str) -> dict[str, Any]:
    calls = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for number, name in enumerate(names, 1)
    ]
    return {"choices": [{"finish_reason": "tool_calls", "message": {"content": None, "tool_calls": calls}}]}


def sends(*parts: Any) -> Turn:
    return Turn(sent=User(parts=parts), place=HERE)


async def talk(
    protocol: str, bodies: Sequence[Any], *turns: Turn, **options: Any
) -> tuple[Trace, list[Exchange]]:
    """One trial whose requests are answered by the bodies in order, and the requests."""

    async def behave(exchange: Exchange) -> None:
        await answers(bodies[min(exchange.number, len(bodies)) - 1])(exchange)

    one: Case = case("c", *turns)
    async with faulty_agent(behave) as agent:
        (trace,) = await run(StillAgent(agent.url), [one], options=options, protocol=protocol)
    return trace, agent.seen


async def sent(protocol: str, bodies: Sequence[Any], *turns: Turn, **options: Any) -> list[Any]:
    trace, seen = await talk(protocol, bodies, *turns, **options)
    assert isinstance(trace.outcome, Completed), trace.outcome
    return [exchange.json for exchange in seen]


async def test_a_chat_begins_with_nothing_but_what_is_said() -> None:
    assert await sent("openai-chat", [HELLO], says("hi")) == [
        {"model": "agent", "messages": [{"role": "user", "content": "hi"}]}
    ]


async def test_a_chat_repeats_all_of_its_history() -> None:
    _, second = await sent("openai-chat", [HELLO], says("hi"), says("again"), system="Be kind.")
    assert second["messages"] == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "again"},
    ]


async def test_a_body_adds_keys_and_null_leaves_them_out() -> None:
    body: dict[str, Any] = {"temperature": 0, "model": None, "messages": [], "stream": True}
    (request,) = await sent("openai-chat", [HELLO], says("hi"), body=body)
    assert request == {"temperature": 0, "messages": [{"role": "user", "content": "hi"}], "stream": True}


@pytest.mark.parametrize(
    ("body", "options"), [({}, {"include_usage": True}), ({"stream_options": None}, None)]
)
async def test_a_stream_of_a_chat_asks_for_usage(body: dict[str, Any], options: Any) -> None:
    (request,) = await sent("openai-chat", [HELLO], says("hi"), stream=True, model="m", body=body)
    assert (request["model"], request["stream"], request.get("stream_options")) == ("m", True, options)


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses"])
async def test_the_path_is_an_option_and_a_version_is_not_doubled(protocol: str) -> None:
    _, (first,) = await talk(protocol, [HELLO], says("hi"), path="/agents/a/chat")
    assert first.path == "/agents/a/chat"
    async with faulty_agent(answers({})) as agent:
        await run(StillAgent(f"{agent.url}/v1"), [case()], options={}, protocol=protocol)
    assert agent.seen[0].path in ("/v1/chat/completions", "/v1/responses")


IMAGE, SOUND = BlobPart(mime_type="image/png", data="AAAA"), BlobPart(mime_type="audio/wav", data="AAAA")
PAPER = BlobPart(mime_type="application/pdf", data="AAAA")
PHOTO = FilePart(mime_type="image/png", uri="https://example.com/a.png")
LINK = FilePart(mime_type="application/pdf", uri="https://example.com/a.pdf")


async def test_parts_of_a_message_have_the_form_of_each_api() -> None:
    parts = (TextPart(text="See"), IMAGE, PAPER, PHOTO)
    (chat,) = await sent("openai-chat", [HELLO], sends(*parts, SOUND))
    (responses,) = await sent("openai-responses", [response(MESSAGE)], sends(*parts, LINK))
    data = "data:image/png;base64,AAAA"
    file = {"filename": "file.pdf", "file_data": "data:application/pdf;base64,AAAA"}
    assert chat["messages"][0]["content"] == [
        {"type": "text", "text": "See"},
        {"type": "image_url", "image_url": {"url": data}},
        {"type": "file", "file": file},
        {"type": "image_url", "image_url": {"url": PHOTO.uri}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    ]
    assert responses["input"][0]["content"] == [
        {"type": "input_text", "text": "See"},
        {"type": "input_image", "image_url": data, "detail": "auto"},
        {"type": "input_file", **file},
        {"type": "input_image", "image_url": PHOTO.uri, "detail": "auto"},
        {"type": "input_file", "file_url": LINK.uri},
    ]


async def test_a_chat_cannot_carry_the_address_of_a_file() -> None:
    trace, seen = await talk("openai-chat", [HELLO], sends(LINK))
    assert isinstance(trace.outcome, Refused)
    assert "application/pdf" in trace.outcome.reason
    assert not seen


async def test_answers_wait_until_none_is_lacking_and_follow_their_calls() -> None:
    turns = (says("hi"), answering("g", {"t": 1}), answering("f"))
    trace, seen = await talk("openai-chat", [asks("f", "g"), HELLO], *turns, tools="client")
    assert [turn.ended for turn in trace.turns] == ["paused", "paused", "answered"]
    _, call, first, second = seen[1].json["messages"]
    assert [each["id"] for each in call["tool_calls"]] == ["c1", "c2"]
    assert first == {"role": "tool", "tool_call_id": "c2", "content": '{"t": 1}'}
    assert second == {"role": "tool", "tool_call_id": "c1", "content": "approve"}


async def test_an_old_function_call_is_answered_by_its_name() -> None:
    old = {"content": None, "function_call": {"name": "f", "arguments": "{}"}}
    asked = {"choices": [{"finish_reason": "function_call", "message": old}]}
    _, second = await sent("openai-chat", [asked, HELLO], says("hi"), answering("f", "14"), tools="client")
    assert second["messages"][1:] == [
        {"role": "assistant", **old},
        {"role": "function", "name": "f", "content": "14"},
    ]


async def test_calls_that_a_server_ran_are_no_part_of_the_history() -> None:
    _, second = await sent("openai-chat", [asks("f"), HELLO], says("hi"), says("and"), tools="server")
    assert second["messages"][1] == {"role": "assistant", "content": ""}


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (says("and now?"), "the agent waits for 'f' for 'f', 'g' for 'g'; the next turn gives no answer"),
        (
            Turn(
                sent=Answers(
                    answers=(
                        Answer(to="f", decision="input", value="1"),
                        Answer(to="h", decision="input", value="2"),
                    )
                ),
                place=HERE,
            ),
            "the case answers 'h'",
        ),
    ],
)
@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses"])
async def test_what_does_not_answer_ends_the_trial_before_anything_is_sent(
    protocol: str, turn: Turn, words: str
) -> None:
    items = [
        {"type": "function_call", "id": name, "call_id": f"c_{name}", "name": name, "arguments": "{}"}
        for name in ("f", "g")
    ]
    body = asks("f", "g") if protocol == "openai-chat" else response(*items)
    trace, seen = await talk(protocol, [body], says("hi"), turn, tools="client")
    assert isinstance(trace.outcome, Paused)
    assert words in trace.outcome.reason
    assert len(seen) == 1


async def test_a_conversation_of_responses_is_kept_by_the_server() -> None:
    first, second = await sent(
        "openai-responses", [response(MESSAGE)], says("hi"), says("again"), system="Kind."
    )
    assert first == {"model": "agent", "instructions": "Kind.", "input": [{"role": "user", "content": "hi"}]}
    again = [{"role": "user", "content": "again"}]
    assert second == {"model": "agent", "instructions": "Kind.", "input": again, "previous_response_id": "r1"}


async def test_a_server_that_names_no_response_gets_the_whole_conversation() -> None:
    _, second = await sent("openai-responses", [response(MESSAGE, response_id="")], says("hi"), says("again"))
    assert "previous_response_id" not in second
    assert [item.get("role") for item in second["input"]] == ["user", "assistant", "user"]


async def test_a_conversation_that_is_not_stored_is_sent_whole() -> None:
    thought = {"type": "reasoning", "id": "rs", "summary": []}
    _, second = await sent(
        "openai-responses", [response(thought, MESSAGE)], says("hi"), says("again"), store=False
    )
    assert second["store"] is False
    assert second["input"] == [
        {"role": "user", "content": "hi"},
        MESSAGE,
        {"role": "user", "content": "again"},
    ]


def asked(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "id": "i1", "call_id": "c1", **fields}


PICTURE = {"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"}
CHECKS = [{"id": "s1", "message": "Sure?"}]


@pytest.mark.parametrize(
    ("item", "answer", "expected"),
    [
        (
            asked("function_call", name="f", arguments="{}"),
            answering("f", {"t": 1}),
            {"type": "function_call_output", "call_id": "c1", "output": '{"t": 1}'},
        ),
        (
            asked("custom_tool_call", name="sql", input="x"),
            answering("c1", "3 rows"),
            {"type": "custom_tool_call_output", "call_id": "c1", "output": "3 rows"},
        ),
        (
            asked("computer_call", action={"type": "screenshot"}, pending_safety_checks=CHECKS),
            answering("computer", PICTURE),
            {
                "type": "computer_call_output",
                "call_id": "c1",
                "output": PICTURE,
                "acknowledged_safety_checks": CHECKS,
            },
        ),
        (
            asked("computer_call", action={"type": "screenshot"}, pending_safety_checks=[]),
            answering("computer", PICTURE),
            {"type": "computer_call_output", "call_id": "c1", "output": PICTURE},
        ),
        (
            asked("shell_call", action={"commands": ["ls"]}),
            answering("shell", "a b"),
            {
                "type": "shell_call_output",
                "call_id": "c1",
                "output": [{"stdout": "a b", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
            },
        ),
        (
            asked("shell_call", action={"commands": ["ls"]}),
            answering("shell", [{"stdout": "a"}]),
            {"type": "shell_call_output", "call_id": "c1", "output": [{"stdout": "a"}]},
        ),
        (
            asked("local_shell_call", action={"type": "exec", "command": ["ls"]}),
            answering("local_shell", "a b"),
            {"type": "local_shell_call_output", "id": "c1", "output": "a b"},
        ),
        (
            asked("apply_patch_call", operation={"type": "delete_file", "path": "p"}),
            answering("apply_patch"),
            {"type": "apply_patch_call_output", "call_id": "c1", "status": "completed", "output": "approve"},
        ),
        (
            {"type": "mcp_approval_request", "id": "m1", "name": "g", "arguments": "{}", "server_label": "s"},
            answering("g"),
            {"type": "mcp_approval_response", "approval_request_id": "m1", "approve": True},
        ),
        (
            {"type": "mcp_approval_request", "id": "m1", "name": "g", "arguments": "{}", "server_label": "s"},
            Turn(sent=Answers(answers=(Answer(to="m1", decision="reject"),)), place=HERE),
            {"type": "mcp_approval_response", "approval_request_id": "m1", "approve": False},
        ),
        (
            {"type": "mcp_approval_request", "id": "m1", "name": "g", "arguments": "{}", "server_label": "s"},
            answering("mcp_approval_request", "fine by me"),
            {
                "type": "mcp_approval_response",
                "approval_request_id": "m1",
                "approve": True,
                "reason": "fine by me",
            },
        ),
    ],
)
async def test_each_kind_of_call_takes_its_own_answer(
    item: dict[str, Any], answer: Turn, expected: dict[str, Any]
) -> None:
    _, second = await sent("openai-responses", [response(item), response(MESSAGE)], says("hi"), answer)
    assert second["input"] == [expected]


async def test_a_call_with_its_output_in_the_same_response_waits_for_nobody() -> None:
    ran = {"type": "function_call_output", "call_id": "c1", "output": "14"}
    body = response(asked("function_call", name="f", arguments="{}"), ran, MESSAGE)
    assert len(await sent("openai-responses", [body], says("hi"), says("again"))) == 2


async def test_calls_of_which_nobody_said_who_runs_them_say_where_to_say_it() -> None:
    trace, _ = await talk("openai-chat", [asks("f")], says("hi"))
    assert isinstance(trace.outcome, Paused)
    assert "asks its client to run 'f'; set `openai-chat.tools`" in trace.outcome.reason
    assert trace.turns[0].events[0].parts


@pytest.mark.parametrize(
    ("protocol", "options", "exposes"),
    [
        ("openai-chat", {}, ("text", "usage")),
        ("openai-chat", {"body": {"tools": [{}]}}, ("text", "calls", "usage", "pauses")),
        ("openai-chat", {"tools": "server"}, ("text", "calls", "usage")),
        ("openai-chat", {"tools": "hidden", "body": {"tools": [{}]}}, ("text", "usage")),
        ("openai-responses", {}, ("text", "calls", "usage", "pauses")),
        ("openai-responses", {"tools": "hidden"}, ("text", "usage", "pauses")),
    ],
)
async def test_calls_are_exposed_only_where_they_would_be_seen(
    protocol: str, options: dict[str, Any], exposes: tuple[str, ...]
) -> None:
    trace, _ = await talk(protocol, [HELLO], says("hi"), **options)
    assert trace.exposes == exposes


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses"])
@pytest.mark.parametrize("body", [{}, {"choices": []}, [], "hi", {"choices": [{"message": 7}], "output": 7}])
async def test_an_answer_of_another_api_is_the_agents_crash(protocol: str, body: Any) -> None:
    trace, _ = await talk(protocol, [body], says("hi"))
    assert isinstance(trace.outcome, Crashed)
    assert "answered what is no answer of its API" in trace.outcome.reason
