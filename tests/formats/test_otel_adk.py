"""What the real google-adk exports through the real OpenTelemetry SDK, under each of its settings."""

from collections.abc import Callable

import pytest

from gate.formats import otel
from gate.model.trace import Call, Completed, Crashed, Paused, Result, Text, Throttled, Trace
from tests.formats.conftest import Record

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
SCHEMA = "ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN"
SETTINGS = {
    "spans": {CAPTURE: "SPAN_ONLY"},
    "events": {CAPTURE: "EVENT_ONLY"},
    "first schema": {SCHEMA: "1"},
    "first schema, and logs": {SCHEMA: "1", CAPTURE: "true"},
    "first schema, only logs": {
        SCHEMA: "1",
        CAPTURE: "true",
        "ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS": "false",
    },
}


def read(text: str) -> list[Trace]:
    return [conversation.trace for conversation in otel.read(text, "spans.jsonl").conversations]


def said(trace: Trace) -> list[str]:
    return [part.text for event in trace.events for part in event.parts if isinstance(part, Text)]


def calls(trace: Trace) -> list[Call]:
    return [part for event in trace.events for part in event.parts if isinstance(part, Call)]


@pytest.mark.parametrize("setting", SETTINGS)
def test_two_turns_with_a_tool_read_the_same_under_each_setting(record: Record, setting: str) -> None:
    text = record("hello | weather in London", **SETTINGS[setting])
    assert otel.read(text, "f").findings == ()
    [trace] = read(text)
    assert [turn.sent for turn in trace.turns] == ["hello", "weather in London"]
    assert said(trace) == ["Hello!", "Let me check.", "Done: {'temp': 20, 'unit': 'C'}"]
    [call] = calls(trace)
    assert (call.name, call.args) == ("get_weather", {"city": "London"})
    assert [p for e in trace.events for p in e.parts if isinstance(p, Result)] == [
        Result(call_id=call.id, name="get_weather", value={"temp": 20, "unit": "C"})
    ]
    assert [event.usage.total for event in trace.events if event.usage] == [17, 17, 17]
    assert (trace.case, trace.outcome) == ("session-1", Completed())
    assert trace.exposes == ("text", "calls", "nodes", "usage")
    assert {event.node for event in trace.events} == {"toy"}


def test_without_content_the_text_is_not_exposed_and_the_arguments_are_unknown(record: Record) -> None:
    text = record("weather in London", "hello", agent="toy")
    reading = otel.read(text, "f")
    assert [(finding.rule, finding.level) for finding in reading.findings] == [("not-recorded", "warn")]
    assert "what the agent answered was not recorded in 2 of 2" in reading.findings[0].what
    called, greeted = read(text)
    assert called.exposes == greeted.exposes == ("calls", "nodes", "usage")
    assert [(call.name, call.args, call.args_error) for call in calls(called)] == [
        ("get_weather", None, "the arguments were not recorded")
    ]
    # ADK makes a span of every tool's call: that there is none is known.
    assert calls(greeted) == []
    assert greeted.outcome == Completed(
        reason="no span says that it failed; what it answered was not recorded"
    )


def test_the_first_schema_without_content_writes_empty_objects_which_are_no_arguments(
    record: Record,
) -> None:
    settings = {SCHEMA: "1", "ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS": "false"}
    [trace] = read(record("weather in London", **settings))
    assert [(call.args, call.args_error) for call in calls(trace)] == [
        (None, "the arguments were not recorded")
    ]
    assert "text" not in trace.exposes


@pytest.mark.parametrize(
    ("talk", "outcome"),
    [
        ("boom", Crashed(reason="the agent reported an error: RuntimeError: model exploded")),
        ("delete it", Paused(reason="the agent waits for 'adk_request_confirmation' for 'delete_repo'")),
        # ADK's spans do not say what a model reported instead of an answer.
        ("quota", Crashed(reason="the spans record neither an answer nor a tool call")),
    ],
)
def test_a_crash_and_a_pause_are_none_of_them_completed(record: Record, talk: str, outcome: object) -> None:
    talks = ("boom", "delete it", "quota")
    found = read(record(*talks, **SETTINGS["spans"]))
    assert found[talks.index(talk)].outcome == outcome


def test_the_first_schema_says_that_a_provider_was_at_its_limit(record: Record) -> None:
    [trace] = read(record("quota", **SETTINGS["first schema"]))
    assert trace.outcome == Throttled(
        reason="the agent reported a limit: RESOURCE_EXHAUSTED: Quota exceeded."
    )


def test_the_nodes_of_a_workflow_are_visits_in_order(record: Record) -> None:
    [trace] = read(record("string", agent="flow", **SETTINGS["spans"]))
    assert [event.node for event in trace.events] == ["flow", "route", "ask"]
    assert trace.exposes == ("calls", "nodes")


def test_two_calls_at_once_keep_their_own_results(record: Record) -> None:
    [trace] = read(record("both", **SETTINGS["spans"]))
    first, second = calls(trace)
    assert (first.name, second.name) == ("get_weather", "delete_repo")
    results = [part for event in trace.events for part in event.parts if isinstance(part, Result)]
    assert [(result.call_id, result.name) for result in results] == [
        (first.id, "get_weather"),
        (second.id, "delete_repo"),
    ]


def test_what_the_sdk_cut_off_is_told_and_not_exposed(record: Record) -> None:
    text = record("weather in London", OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT="60", **SETTINGS["spans"])
    reading = otel.read(text, "f")
    assert {finding.rule for finding in reading.findings} == {"unreadable-content", "not-recorded"}
    assert any("60 characters" in finding.what for finding in reading.findings)
    [trace] = read(text)
    assert "text" not in trace.exposes
    assert [(call.name, call.args) for call in calls(trace)] == [("get_weather", {"city": "London"})]


def test_arguments_that_the_sdk_cut_off_are_malformed_and_never_empty(record: Record) -> None:
    [trace] = read(record("weather in London", OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT="17", **SETTINGS["spans"]))
    [call] = calls(trace)
    assert call.args is None
    assert "no whole JSON" in call.args_error


@pytest.mark.parametrize("most", ["3", "5", "8", "12"])
def test_what_a_span_lost_is_told_and_nothing_is_concluded_from_it(record: Record, most: str) -> None:
    text = record("weather in London", OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT=most, **SETTINGS["spans"])
    reading = otel.read(text, "f")
    assert "lost-attributes" in {finding.rule for finding in reading.findings}
    for trace in read(text):
        assert "text" not in trace.exposes or said(trace)
        assert "calls" not in trace.exposes or calls(trace)
        assert not isinstance(trace.outcome, Crashed)


@pytest.mark.parametrize("shuffle", [sorted, lambda lines: sorted(lines, reverse=True)])
def test_the_order_of_the_file_does_not_matter(
    record: Record, shuffle: Callable[[list[str]], list[str]]
) -> None:
    text = record("hello | weather in London", **SETTINGS["spans"])
    again = "\n".join(shuffle(text.splitlines()))
    plain = [(t.turns, t.outcome) for t in read(text)]
    assert [(t.turns, t.outcome) for t in read(again)] == plain


def test_a_file_that_is_there_twice_reads_as_once(record: Record) -> None:
    text = record("hello | weather in London", **SETTINGS["spans"])
    assert read(text + text) == read(text)
