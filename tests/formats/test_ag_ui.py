"""AG-UI's events to a trace's: pieces put together, state, snapshots, pauses, and everything out of order."""

import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.drive.arguments import arguments_of
from gate.formats import ag_ui_history, ag_ui_state, json_patch
from gate.formats.adk_fields import UnreadableEvent
from gate.formats.ag_ui import RunReader
from gate.formats.ag_ui_events import SHAPES
from gate.formats.ag_ui_history import History
from gate.model.derived import state_after
from gate.model.trace import Call, Event, Pause, Result, Text, Thought, Usage
from tests.support.ag_ui_made import (
    FINISHED,
    STARTED,
    a_result,
    called,
    ev,
    interrupting,
    patch,
    said,
    snapshot,
)


def reader_of(start: Mapping[str, Any] | None = None, *offered: str) -> RunReader:
    reader = RunReader(arguments_of, start or {}, frozenset(offered))
    reader.begin("r", {})
    return reader


def run(reader: RunReader, *events: Any, ends: Any = FINISHED, name: str = "r") -> list[Event]:
    """A run of these events; what it tells."""
    began = {**STARTED, "runId": name}
    told = [each for event in (began, *events, ends) for each in reader.read(event)]
    return [*told, *reader.rest()]


def again(reader: RunReader, *events: Any, answered: tuple[str, ...] = ()) -> list[Event]:
    """The next run of the conversation."""
    reader.begin("r2", {ident: reader.asked[ident] for ident in answered})
    return run(reader, *events, name="r2")


def read(*events: Any, start: Mapping[str, Any] | None = None, ends: Any = FINISHED) -> list[Event]:
    return run(reader_of(start), *events, ends=ends)


def parts(events: list[Event]) -> list[Any]:
    return [part for event in events for part in event.parts]


def test_pieces_become_one_event_each_for_message_thought_call_and_result() -> None:
    events = read(
        ev("REASONING_START", messageId="s"),
        ev("REASONING_MESSAGE_START", messageId="s", role="reasoning"),
        ev("REASONING_MESSAGE_CONTENT", messageId="s", delta="hm"),
        ev("REASONING_MESSAGE_CONTENT", messageId="s", delta="…"),
        ev("REASONING_MESSAGE_END", messageId="s"),
        ev("REASONING_END", messageId="s"),
        *called("c", "look", '{"a": ', "1}"),
        a_result("c", "found"),
        *said("m", "It ", "", "is."),
    )
    assert parts(events) == [
        Thought(text="hm…"),
        Call(id="c", name="look", args={"a": 1}),
        Result(call_id="c", name="look", value="found"),
        Text(text="It is."),
    ]
    assert [bool(event.not_in_trajectory) for event in events] == [True, False, False, False]


def test_shorthand_means_the_same() -> None:
    long = read(*said("m", "Hi", " you"), *called("c", "f", "{", "}"), *said("n", "Bye"))
    short = read(
        ev("TEXT_MESSAGE_CHUNK", messageId="m", delta="Hi"),
        ev("TEXT_MESSAGE_CHUNK", delta=" you"),
        ev("TOOL_CALL_CHUNK", toolCallId="c", toolCallName="f", delta="{"),
        ev("RAW", event={}),
        ev("TOOL_CALL_CHUNK", toolCallId="c", delta="}"),
        ev("TEXT_MESSAGE_CHUNK", messageId="n", delta="Bye"),
    )
    assert parts(short) == parts(long)


def test_messages_that_are_open_side_by_side_stay_apart() -> None:
    events = read(
        ev("TEXT_MESSAGE_START", messageId="a"),
        ev("TOOL_CALL_START", toolCallId="a", toolCallName="f"),
        ev("TEXT_MESSAGE_START", messageId="b"),
        ev("TEXT_MESSAGE_CONTENT", messageId="b", delta="B"),
        ev("TEXT_MESSAGE_CONTENT", messageId="a", delta="A"),
        ev("TEXT_MESSAGE_END", messageId="b"),
        ev("TOOL_CALL_END", toolCallId="a"),
        ev("TEXT_MESSAGE_END", messageId="a"),
    )
    assert parts(events) == [Text(text="B"), Call(id="a", name="f", args={}), Text(text="A")]


@pytest.mark.parametrize(
    ("pieces", "args", "error"),
    [
        ((), {}, False),
        (("", " "), {}, False),
        (('{"n": 20.0, ', '"big": 9007199254740993}'), {"n": 20, "big": 9007199254740993}, False),
        (('{"city": ',), None, True),
        (("[1]",), None, True),
        (('{"n": NaN}',), None, True),
    ],
)
def test_arguments_are_json_once_they_are_whole(pieces: Any, args: Any, *, error: bool) -> None:
    (call,) = parts(read(*called("c", "f", *pieces)))
    assert call.args == args
    assert bool(call.args_error) is error


