"""ADK events of both languages, both spellings and no sense at all."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.adk import (
    NO_CONTENT,
    OTHER_CONTENT,
    PENDING,
    THOUGHT_ONLY,
    EventReader,
    error_frame,
    read_events,
)
from gate.formats.adk_fields import UnreadableEvent
from gate.model.derived import left_open
from gate.model.trace import Call, Event, Pause, Result, Text, Thought, Usage

RECORDED = Path(__file__).parents[1] / "fixtures" / "adk"


def frames(name: str) -> list[Any]:
    lines = (RECORDED / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line]


def one(**fields: Any) -> Event:
    [event] = read_events([{"author": "bot", **fields}])
    return event


def content(*parts: Any, role: str = "model") -> dict[str, Any]:
    return {"parts": list(parts), "role": role}


def called(name: str, call_id: str = "c1", **args: Any) -> dict[str, Any]:
    return {"functionCall": {"id": call_id, "name": name, "args": args}}


def gave(name: str, response: Any, call_id: str = "c1") -> dict[str, Any]:
    return {"functionResponse": {"id": call_id, "name": name, "response": response}}


def snake(value: Any, *, nulls: bool = True) -> Any:
    """The stored form of a wire event: snake_case keys of ADK's own, and nulls where the wire leaves out."""
    if not isinstance(value, dict):
        return [snake(item, nulls=nulls) for item in value] if isinstance(value, list) else value
    own = {
        re.sub(r"(?=[A-Z])", "_", key).lower(): item
        if key in ("stateDelta", "artifactDelta", "args")
        else snake(item, nulls=nulls)
        for key, item in value.items()
    }
    return {**dict.fromkeys(("thought", "error_code", "usage_metadata", "partial") if nulls else ()), **own}


@pytest.mark.parametrize("name", [path.name for path in sorted(RECORDED.glob("*.txt"))])
def test_the_stored_form_reads_like_the_wire(name: str) -> None:
    wire = [frame for frame in frames(name) if not error_frame(frame)]
    assert read_events([snake(frame) for frame in wire]) == read_events(wire)
    assert read_events(wire)


def test_nodes_and_state_of_events_without_content_are_kept() -> None:
    events = read_events(frames("cards_ingest_run_sse.txt"))
    nodes = [event.node for event in events]
    assert nodes[:2] == ["Router", "VisionOCR"]
    assert nodes[-2:] == ["BuildPreview", "HITLConfirm"]
    assert set(nodes[2:5]) == {"CleanAndDedup", "CompanyEnrich", "ContextMatch"}
    state = {key: value for event in events for key, value in event.state_delta.items()}
    assert state["draft_card.phone"] == "+886912345678"
    assert events[0].not_in_trajectory == NO_CONTENT
    assert [pause.kind for event in events for pause in event.pauses] == ["input"]


@pytest.mark.parametrize(
    ("path", "node"),
    [
        ("wf@1/router@2", "router"),
        ("wf@1/inner@3/leaf", "leaf"),
        ("a@b@2", "a@b"),
        ("agent", "agent"),
        ("", ""),
    ],
)
def test_a_node_is_the_last_segment_without_its_run(path: str, node: str) -> None:
    assert one(nodeInfo={"path": path}).node == node
    assert one(nodeInfo=None).node == ""


@pytest.mark.parametrize("role", ["user", "model", None])
def test_the_part_decides_who_spoke_and_not_the_role(role: str) -> None:
    parts = (called("f"), gave("f", {"ok": True}), {"text": "hi"})
    assert one(content=content(*parts, role=role)).parts == (
        Call(id="c1", name="f", args={}),
        Result(call_id="c1", name="f", value={"ok": True}),
        Text(text="hi"),
    )


@pytest.mark.parametrize("call", [{"name": "f"}, {"name": "f", "args": None}, {"name": "f", "args": {}}])
def test_absent_arguments_are_empty_arguments(call: Any) -> None:
    assert one(content=content({"functionCall": call})).parts == (Call(id="", name="f", args={}),)


