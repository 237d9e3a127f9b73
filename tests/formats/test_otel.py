"""Spans as they should not be, and what may be concluded from those that are there."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.formats import otel
from gate.formats.otel import Reading
from gate.formats.records import dump, load
from gate.formats.strict import strict_json
from gate.model.trace import (
    MOST_TOKENS,
    Call,
    Completed,
    Crashed,
    Event,
    Result,
    Text,
    Throttled,
    Trace,
)
from tests.support.otel_spans import document, moment, request, span

AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
FAILED = {"code": 2, "message": "it broke"}


def message(role: str, *parts: Any) -> dict[str, Any]:
    return {
        "role": role,
        "parts": [{"type": "text", "content": p} if isinstance(p, str) else p for p in parts],
    }


def call(name: str, args: Any = None, call_id: str = "") -> dict[str, Any]:
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": args or {}}


def gave(value: Any, call_id: str = "") -> dict[str, Any]:
    return {"type": "tool_call_response", "id": call_id, "response": value}


def chat(asked: Sequence[Any], *said: Any, **more: Any) -> dict[str, Any]:
    """The attributes of a model's call whose content was recorded."""
    given = [message("user", each) if isinstance(each, str) else each for each in asked]
    out = {"gen_ai.output.messages": json.dumps([message("assistant", *said)])} if said else {}
    return CHAT | {"gen_ai.input.messages": json.dumps(given)} | out | more


def tool(name: str, args: Any = None, result: Any = None, call_id: str = "") -> dict[str, Any]:
    held: dict[str, Any] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    if args is not None:
        held["gen_ai.tool.call.arguments"] = json.dumps(args)
    if result is not None:
        held["gen_ai.tool.call.result"] = json.dumps(result)
    return held | ({"gen_ai.tool.call.id": call_id} if call_id else {})


def read(*spans: Any, scope: str = "agent") -> Reading:
    return otel.read(document(*spans, scope=scope), "f.json")


def only(*spans: Any, scope: str = "agent") -> Trace:
    [conversation] = read(*spans, scope=scope).conversations
    return conversation.trace


def parts(trace: Trace) -> list[Any]:
    return [part for event in trace.events for part in event.parts]


def calls(trace: Trace) -> list[tuple[str, Any]]:
    return [
        (part.name, part.args)
        for event in trace.events
        if not event.not_in_trajectory
        for part in event.parts
        if isinstance(part, Call)
    ]


def rules(reading: Reading) -> list[str]:
    return [finding.rule for finding in reading.findings]


# What is not recorded


def test_a_model_without_content_exposes_neither_text_nor_calls() -> None:
    reading = read(span(1, "chat", CHAT | {"gen_ai.usage.input_tokens": 3}))
    [conversation] = reading.conversations
    assert conversation.trace.exposes == ("usage",)
    assert rules(reading) == ["not-recorded", "not-recorded"]
    assert {finding.level for finding in reading.findings} == {"warn"}


def test_a_tool_span_anywhere_shows_that_its_emitter_records_tools() -> None:
    reading = read(
        span(1, "x", AGENT | {"gen_ai.conversation.id": "one"}),
        span(2, "chat", CHAT, parent=1),
        span(3, "execute_tool", tool("f"), parent=1),
        span(4, "y", AGENT | {"gen_ai.conversation.id": "two"}, at=50),
        span(5, "chat", CHAT, parent=4, at=51),
    )
    assert [each.trace.exposes for each in reading.conversations] == [("calls", "nodes")] * 2


def test_another_emitters_tools_show_nothing_of_this_one() -> None:
    first = request(span(1, "x", AGENT), span(3, "execute_tool", tool("f"), parent=1), scope="other")
    second = request(span(1, "y", AGENT, trace="b"), span(2, "chat", CHAT, parent=1, trace="b"))
    found = otel.read(f"{json.dumps(first)}\n{json.dumps(second)}", "f").conversations
    assert [each.trace.exposes for each in found] == [("calls", "nodes"), ("nodes",)]


def test_one_answer_that_was_not_recorded_hides_the_text_of_all() -> None:
    trace = only(
        span(1, "x", AGENT),
        span(2, "chat", chat(["hi"], "hello"), parent=1),
        span(3, "chat", CHAT, parent=1, at=5),
    )
    assert "text" not in trace.exposes
    assert "calls" not in trace.exposes


@pytest.mark.parametrize("hidden", ["<REDACTED>", "<elided>", "__REDACTED__"])
def test_a_placeholder_is_no_answer(hidden: str) -> None:
    assert only(span(1, "chat", chat(["hi"], hidden))).exposes == ()
    assert only(span(1, "chat", CHAT | {"gen_ai.output.messages": hidden})).exposes == ()


