import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.drive.arguments import arguments_of
from gate.formats.adk_fields import UnreadableEvent
from gate.formats.openai_chat import ChatReader
from gate.model.trace import Call, Event, Text, Thought, Usage


def read(*records: Any, waits: bool = True) -> ChatReader:
    reader = ChatReader(arguments_of, waits=waits)
    for record in records:
        reader.read(record)
    return reader


def whole(finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
    return {"object": "chat.completion", "choices": [choice]}


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def function(name: str, arguments: Any = "{}", **rest: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **rest}


def calls(*deltas: dict[str, Any]) -> list[tuple[str, str, Any]]:
    event = read(*(chunk(tool_calls=[delta]) for delta in deltas), chunk("tool_calls")).event()
    return [(part.id, part.name, part.args) for part in event.parts if isinstance(part, Call)]


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ({"content": "Hi"}, (Text(text="Hi"),)),
        ({"content": [{"type": "text", "text": "H"}, {"type": "text", "text": "i"}]}, (Text(text="Hi"),)),
        ({"content": None, "refusal": "I won't."}, (Text(text="I won't."),)),
        ({"content": [{"type": "refusal", "refusal": "No."}]}, (Text(text="No."),)),
        ({"content": "Hi", "reasoning_content": "Hm"}, (Thought(text="Hm"), Text(text="Hi"))),
        (
            {"content": "Hi", "reasoning": "Hm", "reasoning_content": None},
            (Thought(text="Hm"), Text(text="Hi")),
        ),
        (
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}, {"text": "Hi"}]},
            (Thought(text="Hm"), Text(text="Hi")),
        ),
        ({"content": [{"type": "image_url", "image_url": {"url": "x"}}]}, ()),
        ({"content": ""}, ()),
        ({"tool_calls": None, "content": None}, ()),
        (
            {"tool_calls": [function("f", '{"a": 1}', id="1"), function("g", "", id="2")]},
            (Call(id="1", name="f", args={"a": 1}), Call(id="2", name="g", args={})),
        ),
        ({"tool_calls": [function("f", {"a": 1}, id="1")]}, (Call(id="1", name="f", args={"a": 1}),)),
        ({"tool_calls": [function("f")]}, (Call(id="call-1-1", name="f", args={}),)),
        (
            {"tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "sql", "input": "select"}}]},
            (Call(id="1", name="sql", args={"input": "select"}),),
        ),
        (
            {"tool_calls": [function("f"), function("g")]},
            (Call(id="call-1-1", name="f", args={}), Call(id="call-1-2", name="g", args={})),
        ),
        (
            {"tool_calls": [function("f", id="1"), function("f", id="1")]},
            (Call(id="1", name="f", args={}), Call(id="1", name="f", args={})),
        ),
        ({"function_call": {"name": "f", "arguments": "{}"}}, (Call(id="call-1-1", name="f", args={}),)),
    ],
)
def test_a_message_is_read_by_its_parts(message: dict[str, Any], parts: tuple[Any, ...]) -> None:
    assert read(whole(**message)).event().parts == parts


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        (
            [
                function("f", "", id="1", index=0),
                {"index": 0, "function": {"arguments": '{"a":'}},
                function("g", "", id="2", index=1),
                {"index": 0, "function": {"arguments": " 1}"}},
                {"index": 1, "function": {"arguments": "{}"}},
            ],
            [("1", "f", {"a": 1}), ("2", "g", {})],
        ),
        # the name and the id again with each delta
        (
            [function("f", '{"a"', id="1", index=0), function("f", ": 1}", id="1", index=0)],
            [("1", "f", {"a": 1})],
        ),
        # no index at all: whole calls, or pieces that follow their head
        ([function("f", "{}", id="1"), function("f", "{}", id="2")], [("1", "f", {}), ("2", "f", {})]),
        ([function("f", "", id="1"), {"function": {"arguments": '{"a": 1}'}}], [("1", "f", {"a": 1})]),
        # every call under index 0
        (
            [function("f", "{}", id="1", index=0), function("g", "{}", id="2", index=0)],
            [("1", "f", {}), ("2", "g", {})],
        ),
        # the id later than the name
        ([function("f", "{", index=0), function("f", "}", id="1", index=0)], [("1", "f", {})]),
    ],
)
def test_streamed_calls_are_put_together_as_servers_cut_them(
    deltas: list[dict[str, Any]], expected: list[tuple[str, str, Any]]
) -> None:
    assert calls(*deltas) == expected


