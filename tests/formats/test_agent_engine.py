"""What Agent Engine puts around ADK's events: lines, failures, sessions, and the end of a stream."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.adk import EventReader
from gate.formats.adk_fields import UnreadableEvent, is_mapping
from gate.formats.agent_engine import (
    Ending,
    failure_of,
    has_raised,
    is_unknown_method,
    payload,
    session_id,
)

KEYS = ("content", "parts", "partial", "error", "detail", "code", "message", "status", "actions", "author")
FIELDS = (*KEYS, "output", "longRunningToolIds", "long_running_tool_ids", "functionCall", "name", "escalate")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=3), inner)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"a": 1}', '{"a": 1}'),
        (' {"a": 1} ', '{"a": 1}'),
        ('data: {"a": 1}', '{"a": 1}'),
        ('data:{"a": 1}', '{"a": 1}'),
        ("data:", ""),
        ("", ""),
        (": keep-alive", ""),
        ("event: message", ""),
        ("id: 7", ""),
        ("retry: 100", ""),
        ('"data: a text"', '"data: a text"'),
        ('"event: a text"', '"event: a text"'),
    ],
)
def test_a_line_gives_its_json_with_or_without_framing(line: str, text: str) -> None:
    assert payload(line) == text


@pytest.mark.parametrize(
    ("frame", "failure"),
    [
        ({"code": 498, "message": "it broke"}, "498: it broke"),
        ({"code": "ABORTED", "message": "it broke"}, "ABORTED: it broke"),
        ({"code": 498}, ""),
        ({"message": "hello"}, ""),
        ({"error": {"code": 8, "status": "RESOURCE_EXHAUSTED", "message": "x"}}, "8: RESOURCE_EXHAUSTED: x"),
        ({"error": {"odd": 1}}, "{'odd': 1}"),
        ({"error": "it broke"}, "it broke"),
        ({"error": ["it broke"]}, "['it broke']"),
        ({"detail": "it broke"}, "it broke"),
        ({"author": "toy", "error": "a tool's own"}, ""),
        ({"invocation_id": "i", "code": 1, "message": "m"}, ""),
        ({}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_a_failure_is_told_from_an_event(frame: Any, failure: str) -> None:
    assert failure_of(frame) == failure


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"output": {"id": "s"}}, "s"),
        ({"output": {"id": 7}}, ""),
        ({"output": {}}, ""),
        ({"output": None}, ""),
        ({"id": "s"}, ""),
        ([], ""),
    ],
)
def test_a_session_s_id_is_text_in_the_output(body: Any, found: str) -> None:
    assert session_id(body) == found


@pytest.mark.parametrize(
    ("body", "unknown"),
    [
        ('{"detail":"class_method async_create_session is not allowed"}', True),
        ("Default method `async_create_session` not found. Available methods are: ['query'].", True),
        ("Available methods are: ['query'].", False),
        ("async_create_session: the quota is exceeded", False),
    ],
)
def test_an_unknown_method_is_told_from_other_refusals(body: str, *, unknown: bool) -> None:
    assert is_unknown_method(body, "async_create_session") is unknown


def test_what_the_agent_raised_is_told_from_a_bad_request() -> None:
    assert has_raised("Reasoning Engine Execution failed. …")
    assert has_raised("Agent Engine Error: An error occurred during invocation.")
    assert not has_raised("Invalid JSON payload received.")


@given(st.lists(JSON, max_size=4))
def test_whatever_reads_as_events_has_an_ending(frames: list[Any]) -> None:
    reader, ending = EventReader(), Ending()
    for frame in frames:
        assert isinstance(failure_of(frame), str)
        with suppress(UnreadableEvent):
            reader.read(frame)
            assert is_mapping(frame)
            ending.hear(frame)
    assert isinstance(ending.lacking(), str)


NAMED = st.fixed_dictionaries({}, optional={"name": JSON | st.text(max_size=3), "args": JSON, "id": JSON})
PARTS = st.fixed_dictionaries(
    {}, optional={"functionCall": NAMED | JSON, "functionResponse": NAMED | JSON, "text": JSON}
)
FRAMES = st.fixed_dictionaries(
    {"author": st.just("toy")},
    optional={
        "content": st.fixed_dictionaries({"parts": st.lists(PARTS | JSON, max_size=3)}),
        "actions": JSON,
        "partial": st.booleans(),
        "longRunningToolIds": JSON,
    },
)


@given(FRAMES)
def test_what_the_reader_takes_the_ending_takes(frame: Any) -> None:
    try:
        EventReader().read(frame)
    except UnreadableEvent:
        return
    assert is_mapping(frame)
    Ending().hear(frame)