@pytest.mark.parametrize(
    ("choice", "exposes", "args"),
    [
        ({"message": {"role": "assistant"}}, (), []),
        ({"finish_reason": "stop"}, (), []),
        ({"message": {"role": "assistant", "content": ""}}, ("text", "calls"), []),
        (
            {"message": {"tool_calls": [{"id": "c", "function": {"name": "f"}}]}},
            ("text", "calls"),
            [("f", None, "the arguments were not recorded")],
        ),
        (
            {"message": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}},
            ("text", "calls"),
            [("f", {}, "")],
        ),
    ],
)
def test_a_choice_without_content_was_not_recorded(
    choice: Any, exposes: tuple[str, ...], args: list[Any]
) -> None:
    trace = only(span(1, "chat", CHAT, events=[moment("gen_ai.choice", choice)]))
    assert trace.exposes == exposes
    assert [(part.name, part.args, part.args_error) for part in parts(trace)] == args


def test_an_input_alone_says_nothing_of_the_answer_unless_the_emitter_records_both() -> None:
    spans = span(1, "chat", chat(["hi"]))
    assert only(spans).exposes == ()
    assert only(spans).outcome == Completed(
        reason="no span says that it failed; what it answered was not recorded"
    )
    adk = only(spans, scope="gcp.vertex.agent")
    assert adk.exposes == ("text", "calls")
    assert adk.outcome == Crashed(reason="the spans record neither an answer nor a tool call")


def test_the_agents_own_answer_counts_where_its_models_are_silent() -> None:
    top = AGENT | {
        "gen_ai.input.messages": json.dumps([message("user", "hi")]),
        "gen_ai.output.messages": json.dumps([message("assistant", "hello")]),
    }
    trace = only(span(1, "x", top, lasts=9), span(2, "chat", CHAT, parent=1))
    assert (trace.turns[0].sent, parts(trace)) == ("hi", [Text(text="hello")])
    assert trace.exposes == ("text", "nodes")
    both = only(span(1, "x", top, lasts=9), span(2, "chat", chat(["hi"], "hello"), parent=1))
    assert parts(both) == [Text(text="hello")]


# Model calls and tools


def test_a_wrapper_and_its_model_are_one_call_and_count_their_tokens_once() -> None:
    tokens = {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 1}
    trace = only(
        span(1, "outer", chat(["hi"], "hello", **tokens), lasts=9),
        span(2, "middle", CHAT | tokens, parent=1, at=1),
        span(3, "inner", CHAT | tokens, parent=2, at=2),
    )
    assert [event.usage.total for event in trace.events if event.usage] == [11]
    assert parts(trace) == [Text(text="hello")]


def test_tries_within_a_wrapper_add_their_tokens_up() -> None:
    tokens = {"gen_ai.usage.input_tokens": 10}
    trace = only(
        span(1, "outer", chat(["hi"], "hello"), lasts=9),
        span(2, "first", CHAT | tokens, parent=1, at=1, status=FAILED),
        span(3, "second", CHAT | tokens, parent=1, at=3),
    )
    assert [event.usage.total for event in trace.events if event.usage] == [20]
    assert trace.outcome == Completed()


def test_a_failed_try_before_an_answer_is_no_crash() -> None:
    trace = only(
        span(1, "x", AGENT, lasts=9),
        span(2, "first", CHAT, parent=1, at=1, status=FAILED),
        span(3, "second", chat(["hi"], "hello"), parent=1, at=3),
    )
    assert [event.error for event in trace.events if event.error] == ["it broke"]
    assert trace.outcome == Completed()
    assert trace.exposes == ("text", "calls", "nodes")


def test_a_tool_within_a_tool_is_not_the_agents_call_nor_are_its_words_the_answer() -> None:
    trace = only(
        span(1, "x", AGENT, lasts=99),
        span(2, "chat", chat(["hi"], call("ask_expert", {"q": 1}, "c")), parent=1, at=1),
        span(3, "tool", tool("ask_expert", {"q": 1}, {"a": 2}, "c"), parent=1, at=5, lasts=20),
        span(4, "y", AGENT | {"gen_ai.agent.name": "expert"}, parent=3, at=6, lasts=18),
        span(5, "chat", chat(["q"], "aside", **{"gen_ai.usage.input_tokens": 7}), parent=4, at=7),
        span(6, "tool", tool("look_up", {}, {}), parent=4, at=9),
        span(7, "chat", chat(["hi"], "done"), parent=1, at=40),
    )
    assert calls(trace) == [("ask_expert", {"q": 1})]
    assert [part.text for part in parts(trace) if isinstance(part, Text)] == ["done"]
    assert sum(event.usage.total for event in trace.events if event.usage) == 7
    inside = [event.not_in_trajectory for event in trace.events if "inside" in event.not_in_trajectory]
    assert inside == ["inside of the tool ask_expert"] * 3


