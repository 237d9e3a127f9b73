"""One conversation as each convention records it: a question, a tool's call and result, an answer, tokens."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from gate.formats import otel
from gate.model.trace import Call, Completed, Result, Text, Trace
from tests.support.otel_spans import TRACE, document, jaeger, moment, request, span

ARGS, RESULT = {"city": "London"}, {"temp": 14}
ASKED: dict[str, Any] = {"role": "user", "parts": [{"type": "text", "content": "Weather?"}]}
CALLED: dict[str, Any] = {
    "role": "assistant",
    "parts": [{"type": "tool_call", "id": "c1", "name": "get_weather", "arguments": ARGS}],
    "finish_reason": "tool_calls",
}
GAVE: dict[str, Any] = {
    "role": "tool",
    "parts": [{"type": "tool_call_response", "id": "c1", "response": RESULT}],
}
SAID: dict[str, Any] = {
    "role": "assistant",
    "parts": [{"type": "text", "content": "14 degrees."}],
    "finish_reason": "stop",
}
BASE = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
TOKENS = {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5}
AGENT = {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "forecaster",
    "gen_ai.conversation.id": "talk-1",
}
TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "get_weather",
    "gen_ai.tool.call.id": "c1",
    "gen_ai.tool.call.arguments": json.dumps(ARGS),
    "gen_ai.tool.call.result": json.dumps(RESULT),
}
Spans = list[dict[str, Any]]


def with_tool(first: dict[str, Any], tool: dict[str, Any], last: dict[str, Any], top: Any = None) -> Spans:
    """An agent's span with two model calls, and the tool between them."""
    return [
        span(1, "invoke_agent forecaster", top or AGENT, lasts=100),
        span(2, "chat m", first.pop("attributes"), parent=1, at=1, lasts=9, **first),
        span(3, "execute_tool get_weather", tool, parent=1, at=20, lasts=9),
        span(4, "chat m", last.pop("attributes"), parent=1, at=40, lasts=9, **last),
    ]


def in_attributes(form: Callable[[Any], Any]) -> Spans:
    return with_tool(
        {
            "attributes": BASE
            | TOKENS
            | {"gen_ai.input.messages": form([ASKED]), "gen_ai.output.messages": form([CALLED])}
        },
        TOOL,
        {
            "attributes": BASE
            | TOKENS
            | {
                "gen_ai.input.messages": form([ASKED, CALLED, GAVE]),
                "gen_ai.output.messages": form([SAID]),
            }
        },
    )


def in_details() -> Spans:
    name = "gen_ai.client.inference.operation.details"
    first = {"gen_ai.input.messages": [ASKED], "gen_ai.output.messages": [CALLED]}
    last = {"gen_ai.input.messages": [ASKED, CALLED, GAVE], "gen_ai.output.messages": [SAID]}
    return with_tool(
        {"attributes": BASE | TOKENS, "events": [moment(name, first, 2)]},
        TOOL,
        {"attributes": BASE | TOKENS, "events": [moment(name, last, 41)]},
    )


def in_message_events() -> Spans:
    """The conventions until 1.36, as span events; the tool's span has no content."""
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "get_weather", "arguments": json.dumps(ARGS)},
    }
    older = {"gen_ai.usage.prompt_tokens": 10, "gen_ai.usage.completion_tokens": 5, "gen_ai.system": "x"}
    ask = moment("gen_ai.user.message", {"content": "Weather?"}, 2)
    asked = moment(
        "gen_ai.choice",
        {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}},
        8,
    )
    again = [
        moment("gen_ai.assistant.message", {"tool_calls": [call]}, 41),
        moment("gen_ai.tool.message", {"id": "c1", "content": json.dumps(RESULT)}, 42),
        moment("gen_ai.choice", {"index": 0, "message": {"content": "14 degrees."}}, 43),
    ]
    bare = {key: held for key, held in TOOL.items() if not key.endswith(("arguments", "result"))}
    return with_tool(
        {"attributes": BASE | older, "events": [ask, asked]},
        bare,
        {"attributes": BASE | older, "events": [ask, *again]},
    )


