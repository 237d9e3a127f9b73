"""Messages, tasks and updates of A2A to events: recorded bytes of ADK, tables of edges, and hostile text."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.a2a import UpdateReader
from gate.formats.adk_fields import UnreadableEvent
from gate.model.derived import calls_of, texts_of
from gate.model.trace import Call, Event, Result, Thought, Usage

SAMPLES = Path(__file__).parents[1] / "fixtures" / "a2a"


def read(frames: Iterable[Any], reader: UpdateReader | None = None, sent: str = "") -> list[Event]:
    """The events of one turn."""
    reader = reader or UpdateReader()
    reader.begin(sent)
    return [*(event for frame in frames for event in reader.read(frame)), *reader.rest()]


def texts(events: Sequence[Event]) -> list[str]:
    return list(texts_of(events))


def calls(events: Sequence[Event]) -> list[tuple[str, Any]]:
    return [(call.name, call.args) for call in calls_of(events)]


def sample(name: str) -> Any:
    return json.loads((SAMPLES / name).read_text(encoding="utf-8"))["result"]


def message(
    words: str = "hi", message_id: str = "m", role: str = "ROLE_AGENT", **more: Any
) -> dict[str, Any]:
    return {"messageId": message_id, "role": role, "parts": [{"text": words}] if words else [], **more}


def task(state: str = "COMPLETED", **more: Any) -> dict[str, Any]:
    said = {"message": more.pop("said")} if "said" in more else {}
    status = {"state": f"TASK_STATE_{state}", **said}
    return {"task": {"id": "t", "contextId": "c", "status": status, **more}}


def status(state: str = "WORKING", said: Any = None, **more: Any) -> dict[str, Any]:
    of = {"state": f"TASK_STATE_{state}", **({} if said is None else {"message": said})}
    return {"statusUpdate": {"taskId": "t", "contextId": "c", "status": of, **more}}


def artifact(*words: str, artifact_id: str = "a", append: bool = False, last: bool = False) -> dict[str, Any]:
    parts = [{"text": each} for each in words]
    update = {"append": append, "lastChunk": last, "artifact": {"artifactId": artifact_id, "parts": parts}}
    return {"artifactUpdate": {"taskId": "t", "contextId": "c", **update}}


def tool(
    sort: str = "function_call", *, vendor: str = "adk", running: bool = False, **data: Any
) -> dict[str, Any]:
    metadata = {f"{vendor}_type": sort, **({f"{vendor}_is_long_running": True} if running else {})}
    return {"data": data, "metadata": metadata}


@pytest.mark.parametrize("name", ["v03_message_send.json", "v10_SendMessage.json"])
def test_a_recorded_task_of_adk_is_read_in_both_generations(name: str) -> None:
    reader = UpdateReader()
    events = read([sample(name)], reader)
    assert texts(events) == ["Let me check.", "Done: {'temp': 20}"]
    assert calls(events) == [("get_weather", {"city": "London"})]
    assert [part.value for event in events for part in event.parts if isinstance(part, Result)] == [
        {"temp": 20.0}
    ]
    assert (reader.state, reader.over, reader.vendor, reader.exposed) == ("completed", True, "adk", {"calls"})
    assert reader.context
    assert not any(event.usage for event in events)  # the task's is that of its last event


def test_a_recorded_failure_of_adk_is_an_error() -> None:
    events = read([sample("v10_failed.json")])
    assert [event.error for event in events] == [
        "RuntimeError: model exploded",
        "the task failed: model exploded",
    ]
    assert texts(events) == []


def test_a_recorded_stream_of_adk_pauses_for_a_confirmation() -> None:
    lines = (SAMPLES / "v10_stream_input_required.txt").read_text(encoding="utf-8").splitlines()
    reader = UpdateReader()
    events = read((json.loads(line[6:])["result"] for line in lines if line), reader)
    assert [pause.kind for event in events for pause in event.pauses] == ["confirm"]
    assert [pause.tool for event in events for pause in event.pauses] == ["delete_repo"]
    assert calls(events) == [("delete_repo", {"name": "x"})]
    assert [event.usage for event in events if event.usage] == [Usage(input_tokens=10, output_tokens=5)]
    assert [event.not_in_trajectory for event in events] == [
        "",
        "runtime plumbing: adk_request_confirmation",
        "placeholder: the call waits for its confirmation",
    ]
    assert reader.exposed == {"calls", "usage"}


@pytest.mark.parametrize(
    ("frames", "expected"),
    [
        ([{"message": message()}], ["hi"]),
        ([{"kind": "message", "role": "agent", "parts": [{"kind": "text", "text": "hi"}]}], ["hi"]),
        ([{"role": "agent", "parts": [{"text": "hi"}]}], ["hi"]),
        ([{"message": {"role": "ROLE_AGENT", "content": [{"text": "hi"}]}}], ["hi"]),
        ([task(said=message())], ["hi"]),
        ([task(history=[message("you", "u", role="ROLE_USER"), message("hi")])], ["hi"]),
        ([task(history=[message("hi", "m1")], said=message("hi", "m1"))], ["hi"]),
        ([task(artifacts=[{"artifactId": "a", "parts": [{"text": "hi"}]}])], ["hi"]),
        ([task(artifacts=[{"artifactId": "a", "parts": [{"text": "h"}, {"text": "i"}]}])], ["hi"]),
        ([task(artifacts=[{"artifactId": "a", "parts": [{"text": "hi"}]}], said=message())], ["hi"]),
        (
            [task(artifacts=[{"artifactId": "a", "parts": [{"text": "hi"}]}], said=message("Done."))],
            ["hi", "Done."],
        ),
        ([status(said=message("Looking.")), status("COMPLETED", message("hi", "m2"))], ["Looking.", "hi"]),
        ([status(said=message("hi")), status("COMPLETED", message("hi", "m2"))], ["hi"]),
        ([status(said=message("hi")), status(said=message("hi", "m2")), status("COMPLETED")], ["hi", "hi"]),
        ([status(said=message("hi")), artifact("hi", last=True), status("COMPLETED")], ["hi"]),
        (
            [
                status(said=message("a")),
                status(said=message("b", "n")),
                artifact("a ", "b"),
                status("COMPLETED"),
            ],
            ["a", "b"],
        ),
        ([artifact("h"), artifact("i", append=True), status("COMPLETED")], ["hi"]),
        ([artifact("h"), artifact("i", append=True, last=True), status("COMPLETED", message())], ["hi"]),
        ([artifact("draft"), artifact("hi", last=True), status("COMPLETED")], ["hi"]),
        ([artifact("h", last=True), artifact("i", append=True), status("COMPLETED")], ["h", "i"]),
        (
            [artifact("hi", last=True), task(artifacts=[{"artifactId": "a", "parts": [{"text": "hi"}]}])],
            ["hi"],
        ),
        ([artifact("a"), artifact("b", artifact_id="b"), status("COMPLETED", message("c"))], ["a", "b", "c"]),
        ([artifact("so far")], ["so far"]),
        (
            [
                {"artifact": {"parts": [{"text": "a"}]}},
                {"artifact": {"artifactId": "b", "parts": [{"text": "b"}]}},
            ],
            ["a", "b"],
        ),
        ([status(said=message("")), status("COMPLETED")], []),
        ([status(said=message("my own", role="ROLE_USER")), status("COMPLETED")], []),
        ([{"message": {"role": "ROLE_AGENT", "parts": [{"url": "https://x"}, {"raw": "aGk="}]}}], []),
        ([{"message": {"role": "ROLE_AGENT", "parts": [{"data": {"a": 1}}]}}], ['{"a": 1}']),
        ([{"message": {"role": "ROLE_AGENT", "parts": [{"data": {"data": {"a": 1}}}]}}], ['{"a": 1}']),
        ([{"message": {"role": "ROLE_AGENT", "parts": [{"text": "a\u2028b\u0085"}]}}], ["a\u2028b\u0085"]),
    ],
)
def test_words_are_told_once_wherever_they_stand(frames: list[Any], expected: list[str]) -> None:
    assert texts(read(frames)) == expected


def test_a_task_that_goes_on_tells_only_what_is_new() -> None:
    reader = UpdateReader()
    first = task(
        "INPUT_REQUIRED",
        said=message("Which city?", "q"),
        artifacts=[{"artifactId": "a", "parts": [{"text": "one"}]}],
    )
    assert texts(read([first], reader)) == ["one", "Which city?"]
    again = task(
        history=[
            message("ask", "u1", role="ROLE_USER"),
            message("Which city?", "q"),
            message("Rome", "u2", role="ROLE_USER"),
        ],
        artifacts=[{"artifactId": "a", "parts": [{"text": "one"}, {"text": "two"}]}],
        said=message("one", "m9"),
    )
    assert texts(read([again], reader, sent="u2")) == ["two", "one"]


def test_a_history_without_ids_is_cut_at_what_was_sent() -> None:
    old = {"role": "ROLE_AGENT", "parts": [{"text": "old"}]}
    history = [
        old,
        message("ask", "u2", role="ROLE_USER"),
        {"role": "ROLE_AGENT", "parts": [{"text": "new"}]},
    ]
    assert texts(read([task(history=history)], sent="u2")) == ["new"]


@pytest.mark.parametrize(
    ("state", "over"),
    [
        ("TASK_STATE_SUBMITTED", False),
        ("working", False),
        ("unknown", False),
        ("TASK_STATE_UNSPECIFIED", False),
        ("TASK_STATE_INPUT_REQUIRED", True),
        ("auth-required", True),
        ("TASK_STATE_COMPLETED", True),
        ("failed", True),
        ("TASK_STATE_CANCELLED", True),
        ("canceled", True),
        ("rejected", True),
    ],
)
def test_a_turn_is_over_when_the_task_waits_or_works_no_more(state: str, over: bool) -> None:
    reader = UpdateReader()
    reader.begin("")
    reader.read({"kind": "status-update", "taskId": "t", "status": {"state": state}})
    assert reader.over is over


@pytest.mark.parametrize(
    ("state", "finished"),
    [("completed", True), ("working", False), ("submitted", False), ("unknown", True), ("failed", True)],
)
def test_a_last_update_of_0_3_ends_a_turn_but_not_the_work_of_its_task(state: str, finished: bool) -> None:
    reader = UpdateReader()
    reader.begin("")
    reader.read({"kind": "status-update", "taskId": "t", "final": True, "status": {"state": state}})
    assert reader.over
    assert reader.finished is finished


def test_a_message_finishes_a_turn_whatever_its_task_does() -> None:
    reader = UpdateReader()
    reader.begin("")
    reader.read({"kind": "status-update", "taskId": "t", "status": {"state": "working"}})
    reader.read({"kind": "message", **message()})
    assert reader.finished


@pytest.mark.parametrize(
    ("state", "said", "error"),
    [
        ("FAILED", message("out of luck"), "the task failed: out of luck"),
        ("FAILED", None, "the task failed"),
        ("REJECTED", message("no"), "the task was rejected: no"),
        ("CANCELED", None, "the task was canceled"),
        ("CANCELLED", None, "the task was canceled"),
        ("FAILED", message("", metadata={"adk_error_code": 429}), "the task failed: 429"),
    ],
)
def test_a_task_that_failed_is_an_error_and_its_message_no_answer(state: str, said: Any, error: str) -> None:
    for frames in ([status(state, said)], [task(state, **({} if said is None else {"said": said}))]):
        events = read(frames)
        assert [event.error for event in events] == [error]
        assert texts(events) == []


@pytest.mark.parametrize(("state", "kind"), [("INPUT_REQUIRED", "input"), ("AUTH_REQUIRED", "credential")])
def test_a_task_that_waits_is_a_pause_with_its_question(state: str, kind: str) -> None:
    [question, waiting] = read([status(state, message("Which?"))])
    assert texts([question]) == ["Which?"]
    [pause] = waiting.pauses
    name = state.lower().replace("_", "-")
    assert (pause.id, pause.name, pause.kind, pause.message) == ("t", name, kind, "Which?")


def test_a_question_that_was_there_before_the_turn_is_not_asked_again() -> None:
    reader = UpdateReader()
    read([status("INPUT_REQUIRED", message("Which?"))], reader)
    events = read([task("INPUT_REQUIRED", said=message("Which?")), status(), status("COMPLETED")], reader)
    assert not [event for event in events if event.pauses or event.parts]


def test_a_call_is_told_once_and_its_two_results_both() -> None:
    call = tool(id="1", name="f", args={"n": 1.0})
    waits = tool(
        "function_response", id="1", name="f", response={"error": "This tool call requires confirmation"}
    )
    result = tool("function_response", id="1", name="f", response={"ok": True})
    frames = [
        status(said=message("", "m1", parts=[call])),
        status(said=message("", "m2", parts=[call, waits])),
        {
            "artifactUpdate": {
                "artifact": {"artifactId": "a", "parts": [call, result]},
                "lastChunk": True,
            }
        },
    ]
    events = read(frames)
    assert calls(events) == [("f", {"n": 1.0})]
    assert len([part for event in events for part in event.parts if isinstance(part, Result)]) == 2


def test_calls_without_ids_are_told_as_often_as_they_are_made() -> None:
    call = tool(name="f", args={})
    frames = [status(said=message("", "m1", parts=[call])), status(said=message("", "m2", parts=[call]))]
    again = {"artifactUpdate": {"artifact": {"artifactId": "a", "parts": [call]}, "lastChunk": True}}
    assert calls(read([*frames, again])) == [("f", {}), ("f", {})]


@pytest.mark.parametrize(
    ("part", "found"),
    [
        (tool(id="1", name="f"), Call(id="1", name="f", args={})),
        (
            tool(id="1", name="f", args=[1]),
            Call(id="1", name="f", args=None, args_error="a list, not an object"),
        ),
        (tool(vendor="kagent", id="1", name="f", args={}), Call(id="1", name="f", args={})),
        (
            tool("function_response", id="1", name="f", response={"error": "x"}),
            Result(call_id="1", name="f", value={"error": "x"}, is_error=True),
        ),
        ({"text": "Hm.", "metadata": {"adk_thought": True}}, Thought(text="Hm.")),
        (tool("executable_code", code="1"), None),
    ],
)
def test_what_a_vendor_says_in_data_is_read_by_its_metadata(part: Any, found: Any) -> None:
    events = read([{"message": {"role": "ROLE_AGENT", "parts": [part]}}])
    assert [part for event in events for part in event.parts] == ([] if found is None else [found])


@pytest.mark.parametrize(
    ("parts", "pauses"),
    [
        ([tool(id="1", name="start_job", args={}, running=True)], [("start_job", "job")]),
        (
            [tool(id="1", name="adk_request_credential", args={"message": "Key?"}, running=True)],
            [("adk_request_credential", "credential")],
        ),
        ([tool(id="1", name="adk_request_input", args={}, running=True)], [("adk_request_input", "input")]),
        ([tool(id="1", name="f", args={})], [("input-required", "input")]),
    ],
)
def test_a_vendor_s_pause_stands_for_the_task_s(parts: list[Any], pauses: list[tuple[str, str]]) -> None:
    events = read([status("INPUT_REQUIRED", message("", parts=parts))])
    assert [(pause.name, pause.kind) for event in events for pause in event.pauses] == pauses


def test_partial_words_of_a_vendor_give_way_to_the_whole() -> None:
    partial = {"adk_author": "bot", "adk_partial": True}
    chunks = [status(said=message(chunk, chunk), metadata=partial) for chunk in ("Hel", "lo")]
    assert texts(
        read([*chunks, status("COMPLETED", message("Hello", "m"), metadata={"adk_author": "bot"})])
    ) == ["Hello"]
    assert texts(read(chunks)) == ["Hello"]


@pytest.mark.parametrize("key", ["adk_partial", "kagent_partial", "kagent_adk_partial"])
def test_partial_artifacts_of_a_vendor_give_way_to_the_whole(key: str) -> None:
    def chunk(words: str, *, append: bool) -> dict[str, Any]:
        made = artifact(words, artifact_id="parts", append=append)
        made["artifactUpdate"]["metadata"] = {key: True}
        return made

    chunks = [chunk("Hel", append=False), chunk("lo", append=True)]
    mirrored = status(said=message("Hello", "m"))
    assert texts(read([*chunks, artifact("Hello", last=True), mirrored, status("COMPLETED")])) == ["Hello"]
    assert texts(read([*chunks, status("COMPLETED")])) == ["Hello"]
    assert texts(read(chunks)) == ["Hello"]


def test_usage_counts_once_an_event() -> None:
    metadata = {
        "adk_event_id": "e",
        "adk_usage_metadata": {"promptTokenCount": 3.0, "candidatesTokenCount": 1.0},
    }
    frames = [status(said=message(word, word), metadata=metadata) for word in ("a", "b")]
    assert [event.usage for event in read(frames) if event.usage] == [Usage(input_tokens=3, output_tokens=1)]


def test_state_is_exposed_only_by_agents_that_tell_every_event() -> None:
    metadata = {"adk_author": "bot", "adk_actions": {"stateDelta": {"a": 1}}}
    reader = UpdateReader()
    assert [event.state_delta for event in read([status(metadata=metadata)], reader)] == [{"a": 1}]
    assert reader.exposed == {"calls", "usage"}
    read([status(metadata={**metadata, "https://google.github.io/adk-docs/a2a/a2a-extension/": {}})], reader)
    assert reader.exposed == {"calls", "usage", "state"}


def test_an_agent_of_nobody_exposes_nothing_more() -> None:
    reader = UpdateReader()
    read([task(said=message(), metadata={"x": 1}), artifact("b")], reader)
    assert reader.exposed == set()


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (None, "an answer is an object, this is null"),
        ([], "an answer is an object, this is a list"),
        ({}, "no message, no task and no update"),
        ({"kind": "else"}, "no message, no task and no update"),
        ({"task": {"id": 1}}, "id is a number, not text"),
        ({"task": {"id": "t", "history": {}}}, "history is an object, not a list"),
        ({"task": {"id": "t", "history": [1]}}, "a message of the history is a number"),
        ({"task": {"id": "t", "artifacts": ["a"]}}, "an artifact is text, not an object"),
        ({"message": {"role": "ROLE_AGENT", "parts": [1]}}, "a part is a number, not an object"),
        ({"message": {"role": "ROLE_AGENT", "parts": [{"text": 1}]}}, "text is a number, not text"),
        (
            {
                "message": {
                    "role": "ROLE_AGENT",
                    "parts": [{"data": 1, "metadata": {"adk_type": "function_call"}}],
                }
            },
            "the data of a function_call is a number, not an object",
        ),
        ({"statusUpdate": {"status": []}}, "status is a list, not an object"),
    ],
)
def test_what_a2a_does_not_have_is_refused_with_words(frame: Any, words: str) -> None:
    with pytest.raises(UnreadableEvent, match=words):
        read([frame])


LEAF = st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)
NAMES = """
task message statusUpdate artifactUpdate kind status state role parts content text data metadata artifact
artifacts history id taskId contextId messageId artifactId append lastChunk final adk_type adk_partial
adk_is_long_running kagent_type adk_author adk_event_id adk_actions adk_usage_metadata adk_error_code
name args response
"""
WORDS = """
task message status-update artifact-update TASK_STATE_WORKING input-required failed completed ROLE_USER
agent function_call function_response adk_request_confirmation
"""
JSON = st.recursive(
    LEAF | st.sampled_from(WORDS.split()),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=5)
    ),
    max_leaves=25,
)


@given(st.lists(JSON, max_size=4))
def test_hostile_answers_are_read_or_refused_and_nothing_else(frames: list[Any]) -> None:
    reader = UpdateReader()
    for sent in ("a", "b"):
        reader.begin(sent)
        for frame in frames:
            try:
                events = reader.read(frame)
            except UnreadableEvent:
                continue
            assert all(isinstance(event, Event) for event in events)
        try:
            reader.rest()
        except UnreadableEvent:
            continue


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6), st.booleans(), st.data())
def test_a_streamed_answer_reads_as_the_whole_one(words: list[str], last: bool, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(words)))
    chunks = [artifact(*words[:cut]), artifact(*words[cut:], append=True, last=last), status("COMPLETED")]
    whole = task(artifacts=[{"artifactId": "a", "parts": [{"text": word} for word in words]}])
    assert texts(read(chunks)) == texts(read([whole])) == ["".join(words)]
