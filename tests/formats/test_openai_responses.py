from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.drive.arguments import arguments_of
from gate.formats.adk_fields import UnreadableEvent
from gate.formats.openai_responses import END, ResponsesReader, sent_back
from gate.model.trace import Call, Event, Pause, Result, Text, Thought, Usage


def reader(*, waits: bool = True) -> ResponsesReader:
    return ResponsesReader(arguments_of, waits=waits)


def read(*records: Any, waits: bool = True) -> tuple[Event, ...]:
    made = reader(waits=waits)
    return tuple(event for record in records for event in made.read(record))


def response(*items: Any, **fields: Any) -> dict[str, Any]:
    return {"object": "response", "id": "r1", "status": "completed", "output": list(items), **fields}


def message(text: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "id": "m1",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text}],
        **fields,
    }


def function_call(call_id: str = "c1", arguments: Any = '{"a": 1}', name: str = "f") -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }


def job(call_id: str, name: str, message: str = "") -> Pause:
    return Pause(id=call_id, name=name, kind="job", tool=name, message=message)


ITEMS: list[tuple[dict[str, Any], tuple[Any, ...], tuple[Pause, ...]]] = [
    (message("Hi"), (Text(text="Hi"),), ()),
    ({"role": "assistant", "content": "Hi"}, (Text(text="Hi"),), ()),
    (message("", content=[{"type": "refusal", "refusal": "No."}]), (Text(text="No."),), ()),
    (
        {
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "Hm"}, {"type": "summary_text", "text": "so"}],
            "content": [{"type": "reasoning_text", "text": "Well"}],
        },
        (Thought(text="Hm\nso"), Thought(text="Well")),
        (),
    ),
    ({"type": "reasoning", "summary": []}, (), ()),
    (function_call(), (Call(id="c1", name="f", args={"a": 1}),), (job("c1", "f"),)),
    (
        {"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "select"},
        (Call(id="c1", name="sql", args={"input": "select"}),),
        (job("c1", "sql"),),
    ),
    (
        {"type": "function_call_output", "call_id": "c1", "output": "14"},
        (Result(call_id="c1", name="", value="14"),),
        (),
    ),
    (
        {
            "type": "custom_tool_call_output",
            "call_id": "c1",
            "output": [{"type": "input_text", "text": "14"}],
        },
        (Result(call_id="c1", name="", value="14"),),
        (),
    ),
    (
        {
            "type": "web_search_call",
            "id": "ws",
            "status": "completed",
            "action": {"type": "search", "query": "x"},
        },
        (Call(id="ws", name="web_search", args={"type": "search", "query": "x"}),),
        (),
    ),
    (
        {"type": "web_search_call", "id": "ws", "status": "failed"},
        (
            Call(id="ws", name="web_search", args={}),
            Result(call_id="ws", name="web_search", value="failed", is_error=True),
        ),
        (),
    ),
    (
        {"type": "file_search_call", "id": "fs", "queries": ["x"], "results": [{"score": 1.0}]},
        (
            Call(id="fs", name="file_search", args={"queries": ["x"]}),
            Result(call_id="fs", name="file_search", value=[{"score": 1}]),
        ),
        (),
    ),
    (
        {"type": "code_interpreter_call", "id": "ci", "code": "1", "container_id": "k", "outputs": []},
        (
            Call(id="ci", name="code_interpreter", args={"code": "1"}),
            Result(call_id="ci", name="code_interpreter", value=[]),
        ),
        (),
    ),
    (
        {"type": "image_generation_call", "id": "ig", "result": "AAAA" * 10, "size": "1x1", "quality": "low"},
        (
            Call(id="ig", name="image_generation", args={}),
            Result(call_id="ig", name="image_generation", value="[an image, 30 bytes]"),
        ),
        (),
    ),
    (
        {"type": "mcp_call", "id": "mc", "name": "g", "arguments": "{}", "output": "14", "server_label": "s"},
        (Call(id="mc", name="g", args={}), Result(call_id="mc", name="g", value="14")),
        (),
    ),
    (
        {
            "type": "mcp_call",
            "id": "mc",
            "name": "g",
            "arguments": "{}",
            "error": {"type": "t", "message": "m"},
        },
        (Call(id="mc", name="g", args={}), Result(call_id="mc", name="g", value="t: m", is_error=True)),
        (),
    ),
    (
        {"type": "mcp_approval_request", "id": "ma", "name": "g", "arguments": "{}", "server_label": "s"},
        (),
        (Pause(id="ma", name="mcp_approval_request", kind="confirm", tool="g", message="s {}"),),
    ),
    (
        {
            "type": "computer_call",
            "id": "x",
            "call_id": "cc",
            "action": {"type": "click", "x": 1, "y": 2},
            "pending_safety_checks": [{"id": "s", "message": "Sure?"}],
        },
        (Call(id="cc", name="computer", args={"type": "click", "x": 1, "y": 2}),),
        (job("cc", "computer", "Sure?"),),
    ),
    (
        {"type": "computer_call", "id": "x", "call_id": "cc", "actions": [{"type": "wait"}]},
        (Call(id="cc", name="computer", args={"actions": [{"type": "wait"}]}),),
        (job("cc", "computer"),),
    ),
    (
        {
            "type": "shell_call",
            "id": "x",
            "call_id": "sc",
            "action": {"commands": ["ls"]},
            "environment": None,
        },
        (Call(id="sc", name="shell", args={"commands": ["ls"]}),),
        (job("sc", "shell"),),
    ),
    (
        {
            "type": "apply_patch_call",
            "id": "x",
            "call_id": "ap",
            "operation": {"type": "delete_file", "path": "p"},
        },
        (Call(id="ap", name="apply_patch", args={"type": "delete_file", "path": "p"}),),
        (job("ap", "apply_patch"),),
    ),
    ({"type": "mcp_list_tools", "id": "ml", "tools": [], "server_label": "s"}, (), ()),
    ({"type": "compaction", "id": "co", "encrypted_content": "x"}, (), ()),
    (
        {"type": "future_call", "id": "fu", "what": 1, "status": "completed"},
        (Call(id="fu", name="future", args={"what": 1}),),
        (),
    ),
]