def test_only_what_the_assistant_says_is_its_answer() -> None:
    events = read(
        *said("u", "echo", role="user"),
        *said("s", "rules", role="system"),
        *said("d", "more rules", role="developer"),
        *said("e"),
        *said("n", "Hello", name="Ada"),
    )
    shown = [(event.author, event.parts) for event in events]
    assert shown == [
        ("user", (Text(text="echo"),)),
        ("assistant", (Thought(text="rules"),)),
        ("assistant", (Thought(text="more rules"),)),
        ("assistant", ()),
        ("Ada", (Text(text="Hello"),)),
    ]
    assert events[3].not_in_trajectory == "no content"


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ('{"t": 20}', '{"t": 20}'),
        ("", ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ([], []),
        (
            [{"type": "image", "source": {"type": "data", "value": "QUJDRA==", "mimeType": "image/png"}}],
            [{"type": "image", "source": {"type": "data", "value": "[6 bytes]", "mimeType": "image/png"}}],
        ),
    ],
)
def test_a_result_is_its_text_or_its_parts(content: Any, value: Any) -> None:
    (result,) = parts(read(a_result("c", content)))
    assert result == Result(call_id="c", name="", value=value)


def test_a_result_with_an_error_is_one() -> None:
    (result,) = parts(read(a_result("c", "half", error="it broke")))
    assert result.is_error


def test_steps_are_nodes_and_subagents_are_authors_and_nodes() -> None:
    sub = {"subagentRunId": "s"}
    events = read(
        ev("STEP_STARTED", stepName="outer"),
        *said("a", "1"),
        ev("STEP_STARTED", stepName="inner"),
        *said("b", "2"),
        ev("STEP_FINISHED", stepName="inner"),
        *said("c", "3"),
        ev("SUBAGENT_STARTED", name="helper", **sub),
        *[{**event, **sub} for event in said("d", "4")],
        ev("STEP_STARTED", stepName="outer", **sub),
        *[{**event, **sub} for event in said("e", "5")],
        ev("STEP_FINISHED", stepName="outer", **sub),
        ev("SUBAGENT_FINISHED", **sub),
        ev("STEP_FINISHED", stepName="outer"),
        *[{**event, "subagentRunId": "nameless"} for event in said("f", "6")],
    )
    told = [(event.author, event.node, "".join(part.text for part in event.parts)) for event in events]  # type: ignore[union-attr]
    assert told == [
        ("assistant", "outer", ""),
        ("assistant", "outer", "1"),
        ("assistant", "inner", ""),
        ("assistant", "inner", "2"),
        ("assistant", "outer", "3"),
        ("helper", "helper", ""),
        ("helper", "helper", "4"),
        ("helper", "outer", ""),
        ("helper", "outer", "5"),
        ("assistant", "", "6"),
    ]


def test_a_change_of_state_is_of_the_step_in_which_it_came() -> None:
    number = iter(range(9))

    def change() -> dict[str, Any]:
        return patch({"op": "add", "path": "/n", "value": next(number)})

    events = read(
        change(),
        ev("STEP_STARTED", stepName="a"),
        change(),
        ev("STEP_FINISHED", stepName="a"),
        change(),
    )
    assert [(event.node, dict(event.state_delta)) for event in events if event.state_delta] == [
        ("", {"n": 0}),
        ("a", {"n": 1}),
        ("", {"n": 2}),
    ]


def test_steps_and_subagents_end_with_a_run_that_failed() -> None:
    reader = reader_of()
    failed = [
        STARTED,
        ev("STEP_STARTED", stepName="a"),
        ev("SUBAGENT_STARTED", subagentRunId="s", name="helper"),
        ev("RUN_ERROR", message="boom"),
    ]
    for event in failed:
        reader.read(event)
    told = run(reader, *said("m", "1"), *[{**event, "subagentRunId": "s"} for event in said("n", "2")])
    assert [(event.author, event.node) for event in told] == [("assistant", "")] * 2


def test_a_failed_subagent_is_an_error_that_words_after_it_forgive() -> None:
    from gate.formats.limits import reported_failure

    failing = [
        ev("SUBAGENT_STARTED", subagentRunId="s", name="helper"),
        ev("SUBAGENT_ERROR", subagentRunId="s", message="no luck", code="E1"),
    ]
    alone, handled = read(*failing), read(*failing, *said("m", "Without it, then."))
    assert alone[-1].error == "subagent helper: E1: no luck"
    assert reported_failure(alone)
    assert not reported_failure(handled)


@pytest.mark.parametrize(
    ("start", "events", "after"),
    [
        ({"a": 1}, [], {"a": 1}),
        ({"a": 1}, [ev("STATE_SNAPSHOT", snapshot={"b": 2})], {"b": 2}),
        ({"a": 1}, [patch({"op": "add", "path": "/b", "value": 2})], {"a": 1, "b": 2}),
        ({"a": 1}, [patch({"op": "remove", "path": "/a"})], {}),
        ({"a": 1}, [patch({"op": "move", "path": "/b", "from": "/a"})], {"b": 1}),
        ({"a": {"b": [1]}}, [patch({"op": "add", "path": "/a/b/-", "value": 2})], {"a": {"b": [1, 2]}}),
        (
            {"a": 1},
            [
                patch({"op": "add", "path": "/b", "value": 1}),
                *said("m", "x"),
                patch({"op": "remove", "path": "/b"}),
            ],
            {"a": 1},
        ),
        ({"a": 1}, [patch({"op": "replace", "path": "", "value": {"c": 3}})], {"c": 3}),
        ({"a": 1}, [patch({"op": "replace", "path": "", "value": [1]})], {}),
        ({"a": 1}, [ev("STATE_SNAPSHOT", snapshot=None)], {}),
        ({"a": 1}, [ev("STATE_SNAPSHOT", snapshot="text")], {}),
        (
            {"a": 1},
            [
                ev("STATE_SNAPSHOT", snapshot=[]),
                ev("STATE_SNAPSHOT", snapshot={"a": 2}),
            ],
            {"a": 2},
        ),
        (
            {},
            [
                patch({"op": "add", "path": "/a", "value": {"x": 1}}),
                *said("m", "words between"),
                patch({"op": "copy", "path": "/b", "from": "/a"}),
                patch({"op": "replace", "path": "/a/x", "value": 2}),
            ],
            {"a": {"x": 2}, "b": {"x": 1}},
        ),
        ({"a/b": 1}, [patch({"op": "replace", "path": "/a~1b", "value": 2})], {"a/b": 2}),
    ],
)
def test_the_state_of_the_trace_is_the_state_of_the_agent(start: Any, events: list[Any], after: Any) -> None:
    kept = copy.deepcopy(start)
    told = read(*events, start=start)
    assert state_after(kept, told) == after
    assert start == kept, "the case's own start state is never touched"


