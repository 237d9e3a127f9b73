"""LangGraph's messages, updates, tokens, interrupts and states to events, from odd and hostile JSON too."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.drive.arguments import arguments_of
from gate.formats.adk_fields import UnreadableEvent
from gate.formats.langgraph import ThreadReader
from gate.formats.langgraph_history import History
from gate.formats.langgraph_message import message_of, messages_of
from gate.formats.langgraph_pauses import asked_by
from gate.formats.langgraph_tokens import path_of
from gate.formats.records import dump
from gate.model.derived import calls_of, state_after, texts_of, tokens_of, visits
from gate.model.trace import Call, Event, Pause, Result, Text, Thought, Usage


def ai(text: Any = "", **fields: Any) -> dict[str, Any]:
    return {"type": "ai", "content": text, **fields}


def human(text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "human", "content": text, **fields}


def state(*messages: Any, point: str = "c1", **fields: Any) -> dict[str, Any]:
    values = {"messages": list(messages), **fields.pop("values", {})}
    return {"values": values, "next": [], "tasks": [], "checkpoint": {"checkpoint_id": point}, **fields}


def reader(**fields: Any) -> ThreadReader:
    made = ThreadReader(arguments_of, **{"messages": "messages", "start": {}, **fields})
    made.begin([], streamed=True)
    return made


def read(made: ThreadReader, *frames: tuple[str, Any], settled: Any = None) -> list[Event]:
    events = [event for name, data in frames for event in made.read(name, data)]
    return events if settled is None else [*events, *made.settle(settled)]


def update(node: str, *messages: Any, around: str = "", **keys: Any) -> tuple[str, Any]:
    given = {"messages": list(messages)} if messages else {}
    return f"updates|{around}" if around else "updates", {node: {**given, **keys}}


ARGS = {"city": "Paris"}
CALL = {"name": "f", "args": ARGS, "id": "c1", "type": "tool_call"}
FUNCTION = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"city": "Paris"}'}}
PARIS = Call(id="c1", name="f", args=ARGS)


@pytest.mark.parametrize(
    ("value", "kind", "author", "parts"),
    [
        (ai("Hi"), "ai", "assistant", (Text(text="Hi"),)),
        (ai("Hi", name="expert"), "ai", "expert", (Text(text="Hi"),)),
        ({**ai("Hi"), "type": "AIMessageChunk"}, "ai", "assistant", (Text(text="Hi"),)),
        ({"role": "assistant", "content": "Hi"}, "ai", "assistant", (Text(text="Hi"),)),
        ({"type": "chat", "role": "assistant", "content": "Hi"}, "ai", "assistant", (Text(text="Hi"),)),
        (["assistant", "Hi"], "ai", "assistant", (Text(text="Hi"),)),
        ("Hi", "human", "user", (Text(text="Hi"),)),
        (["user", "Hi"], "human", "user", (Text(text="Hi"),)),
        (human("Hi", name="expert"), "human", "expert", (Text(text="Hi"),)),
        ({"role": "developer", "content": "Hi"}, "system", "system", (Text(text="Hi"),)),
        ({"type": "remove", "content": "", "id": "m"}, "remove", "remove", ()),
        (
            {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": {"content": "Hi"}},
            "ai",
            "assistant",
            (Text(text="Hi"),),
        ),
        (ai(["It ", {"type": "text", "text": "is."}]), "ai", "assistant", (Text(text="It is."),)),
        (ai([{"type": "reasoning", "reasoning": "Hm"}]), "ai", "assistant", (Thought(text="Hm"),)),
        (ai([{"type": "thinking", "thinking": "Hm"}]), "ai", "assistant", (Thought(text="Hm"),)),
        (ai([{"type": "reasoning", "summary": [{"text": "Hm"}]}]), "ai", "assistant", (Thought(text="Hm"),)),
        (ai([{"type": "refusal", "refusal": "No"}]), "ai", "assistant", (Text(text="No"),)),
        (ai([{"type": "image", "base64": "AAAA"}]), "ai", "assistant", ()),
        (ai(None), "ai", "assistant", ()),
        (
            ai("A", additional_kwargs={"reasoning_content": "Hm"}),
            "ai",
            "assistant",
            (Thought(text="Hm"), Text(text="A")),
        ),
        (ai("", tool_calls=[CALL]), "ai", "assistant", (PARIS,)),
        (ai("", tool_calls=[FUNCTION]), "ai", "assistant", (PARIS,)),
        (ai("", additional_kwargs={"tool_calls": [FUNCTION]}), "ai", "assistant", (PARIS,)),
        (
            ai([{"type": "tool_use", "id": "c1", "name": "f", "input": ARGS}], tool_calls=[CALL]),
            "ai",
            "assistant",
            (PARIS,),
        ),
        (
            ai("", id="m", tool_calls=[{"name": "f", "args": None}]),
            "ai",
            "assistant",
            (Call(id="m-1", name="f", args={}),),
        ),
        (
            ai("", tool_calls=[{"name": "f", "args": [1], "id": "c"}]),
            "ai",
            "assistant",
            (Call(id="c", name="f", args=None, args_error="not an object: [1]"),),
        ),
        (
            ai("", invalid_tool_calls=[{"name": None, "args": "{}", "id": None, "error": "odd"}]),
            "ai",
            "assistant",
            (Call(id="call-1", name="(unnamed)", args=None, args_error="odd"),),
        ),
        (
            ai([{"type": "server_tool_call", "id": "s", "name": "web_search", "args": {"q": "x"}}]),
            "ai",
            "assistant",
            (Call(id="s", name="web_search", args={"q": "x"}),),
        ),
        (
            ai([{"type": "server_tool_result", "tool_call_id": "s", "status": "error", "output": [1]}]),
            "ai",
            "assistant",
            (Result(call_id="s", name="", value=[1], is_error=True),),
        ),
        (
            {"type": "tool", "tool_call_id": "c", "name": "f", "content": "x", "status": "error"},
            "tool",
            "f",
            (Result(call_id="c", name="f", value="x", is_error=True),),
        ),
        (
            {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "a"}, "b"]},
            "tool",
            "tool",
            (Result(call_id="c", name="", value="a\nb"),),
        ),
        (
            {"role": "tool", "tool_call_id": "c", "content": [{"type": "image", "url": "u"}]},
            "tool",
            "tool",
            (Result(call_id="c", name="", value=[{"type": "image", "url": "u"}]),),
        ),
    ],
)
def test_a_message_is_read_in_each_of_its_spellings(
    value: Any, kind: str, author: str, parts: tuple[Any, ...]
) -> None:
    message = message_of(value, arguments_of)
    assert (message.kind, message.author, message.parts) == (kind, author, parts)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3, "a message is a number"),
        ({}, "neither a type nor a role"),
        (ai(3), "content is a number"),
        (ai([3]), "a block of the content is a number"),
        (ai(tool_calls=3), "tool_calls is a number"),
        (ai(tool_calls=[3]), "a tool call is a number"),
        (ai(invalid_tool_calls=[3]), "an invalid tool call is a number"),
        (ai(id=3), "id is a number"),
        (ai(usage_metadata=3), "usage_metadata is a number"),
        (["a", "b", "c"], "a message is a list"),
    ],
)
def test_what_is_no_message_is_told(value: Any, words: str) -> None:
    with pytest.raises(UnreadableEvent, match=words):
        message_of(value, arguments_of)


def test_a_key_of_messages_may_hold_one_or_replace_all() -> None:
    assert [each.parts for each in messages_of(ai("Hi"), arguments_of)] == [(Text(text="Hi"),)]
    assert messages_of(None, arguments_of) == []
    assert len(messages_of({"__overwrite__": [ai("a"), ai("b")]}, arguments_of)) == 2


def test_a_message_is_told_once_by_its_id() -> None:
    made = reader()
    events = read(
        made,
        update("a", ai("one", id="1")),
        update("b", ai("one", id="1"), ai("two", id="2")),
        settled=state(human("x", id="0"), ai("one", id="1"), ai("two", id="2")),
    )
    assert list(texts_of(events)) == ["one", "two"]
    assert visits(events) == ("a", "b")


def test_messages_without_ids_are_told_as_often_as_they_were_said() -> None:
    made = reader()
    made.begin([human("hi", id="gate")], streamed=True)
    first = read(
        made,
        update("a", ai("OK")),
        update("a", ai("OK")),
        settled=state(human("hi", id="gate"), ai("OK"), ai("OK")),
    )
    assert list(texts_of(first)) == ["OK", "OK"]
    made.begin([human("hi", id="gate2")], streamed=True)
    again = [human("hi", id="gate"), ai("OK"), ai("OK"), human("hi", id="gate2"), ai("OK")]
    assert list(texts_of(read(made, settled=state(*again, point="c2")))) == ["OK"]


def test_a_node_that_returns_the_whole_conversation_adds_only_its_end() -> None:
    made = reader()
    made.begin([human("hi", id="gate")], streamed=True)
    whole = [human("hi", id="gate"), ai("one"), ai("two")]
    assert list(texts_of(read(made, update("a", *whole[:2]), update("b", *whole)))) == ["one", "two"]


def test_a_conversation_that_nobody_opened_is_told_apart_by_what_it_said() -> None:
    made = reader()
    assert list(texts_of(read(made, settled=state(human("q"), ai("one"))))) == ["one"]
    made.begin([], streamed=True)
    later = state(human("q"), ai("one"), ai("one"), point="c2")
    assert list(texts_of(read(made, settled=later))) == ["one"]


def test_ids_that_a_reducer_gives_later_make_no_message_new() -> None:
    made = reader()
    events = read(
        made,
        update("a", ai("OK")),
        update("a", ai("OK")),
        settled=state(ai("OK", id="1"), ai("OK", id="2"), ai("OK", id="3")),
    )
    assert list(texts_of(events)) == ["OK", "OK", "OK"]
    made.begin(None, streamed=True)
    assert not read(made, settled=state(ai("OK", id="1"), ai("OK", id="2"), ai("OK", id="3"), point="c2"))


def test_what_a_later_node_changes_of_a_message_is_told() -> None:
    made = reader()
    other = {**CALL, "args": {"city": "Oslo"}}
    spent = {"input_tokens": 1, "output_tokens": 2}
    events = read(
        made,
        update("a", ai("Look:", id="1", tool_calls=[CALL], usage_metadata=spent)),
        update("b", ai("Look:", id="1", tool_calls=[other], usage_metadata=spent)),
    )
    assert [call.args for call in calls_of(events)] == [ARGS, {"city": "Oslo"}]
    assert list(texts_of(events)) == ["Look:"]
    assert tokens_of(events) == 3


def test_a_subgraph_is_a_path_and_its_node_repeats_nothing() -> None:
    around = "expert:5d45-1|1|deep:0c51"
    events = read(
        reader(),
        update("model", ai("one"), around=around),
        update("deep", ai("one"), around="expert:5d45-1"),
        update("expert", human("q"), ai("one"), ai("two")),
    )
    assert visits(events) == ("expert/deep/model", "expert/deep", "expert")
    assert list(texts_of(events)) == ["one", "two"]
    assert path_of("") == ""


def test_a_node_may_return_nothing_or_several_updates() -> None:
    several = [{"messages": [ai("a")]}, {"messages": ai("b")}, None, 3]
    events = read(reader(), ("updates", {"one": None, "two": several, "three": "x", "__metadata__": {}}))
    assert visits(events) == ("one", "two", "three")
    assert list(texts_of(events)) == ["a", "b"]
    assert [event.not_in_trajectory for event in events if not event.parts] == ["no content", "no content"]


def test_a_cached_node_is_a_visit_unless_it_ran_before_the_pause() -> None:
    made = reader()
    cached = ("updates", {"a": {}, "__metadata__": {"cached": True}})
    assert visits(read(made, update("a"), cached)) == ("a",)
    assert len(read(made, cached)) == 1
    made.begin(None, streamed=True)
    assert visits(read(made, cached, update("b"))) == ("b",)
    assert visits(read(made, cached)) == ("a",)
    made.begin(None, streamed=True)
    assert visits(read(made, cached)) == ()
    made.begin([], streamed=True)
    assert visits(read(made, cached)) == ("a",)


def piece(text: Any = "", **fields: Any) -> tuple[str, Any]:
    about = {"langgraph_checkpoint_ns": "expert:1|model:2", "langgraph_node": "model"}
    return "messages", [{**ai(text), "type": "AIMessageChunk", "id": "m", **fields}, about]


def test_tokens_are_the_message_that_the_node_hands_over() -> None:
    spent = {"input_tokens": 1, "output_tokens": 2}
    made = reader()
    events = read(made, piece("It "), piece("is", usage_metadata=spent), update("model", ai("It is", id="m")))
    assert [(event.parts, event.usage) for event in events] == [
        ((Text(text="It is"),), Usage(input_tokens=1, output_tokens=2))
    ]
    assert made.rest() == ()


def test_tokens_are_counted_with_those_read_before_and_the_models_name() -> None:
    spent = {"input_tokens": 5, "output_tokens": 2, "input_token_details": {"cache_read": 3}}
    counted = Usage(input_tokens=5, output_tokens=2, cached_tokens=3, model="small")
    named = {"response_metadata": {"model_name": "small"}}
    (whole,) = read(reader(), update("a", ai("Hi", usage_metadata=spent, **named)))
    assert whole.usage == counted
    events = read(
        reader(), piece(usage_metadata=spent), piece("Hi", **named), update("model", ai("Hi", id="m"))
    )
    assert [event.usage for event in events] == [counted]


def test_what_a_cut_leaves_is_the_answer_so_far() -> None:
    made = reader()
    read(
        made,
        piece([{"type": "reasoning", "reasoning": "H"}]),
        piece([{"type": "reasoning", "reasoning": "m"}]),
        piece("It "),
        piece("is"),
        piece(tool_call_chunks=[{"index": 0, "id": "c1", "name": "f", "args": '{"ci'}]),
        piece(tool_call_chunks=[{"index": 0, "id": None, "name": None, "args": 'ty": "Paris"}'}]),
        piece(tool_call_chunks=[{"index": 1, "id": "c2", "name": "g", "args": "{"}]),
    )
    (event,) = made.rest()
    assert event.node == "expert/model"
    assert event.parts[:3] == (Thought(text="Hm"), Text(text="It is"), PARIS)
    assert isinstance(event.parts[3], Call)
    assert event.parts[3].args is None
    assert made.rest() == ()


def test_a_models_words_that_the_state_lacks_are_no_answer_and_its_calls_none_of_the_agents() -> None:
    chunk = {"index": 0, "id": "c1", "name": "Route", "args": "{}"}
    events = read(reader(), piece("to: a", tool_call_chunks=[chunk]), settled=state())
    (event,) = [event for event in events if event.parts]
    assert event.parts == (Thought(text="to: a"), Call(id="c1", name="Route", args={}))
    assert (event.author, event.node) == ("expert/model", "")
    assert list(calls_of(events)) == []
    assert list(texts_of(events)) == []


def test_a_result_without_a_name_has_its_calls() -> None:
    said = {"type": "tool", "tool_call_id": "c1", "content": "x", "name": None}
    events = read(reader(), update("a", ai(tool_calls=[CALL])), update("tools", said))
    assert events[-1].parts == (Result(call_id="c1", name="f", value="x"),)


def test_the_state_is_what_differs_from_the_turn_before() -> None:
    made = reader(start={"seen": 1, "gone": 2, "messages": [ai("x")]})
    values = {"seen": True, "n": {"a": [1]}, "__interrupt__": [1]}
    first = read(made, settled=state(values=values))
    found = state_after({"seen": 1, "gone": 2}, first)
    assert found == {"seen": True, "n": {"a": [1]}}
    assert found["seen"] is True
    made.begin(None, streamed=True)
    second = read(made, settled=state(values={**values, "n": {"a": [1, 2]}}, point="c2"))
    assert [event.state_delta for event in second] == [{"n": {"a": [1, 2]}}]


HITL = {
    "action_requests": [
        {"name": "delete", "args": {"path": "/a"}, "description": "Look."},
        {"name": "send", "args": {}},
    ]
}
INBOX = {"action_request": {"action": "delete", "args": {}}, "config": {}, "description": "Look."}


@pytest.mark.parametrize(
    ("interrupt", "form", "pauses"),
    [
        ({"id": "i", "value": "Well?"}, "value", [("i", "node", "input", "", "Well?")]),
        ({"id": "i", "value": {"question": "Well?"}}, "value", [("i", "node", "input", "", "Well?")]),
        ({"id": "i", "value": {"a": 1}}, "value", [("i", "node", "input", "", '{"a": 1}')]),
        ({"id": "i"}, "value", [("i", "node", "input", "", "null")]),
        ({"interrupt_id": "i", "value": []}, "value", [("i", "node", "input", "", "[]")]),
        ({"value": 1}, "value", [("interrupt-1", "node", "input", "", "1")]),
        (
            {"id": "i", "value": HITL},
            "decisions",
            [("i#1", "node", "confirm", "delete", "Look."), ("i#2", "node", "confirm", "send", "send {}")],
        ),
        ({"id": "i", "value": INBOX}, "inbox", [("i", "node", "confirm", "delete", "Look.")]),
        ({"id": "i", "value": []}, "value", [("i", "node", "input", "", "[]")]),
        ({"id": "i", "value": [3, INBOX]}, "value", [("i", "node", "input", "", json.dumps([3, INBOX]))]),
        ({"id": "i", "value": [INBOX]}, "inbox", [("i", "node", "confirm", "delete", "Look.")]),
        (
            {"id": "i", "value": {"action_requests": []}},
            "value",
            [("i", "node", "input", "", '{"action_requests": []}')],
        ),
        (
            {"id": "i", "value": {"action_requests": [3]}},
            "decisions",
            [("i", "node", "confirm", "", "None null")],
        ),
    ],
)
def test_an_interrupt_asks_in_the_form_of_its_value(
    interrupt: dict[str, Any], form: str, pauses: Sequence[tuple[str, str, str, str, str]]
) -> None:
    (asked,) = asked_by([interrupt], "node")
    assert asked.form == form
    assert [(p.id, p.name, p.kind, p.tool, p.message) for p in asked.pauses] == pauses


def test_what_waits_is_named_by_the_node_that_asks() -> None:
    made = reader()
    one, two = {"id": "1", "value": "a"}, {"id": "2", "value": "b"}
    waiting = state(next=["n"], tasks=[{"name": "n", "interrupts": [one]}], interrupts=[one, two])
    events = read(made, ("updates", {"__interrupt__": [one, two]}), settled=waiting)
    assert [(event.node, [pause.name for pause in event.pauses]) for event in events if event.pauses] == [
        ("n", ["n"]),
        ("", ["interrupt"]),
    ]
    assert made.unfinished == ""


def test_interrupts_that_only_the_answer_has_are_heard() -> None:
    made = reader()
    made.begin([], streamed=False)
    made.answer({"__interrupt__": [{"value": "Well?"}]})
    (pause,) = [pause for event in made.settle(state()) for pause in event.pauses]
    assert pause == Pause(id="interrupt-1", name="interrupt", kind="input", message="Well?")


def test_an_answer_of_its_own_key_is_said_again_when_it_is_written_again() -> None:
    made = reader(output="answer")
    values: dict[str, Any] = {"values": {"answer": "Yes.", "other": 1}}
    assert list(texts_of(read(made, update("a", answer="Yes."), settled=state(**values)))) == ["Yes."]
    made.begin([], streamed=True)
    assert list(texts_of(read(made, update("b"), settled=state(**values, point="c2")))) == []
    made.begin([], streamed=True)
    events = read(made, update("a", answer="Yes."), settled=state(**values, point="c3"))
    assert [(event.node, event.parts) for event in events if event.parts] == [("a", (Text(text="Yes."),))]
    made.begin([], streamed=False)
    assert list(texts_of(read(made, settled=state(**values, point="c4")))) == ["Yes."]
    made.begin([], streamed=False)
    values = {"values": {"answer": {"n": 1}}}
    assert list(texts_of(read(made, settled=state(**values, point="c5")))) == ['{"n": 1}']


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                (
                    *(
                        "messages",
                        "type",
                        "role",
                        "content",
                        "id",
                        "tool_calls",
                        "invalid_tool_calls",
                        "name",
                    ),
                    *(
                        "args",
                        "usage_metadata",
                        "tool_call_chunks",
                        "additional_kwargs",
                        "kwargs",
                        "lc",
                        "text",
                    ),
                    *(
                        "values",
                        "next",
                        "tasks",
                        "interrupts",
                        "checkpoint",
                        "error",
                        "value",
                        "__interrupt__",
                    ),
                    *("action_requests", "action_request", "__metadata__", "cached", "summary", "index"),
                )
            ),
            inner | st.sampled_from(("ai", "human", "tool", "AIMessageChunk", "text", "reasoning", "remove")),
            max_size=5,
        )
    ),
    max_leaves=20,
)
MODES = st.sampled_from(("updates", "updates|a:1|b:2", "messages", "messages|a:1", "error", "metadata", "x"))


@given(st.lists(st.tuples(MODES, JUNK), max_size=4), JUNK, JUNK)
def test_nothing_that_a_server_sends_is_a_bug(frames: list[tuple[str, Any]], answer: Any, left: Any) -> None:
    made = reader(output="text")
    with suppress(UnreadableEvent):
        made.answer(answer)
    attempts: tuple[Callable[[], Sequence[Sequence[Event]]], ...] = (
        lambda: [made.read(name, data) for name, data in frames],
        lambda: [made.settle(left)],
        lambda: [made.settle({"values": left, "tasks": [left], "interrupts": [left]})],
        lambda: [made.rest(), made.kept(), made.failed()],
    )
    for attempt in attempts:
        with suppress(UnreadableEvent):
            for event in (event for events in attempt() for event in events):
                assert isinstance(event, Event)
                json.dumps(dump(event))


TURNS = st.lists(st.lists(st.sampled_from(("OK", "Yes", "No")), max_size=4), min_size=1, max_size=4)


@given(TURNS, st.sampled_from(("ids", "late ids", "no ids")), st.booleans(), st.integers(1, 3))
def test_every_message_of_every_turn_is_told_once_however_often_it_is_repeated(
    turns: list[list[str]], naming: str, streamed: bool, size: int
) -> None:
    made = reader()
    thread: list[dict[str, Any]] = []
    for number, words in enumerate(turns):
        opening = human("go", id=f"gate-{number}")
        made.begin([opening], streamed=streamed)
        said = [
            ai(text, **({"id": f"m{number}-{place}"} if naming != "no ids" else {}))
            for place, text in enumerate(words)
        ]
        thread += [opening, *said]
        told = [{**each, "id": None} if naming == "late ids" else each for each in said]
        frames = [update("node", *told[start : start + size]) for start in range(0, len(told), size)]
        events = read(made, *(frames if streamed else ()), settled=state(*thread, point=f"c{number}"))
        assert list(texts_of(events)) == words


class Counting(dict[str, Any]):
    """A record that counts how often it is asked."""

    asked = 0

    def get(self, key: str, default: Any = None) -> Any:
        Counting.asked += 1
        return super().get(key, default)


@pytest.mark.parametrize("ids", [True, False])
def test_reading_a_conversation_twice_as_long_costs_twice_as_much(ids: bool) -> None:
    def cost(count: int) -> int:
        Counting.asked = 0
        messages = [Counting(ai("OK", **({"id": f"m{number}"} if ids else {}))) for number in range(count)]
        read(reader(), *(update("a", each) for each in messages), settled=state(*messages))
        return Counting.asked

    assert cost(400) <= 2 * cost(200) + 10


def test_a_namespace_of_a_million_levels_is_read_in_one_pass() -> None:
    deep = "|".join(["a:1"] * 200_000)
    events = read(reader(), (f"updates|{deep}", {"b": None}), (f"updates|{deep}", {"c": None}))
    assert len(events) == 2


def test_a_trimmed_conversation_is_recognised_by_the_ids_that_it_begins_with() -> None:
    made = reader()
    events = read(
        made,
        update("a", ai("one", id="1")),
        update("b", ai("two")),
        update("c", ai("one", id="1"), ai("two")),
    )
    assert list(texts_of(events)) == ["one", "two"]


def test_a_turn_without_a_message_of_ours_is_not_placed_by_an_older_one() -> None:
    made = reader()
    made.begin([human("hi", id="gate")], streamed=True)
    read(made, update("a", ai("one")), settled=state(human("hi", id="gate"), ai("one")))
    made.begin([], streamed=True)
    later = state(human("hi", id="gate"), ai("one"), ai("two"), point="c2")
    assert list(texts_of(read(made, update("a", ai("two")), settled=later))) == ["two"]


def test_a_model_that_only_counts_tokens_is_counted() -> None:
    events = read(reader(), piece(usage_metadata={"input_tokens": 1, "output_tokens": 2}), settled=state())
    assert tokens_of(events) == 3


def test_only_what_ran_since_the_users_message_is_a_repetition() -> None:
    made = reader()
    cached = ("updates", {"a": {}, "__metadata__": {"cached": True}})
    read(made, update("a"))
    made.begin([], streamed=True)
    made.begin(None, streamed=True)
    assert visits(read(made, cached)) == ("a",)


def test_a_failed_turn_repeats_no_older_answer() -> None:
    made = reader(output="answer")
    values: dict[str, Any] = {"values": {"answer": "Yes."}}
    events = read(made, update("a", answer="Yes."), ("error", "boom"), settled=state(**values))
    assert list(texts_of(events)) == []
    assert [event.error for event in events if event.error] == ["boom"]


def test_a_subgraphs_key_is_not_the_answer() -> None:
    made = reader(output="answer", start={"answer": "old"})
    events = read(made, update("b", answer="x", around="a:1"), settled=state(values={"answer": "old"}))
    assert list(texts_of(events)) == []


def test_instructions_and_removals_are_no_words() -> None:
    said = [{"type": "system", "content": "Be kind."}, {"type": "remove", "content": "x", "id": "1"}]
    events = read(reader(), update("a", *said), settled=state(*said))
    assert [(event.node, event.parts) for event in events] == [("a", ())]


def test_an_interrupt_that_was_answered_is_closed_though_the_server_still_lists_it() -> None:
    one, two = {"id": "1", "value": "a"}, {"id": "2", "value": "b"}
    both = [{"name": "one", "interrupts": [one]}, {"name": "two", "interrupts": [two]}]
    for again, left in ((two, ["two"]), (one, ["one", "two"])):
        made = reader()
        made.begin(None, streamed=True, answered=["1"])
        told = ("updates", {"__interrupt__": [again]})
        events = read(made, told, settled=state(next=["two"], tasks=both))
        assert [pause.name for event in events for pause in event.pauses] == left


def test_an_old_server_that_asks_again_under_the_same_id_is_heard() -> None:
    made = reader()
    made.begin(None, streamed=False, answered=["1"])
    asked = [{"name": "one", "interrupts": [{"id": "1", "value": "b"}]}]
    events = read(made, settled=state(next=["one"], tasks=asked))
    assert [pause.message for event in events for pause in event.pauses] == ["b"]


def test_history_knows_whether_a_list_is_the_whole_conversation() -> None:
    history = History()
    assert not history.told([])
    history.open(messages_of([human("a")], arguments_of))
    assert history.told(messages_of([human("a"), ai("b")], arguments_of))
    assert not history.told(messages_of([ai("b")], arguments_of))
