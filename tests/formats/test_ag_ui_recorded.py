"""What AG-UI servers of other frameworks sent: ADK's (ag-ui-adk 0.11.0) and Pydantic AI's (2.68.0)."""

import json
from pathlib import Path
from typing import Any

import pytest

from gate.drive.arguments import arguments_of
from gate.formats.ag_ui import RunReader
from gate.model.derived import calls_of, state_after, texts_of
from gate.model.trace import Event, Result, Thought
from tests.support.ag_ui_client import Run, client_reads

RECORDED = Path(__file__).parents[1] / "fixtures" / "ag_ui"
FILES = sorted(RECORDED.glob("*.jsonl"))


def runs_of(name: str) -> list[list[Any]]:
    """The runs of a conversation, each with its events."""
    runs: list[list[Any]] = []
    for line in (RECORDED / name).read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        runs += [[]] if event["type"] == "RUN_STARTED" else []
        runs[-1].append(event)
    return runs


def heard(name: str) -> tuple[RunReader, list[list[Event]]]:
    """The reader of a conversation in which every pause is answered, and what each of its runs told."""
    reader, told = RunReader(arguments_of, {}), []
    for events in runs_of(name):
        reader.begin(events[0]["runId"], reader.asked)
        told.append([each for event in events for each in reader.read(event)])
    return reader, told


@pytest.mark.parametrize(
    ("name", "call", "result", "answer"),
    [
        (
            "ag-ui-adk-weather.jsonl",
            ("get_weather", {"city": "London"}),
            '{"temp": 20, "unit": "C"}',
            ["Let me check.", "Done: {'temp': 20, 'unit': 'C'}"],
        ),
        (
            "pydantic-ai-weather.jsonl",
            ("get_weather", {"city": "Paris"}),
            "20 °C in Paris",
            ["It is 20 °C in Paris."],
        ),
    ],
)
def test_a_call_its_result_and_the_answer(name: str, call: Any, result: str, answer: list[str]) -> None:
    _, (events,) = heard(name)
    assert [(each.name, each.args) for each in calls_of(events)] == [call]
    assert [part.value for event in events for part in event.parts if isinstance(part, Result)] == [result]
    assert list(texts_of(events)) == answer
    assert not any(event.pauses for event in events)


def test_adks_confirmation_waits_for_its_tool_and_the_call_is_one() -> None:
    _, (asking, resumed) = heard("ag-ui-adk-confirmation.jsonl")
    (pause,) = [pause for event in asking for pause in event.pauses]
    assert (pause.name, pause.kind, pause.tool) == ("adk_request_confirmation", "confirm", "delete_repo")
    assert [call.name for call in calls_of([*asking, *resumed])] == ["delete_repo"]
    (result,) = [part for event in resumed for part in event.parts if isinstance(part, Result)]
    assert (result.name, result.value) == ("delete_repo", '{"deleted": "x"}')
    assert not any(event.pauses for event in resumed)


def test_thoughts_and_state_of_adk() -> None:
    reader, (events,) = heard("ag-ui-adk-thought.jsonl")
    thoughts = [part.text for event in events for part in event.parts if isinstance(part, Thought)]
    assert thoughts == ["The user greets."]
    assert list(texts_of(events)) == ["Hello!"]
    assert state_after({}, events) == reader.state.value
    assert state_after({}, events)["last_reply"] == "Hello!"


def test_the_client_accepts_all_that_was_recorded() -> None:
    runs = [Run(events) for file in FILES for events in runs_of(file.name)]
    assert len(runs) == len(FILES) + 1
    assert [read["error"] for read in client_reads(runs)] == [None] * len(runs)