def test_an_event_keeps_the_state_as_it_was_then() -> None:
    told = read(
        patch({"op": "add", "path": "/a", "value": [1]}),
        *said("m", "x"),
        patch({"op": "add", "path": "/a/-", "value": 2}),
    )
    assert [event.state_delta for event in told if event.state_delta] == [{"a": [1]}, {"a": [1, 2]}]


def test_a_key_that_is_gone_is_told_once_and_a_snapshot_tells_only_what_changed() -> None:
    told = read(
        patch({"op": "remove", "path": "/a"}),
        *said("m", "x"),
        ev("STATE_SNAPSHOT", snapshot={"b": 2, "c": 3.0}),
        *said("n", "y"),
        ev("STATE_SNAPSHOT", snapshot={"b": 2, "c": 3}),
        start={"a": 1, "b": 2},
    )
    changes = [(dict(e.state_delta), e.state_removed) for e in told if e.state_delta or e.state_removed]
    assert changes == [({}, ("a",)), ({"c": 3.0}, ())]


def test_a_state_without_keys_is_said_so() -> None:
    told = read(ev("STATE_SNAPSHOT", snapshot=[1]), start={"a": 1})
    assert "the state is a list" in told[-1].not_in_trajectory


def test_a_patch_that_does_not_apply_says_which_operation_and_why() -> None:
    with pytest.raises(UnreadableEvent, match=r"does not apply to the state: operation 2 \(remove /b\)"):
        read(patch({"op": "add", "path": "/a", "value": 1}, {"op": "remove", "path": "/b"}))


def test_a_flood_of_changes_is_told_at_the_end_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ag_ui_state, "MOST_COPIED", 1000)
    grows = [patch({"op": "add", "path": "/a/-", "value": number}) for number in range(400)]
    between = [event for number, grow in enumerate(grows) for event in (grow, *said(f"m{number}", "x"))]
    told = read(*between, start={"a": []})
    assert 10 < len([event for event in told if event.state_delta]) < 60
    assert state_after({"a": []}, told) == {"a": list(range(400))}


def test_a_run_that_patches_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ag_ui_state, "Work", lambda: json_patch.Work(10_000))
    doubling = patch(*[{"op": "copy", "path": "/a/-", "from": "/a"}] * 60)
    with pytest.raises(UnreadableEvent, match="copy and move more values"):
        read(doubling, start={"a": [1]})


def test_what_is_neither_said_nor_done_is_counted_at_the_end() -> None:
    told = read(
        ev("RAW", event={"x": 1}, source="model"),
        ev("RAW", event=None),
        ev("CUSTOM", name="progress", value=0.5),
        ev("ACTIVITY_SNAPSHOT", messageId="a", activityType="PLAN", content={}),
        ev("ACTIVITY_DELTA", messageId="a", activityType="PLAN", patch=[{"op": "remove", "path": "/nope"}]),
        *said("m", "Hi"),
        ev("META_EVENT", metaType="thumbs_up"),
        ev("REASONING_ENCRYPTED_VALUE", subtype="message", entityId="m", encryptedValue="x"),
        ends={**FINISHED, "result": {"ok": True}},
    )
    assert parts(told) == [Text(text="Hi")]
    counted = told[-1].not_in_trajectory
    assert counted == (
        "no content: 2 x RAW, CUSTOM 'progress', ACTIVITY_SNAPSHOT 'PLAN', ACTIVITY_DELTA 'PLAN', "
        "unknown META_EVENT, REASONING_ENCRYPTED_VALUE, a result of the run, which is no answer: {'ok': True}"
    )


def test_an_outcome_that_nobody_knows_is_a_success_that_says_so() -> None:
    (end,) = read(ends={**FINISHED, "outcome": {"type": "postponed"}})
    assert not end.error
    assert "an outcome that nobody knows, 'postponed', read as success" in end.not_in_trajectory


def test_a_start_state_of_tuples_can_be_patched() -> None:
    told = read(patch({"op": "add", "path": "/a/b/-", "value": 2}), start={"a": {"b": (1,)}})
    assert told[-1].state_delta == {"a": {"b": [1, 2]}}


def test_a_flood_of_names_is_counted_without_them() -> None:
    told = read(*(ev(f"X{number}") for number in range(1000)))
    assert "950 x others" in told[-1].not_in_trajectory
    assert len(told) == 1


