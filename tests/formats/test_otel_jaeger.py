"""What only Jaeger's JSON has; made after its documentation, and held against agentevals-cli's reading."""

import json
from typing import Any

from gate.formats import otel
from gate.model.trace import Crashed, Text
from tests.support.otel_spans import jaeger, span

CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.output.messages": json.dumps(
        [{"role": "assistant", "parts": [{"type": "text", "content": "hello"}]}]
    ),
}
AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}


def spans_of(text: str) -> list[Any]:
    held: list[Any] = json.loads(text)["data"][0]["spans"]
    return held


def read(*spans: Any) -> Any:
    made = json.loads(jaeger([span(1, "x", {})]))
    made["data"][0]["spans"] = list(spans)
    [conversation] = otel.read(json.dumps(made), "f").conversations
    return conversation.trace


def test_times_are_microseconds() -> None:
    trace = read(
        *spans_of(jaeger([span(1, "x", AGENT, lasts=50), span(2, "y", CHAT, parent=1, at=10, lasts=5)]))
    )
    assert [event.at_ms for event in trace.events] == [0.0, 15.0]
    assert trace.duration_ms == 50.0


def test_a_reference_into_another_trace_or_of_another_kind_is_no_parent() -> None:
    outer, inner = spans_of(jaeger([span(1, "x", AGENT), span(2, "y", CHAT, parent=1, at=9)]))
    assert len(read(outer, inner).turns) == 1
    [reference] = inner["references"]
    for other in ({"traceID": "ffff"}, {"refType": "FOLLOWS_FROM"}):
        trace = read(outer, {**inner, "references": [reference | other]})
        assert [turn.started_ms for turn in trace.turns] == [0.0, 9.0]


def test_a_short_id_is_the_same_as_one_with_zeros() -> None:
    outer, inner = spans_of(jaeger([span(1, "x", AGENT), span(2, "y", CHAT, parent=1)]))
    outer["spanID"] = "1"
    assert len(read(outer, inner).turns) == 1


def test_a_tag_of_an_error_fails_the_span() -> None:
    failed = spans_of(
        jaeger([span(1, "y", {"gen_ai.operation.name": "chat"}, status={"code": 2, "message": "no"})])
    )
    assert read(*failed).outcome == Crashed(reason="the agent reported an error: no")
    old = spans_of(jaeger([span(1, "y", {"gen_ai.operation.name": "chat", "error": True})]))
    assert isinstance(read(*old).outcome, Crashed)


def test_a_process_may_stand_in_the_span() -> None:
    held = spans_of(jaeger([span(1, "y", CHAT)]))[0]
    del held["processID"]
    held["process"] = {"serviceName": "s", "tags": []}
    assert [part for event in read(held).events for part in event.parts] == [Text(text="hello")]


def test_a_collectors_warning_is_told() -> None:
    held = spans_of(jaeger([span(1, "y", CHAT)]))[0] | {"warnings": ["clock skew"]}
    text = json.dumps({"data": [{"traceID": "a", "spans": [held], "processes": {}}]})
    assert otel.read(text, "f").conversations