def in_content_events() -> Spans:
    """The conventions until 1.27."""
    ask: list[Any] = [{"role": "user", "content": "Weather?"}]
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "get_weather", "arguments": json.dumps(ARGS)},
    }
    made = {"role": "assistant", "content": None, "tool_calls": [call]}
    gave = {"role": "tool", "tool_call_id": "c1", "content": json.dumps(RESULT)}

    def events(given: Any, out: Any) -> Spans:
        return [
            moment("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps(given)}),
            moment("gen_ai.content.completion", {"gen_ai.completion": json.dumps(out)}),
        ]

    last = [{"role": "assistant", "content": "14 degrees."}]
    return with_tool(
        {"attributes": BASE | TOKENS, "events": events(ask, [made])},
        TOOL,
        {"attributes": BASE | TOKENS, "events": events([*ask, made, gave], last)},
    )


def in_adk_1() -> Spans:
    """ADK's first schema: `call_llm` around the model's span, which has the tokens too."""
    ask = {"parts": [{"text": "Weather?"}], "role": "user"}
    call = {"parts": [{"function_call": {"args": ARGS, "name": "get_weather"}}], "role": "model"}
    gave = {"parts": [{"function_response": {"name": "get_weather", "response": RESULT}}], "role": "user"}
    last = {"parts": [{"text": "14 degrees."}], "role": "model"}

    def llm(contents: Any, content: Any) -> dict[str, Any]:
        return TOKENS | {
            "gen_ai.system": "gcp.vertex.agent",
            "gen_ai.request.model": "m",
            "gcp.vertex.agent.session_id": "talk-1",
            "gcp.vertex.agent.llm_request": json.dumps({"model": "m", "contents": contents}),
            "gcp.vertex.agent.llm_response": json.dumps({"content": content, "finish_reason": "STOP"}),
        }

    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_weather",
        "gen_ai.tool.call.id": "c1",
        "gcp.vertex.agent.llm_request": "{}",
        "gcp.vertex.agent.llm_response": "{}",
        "gcp.vertex.agent.tool_call_args": json.dumps(ARGS),
        "gcp.vertex.agent.tool_response": json.dumps(RESULT),
    }
    merged = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "(merged tools)"}
    return [
        span(9, "invocation", lasts=110),
        span(1, "invoke_agent forecaster", AGENT, parent=9, lasts=100),
        span(2, "call_llm", llm([ask], call), parent=1, at=1, lasts=9),
        span(5, "generate_content m", TOKENS | {"gen_ai.operation.name": "generate_content"}, parent=2, at=2),
        span(3, "execute_tool get_weather", tool, parent=2, at=20, lasts=9),
        span(6, "execute_tool (merged)", merged, parent=2, at=30),
        span(4, "call_llm", llm([ask, call, gave], last), parent=1, at=40, lasts=9),
    ]


def in_open_inference() -> Spans:
    top = {
        "openinference.span.kind": "AGENT",
        "agent.name": "forecaster",
        "session.id": "talk-1",
        "input.value": "Weather?",
    }
    counts = {"llm.token_count.prompt": 10, "llm.token_count.completion": 5}
    llm = {"openinference.span.kind": "LLM", "llm.model_name": "m", **counts}
    given = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Weather?"}
    made = "llm.output_messages.0.message."
    call = {
        made + "role": "assistant",
        made + "tool_calls.0.tool_call.id": "c1",
        made + "tool_calls.0.tool_call.function.name": "get_weather",
        made + "tool_calls.0.tool_call.function.arguments": json.dumps(ARGS),
    }
    said = {
        made + "role": "assistant",
        made + "contents.0.message_content.type": "text",
        made + "contents.0.message_content.text": "14 degrees.",
    }
    tool = {
        "openinference.span.kind": "TOOL",
        "tool.name": "get_weather",
        "tool_call.id": "c1",
        "input.value": json.dumps(ARGS),
        "output.value": json.dumps(RESULT),
    }
    return with_tool({"attributes": llm | given | call}, tool, {"attributes": llm | given | said}, top)