def test_thinking_of_older_servers_is_a_thought_that_is_not_sent_back() -> None:
    reader = reader_of()
    told = run(
        reader,
        ev("THINKING_START", title="hm"),
        ev("THINKING_TEXT_MESSAGE_START"),
        ev("THINKING_TEXT_MESSAGE_CONTENT", delta="so "),
        ev("THINKING_TEXT_MESSAGE_CONTENT", delta="be it"),
        ev("THINKING_TEXT_MESSAGE_END"),
        ev("THINKING_END"),
    )
    assert parts(told) == [Thought(text="so be it")]
    assert reader.heard.history.sent() == []


def test_what_a_cut_leaves_is_kept_and_waits_for_nothing() -> None:
    reader = reader_of({}, "f")
    for event in [STARTED, *said("m", "It is")[:-1], *called("c", "f", '{"a')[:-1], patch()]:
        reader.read(event)
    told = list(reader.rest())
    assert parts(told)[0] == Text(text="It is")
    assert parts(told)[1].args is None
    assert not any(event.pauses for event in told)
    assert not reader.finished
    assert reader.rest() == ()


def test_a_cut_call_of_adks_runtime_is_no_tool() -> None:
    reader = reader_of()
    for event in [STARTED, *called("k", "adk_request_input", "{")[:-1]]:
        reader.read(event)
    (told,) = reader.rest()
    assert (told.parts, told.not_in_trajectory) == ((), "runtime plumbing: adk_request_input")


def test_events_before_one_out_of_order_are_kept() -> None:
    reader = reader_of()
    reader.read(STARTED)
    reader.read(ev("TEXT_MESSAGE_CHUNK", messageId="m", delta="Hi"))
    with pytest.raises(UnreadableEvent):
        reader.read(ev("TOOL_CALL_END", toolCallId="c"))
    assert parts(list(reader.rest())) == [Text(text="Hi")]


def test_an_error_ends_a_run_with_what_came_before_it() -> None:
    told = read(
        *said("m", "Well")[:-1],
        ends=ev("RUN_ERROR", message="boom", code="E", usage=[{"inputTokens": 3}]),
    )
    assert parts(told) == [Text(text="Well")]
    assert told[-1].error == "E: boom"
    assert told[-1].usage == Usage(input_tokens=3, output_tokens=0)


def test_a_run_that_was_cancelled_is_no_answer() -> None:
    (end,) = read(ends={**FINISHED, "outcome": {"type": "cancelled"}})
    assert "cancelled" in end.error


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        (None, None),
        ([], None),
        ([{}], None),
        ([{"inputTokens": 11, "outputTokens": 7, "totalTokens": 18}], (11, 7)),
        ([{"inputTokens": 1}, {"outputTokens": 2}], (1, 2)),
        ([{"totalTokens": 18}], (18, 0)),
        ([{"inputTokens": -1, "outputTokens": True}], None),
        ([{"inputTokens": 2**60}], None),
        ([{"inputTokens": 2**52}] * 9, (2**53, 0)),
    ],
)
def test_tokens_of_all_model_calls_are_added(usage: Any, counted: Any) -> None:
    told = read(ends={**FINISHED, "usage": usage})
    expected = None if counted is None else Usage(input_tokens=counted[0], output_tokens=counted[1])
    assert [event.usage for event in told if event.usage] == ([expected] if expected else [])


def test_tokens_of_each_model_are_an_event_of_their_own() -> None:
    first, second = (
        {"model": "a", "inputTokens": 5, "cachedInputTokens": 3},
        {"model": "b", "outputTokens": 2},
    )
    for ends in (FINISHED, ev("RUN_ERROR", message="boom")):
        told = read(ends={**ends, "usage": [first, second, first, {"model": "c"}]})
        assert [event.usage for event in told] == [
            Usage(input_tokens=10, output_tokens=0, cached_tokens=6, model="a"),
            Usage(input_tokens=0, output_tokens=2, model="b"),
        ]
    with pytest.raises(UnreadableEvent, match="model is a number"):
        read(ends={**FINISHED, "usage": [{**first, "model": 3}]})


def test_interrupts_are_pauses_that_name_their_tool() -> None:
    told = read(
        *called("c", "delete_file"),
        ends=interrupting(
            {"id": "i", "reason": "tool_call", "toolCallId": "c", "message": "Sure?"},
            {"id": "j", "reason": "input_required"},
            {"id": "k", "reason": "confirmation", "toolCallId": "unknown"},
        ),
    )
    assert told[-1].pauses == (
        Pause(id="i", name="tool_call", kind="confirm", tool="delete_file", message="Sure?"),
        Pause(id="j", name="input_required", kind="input"),
        Pause(id="k", name="confirmation", kind="confirm"),
    )


def pausing(*events: Any, offered: tuple[str, ...] = (), ends: Any = FINISHED) -> list[str]:
    return [pause.id for event in run(reader_of({}, *offered), *events, ends=ends) for pause in event.pauses]