def test_arguments_that_are_no_object_are_an_error_of_the_call() -> None:
    [call] = one(content=content({"functionCall": {"name": "f", "args": "{"}})).parts
    assert call == Call(id="", name="f", args=None, args_error="text, not an object")


@pytest.mark.parametrize(
    ("response", "is_error"),
    [
        ({"isError": True, "content": []}, True),
        ({"is_error": True}, True),
        ({"error": "no such city"}, True),
        ({"error": None, "result": 1}, False),
        ({"error": ""}, False),
        ({"isError": False}, False),
        (None, False),
    ],
)
def test_a_result_says_whether_the_tool_failed(response: Any, is_error: bool) -> None:
    [result] = one(content=content(gave("f", response))).parts
    assert isinstance(result, Result)
    assert result.is_error is is_error
    assert result.value == (response or {})


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, NO_CONTENT),
        ({"content": None}, NO_CONTENT),
        ({"content": content()}, NO_CONTENT),
        ({"content": content({"text": "hm", "thought": True})}, THOUGHT_ONLY),
        ({"content": content({"inlineData": {"mimeType": "image/png", "data": ""}})}, OTHER_CONTENT),
        ({"content": content(called("adk_request_input"))}, "runtime plumbing: adk_request_input"),
        ({"content": content(gave("adk_request_input", {}))}, "answer to a pause: adk_request_input"),
        ({"content": content({"text": "hi"})}, ""),
        ({"content": content({"text": "hm", "thought": True}, {"text": "hi"})}, ""),
    ],
)
def test_every_event_that_contributes_nothing_says_why(fields: Any, why: str) -> None:
    assert one(**fields).not_in_trajectory == why


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"promptTokenCount": 10, "candidatesTokenCount": 5}, Usage(input_tokens=10, output_tokens=5)),
        ({"thoughtsTokenCount": 3, "candidatesTokenCount": 5}, Usage(input_tokens=0, output_tokens=8)),
        ({"promptTokenCount": 10.0, "toolUsePromptTokenCount": 2}, Usage(input_tokens=12, output_tokens=0)),
        ({"promptTokenCount": 0}, Usage(input_tokens=0, output_tokens=0)),
        ({"totalTokenCount": 9}, None),
        ({"promptTokenCount": True, "candidatesTokenCount": -1}, None),
        ({"promptTokenCount": 1.5, "candidatesTokenCount": float("inf")}, None),
        ({}, None),
        (None, None),
        ({"promptTokenCount": 10**400, "candidatesTokenCount": 1e308}, None),
        ({"promptTokenCount": 2**53, "candidatesTokenCount": 3}, Usage(input_tokens=0, output_tokens=3)),
    ],
)
def test_usage_is_read_or_absent(usage: Any, read: Usage | None) -> None:
    assert one(usageMetadata=usage).usage == read


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"errorCode": "RESOURCE_EXHAUSTED", "errorMessage": "quota"}, "RESOURCE_EXHAUSTED: quota"),
        ({"errorCode": 429}, "429"),
        ({"errorMessage": "odd"}, "odd"),
        ({"finishReason": "SAFETY"}, "SAFETY: the model stopped without an answer"),
        ({"finishReason": "MAX_TOKENS", "content": content({"text": "cut o"})}, ""),
        ({"finishReason": "STOP"}, ""),
        ({"finishReason": "FINISH_REASON_UNSPECIFIED"}, ""),
    ],
)
def test_an_error_is_told_with_its_code(fields: Any, error: str) -> None:
    assert one(**fields).error == error


def part(text: str, *, event_id: str = "e1", author: str = "bot", **fields: Any) -> Any:
    return {"id": event_id, "author": author, "partial": True, "content": content({"text": text, **fields})}


def test_parts_of_a_streamed_answer_are_skipped_when_the_whole_follows() -> None:
    whole = {"id": "e1", "author": "bot", "content": content({"text": "Hello!"})}
    assert [event.parts for event in read_events([part("Hel"), part("lo!"), whole])] == [
        (Text(text="Hello!"),)
    ]


