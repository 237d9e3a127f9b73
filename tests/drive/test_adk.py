"""The adk protocol against a real `adk api_server`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from gate.drive import drive
from gate.drive.adk import Adk
from gate.drive.outcome import failure_in
from gate.drive.pauses import still_running
from gate.drive.protocol import Stopped
from gate.formats.messages import row
from gate.http import Client
from gate.model.agent import Death
from gate.model.case import Answer, Answers, BlobPart, Case, FilePart, TextPart, Turn, User, UserPart
from gate.model.config import AgentConfig, NoBoot, RunConfig
from gate.model.derived import left_open, state_after
from gate.model.finding import Place
from gate.model.trace import (
    Call,
    Crashed,
    Event,
    Pause,
    Paused,
    Refused,
    Result,
    Text,
    Thought,
    Throttled,
    Usage,
)
from gate.redact import Redactor

HERE = Place(file="golden.yaml", line=1)


@dataclass
class RunningAgent:
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    can_restart: bool = False

    def death(self) -> Death | None:
        return None

    async def restart(self) -> None:
        raise NotImplementedError


def said(*parts: str | UserPart) -> Turn:
    sent = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    return Turn(sent=User(parts=sent), place=HERE)


def answered(to: str, decision: Any = "approve", value: Any = None) -> Turn:
    return Turn(sent=Answers(answers=(Answer(to=to, decision=decision, value=value),)), place=HERE)


async def converse(
    url: str,
    *turns: Turn,
    app: str = "toy",
    start_state: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    **options: Any,
) -> list[tuple[Event, ...]]:
    """The events of each turn; what is open after one is handed to the next, as the runner does."""
    case = Case(id="c", turns=turns, place=HERE, start_state=start_state or {})
    agent = RunningAgent(url=url, headers=headers or {})
    protocol = Adk(AgentConfig(protocol="adk", boot=NoBoot(), app=app, options=options), agent)
    heard: list[tuple[Event, ...]] = []
    pauses: tuple[Pause, ...] = ()
    jobs: tuple[Pause, ...] = ()
    async with Client() as client, protocol.converse(case, 1, client) as conversation:
        for turn in turns:
            events: list[Event] = []
            heard.append(())
            async for event in conversation.say(turn, (*jobs, *pauses)):
                events.append(event)
                heard[-1] = tuple(events)
            pauses = left_open(pauses, turn.sent, events)
            jobs = still_running(jobs, turn.sent, events)
    return heard


def parts(events: Sequence[Event], kind: type) -> list[Any]:
    return [part for event in events for part in event.parts if isinstance(part, kind)]


def text(events: Sequence[Event]) -> str:
    return "\n".join(part.text for part in parts(events, Text))


@pytest.fixture(params=["run_sse", "run"])
def endpoint(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_a_call_its_result_state_usage_and_text_arrive(adk_url: str, endpoint: str) -> None:
    [events] = await converse(adk_url, said("weather"), endpoint=endpoint)

    assert [(call.name, call.args) for call in parts(events, Call)] == [("get_weather", {"city": "London"})]
    assert [result.value for result in parts(events, Result)] == [{"temp": 20, "unit": "C"}]
    assert text(events) == "Let me check.\nDone: {'temp': 20, 'unit': 'C'}"
    assert {key: value for event in events for key, value in event.state_delta.items()}[
        "last_city"
    ] == "London"
    assert events[0].usage == Usage(input_tokens=10, output_tokens=7)
    assert {event.node for event in events} == {"toy"}


async def test_run_and_run_sse_tell_the_same(adk_url: str) -> None:
    def shape(events: Sequence[Event]) -> list[Any]:
        return [
            (e.author, e.node, [type(p).__name__ for p in e.parts], e.usage, e.not_in_trajectory)
            for e in events
        ]

    turns = [said(word) for word in ("weather", "ping", "delete", "both", "job", "think", "quota")]
    by_sse = await converse(adk_url, *turns)
    by_run = await converse(adk_url, *turns, endpoint="run")
    assert [shape(events) for events in by_sse] == [shape(events) for events in by_run]


async def test_a_call_without_arguments_has_empty_arguments(adk_url: str) -> None:
    [events] = await converse(adk_url, said("ping"))
    assert parts(events, Call)[0].args == {}


async def test_a_streamed_answer_is_one_event(adk_url: str) -> None:
    [events] = await converse(adk_url, said("hi"), streaming=True)
    assert [event.parts for event in events] == [(Text(text="Hello!"),)]


async def test_thoughts_are_no_words_for_the_reader(adk_url: str) -> None:
    [events] = await converse(adk_url, said("think"))
    assert events[0].parts == (Thought(text="The user greets."), Text(text="Hello!"))


async def test_the_start_state_arrives(adk_url: str) -> None:
    [events] = await converse(adk_url, said("weather"), start_state={"unit": "F"})
    assert parts(events, Result)[0].value == {"temp": 20, "unit": "F"}


async def test_a_turn_changes_the_state_before_the_agent_gets_it(adk_url: str, endpoint: str) -> None:
    first, second, third = await converse(
        adk_url,
        said("weather"),
        replace(said("weather"), state_delta={"unit": "K"}),
        said("weather"),
        start_state={"unit": "F"},
        endpoint=endpoint,
    )
    units = [parts(events, Result)[0].value["unit"] for events in (first, second, third)]
    assert units == ["F", "K", "K"]


async def test_what_the_case_sets_is_in_the_trace_and_told_from_what_the_agent_did(adk_url: str) -> None:
    turn = replace(said("weather"), state_delta={"unit": "K", "key": "sk-canary-4711"})
    case = Case(id="c", turns=(turn,), place=HERE, start_state={"unit": "F"})
    config = AgentConfig(protocol="adk", boot=NoBoot(), app="toy")
    plan, redact = ((case, (1,)),), Redactor(["sk-canary-4711"])
    [trace] = [each async for each in drive(RunningAgent(adk_url), config, RunConfig(), plan, redact)]
    first = trace.events[0]
    assert (first.author, first.state_delta) == ("user", {"unit": "K", "key": "***"})
    assert first.not_in_trajectory == "set by the case"
    assert state_after(trace.start_state, trace.events)["unit"] == "K"
    assert row(1, "user", [first]).why_not == "set by the case"


async def test_an_answer_changes_the_state_as_well(adk_url: str) -> None:
    asked, done = await converse(
        adk_url, said("both"), replace(answered("delete_repo"), state_delta={"unit": "K"})
    )
    assert parts(asked, Result)[0].value == {"temp": 20, "unit": "C"}
    assert [part.name for part in parts(done, Result)] == ["delete_repo"]


async def test_a_saved_artifact_is_noted_once(adk_url: str, endpoint: str) -> None:
    first, again = await converse(adk_url, said("save"), said("save"), endpoint=endpoint)
    assert [event.artifact_delta for event in first if event.artifact_delta] == [{"report.txt": 0}]
    assert [event.artifact_delta for event in again if event.artifact_delta] == [{"report.txt": 1}]


async def test_all_kinds_of_user_parts_arrive(adk_url: str) -> None:
    blob, file = (
        BlobPart(mime_type="image/png", data="AAAA"),
        FilePart(mime_type="text/csv", uri="gs://b/x.csv"),
    )
    first, second = await converse(adk_url, said("look", blob), said("look", file))
    assert (text(first), text(second)) == ("Got image/png.", "Got text/csv.")


@pytest.mark.parametrize("to", ["adk_request_confirmation", "delete_repo"])
@pytest.mark.parametrize(
    ("decision", "result"),
    [("approve", {"deleted": "x"}), ("reject", {"error": "This tool call is rejected."})],
)
async def test_a_confirmation_is_approved_or_rejected(
    adk_url: str, endpoint: str, to: str, decision: str, result: Any
) -> None:
    asked, done = await converse(adk_url, said("delete"), answered(to, decision), endpoint=endpoint)

    [pause] = [pause for event in asked for pause in event.pauses]
    assert (pause.kind, pause.tool, pause.name) == ("confirm", "delete_repo", "adk_request_confirmation")
    assert [call.name for call in parts(asked, Call)] == ["delete_repo"]
    assert asked[-1].not_in_trajectory.startswith("placeholder")
    assert [part.value for part in parts(done, Result)] == [result]
    assert not parts(done, Call)


GIVEN = {"authType": "apiKey", "apiKey": "k-1"}


@pytest.mark.parametrize("to", ["adk_request_credential", "read_mail"])
@pytest.mark.parametrize(
    ("decision", "value", "result"),
    [("reject", None, {"error": "the login was refused"}), ("input", GIVEN, {"read_with": "k-1"})],
)
async def test_a_credential_is_given_or_refused(
    adk_url: str, endpoint: str, to: str, decision: str, value: Any, result: Any
) -> None:
    asked, done = await converse(adk_url, said("mail"), answered(to, decision, value), endpoint=endpoint)

    [pause] = [pause for event in asked for pause in event.pauses]
    assert (pause.kind, pause.tool, pause.name) == ("credential", "read_mail", "adk_request_credential")
    assert [part.value for part in parts(done, Result)] == [result]
    assert text(done) == f"Done: {result}"


async def test_pauses_of_several_kinds_are_answered_over_the_turns_of_one_session(adk_url: str) -> None:
    """A confirmation is refused, then given; a login is refused; what was said between stays a message."""
    turns = (
        *(said("delete"), answered("delete_repo", "reject"), said("hi")),
        *(said("delete"), answered("delete_repo", "approve")),
        *(said("mail"), answered("adk_request_credential", "reject")),
    )
    heard = await converse(adk_url, *turns)
    results = [part.value for events in heard for part in parts(events, Result) if not events[-1].pauses]
    assert {"error": "This tool call is rejected."} in results
    assert {"deleted": "x"} in results
    assert results[-1] == {"error": "the login was refused"}
    assert text(heard[2]) == "Hello!"


async def test_a_placeholder_beside_a_result_is_told_apart(adk_url: str) -> None:
    asked, done = await converse(adk_url, said("both"), answered("delete_repo"))
    results = [(e.parts[0].name, e.not_in_trajectory != "") for e in asked if parts([e], Result)]  # type: ignore[union-attr]
    assert results == [("get_weather", False), ("delete_repo", True)]
    assert [part.name for part in parts(done, Result)] == ["delete_repo"]


async def test_a_job_that_returned_a_ticket_keeps_nobody_waiting_and_takes_a_late_result(
    adk_url: str,
) -> None:
    first, second = await converse(adk_url, said("job"), answered("start_job", "input", {"status": "done"}))
    assert [pause.kind for event in first for pause in event.pauses] == ["job"]
    assert left_open((), said("job").sent, first) == ()
    assert text(second) == "Done: {'status': 'done'}"


async def test_a_job_that_returned_nothing_waits_for_its_result(adk_url: str) -> None:
    first, second = await converse(adk_url, said("silent"), answered("start_silent_job", "input", "ready"))
    assert [pause.name for pause in left_open((), said("silent").sent, first)] == ["start_silent_job"]
    assert text(second) == "Done: {'result': 'ready'}"


@pytest.mark.parametrize("to", ["adk_request_input", "question-1"])
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("string", "confirm"),
        ("string", "42"),
        ("string", '{"a": 1}'),
        ("integer", 42),
        ("boolean", False),
        ("object", {"result": "x"}),
        ("array", [1, "two"]),
    ],
)
async def test_an_input_arrives_as_it_was_written(adk_url: str, to: str, kind: str, value: Any) -> None:
    asked, done = await converse(adk_url, said(kind), answered(to, "input", value), app="flow")
    assert [event.node for event in asked] == ["route", "ask"]
    assert text(done) == f"Got {value!r}."
    assert done[-1].state_delta == {"got": value}


async def test_a_word_of_decision_is_input_where_input_is_asked(adk_url: str) -> None:
    _, done = await converse(adk_url, said("string"), answered("adk_request_input", "approve"), app="flow")
    assert text(done) == "Got 'approve'."


@pytest.mark.parametrize("route", ["run", "run_sse"])
async def test_an_answer_that_does_not_fit_the_schema_is_a_crash_that_says_so(
    adk_url: str, route: str
) -> None:
    turns = said("integer"), answered("adk_request_input", "input", "many")
    with pytest.raises(Stopped) as stopped:
        await converse(adk_url, *turns, app="flow", endpoint=route)
    assert isinstance(stopped.value.outcome, Crashed)
    expected = {"run": "has to fit the response_schema", "run_sse": "Failed to coerce data to integer"}
    assert expected[route] in stopped.value.outcome.reason


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        (
            (said("delete"), answered("question-1", "input", "x")),
            "the agent waits for 'adk_request_confirmation' for 'delete_repo'; the case answers 'question-1'",
        ),
        (
            (said("hi"), answered("delete_repo")),
            "the agent waits for nothing; the case answers 'delete_repo'",
        ),
    ],
)
async def test_an_answer_to_no_open_pause_ends_as_paused_and_names_both(
    adk_url: str, turns: tuple[Turn, ...], message: str
) -> None:
    with pytest.raises(Stopped) as stopped:
        await converse(adk_url, *turns)
    assert stopped.value.outcome == Paused(reason=message)


async def test_a_quota_in_a_200_is_an_event_with_an_error_and_throttled(adk_url: str, endpoint: str) -> None:
    [events] = await converse(adk_url, said("quota"), endpoint=endpoint)
    assert [event.error for event in events] == ["RESOURCE_EXHAUSTED: Quota exceeded."]
    failure = failure_in(events, Adk.exposes)
    assert failure is not None
    assert isinstance(failure.outcome, Throttled)


async def test_a_blocked_answer_is_an_event_with_an_error(adk_url: str) -> None:
    [events] = await converse(adk_url, said("blocked"))
    assert [event.error for event in events] == ["SAFETY"]


async def test_an_exception_of_the_agent_is_a_crash(adk_url: str) -> None:
    with pytest.raises(Stopped) as stopped:
        await converse(adk_url, said("boom"))
    assert isinstance(stopped.value.outcome, Crashed)
    assert "RuntimeError: model exploded" in stopped.value.outcome.reason

    with pytest.raises(Stopped) as stopped:
        await converse(adk_url, said("boom"), endpoint="run")
    assert stopped.value.outcome == Crashed(reason="POST /run answered 500 Internal Server Error")


async def test_an_event_that_is_sent_twice_for_its_artifact_counts_its_tokens_once(adk_url: str) -> None:
    [events] = await converse(adk_url, said("save"))
    assert [len(parts(events, kind)) for kind in (Call, Result, Text)] == [1, 1, 1]
    assert sum(event.usage.total for event in events if event.usage) == 2 * 17


async def test_an_unknown_app_is_refused_with_the_apps_that_there_are(adk_url: str, endpoint: str) -> None:
    with pytest.raises(Stopped) as stopped:
        await converse(adk_url, said("hi"), app="tyo", endpoint=endpoint)
    assert isinstance(stopped.value.outcome, Refused)
    assert stopped.value.outcome.reason.endswith("the server has no app 'tyo'; it has: flow, toy")


async def test_a_host_that_the_server_does_not_allow_is_refused_with_what_to_do(adk_url: str) -> None:
    with pytest.raises(Stopped) as stopped:
        await converse(adk_url, said("hi"), headers={"Host": "agent:8000"})
    assert isinstance(stopped.value.outcome, Refused)
    assert "host not allowed" in stopped.value.outcome.reason
    assert "--host 0.0.0.0" in stopped.value.outcome.reason


async def test_a_body_that_the_server_cannot_read_is_refused(adk_url: str) -> None:
    with pytest.raises(Stopped) as stopped:
        await converse(adk_url, said(BlobPart(mime_type="image/png", data="!")))
    assert isinstance(stopped.value.outcome, Refused)
    assert "422" in stopped.value.outcome.reason


async def test_nothing_is_left_behind(adk_url: str) -> None:
    await converse(adk_url, said("hi"), user="leaver")
    async with Client() as client:
        response = await client.request("GET", f"{adk_url}/apps/toy/users/leaver/sessions")
    assert json.loads(response.text) == []