def test_a_call_without_a_result_waits_unless_the_agent_spoke_after_it() -> None:
    two = [*called("c", "paint"), *called("d", "search")]
    assert pausing(*two) == ["c", "d"]
    assert pausing(*two, a_result("d", "found")) == ["c"]
    assert pausing(*two, *said("m", "Here it is.")) == []
    assert pausing(*two, *said("m", "")) == ["c", "d"]
    assert pausing(*two, *said("m", "echo", role="user")) == ["c", "d"]
    assert pausing(called("c", "paint")[0], *said("m", "Now"), called("c", "paint")[-1]) == ["c"]
    assert pausing(*called("c", "paint"), *said("m", "And"), *called("d", "search")) == ["d"]
    again = {"id": "x", "role": "assistant", "content": "Here it is."}
    assert pausing(*two, snapshot(again)) == []


def test_a_call_waits_where_its_client_is_to_run_it() -> None:
    two = [*called("c", "paint"), *called("d", "search"), *said("m", "There.")]
    assert pausing(*two) == []
    assert pausing(*two, offered=("paint",)) == ["c"]
    assert pausing(*two, a_result("c", "done"), offered=("paint",)) == []
    named = {**FINISHED, "outcome": {"type": "success", "pendingToolCallIds": ["d"]}}
    assert pausing(*two, offered=("paint",), ends=named) == ["d"]
    none = {**FINISHED, "outcome": {"type": "success", "pendingToolCallIds": []}}
    assert pausing(*two, offered=("paint",), ends=none) == ["c"]
    assert pausing(*two, offered=("paint",), ends=interrupting({"id": "i", "reason": "x"})) == ["i"]
    assert pausing(*two, offered=("paint",), ends=ev("RUN_ERROR", message="x")) == []


def test_questions_of_langgraphs_older_servers_are_pauses_unless_the_outcome_asks() -> None:
    question = ev("CUSTOM", name="on_interrupt", value={"q": 1}, rawEvent={"id": "lg"})
    nameless = [{**question, "rawEvent": raw} for raw in (None, {"id": ""}, {"id": 5}, "id")]
    (event,) = [event for event in read(question, *nameless) if event.pauses]
    assert {pause.name for pause in event.pauses} == {"on_interrupt"}
    assert [pause.id for pause in event.pauses] == [
        "lg",
        *(f"on_interrupt-{number}" for number in range(2, 6)),
    ]
    assert event.pauses[0].message == '{"q": 1}'
    assert pausing(question, ends=interrupting({"id": "i", "reason": "x"})) == ["i"]


def test_a_resumed_run_may_tell_its_call_again_without_calling_twice() -> None:
    ends = interrupting({"id": "i", "reason": "tool_call", "toolCallId": "c"})
    reader = reader_of()
    run(reader, *called("c", "delete"), *called("d", "search"), ends=ends)
    retold = [*called("c", "delete"), a_result("c", "gone"), *called("d", "search"), a_result("d", "ok")]
    told = again(reader, *retold, answered=("i",))
    assert [bool(event.not_in_trajectory) for event in told] == [True, False, False, False]


ORIGINAL = {"id": "c", "name": "delete_repo", "args": {"name": "x"}}
CONFIRM = {"originalFunctionCall": ORIGINAL, "toolConfirmation": {"hint": "Sure?", "confirmed": False}}
REPO = called("c", "delete_repo", '{"name": "x"}')
REQUEST = called("k", "adk_request_confirmation", json.dumps(CONFIRM))
WAITS = Pause(id="k", name="adk_request_confirmation", kind="confirm", tool="delete_repo", message="Sure?")


@pytest.mark.parametrize("placeholder", [[], [a_result("c", '{"error": "requires confirmation"}')]])
def test_a_call_of_adks_runtime_is_no_tool_and_waits_for_the_one_that_it_asks_about(placeholder: Any) -> None:
    told = run(reader_of(), *REPO, *placeholder, *REQUEST)
    assert [part.name for part in parts(told) if isinstance(part, Call)] == ["delete_repo"]
    assert [event.not_in_trajectory for event in told if "plumbing" in event.not_in_trajectory] == [
        "runtime plumbing: adk_request_confirmation"
    ]
    assert told[-1].pauses == (WAITS,)


def test_a_call_of_adks_runtime_that_only_a_snapshot_tells_waits_as_well() -> None:
    function = {"name": "adk_request_confirmation", "arguments": json.dumps(CONFIRM)}
    told = run(
        reader_of(),
        *REPO,
        snapshot({"id": "m", "role": "assistant", "toolCalls": [{"id": "k", "function": function}]}),
    )
    assert told[-1].pauses == (WAITS,)


@pytest.mark.parametrize(
    "arguments", ["", "[]", "{", '{"originalFunctionCall": 3}', '{"functionCallId": []}']
)
def test_odd_arguments_of_adks_runtime_are_a_pause_all_the_same(arguments: str) -> None:
    for name in ("adk_request_confirmation", "adk_request_input", "adk_request_credential", "adk_new"):
        assert pausing(*called("k", name, arguments)) == ["k"]


def test_an_interrupt_about_a_call_of_adks_runtime_names_its_tool() -> None:
    ends = interrupting({"id": "i", "reason": "tool_call", "toolCallId": "k"})
    told = run(reader_of(), *REPO, *REQUEST, ends=ends)
    assert [pause.tool for pause in told[-1].pauses] == ["delete_repo"]


