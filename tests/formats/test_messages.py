"""Events as messages, and the account of what each event contributed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.accounts import entries_of, rows
from gate.formats.messages import ANSWER, conversation, messages, result_text
from gate.model.trace import Call, Completed, Event, Pause, Result, Text, Thought, Trace, TurnTrace


def result(value: Any, *, is_error: bool = False) -> Result:
    return Result(call_id="c1", name="f", value=value, is_error=is_error)


BLOCKS = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"result": "sunny"}, "sunny"),
        ({"response": {"b": 1, "a": 2}}, '{"a": 2, "b": 1}'),
        ({"output": 3}, "3"),
        ({"content": "sunny"}, "sunny"),
        ({"content": BLOCKS}, "one\ntwo"),
        ({"content": BLOCKS, "isError": False}, "one\ntwo"),
        ({"content": BLOCKS, "is_error": False}, "one\ntwo"),
        ({"content": BLOCKS, "isError": False, "structuredContent": {"a": 1}}, None),
        ({"content": [{"type": "image"}], "isError": False}, None),
        ({"content": []}, "[]"),
        ({"result": "a", "output": "b"}, None),
        ({"temp": 20}, None),
        ({}, "{}"),
        ("bare", "bare"),
        (["東京"], '["東京"]'),
    ],
)
def test_a_result_reads_without_its_envelope(value: Any, text: str | None) -> None:
    assert result_text(result(value)) == (json.dumps(value, sort_keys=True) if text is None else text)


def test_a_failed_tool_says_so_first() -> None:
    failed = result({"content": [{"type": "text", "text": "no such city"}], "isError": True}, is_error=True)
    assert result_text(failed) == "[tool error] no such city"


def test_one_event_gives_one_message_with_its_words_and_calls() -> None:
    event = Event(
        author="bot",
        parts=(
            Thought(text="hm"),
            Text(text="Let me"),
            Call(id="c1", name="f", args={"b": 1, "a": "ü"}),
            Text(text="check."),
            Call(id="c2", name="g", args={}),
        ),
    )
    [message] = messages([event])
    calls: Any = message["tool_calls"]
    assert (message["role"], message["content"]) == ("assistant", "Let me\ncheck.")
    assert message["reasoning_content"] == "hm"
    assert [(call["id"], call["function"]) for call in calls] == [
        ("c1", {"name": "f", "arguments": '{"a": "ü", "b": 1}'}),
        ("c2", {"name": "g", "arguments": "{}"}),
    ]


def test_each_result_is_a_message_of_its_own() -> None:
    event = Event(
        author="bot", parts=(result({"result": "a"}), Result(call_id="c2", name="g", value={"x": 1}))
    )
    assert messages([event]) == (
        {"role": "tool", "tool_call_id": "c1", "name": "f", "content": "a"},
        {"role": "tool", "tool_call_id": "c2", "name": "g", "content": '{"x": 1}'},
    )


def test_only_plain_text_asks_the_author() -> None:
    roles = [message["role"] for message in messages(
        Event(author=author, parts=parts)
        for author in ("user", "bot")
        for parts in ((Text(text="hi"),), (result({}),))
    )]  # fmt: skip
    assert roles == ["user", "tool", "assistant", "tool"]


def turn(sent: str, *events: Event, ended: Any = "answered") -> TurnTrace:
    return TurnTrace(sent=sent, events=events, ended=ended, started_ms=0, ended_ms=1)


def test_a_trace_is_a_conversation_in_which_answers_to_pauses_are_no_messages() -> None:
    pause = Pause(id="i", name="adk_request_input", kind="input")
    trace = Trace(
        case="c",
        trial=1,
        session="s",
        turns=(
            turn("hi", Event(author="bot", pauses=(pause,), not_in_trajectory="no content"), ended="paused"),
            turn("adk_request_input: yes", Event(author="bot", parts=(Text(text="Saved."),))),
        ),
        outcome=Completed(),
        exposes=("text",),
    )
    events = conversation(trace)
    assert [message["content"] for message in messages(events)] == ["hi", "Saved."]
    assert [(row.author, row.why_not) for row in rows(entries_of(events))] == [
        ("user", ""),
        ("bot", "no content"),
        ("user", ANSWER),
        ("bot", ""),
    ]


def test_an_error_is_why_an_event_contributed_nothing() -> None:
    [row] = rows(entries_of([Event(author="bot", error="SAFETY: blocked", not_in_trajectory="no content")]))
    assert (row.number, row.role, row.contributed, row.why_not) == (1, "", "", "SAFETY: blocked")


def test_a_saved_artifact_is_accounted_for_although_no_message_tells_of_it() -> None:
    alone = Event(author="bot", artifact_delta={"a.txt": 0, "b.txt": 3}, not_in_trajectory="no content")
    beside = Event(author="bot", parts=(Text(text="Saved."),), artifact_delta={"a.txt": 1})
    assert [(row.role, row.contributed, row.why_not) for row in rows(entries_of([alone, beside]))] == [
        ("", "artifact a.txt, artifact b.txt", ""),
        ("assistant", "text, artifact a.txt", ""),
    ]
    assert [message["content"] for message in messages([alone, beside])] == ["Saved."]


PARTS = st.one_of(
    st.builds(Text, text=st.text(max_size=5)),
    st.builds(Thought, text=st.text(max_size=5)),
    st.builds(Call, id=st.text(max_size=2), name=st.text(max_size=3), args=st.none() | st.just({"a": 1})),
    st.builds(
        result, st.recursive(st.none() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=2))
    ),
)


@given(
    st.lists(
        st.builds(
            Event,
            author=st.sampled_from(["user", "bot"]),
            parts=st.lists(PARTS, max_size=4).map(tuple),
            artifact_delta=st.dictionaries(st.text(max_size=2), st.integers(), max_size=1),
        )
    )
)
def test_every_event_is_accounted_for(events: list[Event]) -> None:
    made = rows(entries_of(events))
    assert [row.number for row in made] == list(range(1, len(events) + 1))
    assert all(bool(row.contributed) != bool(row.why_not) for row in made)
    json.dumps(messages(events))