@pytest.mark.parametrize(
    ("records", "error"),
    [
        (
            [whole("length", content="It is")],
            "finish_reason length: the answer was cut off at the limit of tokens",
        ),
        ([whole("content_filter", content=None)], "finish_reason content_filter"),
        ([whole("model_length", content="It is")], "finish_reason model_length: the answer was cut off"),
        ([whole("insufficient_system_resource", content="It")], "finish_reason insufficient_system_resource"),
        ([whole("abort", content="It is")], "finish_reason abort: the server broke the answer off"),
        ([chunk(content="It is"), chunk("length")], "finish_reason length"),
        ([{"error": {"message": "boom", "type": "server_error", "code": None}}], "server_error: boom"),
        ([{"error": {"message": "slow", "code": 429}}], "429: slow"),
        ([{"error": "boom"}], "boom"),
        ([{"error": ["boom"]}], '["boom"]'),
        ([{"error": {"status": 1}}], "an error without a message"),
        ([{"object": "error", "message": "boom", "code": 400}], "400: boom"),
        ([chunk(content="It is"), {"error": {"message": "boom"}}], "boom"),
        ([whole("stop", content="Hi")], ""),
        ([whole("tool_calls", tool_calls=[function("f", id="1")])], ""),
        ([{**whole("stop", content="Hi"), "error": None}], ""),
    ],
)
def test_what_is_no_whole_answer_is_an_error(records: list[Any], error: str) -> None:
    reader = read(*records)
    event = reader.event()
    assert event.error.startswith(error) if error else not event.error
    assert reader.finished
    assert not (event.error and event.pauses)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 2}, Usage(input_tokens=3, output_tokens=2)),
        ({"input_tokens": 3, "output_tokens": 2.0}, Usage(input_tokens=3, output_tokens=2)),
        ({"prompt_tokens": 3}, Usage(input_tokens=3, output_tokens=0)),
        ({"prompt_tokens": -1}, None),
        ({}, None),
        (None, None),
    ],
)
def test_usage_is_read_under_both_names(usage: Any, expected: Usage | None) -> None:
    assert read({**whole(content="Hi"), "usage": usage}).event().usage == expected
    assert read(chunk("stop", content="Hi"), {"choices": [], "usage": usage}).event().usage == expected


def test_the_last_usage_of_a_stream_counts() -> None:
    records = [{**chunk(content="a"), "usage": {"prompt_tokens": 3, "completion_tokens": n}} for n in (1, 2)]
    assert read(*records).event().usage == Usage(input_tokens=3, output_tokens=2)


def test_only_the_first_choice_is_read() -> None:
    second = {"index": 1, "finish_reason": "stop", "message": {"content": "other"}}
    record = whole(content="Hi")
    record["choices"].append(second)
    assert read(record).event().parts == (Text(text="Hi"),)


