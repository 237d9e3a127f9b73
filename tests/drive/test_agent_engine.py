"""The agent-engine protocol against the real container, alone and behind the service's documented front."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from gate.drive.agent_engine import AgentEngine
from gate.drive.outcome import failure_in
from gate.drive.pauses import still_running
from gate.drive.protocol import Stopped
from gate.http import Client
from gate.model.case import Answer, Answers, BlobPart, Case, TextPart, Turn, User, UserPart
from gate.model.config import AgentConfig, NoBoot
from gate.model.derived import left_open
from gate.model.trace import Call, Crashed, Event, Pause, Paused, Refused, Result, Text, Throttled, Usage
from tests.support.driving import HERE, StillAgent, case, run
from tests.support.engine_front import ASYNC, ENGINE, SYNC, TOKEN, Front, status
from tests.support.faulty_agent import Exchange, answers, faulty_agent

HEADERS = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(params=["container", "engine"])
async def url(request: pytest.FixtureRequest, engine_url: str) -> AsyncIterator[str]:
    if request.param == "container":
        yield engine_url
        return
    async with faulty_agent(Front(engine_url)) as front:
        yield front.url + ENGINE


def said(*parts: str | UserPart) -> Turn:
    sent = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
    return Turn(sent=User(parts=sent), place=HERE)


def answered(to: str, decision: Any = "approve", value: Any = None) -> Turn:
    return Turn(sent=Answers(answers=(Answer(to=to, decision=decision, value=value),)), place=HERE)


async def converse(
    url: str,
    *turns: Turn,
    start_state: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] = HEADERS,
    heard: list[tuple[Event, ...]] | None = None,
    **options: Any,
) -> list[tuple[Event, ...]]:
    """The events of each turn; what is open after one is handed to the next, as the runner does."""
    case = Case(id="c", turns=turns, place=HERE, start_state=start_state or {})
    config = AgentConfig(protocol="agent-engine", boot=NoBoot(), options=options)
    heard = [] if heard is None else heard
    pauses: tuple[Pause, ...] = ()
    jobs: tuple[Pause, ...] = ()
    protocol = AgentEngine(config, StillAgent(url))
    async with Client(headers=headers) as client, protocol.converse(case, 1, client) as conversation:
        for turn in turns:
            heard.append(())
            async for event in conversation.say(turn, (*jobs, *pauses)):
                heard[-1] = (*heard[-1], event)
            pauses = left_open(pauses, turn.sent, heard[-1])
            jobs = still_running(jobs, turn.sent, heard[-1])
    return heard


def parts(events: Sequence[Event], kind: type) -> list[Any]:
    return [part for event in events for part in event.parts if isinstance(part, kind)]


def text(events: Sequence[Event]) -> str:
    return "\n".join(part.text for part in parts(events, Text))


@pytest.mark.parametrize("methods", ["auto", "async", "sync"])
async def test_a_call_its_result_state_usage_and_text_arrive(url: str, methods: str) -> None:
    [events] = await converse(url, said("weather"), start_state={"unit": "F"}, methods=methods)

    assert [(call.name, call.args) for call in parts(events, Call)] == [("get_weather", {"city": "London"})]
    assert [result.value for result in parts(events, Result)] == [{"temp": 20, "unit": "F"}]
    assert text(events) == "Let me check.\nDone: {'temp': 20, 'unit': 'F'}"
    assert {key: value for event in events for key, value in event.state_delta.items()}[
        "last_city"
    ] == "London"
    assert events[0].usage == Usage(input_tokens=10, output_tokens=7)
    assert {event.node for event in events} == {"toy"}


async def test_a_turn_changes_the_state_and_an_artifact_is_noted(url: str) -> None:
    weather, save = await converse(
        url, replace(said("weather"), state_delta={"unit": "K"}), said("save"), start_state={"unit": "F"}
    )
    assert parts(weather, Result)[0].value == {"temp": 20, "unit": "K"}
    assert [event.artifact_delta for event in save if event.artifact_delta] == [{"report.txt": 0}]


async def test_a_streamed_answer_is_one_event(url: str) -> None:
    [events] = await converse(url, said("hi"), streaming=True)
    assert [event.parts for event in events] == [(Text(text="Hello!"),)]


async def test_a_message_that_is_more_than_text_arrives(url: str) -> None:
    [events] = await converse(url, said("look", BlobPart(mime_type="image/png", data="AAAA")))
    assert text(events) == "Got image/png."


@pytest.mark.parametrize(
    ("decision", "result"),
    [("approve", {"deleted": "x"}), ("reject", {"error": "This tool call is rejected."})],
)
async def test_a_confirmation_is_approved_or_rejected(url: str, decision: str, result: Any) -> None:
    asked, done = await converse(url, said("delete"), answered("delete_repo", decision))
    [pause] = [pause for event in asked for pause in event.pauses]
    assert (pause.kind, pause.tool) == ("confirm", "delete_repo")
    assert [part.value for part in parts(done, Result)] == [result]


@pytest.mark.parametrize(
    ("decision", "value", "result"),
    [
        ("reject", None, {"error": "the login was refused"}),
        ("input", {"authType": "apiKey", "apiKey": "k-1"}, {"read_with": "k-1"}),
    ],
)
async def test_a_credential_is_given_or_refused(url: str, decision: str, value: Any, result: Any) -> None:
    asked, done = await converse(url, said("mail"), answered("read_mail", decision, value))
    assert [pause.kind for event in asked for pause in event.pauses] == ["credential"]
    assert [part.value for part in parts(done, Result)] == [result]


async def test_a_job_that_returned_nothing_waits_for_its_result(url: str) -> None:
    first, second = await converse(url, said("silent"), answered("start_silent_job", "input", "ready"))
    assert [pause.name for pause in left_open((), said("silent").sent, first)] == ["start_silent_job"]
    assert text(second) == "Done: {'result': 'ready'}"


async def test_an_answer_to_nothing_ends_as_paused(url: str) -> None:
    with pytest.raises(Stopped) as stopped:
        await converse(url, said("hi"), answered("delete_repo"))
    assert stopped.value.outcome == Paused(
        reason="the agent waits for nothing; the case answers 'delete_repo'"
    )


@pytest.mark.parametrize(
    ("word", "outcome", "reason"),
    [
        ("quota", Throttled, "RESOURCE_EXHAUSTED: Quota exceeded."),
        ("boom", Crashed, "RuntimeError: model exploded"),
        ("explode", Crashed, "RuntimeError: tool exploded"),
    ],
)
async def test_what_fails_in_a_200_is_told_by_its_event(
    url: str, word: str, outcome: type, reason: str
) -> None:
    [events] = await converse(url, said(word))
    failure = failure_in(events, AgentEngine.exposes)
    assert failure is not None
    assert isinstance(failure.outcome, outcome)
    assert reason in failure.outcome.reason


async def test_a_turn_that_the_agent_never_began_is_a_crash_although_it_is_a_200(url: str) -> None:
    """The container ends the stream of a session that is gone in order, without a byte."""
    case = Case(id="c", turns=(said("hi"),), place=HERE)
    protocol = AgentEngine(AgentConfig(protocol="agent-engine", boot=NoBoot()), StillAgent(url))
    async with Client(headers=HEADERS) as client, protocol.converse(case, 1, client) as conversation:
        conversation.session = "gone"
        with pytest.raises(Stopped, match="ended in order, but before its first event") as stopped:
            async for _ in conversation.say(said("hi"), ()):
                pass
    assert isinstance(stopped.value.outcome, Crashed)


async def test_nothing_is_left_behind(engine_url: str) -> None:
    await converse(engine_url, said("hi"), user="leaver")
    body = {"class_method": "async_list_sessions", "input": {"user_id": "leaver"}}
    async with Client() as client:
        response = await client.request("POST", f"{engine_url}/api/reasoning_engine", json=body)
    assert response.json() == {"output": {"sessions": []}}


@pytest.mark.parametrize(
    ("methods", "used"),
    [
        (ASYNC, ["async_create_session", "async_stream_query", "async_delete_session"]),
        (SYNC, ["create_session", "stream_query", "delete_session"]),
    ],
)
async def test_an_agent_with_one_kind_of_methods_is_spoken_to_by_it(
    engine_url: str, methods: Sequence[str], used: list[str]
) -> None:
    front = Front(engine_url, methods)
    async with faulty_agent(front) as agent:
        await converse(agent.url + ENGINE, said("hi"))
    assert [request["class_method"] for request in front.requests] == used
    assert all(request["input"]["user_id"] == "gate" for request in front.requests)
    assert "state" not in front.requests[0]["input"]


async def test_a_limit_teaches_nothing_of_the_methods(engine_url: str) -> None:
    behind = Front(engine_url, SYNC)
    first = status(429, "RESOURCE_EXHAUSTED", "Quota exceeded.")

    async def once(exchange: Exchange) -> None:
        await (exchange.write(first) if exchange.number == 1 else behind(exchange))

    async with faulty_agent(once) as agent, Client(headers=HEADERS) as client:
        protocol = AgentEngine(
            AgentConfig(protocol="agent-engine", boot=NoBoot()), StillAgent(agent.url + ENGINE)
        )
        case = Case(id="c", turns=(said("hi"),), place=HERE)
        with pytest.raises(Stopped, match="429"):
            async with protocol.converse(case, 1, client):
                pass
        async with protocol.converse(case, 1, client) as conversation:
            assert conversation.session


async def test_an_agent_without_sessions_is_refused(engine_url: str) -> None:
    async with faulty_agent(Front(engine_url, ["query"])) as agent:
        with pytest.raises(Stopped, match="neither async_create_session nor create_session") as stopped:
            await converse(agent.url + ENGINE, said("hi"))
    assert isinstance(stopped.value.outcome, Refused)


@pytest.mark.parametrize(
    ("raises", "outcome"), [("Failed to create session.", Crashed), ("429 RESOURCE_EXHAUSTED", Throttled)]
)
async def test_what_the_agent_raises_at_a_query_is_not_refused(raises: str, outcome: type) -> None:
    """The service answers 400, which is elsewhere what it says to a request that it does not take."""
    container = answers(body=raises.encode(), status="500 x")
    async with faulty_agent(container) as behind, faulty_agent(Front(behind.url)) as agent:
        with pytest.raises(Stopped, match="the agent was called and failed") as stopped:
            await converse(agent.url + ENGINE, said("hi"))
    assert isinstance(stopped.value.outcome, outcome)
    assert raises in stopped.value.outcome.reason


@pytest.mark.parametrize(
    ("path", "headers", "words"),
    [
        (ENGINE, {}, "gcloud auth print-access-token"),
        (f"{ENGINE}0", HEADERS, "`boot.url` is https://LOCATION-aiplatform"),
    ],
)
async def test_what_the_service_refuses_says_what_to_do(
    engine_url: str, path: str, headers: Mapping[str, str], words: str
) -> None:
    async with faulty_agent(Front(engine_url)) as agent:
        with pytest.raises(Stopped) as stopped:
            await converse(agent.url + path, said("hi"), headers=headers)
    assert isinstance(stopped.value.outcome, Refused)
    assert words in stopped.value.outcome.reason


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        ({"status": "201 Created"}, Refused, "answered 201 Created"),
        ({"status": "204 No Content", "body": b""}, Refused, "answered 204 No Content"),
        ({"headers": {"content-type": "x/" + "y" * 6000}}, Crashed, "answered with x/yyy"),
    ],
)
async def test_a_stream_that_is_none_is_told_by_its_status_or_its_type(
    answer: dict[str, Any], outcome: type, words: str
) -> None:
    said = json.dumps({"author": "a", "content": {"parts": [{"text": "hello"}]}}).encode()
    stream = answers(**{"body": said, **answer})
    session = answers({"output": {"id": "s1"}})

    async def behave(exchange: Exchange) -> None:
        await (stream if "stream" in exchange.path else session)(exchange)

    async with faulty_agent(behave) as agent:
        (trace,) = await run(StillAgent(agent.url), [case()], protocol="agent-engine", options={}, retries=0)
    assert type(trace.outcome) is outcome
    assert words in trace.outcome.reason
    assert len(trace.outcome.reason) < 400
