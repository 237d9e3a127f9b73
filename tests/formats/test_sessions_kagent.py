"""kagent's own session service beside ours: what it stores, and what it reads of that itself."""

import json
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest

from gate.formats.accounts import entries
from gate.formats.messages import messages
from gate.formats.sessions import read_session
from gate.formats.stored import read_recording
from gate.model.derived import calls_of, state_after, texts_of, tokens_of
from gate.model.trace import Paused, Thought
from tests.support.commands import ROOT, environment
from tests.support.own_environment import own_environment

pytestmark = pytest.mark.timeout(900)  # the first of them makes the environment


@pytest.fixture(scope="module")
def kagent() -> Mapping[str, Any]:
    done = subprocess.run(
        [own_environment("kagent") / "python", ROOT / "tests/support/kagent_recorder.py"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment(PYTHONWARNINGS="ignore"),
    )
    assert done.returncode == 0, done.stderr
    found: Mapping[str, Any] = json.loads(done.stdout)
    return found


def forms(kagent: Mapping[str, Any]) -> dict[str, str]:
    rows = kagent["rows"]
    return {
        "the controller's answer": json.dumps(kagent["stored"]),
        "rows of its table, one a line": "\n".join(map(json.dumps, rows)),
        "a list of rows": json.dumps(rows),
        "the events alone, one a line": "\n".join(row["data"] for row in rows),
    }


def theirs(kagent: Mapping[str, Any], kind: str) -> list[Any]:
    """Parts of one kind in the events that kagent's service read back, without the runtime's own calls."""
    contents = (event["content"] or {} for event in kagent["read"]["events"])
    parts = (part.get(kind) for content in contents for part in content.get("parts") or ())
    return [
        part for part in parts if part and not (isinstance(part, dict) and part["name"].startswith("adk_"))
    ]


@pytest.mark.parametrize("form", range(4))
def test_what_kagent_stores_reads_as_kagent_reads_it(kagent: Mapping[str, Any], form: int) -> None:
    name, text = list(forms(kagent).items())[form]
    trace = read_session(text)
    events = trace.events
    assert [turn.sent for turn in trace.turns] == ["weather?", "delete it"], name
    assert [(call.id, call.name, call.args) for call in calls_of(events)] == [
        (call["id"], call["name"], call["args"]) for call in theirs(kagent, "function_call")
    ]
    assert state_after(trace.start_state, events) == kagent["read"]["state"] == {"last_city": "London"}
    thoughts = [part.text for event in events for part in event.parts if isinstance(part, Thought)]
    said = [turn.sent for turn in trace.turns] + thoughts + list(texts_of(events))
    assert sorted(said) == sorted(theirs(kagent, "text"))
    assert tokens_of(events) == 45
    assert isinstance(trace.outcome, Paused)
    assert "delete_repo" in trace.outcome.reason


def test_every_event_that_kagent_stored_is_accounted_for(kagent: Mapping[str, Any]) -> None:
    for text in forms(kagent).values():
        events = [event for entry in entries(read_recording(text)) for event in entry.events]
        assert len(events) == len(kagent["rows"]) == len(kagent["read"]["events"])
        assert [message["role"] for message in messages(events)] == [
            *("user", "assistant", "tool", "assistant", "user", "assistant", "tool")
        ]