def test_parts_with_an_id_each_are_skipped_when_their_speaker_says_the_whole() -> None:
    whole = {"id": "e3", "author": "bot", "content": content({"text": "Hello!"})}
    events = read_events([part("Hel", event_id="e1"), part("lo!", event_id="e2"), whole])
    assert [event.parts for event in events] == [(Text(text="Hello!"),)]


def test_parts_without_a_whole_are_joined_for_the_user_saw_them() -> None:
    events = read_events([part("Hm", thought=True), part("Hel"), part("Other", author="b"), part("lo")])
    assert [(event.author, event.parts) for event in events] == [
        ("bot", (Thought(text="Hm"), Text(text="Hello"))),
        ("b", (Text(text="Other"),)),
    ]


def test_a_failure_in_the_middle_of_a_streamed_answer_comes_after_what_was_said() -> None:
    events = read_events([part("Hel"), {"author": "bot", "errorCode": "INTERNAL"}])
    assert [(event.parts, event.error) for event in events] == [((Text(text="Hel"),), ""), ((), "INTERNAL")]


def test_a_call_in_a_part_is_no_call_yet() -> None:
    early = {"id": "e1", "author": "bot", "partial": True, "content": content(called("f"))}
    assert read_events([early]) == (Event(author="bot", not_in_trajectory=OTHER_CONTENT),)


def test_the_second_frame_of_an_event_with_an_artifact_repeats_no_tokens_and_no_end() -> None:
    first = {
        "id": "e1",
        "author": "bot",
        "content": content({"text": "saved"}),
        "finishReason": "MAX_TOKENS",
        "usageMetadata": {"promptTokenCount": 3},
    }
    again = {**first, "content": None, "actions": {"artifactDelta": {"a.txt": 0}}}
    events = read_events([first, again])
    assert [(event.usage is None, event.error) for event in events] == [(False, ""), (True, "")]


CONFIRM = called(
    "adk_request_confirmation",
    "p1",
    originalFunctionCall={"id": "c1", "name": "delete_repo", "args": {}},
    toolConfirmation={"hint": "Sure?", "confirmed": False},
)


@pytest.mark.parametrize(
    ("fields", "pause"),
    [
        (
            {"content": content(CONFIRM), "longRunningToolIds": ["p1"]},
            Pause(
                id="p1", name="adk_request_confirmation", kind="confirm", tool="delete_repo", message="Sure?"
            ),
        ),
        (
            {"content": content(called("adk_request_input", "i1", interruptId="i1", message="Well?"))},
            Pause(id="i1", name="adk_request_input", kind="input", message="Well?"),
        ),
        (
            {
                "content": content(
                    {"functionCall": {"name": "adk_request_input", "args": {"interrupt_id": "i1"}}}
                )
            },
            Pause(id="i1", name="adk_request_input", kind="input"),
        ),
        (
            {"requestedInput": {"interruptId": "i1", "message": "Well?", "responseSchema": {}}},
            Pause(id="i1", name="adk_request_input", kind="input", message="Well?"),
        ),
        (
            {"content": content(called("adk_request_credential", "k1", functionCallId="c0", message=7))},
            Pause(id="k1", name="adk_request_credential", kind="credential", tool="calendar"),
        ),
        (
            {"content": content(called("start_job", "j1")), "longRunningToolIds": ["j1"]},
            Pause(id="j1", name="start_job", kind="job", tool="start_job"),
        ),
    ],
)
def test_each_kind_of_pause_is_read(fields: Any, pause: Pause) -> None:
    before = {"author": "bot", "content": content(called("calendar", "c0"))}
    _, event = read_events([before, {"author": "bot", **fields}])
    assert event.pauses == (pause,)
    assert [part.name for part in event.parts if isinstance(part, Call)] == (
        ["start_job"] if pause.kind == "job" else []
    )