@pytest.mark.parametrize(("item", "parts", "pauses"), ITEMS)
def test_an_item_is_read_by_its_type(
    item: dict[str, Any], parts: tuple[Any, ...], pauses: tuple[Pause, ...]
) -> None:
    (event,) = read(response(item))
    assert (event.parts, event.pauses) == (parts, pauses)
    assert bool(event.not_in_trajectory) == (not any(not isinstance(part, Thought) for part in parts))


@pytest.mark.parametrize(("item", "parts", "pauses"), ITEMS)
def test_a_streamed_item_is_the_same_event(
    item: dict[str, Any], parts: tuple[Any, ...], pauses: tuple[Pause, ...]
) -> None:
    events = read(
        {"type": "response.created", "response": response(status="in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response(item)},
    )
    assert [(event.parts, event.pauses) for event in events] == [(parts, pauses)]


def test_a_function_waits_only_where_the_client_runs_it() -> None:
    assert not read(response(function_call()), waits=False)[0].pauses
    approval = {"type": "mcp_approval_request", "id": "ma", "name": "g"}
    assert read(response(approval), waits=False)[0].pauses


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"status": "completed"}, ""),
        ({"status": None}, ""),
        ({"status": "failed", "error": {"code": "server_error", "message": "boom"}}, "server_error: boom"),
        ({"status": "failed", "error": None}, "the response is failed, not completed"),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "the response is incomplete: max_output_tokens, not completed",
        ),
        ({"status": "cancelled"}, "the response is cancelled, not completed"),
        ({"status": "queued"}, "the response is queued, not completed"),
        ({"error": {"code": "rate_limit_exceeded", "message": "slow"}}, "rate_limit_exceeded: slow"),
    ],
)
def test_a_response_that_is_not_completed_is_an_error(fields: dict[str, Any], error: str) -> None:
    event = read(response(message("It is"), **fields))[-1]
    assert event.error == error


@pytest.mark.parametrize(
    "record",
    [
        {"type": "error", "code": "server_error", "message": "boom"},
        {"type": "error", "error": {"code": "server_error", "message": "boom"}},
        {"error": {"code": "server_error", "message": "boom"}},
        {"type": "response.failed", "response": response(status="failed", error={"message": "boom"})},
    ],
)
def test_an_error_ends_the_stream(record: dict[str, Any]) -> None:
    made = reader()
    assert not made.read({"type": "response.output_text.delta", "output_index": 0, "delta": "It is"})
    first, last = made.read(record)
    assert first.parts == (Text(text="It is"),)
    assert "boom" in last.error
    assert made.finished
    assert not made.read(message("more"))


def test_usage_is_of_the_whole_response() -> None:
    usage = {"input_tokens": 3, "output_tokens": 2}
    said, end = read(response(message("Hi"), usage=usage))
    assert (said.usage, end.usage) == (None, Usage(input_tokens=3, output_tokens=2))
    assert end.not_in_trajectory == END


def test_a_response_without_anything_is_one_event() -> None:
    (event,) = read(response())
    assert not event.parts


@pytest.mark.parametrize(
    "output", [[], [message("Hello", id="another")]], ids=["nothing again", "all again by other ids"]
)
def test_items_that_were_only_streamed_count_once(output: list[Any]) -> None:
    events = read(
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Hel"},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "lo"},
        {"type": "response.completed", "response": response(*output)},
    )
    assert [event.parts for event in events] == [(Text(text="Hello"),)]