def in_traceloop() -> Spans:
    top = {
        "traceloop.span.kind": "agent",
        "traceloop.entity.name": "forecaster",
        "traceloop.association.properties.session_id": "talk-1",
    }
    counts = {"gen_ai.usage.prompt_tokens": 10, "gen_ai.usage.completion_tokens": 5}
    llm = {"llm.request.type": "chat", "gen_ai.request.model": "m", **counts}
    given = {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Weather?"}
    call = {
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.finish_reason": "tool_calls",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "get_weather",
        "gen_ai.completion.0.tool_calls.0.arguments": json.dumps(ARGS),
    }
    said = {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "14 degrees."}
    tool = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "get_weather",
        "traceloop.entity.input": json.dumps({"args": [], "kwargs": ARGS}),
        "traceloop.entity.output": json.dumps(RESULT),
    }
    return with_tool({"attributes": llm | given | call}, tool, {"attributes": llm | given | said}, top)


def snake(value: Any) -> Any:
    """The same document under protobuf's own names."""
    if isinstance(value, dict):
        return {"".join(f"_{c.lower()}" if c.isupper() else c for c in k): snake(v) for k, v in value.items()}
    return [snake(each) for each in value] if isinstance(value, list) else value


DIALECTS: dict[str, Callable[[], Spans]] = {
    "attributes, as JSON text": lambda: in_attributes(json.dumps),
    "attributes, structured": lambda: in_attributes(lambda held: held),
    "an event of details": in_details,
    "an event a message": in_message_events,
    "events of prompt and completion": in_content_events,
    "ADK's first schema": in_adk_1,
    "OpenInference": in_open_inference,
    "OpenLLMetry": in_traceloop,
}
FORMS: dict[str, Callable[[Spans], str]] = {
    "a document": lambda spans: document(*spans, scope="gcp.vertex.agent"),
    "a line a span, in the order of their end": lambda spans: "\n".join(
        document(each, scope="gcp.vertex.agent")
        for each in sorted(spans, key=lambda each: each["endTimeUnixNano"])
    ),
    "snake_case": lambda spans: json.dumps(snake(request(*spans, scope="gcp.vertex.agent"))),
    "a list of documents": lambda spans: json.dumps([request(*spans, scope="gcp.vertex.agent")]),
    "Jaeger": lambda spans: jaeger(spans, scope="gcp.vertex.agent"),
}


def read(text: str) -> Trace:
    reading = otel.read(text, "spans.json")
    assert [finding.what for finding in reading.findings] == []
    [conversation] = reading.conversations
    return conversation.trace


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_convention_in_every_file_gives_the_same_trace(dialect: str, form: str) -> None:
    trace = read(FORMS[form](DIALECTS[dialect]()))
    [turn] = trace.turns
    parts = [part for event in trace.events for part in event.parts]
    [call, result, said] = parts
    assert isinstance(call, Call)
    assert isinstance(result, Result)
    assert (turn.sent, call.name, call.args, call.args_error) == ("Weather?", "get_weather", ARGS, "")
    assert (result.call_id, result.name, result.value, result.is_error) == (
        call.id,
        "get_weather",
        RESULT,
        False,
    )
    assert said == Text(text="14 degrees.")
    assert [event.usage.total for event in trace.events if event.usage] == [15, 15]
    assert (trace.case, trace.session, trace.outcome) == ("talk-1", "talk-1", Completed())
    assert trace.exposes == ("text", "calls", "nodes", "usage")
    assert (
        {event.author for event in trace.events} == {event.node for event in trace.events} == {"forecaster"}
    )
    assert [event.seq for event in trace.events] == list(range(1, len(trace.events) + 1))
    assert all(a.at_ms <= b.at_ms for a, b in zip(trace.events, trace.events[1:], strict=False))


def test_log_records_are_read_with_the_span_that_they_were_written_in() -> None:
    details = "gen_ai.client.inference.operation.details"
    spans = in_details()
    records = [
        {
            "traceId": TRACE,
            "spanId": each["spanId"],
            "eventName": details,
            "timeUnixNano": each["startTimeUnixNano"],
            "attributes": each.pop("events")[0]["attributes"],
        }
        for each in spans
        if "events" in each
    ]
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}
    assert read(document(*spans) + "\n" + json.dumps(logs)) == read(document(*in_details()))


def test_log_records_of_no_span_are_told() -> None:
    lost = {"traceId": TRACE, "spanId": "ff", "eventName": "gen_ai.choice"}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [lost]}]}]}
    reading = otel.read(document(*in_details()) + "\n" + json.dumps(logs), "spans.json")
    assert [finding.rule for finding in reading.findings] == ["loose-logs"]