def test_go_asks_for_the_same_input_twice_in_one_event_and_it_is_one_pause() -> None:
    call = called("adk_request_input", "i1", interruptId="i1", message="Well?")
    assert len(one(content=content(call), requestedInput={"interruptId": "i1"}).pauses) == 1


def test_an_answer_closes_its_pause_and_no_other() -> None:
    calls = content(called("job", "j1"), called("job", "j2"))
    job = {"author": "bot", "content": calls, "longRunningToolIds": ["j1", "j2"]}
    done = {"author": "bot", "content": content(gave("job", {"status": "pending"}, "j1"))}
    assert [pause.id for pause in left_open((), None, read_events([job, done]))] == ["j2"]


@pytest.mark.parametrize("ids", [{"c1": {"hint": ""}}, {}])
def test_a_placeholder_is_kept_and_marked(ids: Any) -> None:
    response = {"error": "This tool call requires confirmation, please approve or reject."}
    event = one(content=content(gave("f", response)), actions={"requestedToolConfirmations": ids})
    assert event.parts == (Result(call_id="c1", name="f", value=response),)
    assert event.not_in_trajectory == PENDING


def test_a_tool_that_asks_in_its_own_words_is_pending_too() -> None:
    actions = {"requestedToolConfirmations": {"c1": {}}, "stateDelta": {"x": 1}}
    both = content(gave("f", {"ok": True}, "c0"), gave("ask_user", {"status": "pending"}))
    real, pending = read_events([{"author": "bot", "content": both, "actions": actions}])
    assert (real.not_in_trajectory, pending.not_in_trajectory) == ("", PENDING)
    assert (real.state_delta, pending.state_delta) == ({"x": 1}, {})


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        ({"error": "RuntimeError: boom", "error_details": {}}, "RuntimeError: boom"),
        ({"error": {"message": "boom"}}, "boom"),
        ({"error": {"code": 3}}, "{'code': 3}"),
        ({"error": ""}, "an error without a message"),
        ({"error": None}, ""),
        ({"author": "bot", "error": "in my own field"}, ""),
        ([], ""),
    ],
)
def test_an_error_frame_is_told_from_an_event(frame: Any, reason: str) -> None:
    assert error_frame(frame) == reason


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ([], "an event is an object, this is a list"),
        ("x", "an event is an object, this is text"),
        ({"id": "1"}, "no ADK event: it has none of author"),
        ({"author": 3}, "author is a number, not text"),
        ({"content": []}, "content is a list, not an object"),
        ({"content": {"parts": {}}}, "parts is an object, not a list"),
        ({"content": {"parts": [1]}}, "a part is a number, not an object"),
        ({"content": {"parts": [{"text": 5}]}}, "text is a number, not text"),
        ({"content": {"parts": [{"functionCall": True}]}}, "functionCall is a boolean, not an object"),
        ({"author": "b", "actions": {"stateDelta": 1}}, "stateDelta is a number, not an object"),
    ],
)
def test_what_is_no_event_is_refused_with_the_field(frame: Any, message: str) -> None:
    with pytest.raises(UnreadableEvent, match=re.escape(message)):
        read_events([frame])


NAMES = """
author content parts role functionCall function_call functionResponse name id args response text thought
actions stateDelta state_delta partial errorCode finishReason usageMetadata promptTokenCount nodeInfo path
longRunningToolIds requestedInput requestedToolConfirmations adk_request_confirmation branch error
"""
WORDS = st.sampled_from(NAMES.split())
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=25,
)


@given(st.lists(ANY, max_size=4))
def test_any_json_gives_events_or_a_reason(values: list[Any]) -> None:
    reader = EventReader()
    for value in values:
        error_frame(value)
        with suppress(UnreadableEvent):
            assert all(isinstance(event, Event) for event in reader.read(value))
    assert all(event.parts or event.not_in_trajectory for event in reader.rest())


def test_thoughts_that_were_streamed_are_one_thought() -> None:
    [event] = read_events([part("The user", thought=True), part(" greets.", thought=True)])
    assert (event.parts, event.not_in_trajectory) == ((Thought(text="The user greets."),), THOUGHT_ONLY)
