"""The ag-ui protocol against real servers, and what we send against AG-UI's own types and client."""

from collections.abc import Iterator
from typing import Any

import pytest
from ag_ui.core import Event, RunAgentInput
from pydantic import TypeAdapter

from gate.model.case import Turn
from gate.model.derived import calls_of, last_words, state_after, texts_of, tokens_of, visits
from gate.model.trace import Completed, Crashed, Result, Thought, Trace
from tests.support.ag_ui_client import Run, client_reads
from tests.support.ag_ui_server import ODD, langgraph_app, sdk_app, served
from tests.support.conformance.kit import hold
from tests.support.conformance.script import SCRIPT, Scenario
from tests.support.conformance.speakers.ag_ui import AgUi
from tests.support.driving import StillAgent, answering, case, run, says

EVENT: TypeAdapter[Any] = TypeAdapter(Event)
START = {"seen": 1, "city": "Rome"}
OLD_CALLS = pytest.mark.filterwarnings("ignore:`get_config_jsonschema` is deprecated")
"""LangGraph's adapter of AG-UI uses what LangGraph itself is about to drop."""
TOOLS = [{"name": "paint", "description": "Paints."}]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served(sdk_app()) as address:
        yield address


@pytest.fixture(scope="module")
def langgraph() -> Iterator[str]:
    with served(langgraph_app()) as address:
        yield address


async def talk(url: str, *turns: Turn, start: Any = None, **options: Any) -> Trace:
    made = case("c", *turns, start_state=start or {})
    (trace,) = await run(StillAgent(url), [made], options=options, protocol="ag-ui")
    return trace


async def test_text_calls_results_thoughts_steps_and_tokens_of_a_real_server(url: str) -> None:
    trace = await talk(url, says("weather"), says("thanks"))
    assert isinstance(trace.outcome, Completed), trace.outcome
    first, second = (turn.events for turn in trace.turns)
    assert [(call.name, call.args) for call in calls_of(first)] == [
        ("get_weather", {"city": "Paris", "days": 2})
    ]
    results = [part for event in first for part in event.parts if isinstance(part, Result)]
    assert [(result.name, result.value) for result in results] == [("get_weather", '{"t": 20}')]
    thoughts = [part.text for event in first for part in event.parts if isinstance(part, Thought)]
    assert thoughts == ["I need the weather."]
    assert visits(first) == ("router", "forecast")
    assert last_words(first) == "It is 20 °C."
    assert list(texts_of(second)) == ["2 questions, the last was 'thanks'."]
    assert tokens_of(trace.events) == 36


async def test_state_goes_there_and_back_with_what_was_removed(url: str) -> None:
    trace = await talk(url, says("state"), says("state"), start=START)
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert state_after(START, trace.turns[0].events) == {
        "seen": 1,
        "draft": {"title": "x", "lines": ["one"]},
        "n": 2,
    }
    assert list(texts_of(trace.events)) == [
        "The state was ['city', 'seen'].",
        "The state was ['draft', 'n', 'seen'].",
    ]


async def test_a_patch_that_does_not_apply_is_the_agents_crash(url: str) -> None:
    trace = await talk(url, says("patch"), start=START)
    assert isinstance(trace.outcome, Crashed)
    assert "STATE_DELTA does not apply to the state" in trace.outcome.reason
    assert "operation 1 (remove /nothing)" in trace.outcome.reason


async def test_interrupts_are_answered_over_several_turns_and_resumed_once(url: str) -> None:
    turns = (says("ask"), answering("delete_file"), answering("send_mail", "no"), says("more"))
    trace = await talk(url, *turns)
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert [turn.ended for turn in trace.turns] == ["paused", "paused", "answered", "answered"]
    assert [pause.tool for event in trace.turns[0].events for pause in event.pauses] == [
        "delete_file",
        "send_mail",
    ]
    results = [part for event in trace.events for part in event.parts if isinstance(part, Result)]
    assert [(result.name, result.value) for result in results] == [
        ("delete_file", "resolved {'approved': True}"),
        ("send_mail", "resolved no"),
    ]
    assert [call.name for call in calls_of(trace.events)] == ["delete_file", "send_mail"]