def test_the_spans_of_a_tools_client_and_server_are_one_call() -> None:
    trace = only(
        span(1, "x", AGENT, lasts=99),
        span(2, "execute_tool f", tool("f"), parent=1, at=5, lasts=20),
        span(3, "tools/call f", tool("f", {"x": 1}, {"y": 2}), parent=2, at=6),
        span(4, "tools/call f", tool("f", {"x": 1}, {"y": 2}), parent=3, at=7),
    )
    assert calls(trace) == [("f", {"x": 1})]
    assert [part.value for part in parts(trace) if isinstance(part, Result)] == [{"y": 2}]


def test_repeated_calls_of_one_tool_keep_their_order_where_ids_differ() -> None:
    trace = only(
        span(1, "x", AGENT, lasts=99),
        span(2, "chat", chat(["hi"], call("f", {"n": 1}, "f_0"), call("f", {"n": 2}, "f_1")), parent=1),
        span(4, "tool", tool("f", {"n": 2}, "second", "adk-2"), parent=1, at=9),
        span(3, "tool", tool("f", {"n": 1}, "first", "adk-1"), parent=1, at=5),
        span(5, "chat", chat(["hi"], "done"), parent=1, at=40),
    )
    assert calls(trace) == [("f", {"n": 1}), ("f", {"n": 2})]
    told = {part.id: part.args for part in parts(trace) if isinstance(part, Call)}
    results = {part.call_id: part.value for part in parts(trace) if isinstance(part, Result)}
    assert told == {"adk-1": {"n": 1}, "adk-2": {"n": 2}}
    assert results == {"adk-1": "first", "adk-2": "second"}


def test_a_call_without_a_tools_span_gets_its_result_from_the_next_model_call() -> None:
    trace = only(
        span(1, "x", AGENT, lasts=99),
        span(2, "chat", chat(["hi"], call("f", {"n": 1}, "c")), parent=1),
        span(
            3,
            "chat",
            chat(
                ["hi", message("assistant", call("f", {"n": 1}, "c")), message("tool", gave(3, "c"))], "done"
            ),
            parent=1,
            at=9,
        ),
    )
    assert parts(trace) == [
        Call(id="c", name="f", args={"n": 1}),
        Result(call_id="c", name="f", value=3),
        Text(text="done"),
    ]


def test_a_tool_that_no_model_asked_for_is_a_call() -> None:
    trace = only(
        span(1, "x", AGENT, lasts=99),
        span(2, "chat", chat(["hi"], "hello"), parent=1),
        span(3, "tool", tool("f", {"n": 1}, {"error": "no"}), parent=1, at=5),
    )
    assert calls(trace) == [("f", {"n": 1})]
    assert [part.is_error for part in parts(trace) if isinstance(part, Result)] == [True]


def test_a_tools_failure_is_its_result_and_no_crash_of_the_agent() -> None:
    trace = only(
        span(1, "x", AGENT, lasts=99),
        span(2, "tool", tool("f", {}) | {"error.type": "KeyError"}, parent=1, at=5, status=FAILED),
        span(3, "chat", chat(["hi"], "sorry"), parent=1, at=9),
    )
    assert [(p.value, p.is_error) for p in parts(trace) if isinstance(p, Result)] == [
        ({"error": "KeyError: it broke"}, True)
    ]
    assert trace.outcome == Completed()


@pytest.mark.parametrize(
    ("given", "args", "error"),
    [
        ('{"a": 1}', {"a": 1}, ""),
        ("", {}, ""),
        ("null", {}, ""),
        ('{"a": 1', None, "no whole JSON"),
        ("[1]", None, "a list, not an object"),
        ('{"a": NaN}', None, "no whole JSON"),
        ('{"a": 1, "a": 2}', None, "no whole JSON"),
        ("[" * 100_000, None, "no whole JSON"),
        ("<elided>", None, "the arguments were not recorded"),
    ],
)
def test_arguments_are_an_object_or_it_is_told_why_not(given: str, args: Any, error: str) -> None:
    held = tool("f") | {"gen_ai.tool.call.arguments": given}
    [found] = parts(only(span(1, "tool", AGENT), span(2, "t", held, parent=1)))
    assert found.args == args
    assert error in found.args_error
    assert bool(error) == bool(found.args_error)


@pytest.mark.parametrize(
    ("finish", "said", "outcome"),
    [
        ("stop", "x", "Completed"),
        ("length", "x", "Crashed"),
        ("max_tokens", "x", "Crashed"),
        ("content_filter", "x", "Crashed"),
        ("safety", "", "Crashed"),
        ("malformed_function_call", "", "Crashed"),
    ],
)
def test_an_answer_that_was_cut_off_is_none(finish: str, said: str, outcome: str) -> None:
    held = chat(["hi"], said) | {"gen_ai.response.finish_reasons": [finish]}
    assert type(only(span(1, "chat", held)).outcome).__name__ == outcome


