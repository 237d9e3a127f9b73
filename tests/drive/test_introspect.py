"""What a run records of the agent: from a real server, and from servers that say nothing or too much."""

from typing import Any

import pytest

from gate.drive import about
from gate.model.agent import AgentFacts
from gate.model.config import AgentConfig, NoBoot
from gate.redact import Redactor
from tests.support.driving import StillAgent
from tests.support.faulty_agent import (
    Behaviour,
    Exchange,
    answers,
    faulty_agent,
    floods,
    hangs,
    resets,
    speaks_no_http,
)


def config(app: str = "toy", protocol: str = "adk", **options: Any) -> AgentConfig:
    return AgentConfig(protocol=protocol, boot=NoBoot(), app=app, options=options)


async def test_a_real_server_tells_agents_instructions_tools_and_its_version(adk_url: str) -> None:
    facts = await about(StillAgent(adk_url), config(), Redactor())
    assert facts
    assert facts.name == "toy"
    assert facts.server.startswith("adk-python 2.")
    [agent] = facts.agents
    assert (agent.name, agent.instruction) == ("toy", "You are a toy.")
    assert set(agent.tools) >= {"get_weather", "ping", "delete_repo", "start_job"}


async def test_of_a_workflow_a_real_server_tells_its_name(adk_url: str) -> None:
    facts = await about(StillAgent(adk_url), config("flow"), Redactor())
    assert facts
    assert (facts.name, facts.agents) == ("flow", ())
    assert facts.server.startswith("adk-python 2.")


async def test_what_it_tells_is_redacted(adk_url: str) -> None:
    facts = await about(StillAgent(adk_url), config(), Redactor(["You are a toy."]))
    assert facts
    assert facts.agents[0].instruction == "***"


@pytest.mark.parametrize(
    "behaviour",
    [
        answers({}, status="404 x"),
        answers({"detail": "no"}, status="500 x"),
        answers({}, status="302 x", headers={"location": "/login"}),
        answers(body=b"<html>", headers={"content-type": "text/html"}),
        answers(body=b'{"version": "\xff"}'),
        answers([1]),
        answers({"version": "2", "language": "x" * 5_000_000}),
        resets,
        floods,
        speaks_no_http,
        hangs,
    ],
)
async def test_a_server_that_tells_nothing_is_no_error(behaviour: Behaviour) -> None:
    async with faulty_agent(behaviour) as agent:
        assert await about(StillAgent(agent.url), config(), Redactor(), patience_s=0.2) is None


async def test_nobody_there_is_no_error() -> None:
    async with faulty_agent(hangs) as agent:
        url = agent.url
    assert await about(StillAgent(url), config(), Redactor()) is None


async def test_go_tells_it_below_its_prefix() -> None:
    async def go(exchange: Exchange) -> None:
        found = exchange.path == "/api/apps/cards%2Fa/app-info"
        body = {"name": "cards", "language": "go", "agents": {"root": {"name": "root"}}}
        await answers(body if found else {}, status="200 OK" if found else "404 x")(exchange)

    async with faulty_agent(go) as agent:
        facts = await about(StillAgent(agent.url), config("cards/a", prefix="/api"), Redactor())
    assert isinstance(facts, AgentFacts)
    assert (facts.name, facts.server) == ("cards", "adk-go")


@pytest.mark.parametrize("protocol", ["http", "replay", "openai-chat"])
async def test_a_protocol_that_knows_no_such_question_asks_none(protocol: str) -> None:
    async with faulty_agent(hangs) as agent:
        asked = config(protocol=protocol, response={"text": "$.a"})
        assert await about(StillAgent(agent.url), asked, Redactor()) is None
        assert not agent.seen