async def test_a_tool_of_the_client_is_answered_by_the_case(url: str) -> None:
    trace = await talk(url, says("paint"), answering("paint", "red"), tools=TOOLS)
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert last_words(trace.events) == "It is red now."


async def test_an_error_keeps_the_words_before_it(url: str) -> None:
    trace = await talk(url, says("boom"))
    assert isinstance(trace.outcome, Crashed)
    assert "internal: the model is gone" in trace.outcome.reason
    assert list(texts_of(trace.events)) == ["Well"]


async def test_odd_characters_come_through_and_other_events_are_counted(url: str) -> None:
    trace = await talk(url, says("odd"))
    assert list(texts_of(trace.events)) == [ODD]
    (counted,) = [event for event in trace.events if "RAW" in event.not_in_trajectory]
    assert counted.not_in_trajectory == "no content: RAW, CUSTOM 'progress', ACTIVITY_SNAPSHOT 'PLAN'"


async def test_a_snapshot_of_all_messages_tells_only_the_new_one(url: str) -> None:
    trace = await talk(url, says("hello"), says("snapshot"), says("hello"))
    assert [list(texts_of(turn.events)) for turn in trace.turns] == [
        ["1 questions, the last was 'hello'."],
        ["From a snapshot."],
        ["3 questions, the last was 'hello'."],
    ]


async def test_subagents_are_authors_and_nodes(url: str) -> None:
    trace = await talk(url, says("delegate"))
    assert visits(trace.events) == ("researcher",)
    assert [(event.author, text) for event in trace.events for text in texts_of([event])] == [
        ("researcher", "Found it."),
        ("assistant", "Done."),
    ]


@OLD_CALLS
@pytest.mark.parametrize(
    ("path", "asks", "said"),
    [("/old", "on_interrupt", "approve"), ("/new", "confirmation", "True")],
    ids=["by a custom event", "by the run's outcome"],
)
async def test_a_graph_of_langgraph_shows_nodes_and_state_and_is_resumed(
    langgraph: str, path: str, asks: str, said: str
) -> None:
    trace = await talk(langgraph, says("cats"), answering(asks), path=path)
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert [turn.ended for turn in trace.turns] == ["paused", "answered"]
    assert visits(trace.turns[0].events) == ("write", "confirm")
    assert state_after({}, trace.events)["draft"] == "about cats"
    (pause,) = [pause for event in trace.turns[0].events for pause in event.pauses]
    assert "Save 'about cats'?" in pause.message
    assert list(texts_of(trace.events)) == [f"The answer was {said}."]


@OLD_CALLS
async def test_turns_of_a_langgraph_thread_are_told_once_each(langgraph: str) -> None:
    turns = (says("cats"), answering("confirmation"), says("dogs"), answering("confirmation", "later"))
    trace = await talk(langgraph, *turns, path="/new")
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert [list(texts_of(turn.events)) for turn in trace.turns] == [
        [],
        ["The answer was True."],
        [],
        ["The answer was later."],
    ]


SPOKEN = [scenario for scenario in SCRIPT if scenario.replies[0].sending == "at once"]


@pytest.mark.parametrize("scenario", SPOKEN, ids=[scenario.name for scenario in SPOKEN])
@pytest.mark.parametrize("chunks", [False, True], ids=["in full", "in chunks"])
async def test_what_we_speak_and_send_is_ag_ui_by_its_own_types(scenario: Scenario, *, chunks: bool) -> None:
    speaker = AgUi(chunks=chunks)
    held = await hold(speaker, scenario)
    for request, reply in zip(held.requests, scenario.replies, strict=True):
        assert not RunAgentInput.model_validate(request).model_extra
        for event in speaker.events(reply, request):
            assert not EVENT.validate_python(event).model_extra, event


def test_the_client_reads_what_the_speakers_say() -> None:
    request = {"threadId": "t", "runId": "r"}
    replies = [reply for scenario in SPOKEN for reply in scenario.replies]
    speakers = (AgUi(chunks=False), AgUi(chunks=True))
    runs = [Run(list(speaker.events(reply, request))) for reply in replies for speaker in speakers]
    assert [read["error"] for read in client_reads(runs)] == [None] * len(runs)