@pytest.mark.parametrize(
    ("status", "kind"),
    [(FAILED, Crashed), ({"code": "STATUS_CODE_ERROR", "message": "429 too many requests"}, Throttled)],
)
def test_the_agents_failed_span_decides_after_what_its_model_said(status: Any, kind: type) -> None:
    trace = only(
        span(1, "x", AGENT, lasts=99, status=status), span(2, "chat", chat(["hi"], "hello"), parent=1)
    )
    assert isinstance(trace.outcome, kind)
    assert trace.turns[0].ended == "failed"


def test_an_exception_says_why_a_span_failed() -> None:
    event = moment("exception", {"exception.type": "ValueError", "exception.message": "no city"})
    trace = only(span(1, "chat", CHAT, status={"code": 2}, events=[event]))
    assert trace.outcome == Crashed(reason="the agent reported an error: ValueError: no city")


def test_the_innermost_span_says_how_many_tokens_a_call_took() -> None:
    trace = only(
        span(1, "outer", chat(["hi"], "hello", **{"gen_ai.usage.input_tokens": 99}), lasts=9),
        span(2, "inner", CHAT | {"gen_ai.usage.input_tokens": 10}, parent=1, at=1),
    )
    assert [event.usage.total for event in trace.events if event.usage] == [10]


def test_a_tools_span_knows_the_arguments_that_its_request_lost() -> None:
    asked = {"type": "tool_call", "id": "c", "name": "f", "arguments": '{"n": 1, "te'}
    trace = only(
        span(1, "x", AGENT, lasts=99),
        span(2, "chat", chat(["hi"], asked), parent=1),
        span(3, "tool", tool("f", {"n": 1}, {}, "c"), parent=1, at=5),
    )
    assert calls(trace) == [("f", {"n": 1})]


def test_a_failure_is_told_once() -> None:
    trace = only(span(1, "x", AGENT, lasts=99, status=FAILED), span(2, "chat", CHAT, parent=1, status=FAILED))
    assert [event.error for event in trace.events if event.error] == ["it broke"]


def test_what_a_model_within_a_tool_said_need_not_be_known() -> None:
    trace = only(
        span(1, "x", AGENT, lasts=99),
        span(2, "chat", chat(["hi"], call("ask", {}, "c")), parent=1),
        span(3, "tool", tool("ask", {}, "r", "c"), parent=1, at=5, lasts=9),
        span(4, "chat", CHAT, parent=3, at=6),
        span(5, "chat", chat(["hi"], "done"), parent=1, at=40),
    )
    assert {"text", "calls"} <= set(trace.exposes)


