"""Recorded sessions, in each of the forms in which they are stored."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.accounts import entries
from gate.formats.accounts import rows as account
from gate.formats.messages import messages
from gate.formats.sessions import read_session
from gate.formats.stored import NotASession, read_recording
from gate.model.trace import Call, Completed, Crashed, Paused, Text, Throttled, Trace

FIXTURES = Path(__file__).parents[1] / "fixtures"


def recorded(name: str) -> str:
    return (FIXTURES / "sessions" / f"{name}.jsonl").read_text(encoding="utf-8")


def calls(trace: Trace) -> list[tuple[str, Any]]:
    return [(p.name, p.args) for event in trace.events for p in event.parts if isinstance(p, Call)]


def test_fourteen_stored_events_give_eight_messages() -> None:
    accounts = entries(read_recording(recorded("hitl_14_events")))
    events = [event for entry in accounts for event in entry.events]
    rows = account(accounts)
    assert len(rows) == 14
    assert sum(not row.why_not for row in rows) == 8
    assert [message["role"] for message in messages(events)] == [
        *("user", "assistant", "tool", "tool", "assistant", "tool", "tool", "assistant")
    ]
    assert {name for name, _ in calls(read_session(recorded("hitl_14_events")))} == {
        "ask_user",
        "search_users",
    }
    assert [row.why_not for row in rows if row.why_not] == [
        "no content",
        "runtime plumbing: adk_request_confirmation",
        "no content",
        "answer to a pause: adk_request_confirmation",
        "runtime plumbing: adk_request_confirmation",
        "answer to a pause: adk_request_confirmation",
    ]


def test_a_recording_has_the_nulls_and_roles_of_the_stored_form() -> None:
    events = [json.loads(line) for line in recorded("hitl_14_events").splitlines()]
    assert all(json.dumps(event).count(": null") >= 40 for event in events)
    answers = [event for event in events if "function_response" in json.dumps(event)]
    assert {
        event["content"]["role"] for event in answers if event["content"]["parts"][0]["function_response"]
    } == {"user"}


def test_a_turn_begins_where_the_user_speaks_or_answers() -> None:
    turns = read_session(recorded("hitl_14_events")).turns
    assert [(turn.sent, turn.ended) for turn in turns] == [
        ("Find Grace's address.", "paused"),
        ('adk_request_confirmation: {"answer": "The one in Platform."}', "paused"),
        ("adk_request_confirmation: approve", "answered"),
    ]
    assert [event.turn for turn in turns for event in turn.events] == [1] * 5 + [2] * 4 + [3] * 2
    events = [event for turn in turns for event in turn.events]
    assert [event.seq for event in events] == list(range(1, 12))
    assert all(one.at_ms <= two.at_ms for one, two in pairwise(events))


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("weather_grounded", [("get_weather", {"city": "London"})]),
        ("weather_ungrounded", []),
        ("weather_wrong_city", [("get_weather", {"city": "Paris"})]),
    ],
)
def test_three_weather_sessions_differ_in_what_they_called(name: str, called: Any) -> None:
    trace = read_session(recorded(name))
    [turn] = trace.turns
    texts = [part.text for event in turn.events for part in event.parts if isinstance(part, Text)]
    assert calls(trace) == called
    assert "°C" in texts[-1]
    assert trace.outcome == Completed()


def test_the_recordings_can_be_made_again(tmp_path: Path) -> None:
    script = tmp_path / "make_sessions.py"
    script.write_text((FIXTURES / "make_sessions.py").read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run([sys.executable, script], check=True, capture_output=True, cwd=tmp_path)
    made = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "sessions").iterdir()}
    assert made == {p.name: p.read_text(encoding="utf-8") for p in (FIXTURES / "sessions").iterdir()}


def rows(lines: list[str]) -> list[Any]:
    return [{"id": f"{n}", "session_id": "s1", "user_id": "u", "data": line} for n, line in enumerate(lines)]


LINES = recorded("weather_grounded").splitlines()
EVENTS = [json.loads(line) for line in LINES]
FORMS = {
    "lines": "\n".join(LINES),
    "lines of windows": "\r\n".join([*LINES, "", ""]),
    "list": json.dumps(EVENTS, indent=2),
    "session": json.dumps({"id": "s1", "appName": "a", "state": {}, "events": EVENTS}),
    "row list": json.dumps(rows(LINES)),
    "row lines": "\n".join(json.dumps(row) for row in rows(LINES)),
    "rest": json.dumps(
        {"error": False, "data": {"session": {"id": "s1"}, "events": rows(LINES)}, "message": ""}
    ),
}


@pytest.mark.parametrize("form", list(FORMS))
def test_every_stored_form_is_the_same_session(form: str) -> None:
    trace = read_session(FORMS[form], source="x.jsonl")
    assert trace.turns == read_session(FORMS["lines"]).turns
    assert trace.session == trace.case == ("s1" if "row" in form or form in ("session", "rest") else "")
    assert trace.source == "x.jsonl"


def test_the_start_state_is_what_no_event_set() -> None:
    trace = read_session((FIXTURES / "adk" / "cards_session.json").read_text(encoding="utf-8"))
    assert trace.start_state == {}
    session = {"id": "s", "state": {"unit": "C", "city": "x"}, "events": [
        {"author": "bot", "actions": {"stateDelta": {"city": "x"}}}]}  # fmt: skip
    assert read_session(json.dumps(session)).start_state == {"unit": "C"}


def user(text: str) -> Any:
    return {"author": "user", "content": {"parts": [{"text": text}]}}


def bot(text: str) -> Any:
    return {"author": "bot", "content": {"parts": [{"text": text}]}}


@pytest.mark.parametrize(
    ("events", "outcome", "ended"),
    [
        ([user("a"), bot("b")], Completed, ["answered"]),
        (
            [user("a"), {"author": "bot", "errorCode": "E"}, user("c"), bot("d")],
            Crashed,
            ["failed", "answered"],
        ),
        ([user("a"), {"author": "bot", "errorCode": "E"}, bot("b")], Completed, ["answered"]),
        ([user("a"), {"author": "bot", "errorCode": "RESOURCE_EXHAUSTED"}, bot("b")], Throttled, ["failed"]),
        ([user("a"), {"author": "b", "requestedInput": {"interruptId": "i"}}], Paused, ["paused"]),
        ([bot("hello")], Completed, ["answered"]),
        ([user("a"), user("b")], Completed, ["answered", "answered"]),
        ([user("a"), {**bot("b"), "partial": True}], Completed, ["answered"]),
    ],
)
def test_a_recording_ends_as_its_events_say(events: Any, outcome: type, ended: list[str]) -> None:
    trace = read_session(json.dumps(events))
    assert isinstance(trace.outcome, outcome)
    assert [turn.ended for turn in trace.turns] == ended


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not JSON"),
        ("[]", "no event in it"),
        ("{}", "event 1: no ADK event"),
        ("3", "expected an event, a session or a list of events, not a number"),
        ('{"author": "a"}\n{"author": 3}', "event 2: author is a number, not text"),
        ('{"author": "a"}\n{oops', "line 2: not JSON"),
        ('{"author": "a"}\n3', "line 2: expected an event"),
        ('{"author": NaN}', "NaN is no number that JSON"),
        ('[{"data": "{"}]', "Expecting"),
        ("[" * 100_000, "nested deeper than 200 levels"),
        ("[" * 300 + "{}" + "]" * 300, "nested deeper than 200 levels"),
        (f'[{{"author": "a", "timestamp": 1{"0" * 350}}}]', "is no number that JSON and a float can hold"),
        ('[{"author": "a", "timestamp": 1e999}]', "1e999 is no number that JSON"),
        ('[{"author": "\\ud800"}]', "half of a surrogate pair"),
        ('{"events": [], "state": 3}', "state is a number, not an object"),
    ],
)
def test_what_is_no_session_is_refused_with_the_place(content: str, message: str) -> None:
    with pytest.raises(NotASession, match=message):
        read_session(content)


KEYS = st.sampled_from(("events", "data", "id", "state", "author", "content", "parts", "text"))
JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(JSON.map(json.dumps) | st.text())
def test_any_text_is_a_session_or_is_refused(content: str) -> None:
    try:
        trace = read_session(content)
    except NotASession:
        return
    assert trace.turns
