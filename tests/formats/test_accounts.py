"""Each stored event is accounted for once, whatever becomes of it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.accounts import entries, entries_of, invocations, rows, without_tools
from gate.formats.messages import messages
from gate.formats.stored import NotASession, Recording, read_recording
from gate.model.trace import Call, Event, Text, Thought
from tests.support.commands import ROOT

HITL = (ROOT / "tests/fixtures/sessions/hitl_14_events.jsonl").read_text(encoding="utf-8")


ASKS = "This tool call requires confirmation"


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"author": "bot", "content": {"parts": [{"text": text}]}, **more}


def recording(*frames: dict[str, Any]) -> Recording:
    return Recording(id="s", frames=frames)


def test_fourteen_events_have_fourteen_rows_of_which_eight_contributed() -> None:
    made = rows(entries(read_recording(HITL)))
    assert [row.number for row in made] == list(range(1, 15))
    assert sum(bool(row.contributed) for row in made) == 8
    assert all(bool(row.contributed) != bool(row.why_not) for row in made)


def test_the_runtimes_own_calls_are_kept_when_that_is_asked_for() -> None:
    kept = rows(entries(read_recording(HITL), internal=True))
    calls = [row.contributed for row in kept if "adk_request_confirmation" in row.contributed]
    assert calls == [
        "call of adk_request_confirmation",
        "result of adk_request_confirmation",
    ] * 2  # fmt: skip
    assert sum(bool(row.contributed) for row in kept) == 12


def test_a_real_tool_that_asks_the_user_is_kept_by_default() -> None:
    assert [row.contributed for row in rows(entries(read_recording(HITL)))][2] == "call of ask_user"


def test_parts_of_a_streamed_answer_are_told_and_their_text_counts_once() -> None:
    whole = entries(recording(said("a", partial=True), said("b", partial=True), said("ab")))
    assert [row.why_not for row in rows(whole)] == ["part of a streamed answer"] * 2 + [""]
    cut = entries(recording(said("a", partial=True), said("b", partial=True)))
    assert [row.contributed for row in rows(cut)] == ["", "text"]
    assert [message["content"] for message in messages(e for one in cut for e in one.events)] == ["ab"]


def test_an_event_that_is_two_is_one_row() -> None:
    frame = {
        "author": "bot",
        "content": {"parts": [
            {"function_response": {"id": "1", "name": "one", "response": {"ok": 1}}},
            {"function_response": {"id": "2", "name": "two", "response": {"error": ASKS}}},
        ]},
    }  # fmt: skip
    (row,) = rows(entries(recording(frame)))
    assert row.contributed == "result of one, placeholder of two"


def test_a_dropped_tool_says_that_it_was_dropped_as_asked() -> None:
    found = without_tools(entries(read_recording(HITL)), {"ask_user"})
    made = rows(found)
    assert [row.why_not for row in made if "dropped" in row.why_not] == ["dropped as asked: ask_user"] * 3
    thinking = Event(author="bot", parts=(Thought(text="hm"), Call(id="1", name="t", args={})))
    (row,) = rows(without_tools(entries_of([thinking]), {"t"}))
    assert row.why_not == "dropped as asked: t"
    mixed = entries_of([Event(author="bot", parts=(Text(text="x"), Call(id="1", name="t", args={})))])
    (row,) = rows(without_tools(mixed, {"t"}))
    assert row.contributed == "text"


def test_invocations_have_their_events_authors_and_first_words() -> None:
    found = invocations(entries(read_recording(HITL)))
    assert [(one.id[:10], one.events, one.contributed, one.authors, one.said) for one in found] == [
        ("header_upd", 2, 0, ("system",), ""),
        ("e-00000000", 12, 8, ("user", "directory_agent"), "Find Grace's address."),
    ]


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        ({"author": 3}, "event 2: author is a number"),
        ({}, "event 2: no ADK event"),
        ({"author": "a", "content": []}, "event 2"),
    ],
)
def test_what_is_no_event_is_named_by_its_number(frame: Any, says: str) -> None:
    with pytest.raises(NotASession, match=says):
        entries(recording(said("x"), frame))


NULLS = {f"field_{n}": None for n in range(40)}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
PART = st.fixed_dictionaries(
    {},
    optional={
        "text": st.text(max_size=8),
        "thought": st.booleans(),
        "function_call": st.fixed_dictionaries(
            {"name": st.sampled_from(["adk_x", "t", ""]), "args": JSON, "id": st.text(max_size=2)}
        ),
        "functionResponse": st.fixed_dictionaries(
            {"name": st.sampled_from(["adk_x", "t"]), "response": JSON}
        ),
        "inline_data": st.just({"data": "eA=="}),
    },
)
FRAME = st.fixed_dictionaries(
    {"author": st.sampled_from(["user", "bot", ""])},
    optional={
        "content": st.none() | st.fixed_dictionaries({"parts": st.none() | st.lists(PART, max_size=3)}),
        "partial": st.booleans() | st.none(),
        "invocation_id": st.text(max_size=3) | JSON,
        "timestamp": JSON,
        "error_code": JSON,
        "long_running_tool_ids": st.lists(st.text(max_size=2), max_size=2) | st.none(),
    },
).map(lambda frame: {**NULLS, **frame})


@given(st.lists(FRAME | st.dictionaries(st.text(max_size=4), JSON, max_size=3), max_size=6), st.booleans())
def test_whatever_is_stored_is_accounted_for_or_refused(frames: list[Any], internal: bool) -> None:
    try:
        found = entries(recording(*json.loads(json.dumps(frames))), internal=internal)
    except NotASession:
        return
    made = rows(found)
    assert [row.number for row in made] == list(range(1, len(frames) + 1))
    assert all(bool(row.contributed) != bool(row.why_not) for row in made)
    assert sum(one.events for one in invocations(found)) == len(frames)
    json.dumps(messages(event for entry in found for event in entry.events))