@pytest.mark.parametrize(
    "record",
    [
        [],
        "text",
        {"choices": {}},
        {"choices": [1]},
        {"choices": [{"message": "hi"}]},
        whole(content=7),
        whole(content=["hi"]),
        whole(tool_calls={}),
        whole(tool_calls=[7]),
        whole(tool_calls=[{"function": {"name": 7}}]),
        whole(tool_calls=[{"id": "1", "function": {"arguments": "{}"}}]),
        whole(refusal=7),
        whole(finish=["stop"]),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_answer_is_named(record: Any) -> None:
    with pytest.raises(UnreadableEvent):
        read(record).event()


def test_a_cut_answer_keeps_what_came_and_waits_for_nothing() -> None:
    event = read(
        chunk(content="It is"),
        chunk(tool_calls=[function("f", '{"a', id="1", index=0)]),
        chunk(tool_calls=[{"index": 1, "function": {"arguments": "{"}}]),
    ).event(cut=True)
    assert event.parts[0] == Text(text="It is")
    assert [(part.name, part.args) for part in event.parts if isinstance(part, Call)] == [("f", None)]
    assert not event.pauses


def test_calls_wait_only_where_the_client_runs_them() -> None:
    record = whole("tool_calls", tool_calls=[function("f", id="1")])
    (pause,) = read(record).event().pauses
    assert (pause.id, pause.name, pause.kind, pause.tool) == ("1", "f", "job", "f")
    assert not read(record, waits=False).event().pauses


@pytest.mark.parametrize(
    ("message", "waits", "expected"),
    [
        ({"content": "Hi"}, True, {"content": "Hi"}),
        (
            {"content": None, "tool_calls": [function("f", '{"a": 1}', id="1", index=0)]},
            True,
            {"content": None, "tool_calls": [function("f", '{"a": 1}', id="1")]},
        ),
        (
            {"tool_calls": [function("f", {"a": 1}, id="1")]},
            True,
            {"content": None, "tool_calls": [function("f", '{"a": 1}', id="1")]},
        ),
        ({"content": "Hi", "tool_calls": [function("f", id="1")]}, False, {"content": "Hi"}),
        (
            {"tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "sql", "input": "x"}}]},
            True,
            {
                "content": None,
                "tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "sql", "input": "x"}}],
            },
        ),
        (
            {"function_call": {"name": "f", "arguments": "{}"}},
            True,
            {"content": None, "function_call": {"name": "f", "arguments": "{}"}},
        ),
    ],
)
def test_the_history_repeats_what_the_agent_said(
    message: dict[str, Any], *, waits: bool, expected: dict[str, Any]
) -> None:
    reader = read(whole(**message), waits=waits)
    reader.event()
    assert reader.message() == {"role": "assistant", **expected}


def pieces(text: str, cuts: Sequence[int]) -> list[str]:
    places = sorted({min(cut, len(text)) for cut in cuts})
    return [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]


@given(
    st.text(),
    st.lists(st.dictionaries(st.text(), st.integers() | st.text()), max_size=3),
    st.lists(st.integers(0, 80), max_size=5),
)
def test_a_stream_says_what_the_whole_says(
    text: str, arguments: list[dict[str, Any]], cuts: list[int]
) -> None:
    sent = [function("f", json.dumps(args), id=f"c{n}", index=n) for n, args in enumerate(arguments)]
    streamed = [chunk(content=piece) for piece in pieces(text, cuts)]
    for call in sent:
        head = {**call, "function": {"name": "f", "arguments": ""}}
        words = pieces(call["function"]["arguments"], cuts)
        tails = [{"index": call["index"], "function": {"arguments": piece}} for piece in words]
        streamed += [chunk(tool_calls=[delta]) for delta in (head, *tails)]
    assert read(*streamed, chunk("stop")).event() == read(whole(content=text, tool_calls=sent)).event()


KEYS = ("choices", "delta", "message", "content", "tool_calls", "function", "custom", "name", "arguments")
MORE = ("id", "index", "error", "usage", "finish_reason", "type", "text", "refusal", "function_call", "input")
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS + MORE), inner, max_size=5)
    ),
    max_leaves=20,
)


@given(st.lists(JUNK | st.builds(lambda value: {"choices": [{"delta": value}]}, JUNK), max_size=4))
def test_nothing_that_a_server_sends_is_a_bug(records: list[Any]) -> None:
    try:
        event = read(*records).event()
    except UnreadableEvent:
        return
    assert isinstance(event, Event)