def test_tries_without_end_count_as_many_tokens_as_can_be_counted() -> None:
    tokens = {"gen_ai.usage.input_tokens": MOST_TOKENS // 2, "gen_ai.usage.output_tokens": 1}
    tries = [span(number, "try", CHAT | tokens, parent=1, at=number) for number in (2, 3, 4)]
    trace = only(span(1, "outer", chat(["hi"], "hello"), lasts=9), *tries)
    (usage,) = [event.usage for event in trace.events if event.usage]
    assert (usage.input_tokens, usage.output_tokens) == (MOST_TOKENS, 3)


def test_a_span_is_told_at_its_own_line_where_another_line_spells_its_id() -> None:
    lines = [document(span(number, "chat", chat(["hi"], "x"))) for number in (1, 2, 3)]
    lost = document(span(3, "chat", chat(["hi"], "x"), trace="ab" * 16, droppedAttributesCount=1))
    lines[1] = lost.replace(f"{3:016x}", "\\u0030" + f"{3:015x}")  # the third's id, spelled otherwise
    found = otel.read("\n".join(lines), "f").findings
    assert [finding.place.line for finding in found if finding.rule == "lost-attributes"] == [2]


@pytest.mark.parametrize(
    ("named", "expected"), [("", ["f", "g", "f"]), ("f", ["f", "f"]), ("g", ["g"]), ("h", [])]
)
def test_results_whose_ids_say_nothing_go_to_the_first_calls_of_their_name(
    named: str, expected: list[str]
) -> None:
    back = [gave(str(number), f"x{number}") | {"name": named} for number in range(4)]
    trace = only(
        span(1, "agent", AGENT, lasts=99),
        span(2, "chat", chat(["hi"], call("f"), call("g"), call("f")), parent=1),
        span(3, "chat", chat([message("assistant"), message("tool", *back)], "done"), parent=1, at=5),
    )
    results = [part for part in parts(trace) if isinstance(part, Result)]
    assert [(result.name, result.value) for result in results] == [
        (name, number) for number, name in enumerate(expected)
    ]
    assert len({result.call_id for result in results}) == len(expected)


def test_a_span_that_lost_what_it_was_may_have_been_a_call() -> None:
    spans = (span(1, "x", AGENT, lasts=99), span(2, "chat", chat(["hi"], "hello"), parent=1))
    for scope in ("agent", "gcp.vertex.agent"):
        assert {"text", "calls"} <= set(only(*spans, scope=scope).exposes)
        for lost in ("droppedAttributesCount", "droppedEventsCount"):
            unknown = span(3, "?", {}, parent=1) | {lost: 3}
            assert only(*spans, unknown, scope=scope).exposes == ("nodes",)
            assert rules(read(*spans, unknown, scope=scope)) == ["lost-attributes", *["not-recorded"] * 2]


def test_an_answer_of_which_fields_were_lost_is_not_known() -> None:
    held = {
        "openinference.span.kind": "LLM",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "hello",
    }
    assert only(span(1, "chat", held)).exposes == ("text", "calls")
    assert only(span(1, "chat", held, droppedAttributesCount=2)).exposes == ()


def test_the_first_of_two_attributes_of_a_name_counts() -> None:
    held = span(1, "chat", chat(["hi"], "hello"))
    held["attributes"].append(
        {"key": "gen_ai.output.messages", "value": {"stringValue": json.dumps([message("assistant", "x")])}}
    )
    assert parts(only(held)) == [Text(text="hello")]


def test_the_events_of_a_span_are_in_order_of_time_when_they_are_log_records() -> None:
    def record(name: str, content: str, at: int) -> dict[str, Any]:
        body = {"kvlistValue": {"values": [{"key": "content", "value": {"stringValue": content}}]}}
        trace, own = span(1, "x")["traceId"], span(1, "x")["spanId"]
        return {"traceId": trace, "spanId": own, "eventName": name, "timeUnixNano": str(at), "body": body}

    records = [
        record("gen_ai.user.message", "second", 3),
        record("gen_ai.choice", "hello", 9),
        record("gen_ai.assistant.message", "answer", 2),
        record("gen_ai.user.message", "first", 1),
    ]
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    text = document(span(1, "chat", CHAT)) + "\n" + json.dumps(logs)
    [conversation] = otel.read(text, "f").conversations
    assert conversation.said == ("second",)


# Turns and conversations


def test_what_ran_beside_the_only_agent_of_a_request_is_of_the_same_turn() -> None:
    trace = only(
        span(1, "POST /chat", {}, lasts=99),
        span(2, "tool", tool("look_up", {}, "found"), parent=1, at=1),
        span(3, "x", AGENT, parent=1, at=10, lasts=20),
        span(4, "chat", chat(["hi"], "hello"), parent=3, at=11),
    )
    assert [turn.sent for turn in trace.turns] == ["hi"]
    assert [type(part).__name__ for part in parts(trace)] == ["Call", "Result", "Text"]


def test_turns_are_the_top_agents_of_a_conversation_over_all_its_traces() -> None:
    named = AGENT | {"gen_ai.conversation.id": "talk"}
    first = [span(1, "x", named, trace="aa"), span(2, "chat", chat(["a"], "1"), parent=1, trace="aa")]
    history = ["a", message("assistant", "1"), "b"]
    second = [
        span(1, "x", named, trace="bb", at=50),
        span(2, "chat", chat(history, "2"), parent=1, trace="bb", at=51),
    ]
    trace = only(*second, *first)
    assert [turn.sent for turn in trace.turns] == ["a", "b"]
    assert [p.text for p in parts(trace)] == ["1", "2"]
    assert [event.turn for event in trace.events] == [1, 1, 2, 2]


def test_without_a_conversation_each_trace_is_its_own() -> None:
    found = read(span(1, "x", chat(["a"], "1"), trace="aa"), span(1, "x", chat(["a"], "1"), trace="bb"))
    assert [each.trace.case for each in found.conversations] == ["aa", "bb"]


def test_a_loop_whose_model_calls_have_each_a_trace_is_one_turn() -> None:
    named = {"gen_ai.conversation.id": "talk"}
    asked = ["hi", message("assistant", call("f", {}, "c")), message("tool", gave("r", "c"))]
    trace = only(
        span(1, "chat", chat(["hi"], call("f", {}, "c")) | named, trace="aa"),
        span(1, "chat", chat(asked, "done") | named, trace="bb", at=9),
    )
    assert [turn.sent for turn in trace.turns] == ["hi"]
    assert parts(trace)[1:] == [Result(call_id="c", name="f", value="r"), Text(text="done")]


def test_agents_one_after_the_other_under_one_request_answer_one_question() -> None:
    def agent(number: int, name: str, said: str) -> list[Any]:
        return [
            span(number, "x", AGENT | {"gen_ai.agent.name": name}, parent=1, at=number),
            span(number + 1, "chat", chat(["hi"], said), parent=number, at=number),
        ]

    trace = only(span(1, "POST /chat", {}), *agent(10, "router", "to b"), *agent(20, "b", "hello"))
    assert [turn.sent for turn in trace.turns] == ["hi"]
    assert [event.node for event in trace.events] == ["router", "router", "b", "b"]


def test_questions_one_after_the_other_under_one_span_are_turns() -> None:
    def turn(number: int, asked: list[Any]) -> list[Any]:
        return [
            span(number, "x", AGENT, parent=1, at=number),
            span(number + 1, "chat", chat(asked, "ok"), parent=number, at=number),
        ]

    history = ["yes", message("assistant", "ok"), "yes"]
    trace = only(span(1, "session", {}), *turn(10, ["yes"]), *turn(20, history))
    assert [turn.sent for turn in trace.turns] == ["yes", "yes"]


def test_nested_agents_speak_as_nodes_of_one_turn() -> None:
    trace = only(
        span(1, "x", AGENT, lasts=99),
        span(2, "chat", chat(["hi"], call("transfer_to_agent", {"agent_name": "b"})), parent=1),
        span(3, "y", AGENT | {"gen_ai.agent.name": "b"}, parent=1, at=10),
        span(4, "chat", chat(["hi"], "hello"), parent=3, at=11),
    )
    assert [(event.author, event.node) for event in trace.events] == [
        *(("a", "a"), ("a", "a"), ("b", "b"), ("b", "b"))
    ]
    assert len(trace.turns) == 1


def test_an_agent_within_a_tool_that_no_agent_called_is_no_turn_of_its_own() -> None:
    trace = only(
        span(1, "tools/call", tool("ask_expert", {"q": 1}, "a"), lasts=99),
        span(2, "x", AGENT, parent=1, at=5),
        span(3, "chat", chat(["q"], "aside"), parent=2, at=6),
    )
    assert len(trace.turns) == 1
    assert calls(trace) == [("ask_expert", {"q": 1})]
    assert not any(isinstance(part, Text) for part in parts(trace))


def test_a_message_of_nothing_but_results_asks_nothing() -> None:
    def agent(number: int, asked: list[Any]) -> list[Any]:
        return [
            span(number, "x", AGENT, parent=1, at=number),
            span(number + 1, "chat", chat(asked, "ok"), parent=number, at=number),
        ]

    again = ["hi", message("assistant", call("f", {}, "c")), message("user", gave("r", "c"))]
    assert len(only(span(1, "POST /", {}), *agent(10, ["hi"]), *agent(20, again)).turns) == 1


# Files as they should not be


def test_spans_whose_parent_is_missing_belong_together_and_it_is_told() -> None:
    reading = read(
        span(2, "chat", chat(["hi"], call("f", {}, "c")), parent=1),
        span(3, "tool", tool("f", {}, "r", "c"), parent=1, at=5),
        span(4, "chat", chat(["hi"], "done"), parent=1, at=9),
    )
    [conversation] = reading.conversations
    assert len(conversation.trace.turns) == 1
    assert calls(conversation.trace) == [("f", {})]
    assert rules(reading) == ["parent-missing"]
    assert reading.findings[0].place.line == 1


def test_a_parent_in_another_program_is_usual() -> None:
    assert rules(read(span(1, "x", AGENT, parent=99), span(2, "chat", chat(["a"], "b"), parent=1))) == []


@pytest.mark.parametrize("ring", [[(1, 1)], [(1, 2), (2, 1)], [(1, 3), (2, 1), (3, 2)]])
def test_spans_that_are_each_others_parents_are_read_once(ring: list[tuple[int, int]]) -> None:
    spans = [span(own, "chat", chat(["hi"], f"said {own}"), parent=parent, at=own) for own, parent in ring]
    trace = only(*spans)
    assert len(trace.turns) == 1
    assert parts(trace)


def test_a_tools_clock_before_its_models_does_not_put_the_result_first() -> None:
    trace = only(
        span(1, "x", AGENT, at=100, lasts=99),
        span(2, "chat", chat(["hi"], call("f", {}, "c")), parent=1, at=110, lasts=9),
        span(3, "tool", tool("f", {}, "r", "c"), parent=1, at=2),
        span(4, "chat", chat(["hi"], "done"), parent=1, at=130),
    )
    assert [type(part).__name__ for part in parts(trace)] == ["Call", "Result", "Text"]
    assert all(event.at_ms >= 0 for event in trace.events)


def test_a_span_that_differs_when_it_comes_again_is_told_and_the_fuller_one_counts() -> None:
    bare, full = span(1, "chat", CHAT), span(1, "chat", chat(["hi"], "hello"))
    for both in ([bare, full], [full, bare]):
        reading = read(*both)
        assert rules(reading) == ["span-twice"]
        assert parts(reading.conversations[0].trace) == [Text(text="hello")]
    assert rules(read(full, full)) == []


@pytest.mark.parametrize(
    ("trace_id", "span_id", "parent"),
    [
        ("0AF7651916CD43DD8448EB211C80319C", "00F067AA0BA902B7", "00f067aa0ba902b7"),
        ("CvdlGRbNQ92ESOshHIAxnA==", "APBnqgupArc=", "APBnqgupArc="),
        ("CvdlGRbNQ92ESOshHIAxnA==", "APBnqgupArc=", "00f067aa0ba902b7"),
        ("af7651916cd43dd8448eb211c80319c", "f067aa0ba902b7", "00f067aa0ba902b7"),
        ("some trace", "some span", "some span"),
    ],
)
def test_ids_are_hex_of_any_case_or_base64_or_anything(trace_id: str, span_id: str, parent: str) -> None:
    outer = span(1, "x", AGENT) | {"traceId": trace_id, "spanId": span_id}
    inner = span(2, "chat", chat(["a"], "b")) | {"traceId": trace_id, "parentSpanId": parent}
    reading = read(outer, inner)
    assert len(reading.conversations) == 1
    assert rules(reading) == []


def test_counts_may_be_text_numbers_or_nonsense() -> None:
    for raw, total in [
        ({"intValue": "7"}, 7),
        ({"intValue": 7}, 7),
        ({"int_value": "7"}, 7),
        ({"doubleValue": 7.0}, 7),
        ({"stringValue": "7"}, 7),
        ({"doubleValue": "NaN"}, None),
        ({"intValue": "-1"}, None),
        ({"intValue": "9" * 30}, None),
        ({"boolValue": True}, None),
        ({}, None),
    ]:
        held = span(1, "chat", chat(["a"], "b"))
        held["attributes"].append({"key": "gen_ai.usage.input_tokens", "value": raw})
        found = [event.usage.total for event in only(held).events if event.usage]
        assert found == ([] if total is None else [total]), raw


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 0, "it is not JSON"),
        ("{", 0, "it is not JSON"),
        ("null", 0, "no document of spans but null"),
        ("[]", 0, "no document of spans but a list"),
        ('{"events": []}', 0, "an object with 'events'"),
        ('{"resourceSpans": {}}', 0, "resourceSpans is an object, not a list"),
        ('{"resourceSpans": [1]}', 0, "item 1 of resourceSpans is a number"),
        ('{"resourceSpans": [{"scopeSpans": [[]]}]}', 0, "item 1 of scopeSpans is a list"),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": [7]}]}]}', 0, "a span is a number"),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "x"}]}]}]}', 0, "'x' has no traceId"),
        ('{"resourceSpans": []}', 0, "no span of an agent"),
        ('{"resourceMetrics": []}', 0, "no span of an agent"),
        ('{"data": [1]}', 0, "trace 1 of its data has no list of spans"),
        ('{"data": [{"spans": [1]}]}', 0, "a span of trace 1 is a number"),
        ('{"data": [{"spans": [{"operationName": "x"}]}]}', 0, "'x' has no traceID"),
        ('{"resourceSpans": []}\n{"resourceSpans": [', 2, "this line is not JSON"),
        ('{"resourceSpans": []}\n\n[]', 3, "no document of spans but a list"),
        ('{"resourceLogs": [{"scopeLogs": [{"logRecords": [1]}]}]}', 0, "a log record is a number"),
        ('{"a": 1, "a": 2}', 0, "the key 'a' is there twice"),
    ],
)
def test_a_file_that_cannot_be_used_says_where_and_why(text: str, line: int, says: str) -> None:
    reading = otel.read(text, "f")
    assert reading.conversations == ()
    errors = [finding for finding in reading.findings if finding.level == "error"]
    assert [finding.place.line for finding in errors] == [line]
    assert says in errors[0].what