def test_a_snapshot_tells_only_what_nobody_heard() -> None:
    reader = reader_of()
    reader.heard.history.add({"id": "u", "role": "user", "content": "hi"})
    first = run(
        reader,
        *said("m", "Hello"),
        *called("c", "f", "{}"),
        a_result("c", "ok"),
        snapshot(
            {"id": "u", "role": "user", "content": "hi"},
            {"id": "m", "role": "assistant", "content": "Hello"},
            {"id": "c", "role": "assistant", "toolCalls": [{"id": "c", "function": {"name": "f"}}]},
            {"id": "of c", "role": "tool", "toolCallId": "c", "content": "ok"},
            {"id": "x", "role": "reasoning", "content": "hm"},
            {
                "id": "y",
                "role": "assistant",
                "content": "More.",
                "toolCalls": [{"id": "d", "function": {"name": "g", "arguments": '{"n": 1}'}}],
            },
            {"id": "z", "role": "tool", "toolCallId": "d", "content": "done", "error": "late"},
        ),
    )
    assert parts(first)[3:] == [
        Thought(text="hm"),
        Text(text="More."),
        Call(id="d", name="g", args={"n": 1}),
        Result(call_id="d", name="g", value="done", is_error=True),
    ]
    known = snapshot(*reader.heard.history.sent())
    assert parts(again(reader, known, *said("n", "Bye"))) == [Text(text="Bye")]


def test_messages_under_new_ids_are_known_by_their_words_each_once() -> None:
    reader = reader_of()
    run(reader, *said("m", "OK"))
    told = again(
        reader,
        snapshot(
            {"id": "new1", "role": "assistant", "content": "OK"},
            {"id": "new2", "role": "assistant", "content": "OK"},
        ),
    )
    assert parts(told) == [Text(text="OK")]


def test_words_that_a_snapshot_replaces_are_said_if_they_are_of_this_run() -> None:
    reader = reader_of()
    replaced = {"id": "m", "role": "assistant", "content": "I cannot say."}
    assert parts(run(reader, *said("m", "The key is"), snapshot(replaced), snapshot(replaced))) == [
        Text(text="The key is"),
        Text(text="I cannot say."),
    ]
    assert parts(again(reader, snapshot({**replaced, "content": "(summed up)"}))) == []
    assert [message["content"] for message in reader.heard.history.sent()] == ["(summed up)"]


def test_a_snapshot_while_a_message_is_open_tells_it_once() -> None:
    start, piece, more, end = said("m", "Hel", "lo")
    half = snapshot({"id": "m", "role": "assistant", "content": "Hel"})
    assert parts(read(start, piece, half, more, end)) == [Text(text="Hello")]


def test_a_replayed_run_of_ours_is_not_counted_again() -> None:
    reader = reader_of()
    run(reader, *said("m", "Hello"))
    reader.begin("r2", {})
    new = {"threadId": "t", "runId": "r2"}
    events = [STARTED, *said("m", "Hello"), patch({"op": "remove", "path": "/x"}), FINISHED]
    told = [each for event in events for each in reader.read(event)]
    finished = [reader.finished]
    events = [ev("RUN_STARTED", **new), *said("n", "Bye"), ev("RUN_FINISHED", **new)]
    told += [each for event in events for each in reader.read(event)]
    assert parts(told) == [Text(text="Bye")]
    assert [*finished, reader.finished] == [False, True]
    assert "5 x events of an earlier run" in told[-1].not_in_trajectory


def test_a_server_that_calls_every_run_the_same_is_heard_each_time() -> None:
    reader = RunReader(arguments_of, {})
    for number in (1, 2):
        reader.begin(f"gate-{number}", {})
        assert parts(run(reader, *said("m", f"Hello {number}"))) == [Text(text=f"Hello {number}")]
        assert reader.finished


