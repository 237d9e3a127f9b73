"""Google's own client at the front that the tests put before the container: it takes it for the service."""

import asyncio
import importlib
from typing import Any

import pytest

from gate.formats.adk import read_events
from gate.model.trace import Call, Event, Result
from tests.drive.test_agent_engine import converse, said
from tests.support.engine_front import ENGINE, TOKEN, Front, method_of
from tests.support.faulty_agent import faulty_agent

NAME = ENGINE.removeprefix("/v1/")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


def held(url: str) -> tuple[Any, list[Any]]:
    """A session with one turn, as the client holds it; runs in a thread of its own."""
    from google.oauth2 import credentials

    parsed = importlib.import_module("agentplatform._genai._runtimes_utils")._yield_parsed_json
    token: Any = credentials

    client = importlib.import_module("agentplatform").Client(
        project="p",
        location="us-central1",
        credentials=token.Credentials(token=TOKEN),
        http_options={"base_url": url, "api_version": "v1"},
    )
    create = {"class_method": "async_create_session", "input": {"user_id": "gate", "state": {"unit": "F"}}}
    session = client.runtimes._query(name=NAME, config=create).output
    turn = {"user_id": "gate", "session_id": session["id"], "message": "weather"}
    answers = client.runtimes._stream_query(
        name=NAME, config={"class_method": "async_stream_query", "input": turn}
    )
    return session, [frame for answer in answers for frame in parsed(http_response=answer)]


async def test_what_the_client_sends_is_what_the_gate_sends_and_both_hear_the_same(engine_url: str) -> None:
    theirs, ours = Front(engine_url), Front(engine_url)
    async with faulty_agent(theirs) as agent:
        session, frames = await asyncio.to_thread(held, agent.url)
        paths = [exchange.path for exchange in agent.seen]
    async with faulty_agent(ours) as agent:
        [events] = await converse(agent.url + ENGINE, said("weather"), start_state={"unit": "F"})
        assert [exchange.path for exchange in agent.seen][:2] == paths
    assert session["state"] == {"unit": "F"}
    assert [shape(request) for request in ours.requests[:2]] == [
        shape(request) for request in theirs.requests
    ]
    assert told(read_events(frames)) == told(events)


def shape(request: dict[str, Any]) -> tuple[Any, Any]:
    return method_of(request), {**request["input"], "session_id": "session_id" in request["input"]}


def told(events: tuple[Event, ...]) -> list[Any]:
    return [
        (event.author, event.node, event.usage, event.state_delta, [_plain(part) for part in event.parts])
        for event in events
    ]


def _plain(part: Any) -> Any:
    """Without the ids, which differ from session to session."""
    match part:
        case Call(name=name, args=args):
            return name, args
        case Result(name=name, value=value):
            return name, value
        case _:
            return part