def test_every_line_that_cannot_be_used_is_told_until_there_are_too_many() -> None:
    lines = ['{"resourceSpans": []}', *["{"] * 30]
    found = otel.read("\n".join(lines), "f").findings
    assert len(found) == 21
    assert found[-1].what == "10 more of the kind 'not-json'"
    assert found[-1].level == "error"


def test_spans_of_no_agent_are_no_conversation() -> None:
    reading = read(
        span(1, "GET /", {"http.method": "GET"}),
        span(2, "embeddings", {"gen_ai.operation.name": "embeddings"}),
    )
    assert rules(reading) == ["no-spans"]


# Anything at all

LEAF = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9)
NAMES = st.sampled_from(
    [
        *("gen_ai.operation.name", "gen_ai.agent.name", "gen_ai.tool.name", "gen_ai.conversation.id"),
        *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.call.arguments"),
        *("gen_ai.usage.input_tokens", "gen_ai.response.finish_reasons", "error.type", "input.value"),
        *("gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response", "openinference.span.kind"),
        *("llm.output_messages.0.message.content", "gen_ai.completion.0.tool_calls.0.name"),
        *("traceloop.span.kind", "traceloop.entity.input", "gen_ai.tool.call.result", "tool.parameters"),
    ]
)
WORDS = st.sampled_from(
    [
        "chat",
        "invoke_agent",
        "execute_tool",
        "LLM",
        "TOOL",
        "AGENT",
        "agent",
        "{}",
        "[]",
        "[[]]",
        '[{"role": 1}]',
    ]
)
ODD = st.recursive(
    LEAF | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
ODD_PARTS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("type", "content", "text", "id", "name", "arguments", "response", "functionCall"), ODD
    ),
)
ODD_MESSAGES = st.lists(
    st.fixed_dictionaries(
        {}, optional={"role": ODD, "parts": st.lists(ODD_PARTS) | ODD, "content": ODD, "tool_calls": ODD}
    ),
    max_size=3,
)
ATTRIBUTES = st.dictionaries(NAMES, ODD | ODD_MESSAGES | ODD_MESSAGES.map(json.dumps), max_size=6)
MOMENTS = st.lists(
    st.builds(
        moment,
        st.sampled_from(["gen_ai.choice", "gen_ai.user.message", "gen_ai.tool.message", "exception"]),
        st.dictionaries(st.sampled_from(["content", "message", "tool_calls", "id"]), ODD),
    ),
    max_size=2,
)
SPANS = st.lists(
    st.builds(
        span,
        st.integers(1, 5),
        st.sampled_from(["call_llm", "invocation", "x"]),
        ATTRIBUTES,
        parent=st.integers(0, 6),
        at=st.integers(-5, 50),
        events=MOMENTS,
        status=ODD,
    ),
    max_size=6,
)