OPEN_TEXT, OPEN_CALL = said("m")[0], called("c", "f")[0]
OUT_OF_ORDER: list[tuple[list[Any], str]] = [
    ([ev("TEXT_MESSAGE_START", messageId="m")], "the first event is 'TEXT_MESSAGE_START', not RUN_STARTED"),
    ([FINISHED], "the first event is 'RUN_FINISHED'"),
    ([STARTED, STARTED], "RUN_STARTED came while a run was under way"),
    ([STARTED, FINISHED, OPEN_TEXT], "'TEXT_MESSAGE_START' came after RUN_FINISHED"),
    ([STARTED, FINISHED, FINISHED], "'RUN_FINISHED' came after RUN_FINISHED"),
    ([STARTED, ev("RUN_ERROR", message="x"), FINISHED], "RUN_FINISHED came after RUN_ERROR"),
    ([STARTED, said("m", "x")[1]], "text message 'm', which is not open"),
    ([STARTED, said("m")[-1]], "TEXT_MESSAGE_END came for the text message 'm', which is not open"),
    ([STARTED, OPEN_TEXT, OPEN_TEXT], "text message 'm', which is open"),
    ([STARTED, OPEN_TEXT, FINISHED], "RUN_FINISHED came while a text message was open: 'm'"),
    ([STARTED, called("c", "f", "x")[1]], "tool call 'c', which is not open"),
    ([STARTED, called("c", "f")[-1]], "TOOL_CALL_END came for the tool call 'c', which is not open"),
    ([STARTED, OPEN_CALL, OPEN_CALL], "tool call 'c', which is open"),
    ([STARTED, OPEN_CALL, FINISHED], "while a tool call was open: 'c'"),
    ([STARTED, OPEN_CALL, said("c", "x")[1]], "text message 'c', which is not open"),
    ([STARTED, ev("STEP_FINISHED", stepName="s")], "the step 's', which its agent has not open"),
    ([STARTED, *[ev("STEP_STARTED", stepName="s")] * 2], "the step 's', which is open"),
    ([STARTED, ev("STEP_STARTED", stepName="s"), FINISHED], "while a step was open: 's'"),
    (
        [STARTED, ev("STEP_STARTED", stepName="s"), ev("STEP_FINISHED", stepName="s", subagentRunId="x")],
        "which its agent has not open",
    ),
    ([STARTED, ev("REASONING_END", messageId="r")], "reasoning span 'r', which is not open"),
    ([STARTED, ev("REASONING_START", messageId="r"), FINISHED], "while a reasoning span was open"),
    ([STARTED, ev("REASONING_MESSAGE_CONTENT", messageId="r", delta="x")], "reasoning message 'r'"),
    ([STARTED, ev("THINKING_TEXT_MESSAGE_CONTENT", delta="x")], "reasoning message '0.x thinking message'"),
    ([STARTED, ev("TEXT_MESSAGE_CHUNK", delta="x")], "the first TEXT_MESSAGE_CHUNK has no messageId"),
    ([STARTED, ev("TOOL_CALL_CHUNK", toolCallId="c")], "the first TOOL_CALL_CHUNK has no toolCallName"),
    (
        [STARTED, *(ev("TOOL_CALL_CHUNK", toolCallId="c", toolCallName=name) for name in "fg")],
        "toolCallName of the tool call 'c' changes within it",
    ),
    (
        [STARTED, {**OPEN_TEXT, "subagentRunId": "s"}, {**said("m", "x")[1], "subagentRunId": "other"}],
        "names another agent than what began 'm'",
    ),
    ([STARTED, *[ev("SUBAGENT_STARTED", subagentRunId="s", name="n")] * 2], "SUBAGENT_STARTED came twice"),
    ([STARTED, ev("SUBAGENT_FINISHED", subagentRunId="s")], "the subagent 's', which does not run"),
    ([STARTED, ev("SUBAGENT_STARTED", subagentRunId="s", name="n"), FINISHED], "while a subagent was open"),
    ([3], "an event is an object, this is a number"),
    ([None], "an event is an object, this is null"),
    ([{}], "an event has a type, in this it is null"),
    ([{"type": ["RUN_STARTED"]}], "in this it is a list"),
    ([{"type": ""}], "an event has a type"),
]


@pytest.mark.parametrize(("events", "why"), OUT_OF_ORDER, ids=[why for _, why in OUT_OF_ORDER])
def test_what_is_out_of_order_is_no_run(events: list[Any], why: str) -> None:
    reader = reader_of()
    for event in events[:-1]:
        reader.read(event)
    with pytest.raises(UnreadableEvent) as refused:
        reader.read(events[-1])
    assert why in str(refused.value)


def test_a_long_name_in_a_message_is_cut_with_a_mark_that_the_redactor_knows() -> None:
    with pytest.raises(UnreadableEvent) as refused:
        read(ev("STEP_FINISHED", stepName="s" * 1000))
    assert "…" in str(refused.value)
    assert len(str(refused.value)) < 200


def test_the_history_is_what_the_next_request_carries() -> None:
    reader = reader_of()
    reader.heard.history.add({"id": "u", "role": "user", "content": "hi"})
    run(
        reader,
        ev("REASONING_MESSAGE_START", messageId="m", role="reasoning"),
        ev("REASONING_MESSAGE_CONTENT", messageId="m", delta="hm"),
        ev("REASONING_MESSAGE_END", messageId="m"),
        *said("m", "Let me ", "look."),
        *called("c", "f", "{", "}", parentMessageId="m"),
        *called("d", "g"),
        *said("n", "Then"),
        a_result("c", [{"type": "text", "text": "ok"}]),
        a_result("d", "fine"),
        ev("REASONING_ENCRYPTED_VALUE", subtype="tool-call", entityId="c", encryptedValue="E1"),
        ev("REASONING_ENCRYPTED_VALUE", subtype="message", entityId="n", encryptedValue="E2"),
        ev("ACTIVITY_SNAPSHOT", messageId="a", activityType="PLAN", content={}),
    )
    call_c = {
        "id": "c",
        "type": "function",
        "encryptedValue": "E1",
        "function": {"name": "f", "arguments": "{}"},
    }
    call_d = {"id": "d", "type": "function", "function": {"name": "g", "arguments": ""}}
    assert reader.heard.history.sent() == [
        {"id": "u", "role": "user", "content": "hi"},
        {"id": "m", "role": "reasoning", "content": "hm"},
        {"id": "m", "role": "assistant", "content": "Let me look.", "toolCalls": [call_c]},
        {"id": "of c", "role": "tool", "toolCallId": "c", "content": [{"type": "text", "text": "ok"}]},
        {"id": "d", "role": "assistant", "toolCalls": [call_d]},
        {"id": "of d", "role": "tool", "toolCallId": "d", "content": "fine"},
        {"id": "n", "role": "assistant", "encryptedValue": "E2", "content": "Then"},
    ]