def test_deltas_of_every_kind_become_their_item_when_the_stream_says_its_end() -> None:
    made = reader()
    for index, (kind, delta) in enumerate(
        [
            ("reasoning_summary_text", "Hm"),
            ("output_text", "Hello"),
            ("refusal", "No."),
            ("code_interpreter_call_code", "1 + 1"),
        ]
    ):
        assert not made.read({"type": f"response.{kind}.delta", "output_index": index, "delta": delta})
    head = {"type": "response.output_item.added", "output_index": 4, "item": function_call(arguments="")}
    assert not made.read(head)
    for delta in ('{"a"', ": 1}"):
        piece = {"type": "response.function_call_arguments.delta", "output_index": 4, "delta": delta}
        assert not made.read(piece)
    assert [event.parts[0] for event in made.end()] == [
        Thought(text="Hm"),
        Text(text="Hello"),
        Text(text="No."),
        Call(id="", name="code_interpreter", args={"code": "1 + 1"}),
        Call(id="c1", name="f", args={"a": 1}),
    ]
    assert made.finished
    assert list(made.asked) == ["c1"]


def test_what_a_cut_leaves_is_kept_and_does_not_wait() -> None:
    made = reader()
    made.read({"type": "response.output_item.added", "output_index": 0, "item": function_call(arguments="")})
    made.read({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"a'})
    made.read({"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{"})
    (event,) = made.rest()
    (part,) = event.parts
    assert isinstance(part, Call)
    assert (part.name, part.args) == ("f", None)
    assert not event.pauses
    assert not made.rest()


def test_events_without_a_type_are_named_by_the_stream() -> None:
    made = reader()
    assert not made.read({"output_index": 0, "delta": "Hi"}, "response.output_text.delta")
    (event,) = made.read({"response": response()}, "response.completed")
    assert event.parts == (Text(text="Hi"),)


def test_the_name_of_a_response_is_known_from_its_beginning() -> None:
    made = reader()
    made.read({"type": "response.created", "response": {"id": "r7"}})
    assert made.id == "r7"


def test_a_history_has_thoughts_only_where_they_can_be_known_again() -> None:
    bare, kept = {"type": "reasoning", "id": "1"}, {"type": "reasoning", "id": "2", "encrypted_content": "x"}
    assert sent_back([bare, message("Hi"), kept]) == [message("Hi"), kept]


@pytest.mark.parametrize(
    "record",
    [
        [],
        "text",
        {"object": "response", "output": {}},
        response(7),
        response(message("", content=7)),
        response(function_call(name="")),
        response({"type": 7}),
        {"type": "response.output_text.delta", "delta": 7},
        {"type": "response.output_item.done", "item": "x"},
        {"type": "response.completed", "response": "x"},
    ],
)
def test_what_is_no_response_is_named(record: Any) -> None:
    with pytest.raises(UnreadableEvent):
        read(record)


TYPES = (
    "message",
    "reasoning",
    "function_call",
    "mcp_call",
    "web_search_call",
    "mcp_approval_request",
    "x_output",
)
KEYS = (
    "type",
    "id",
    "call_id",
    "name",
    "arguments",
    "content",
    "summary",
    "output",
    "action",
    "error",
    "text",
    "item",
)
JUNK = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4) | st.sampled_from(TYPES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)
EVENTS = st.sampled_from(
    [
        "response.output_item.added",
        "response.output_item.done",
        "response.output_text.delta",
        "response.function_call_arguments.delta",
        "response.completed",
    ]
)
RECORDS = st.builds(
    lambda kind, index, item: {
        "type": kind,
        "output_index": index,
        "item": item,
        "delta": "x",
        "response": item,
    },
    EVENTS,
    JUNK,
    JUNK,
)


@given(st.lists(JUNK | RECORDS | st.builds(response, JUNK), max_size=5))
def test_nothing_that_a_server_sends_is_a_bug(records: list[Any]) -> None:
    made = reader()
    try:
        events = [event for record in records for event in made.read(record)]
        events += made.rest()
    except UnreadableEvent:
        return
    assert all(isinstance(event, Event) for event in events)


def done(item: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "item": item, **fields}


def without_id(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != "id"}


@pytest.mark.parametrize(
    "records",
    [
        [done(without_id(function_call("a"))), done(without_id(function_call("b")))],
        [done(function_call("a"), output_index=0)],
        [done(function_call("b"), output_index=0), done(function_call("a"), output_index=1)],
        [done({**function_call("a"), "id": "other"}, output_index=0)],
        [],
    ],
    ids=["without places and ids", "one of two", "in another order", "under another id", "not streamed"],
)
def test_each_call_is_told_once_however_the_stream_numbers_it(records: list[dict[str, Any]]) -> None:
    output = [without_id(function_call("a")), without_id(function_call("b"))]
    events = read(*records, {"type": "response.completed", "response": response(*output)})
    found = [part.id for event in events for part in event.parts if isinstance(part, Call)]
    assert sorted(found) == ["a", "b"]