def consistent(event: Event) -> bool:
    return event.at_ms >= 0 and all(not isinstance(p, Call) or bool(p.id) for p in event.parts)


@settings(deadline=None, max_examples=100)
@given(SPANS, st.sampled_from(["agent", "gcp.vertex.agent"]))
def test_no_attribute_makes_it_raise_and_each_trace_reads_back_the_same(spans: list[Any], scope: str) -> None:
    for conversation in otel.read(document(*spans, scope=scope), "f").conversations:
        stored = json.dumps(dump(conversation.trace))
        assert load(Trace, strict_json(stored)) == conversation.trace
        assert all(map(consistent, conversation.trace.events))


@settings(deadline=None, max_examples=200)
@given(
    st.recursive(
        LEAF,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        *(
                            "resourceSpans",
                            "scopeSpans",
                            "spans",
                            "traceId",
                            "spanId",
                            "attributes",
                            "key",
                            "value",
                        ),
                        *(
                            "data",
                            "spanID",
                            "traceID",
                            "tags",
                            "processes",
                            "references",
                            "logs",
                            "resourceLogs",
                        ),
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
    )
)
def test_no_document_makes_it_raise(value: Any) -> None:
    reading = otel.read(json.dumps(value), "f")
    assert reading.conversations or reading.findings