def restate(history: History, times: int) -> None:
    for _ in range(times):
        history.restate([])


def test_snapshots_that_restate_a_long_conversation_without_end_are_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ag_ui_history, "MOST_RESTATED", 10_000)
    history = History()
    for number in range(100):
        history.add({"id": str(number), "role": "reasoning", "content": "x"})
    restate(history, 100)
    with pytest.raises(UnreadableEvent, match="again and again"):
        restate(history, 1)


WORDS = st.sampled_from(["m", "c", "r", "s", "t", "", "f", "user", "assistant", "{}", "\ud800", "é\u2028"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | st.floats(allow_nan=False) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "role", "content", "toolCalls", "function", "name", "type", "interrupts", "op", "path"]
            )
            | WORDS,
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)
OTHER_FIELDS = ("subagentRunId", "role", "error", "result", "rawEvent", "replace")
NAMES = {word.rstrip("[]{}*?") for shapes in SHAPES.values() for word in shapes.split()}
FIELDS = st.sampled_from(sorted({*NAMES, *OTHER_FIELDS}))
KINDS = st.sampled_from([*sorted(SHAPES), "THINKING_START", "THINKING_TEXT_MESSAGE_START", "NEW"])
EVENTS = st.builds(
    lambda kind, fields: {**fields, "type": kind}, KINDS, st.dictionaries(FIELDS, VALUES, max_size=6)
)


@settings(max_examples=400)
@given(st.lists(EVENTS | VALUES, max_size=8), st.booleans())
def test_whatever_comes_raises_nothing_but_an_unreadable_event(events: list[Any], began: bool) -> None:
    reader = reader_of({"m": 1})
    told: list[Event] = []
    for event in [STARTED] * began + events:
        try:
            told += reader.read(event)
        except UnreadableEvent:
            break
    told += reader.rest()
    json.dumps(reader.heard.history.sent(), default=str)
    assert all(isinstance(event, Event) for event in told)


def well_formed(kind: str, data: st.DataObject) -> dict[str, Any]:
    """An event with all its fields, of their kinds, and with values that may fit each other."""
    event: dict[str, Any] = {"type": kind}
    for word in SHAPES[kind].split():
        name = word.rstrip("[]{}*?")
        if "[" in word:
            event[name] = data.draw(st.lists(VALUES, max_size=3))
        elif "{" in word:
            event[name] = data.draw(st.dictionaries(WORDS, VALUES, max_size=2))
        else:
            event[name] = data.draw(VALUES if "*" in word else WORDS)
    return event


@settings(max_examples=300)
@given(st.data())
def test_events_with_the_right_fields_and_any_values_raise_nothing_else(data: st.DataObject) -> None:
    reader = reader_of({"m": 1})
    reader.read(STARTED)
    for _ in range(data.draw(st.integers(0, 8))):
        try:
            reader.read(well_formed(data.draw(st.sampled_from(sorted(SHAPES))), data))
        except UnreadableEvent:
            break
    reader.rest()


@pytest.mark.parametrize("name", ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK"])
@pytest.mark.parametrize("role", [{}, {"a": 1}, [], ["user"], 1, 1.5, True, "tool"])
def test_a_role_that_is_none_is_malformed_whatever_it_is(name: str, role: Any) -> None:
    before = [] if name != "TEXT_MESSAGE_CONTENT" else [ev("TEXT_MESSAGE_START", messageId="m")]
    with pytest.raises(UnreadableEvent, match=f"role of {name} is "):
        read(*before, ev(name, messageId="m", delta="x", role=role))


def test_of_many_steps_that_are_open_the_one_that_began_last_is_the_node() -> None:
    names = [f"s{number}" for number in range(50)]
    opened = [ev("STEP_STARTED", stepName=name) for name in names]
    closed = [
        event
        for number, name in enumerate(reversed(names))
        for event in (*said(f"m{number}", name), ev("STEP_FINISHED", stepName=name))
    ]
    spoken = [event for event in read(*opened, *closed) if event.parts]
    assert [event.node for event in spoken] == names[::-1]


def told_of(reader: RunReader, name: str, *messages: Any) -> list[Any]:
    """The parts that a snapshot of these messages tells in a run of its own."""
    reader.begin(name, {})
    return parts(run(reader, ev("MESSAGES_SNAPSHOT", messages=list(messages)), name=name))


def test_a_call_whose_id_was_used_before_is_a_call_where_a_snapshot_has_one_more() -> None:
    def asks(ident: str) -> Any:
        function = {"name": "drop", "arguments": "{}"}
        return {"id": ident, "role": "assistant", "toolCalls": [{"id": "call_0", "function": function}]}

    def gives(ident: str) -> Any:
        return {"id": ident, "role": "tool", "toolCallId": "call_0", "content": "ok"}

    reader = reader_of()
    both = [Call(id="call_0", name="drop", args={}), Result(call_id="call_0", name="drop", value="ok")]
    assert told_of(reader, "r1", asks("a"), gives("b")) == both
    assert told_of(reader, "r2", asks("a"), gives("b")) == []
    assert told_of(reader, "r3", asks("other id"), gives("b")) == []
    again = (asks("other id"), gives("b"), asks("c"), gives("d"))
    assert told_of(reader, "r4", *again) == both
    assert told_of(reader, "r5", *again, asks("c"), gives("d")) == []