@pytest.mark.parametrize("number", [2_000])
def test_many_spans_of_one_parent_and_a_deep_chain_are_read_in_one_pass(number: int) -> None:
    wide = [span(1, "x", AGENT, lasts=9)]
    wide += [span(n, "tool", tool("f", {"n": n}, n), parent=1, at=n) for n in range(2, number)]
    assert len(calls(only(*wide))) == number - 2
    deep = [span(1, "x", AGENT, lasts=9)]
    deep += [span(n, "y", AGENT, parent=n - 1, at=n) for n in range(2, number)]
    assert len(only(*deep).events) == number - 1


def test_a_call_whose_id_an_earlier_turn_used_is_a_call_all_the_same() -> None:
    def turn(number: int) -> Any:
        trace = f"{number:032x}"
        yield span(number, "a", AGENT | {"session.id": "c"}, at=number * 100, lasts=50, trace=trace)
        yield span(number + 1, "chat", CHAT, parent=number, at=number * 100 + 1, trace=trace)
        ran = tool("f", {"n": number}, number, "call_0")
        yield span(number + 2, "execute_tool f", ran, parent=number, at=number * 100 + 5, trace=trace)

    trace = only(*turn(1), *turn(11))
    assert parts(trace) == [
        part
        for number in (1, 11)
        for part in (
            Call(id="call_0", name="f", args={"n": number}),
            Result(call_id="call_0", name="f", value=number),
        )
    ]
