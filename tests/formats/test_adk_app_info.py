"""What servers say of an app, and what hostile servers make of it."""

import json
from typing import Any

import pytest
from hypothesis import given

from gate.formats.adk_app_info import INSTRUCTION, MOST_AGENTS, MOST_TOOLS, NAME, facts_of, listed_app
from gate.formats.records import dump, load
from gate.model.agent import AgentFacts, AgentPart
from tests.support.traces import json_values

VERSION = {"version": "2.13.0", "language": "python", "language_version": "3.11.7"}


def declared(*names: Any) -> dict[str, Any]:
    return {"functionDeclarations": [{"name": name} for name in names]}


def info(**agents: Any) -> dict[str, Any]:
    return {"name": "cards", "rootAgentName": "router", "language": "python", "agents": agents}


def facts(told: Any, version: Any = VERSION) -> AgentFacts | None:
    return facts_of(told, version, str)


def test_agents_their_instructions_and_their_tools_are_told() -> None:
    told = info(
        router={"name": "router", "description": "d", "instruction": "Route.", "tools": [declared("a", "b")]},
        other={"tools": [declared("a"), {"googleSearch": {}}, declared("a")], "sub_agents": ["x"]},
    )
    found = facts(told)
    assert found == AgentFacts(
        name="router",
        server="adk-python 2.13.0",
        agents=(
            AgentPart(name="router", description="d", instruction="Route.", tools=("a", "b")),
            AgentPart(name="other", tools=("a", "googleSearch")),
        ),
    )
    assert found.tools == 3


@pytest.mark.parametrize(
    ("told", "version", "expected"),
    [
        (None, None, None),
        ({}, {}, None),
        ({"detail": "Not Found"}, None, None),
        (None, VERSION, AgentFacts(server="adk-python 2.13.0")),
        ({"language": "go", "name": "cards"}, None, AgentFacts(name="cards", server="adk-go")),
        ({"root_agent_name": "router"}, {"version": "1"}, AgentFacts(name="router", server="adk 1")),
        ({"name": 7, "agents": []}, {"version": [1]}, None),
        ({"agents": {"a": None, "b": 1}}, None, None),
        ({"agents": {"a": {"name": [1], "tools": "x"}}}, None, AgentFacts(agents=(AgentPart(name=""),))),
        ({"agents": {"a": {"name": "", "tools": "x"}}}, None, AgentFacts(agents=(AgentPart(name="a"),))),
        (
            {"agents": {"a": {"tools": [1, None, {"functionDeclarations": [1, {"name": 2}]}]}}},
            None,
            AgentFacts(agents=(AgentPart(name="a"),)),
        ),
    ],
)
def test_what_is_not_as_adk_writes_it_is_left_out(told: Any, version: Any, expected: Any) -> None:
    assert facts(told, version) == expected


@pytest.mark.parametrize(
    ("apps", "found"),
    [
        ({"apps": [{"name": "a"}, {"name": "b", "language": "go"}]}, {"name": "b", "language": "go"}),
        ({"apps": [{"name": "a"}, 1, None]}, None),
        ({"apps": {"name": "b"}}, None),
        (["b"], None),
        (None, None),
    ],
)
def test_an_app_is_found_in_the_list(apps: Any, found: Any) -> None:
    assert listed_app(apps, "b") == found


def test_much_is_cut_and_what_is_left_out_is_counted() -> None:
    agent = {"instruction": "x" * 99_999, "tools": [declared(*(f"t{n}" for n in range(MOST_TOOLS + 7)))]}
    found = facts(info(**{f"a{n}": agent for n in range(MOST_AGENTS)}, last={}, more={}))
    assert found
    assert len(found.agents) == MOST_AGENTS
    assert found.left_out == 2 + MOST_AGENTS * 7
    first = found.agents[0]
    assert (len(first.tools), len(first.instruction)) == (MOST_TOOLS, INSTRUCTION)
    assert first.instruction.endswith("…")


def test_a_secret_is_taken_out_before_a_text_is_cut() -> None:
    secret = "sk-canary-4711"
    told = info(router={"instruction": "x" * (INSTRUCTION - 5) + secret, "tools": [declared(secret)]})
    found = facts_of(told, {"version": secret * NAME}, lambda text: text.replace(secret, "***"))
    assert "sk-c" not in json.dumps(dump(found))


@given(json_values, json_values)
def test_nothing_makes_it_raise_and_what_it_says_can_be_stored(told: Any, version: Any) -> None:
    found = facts_of({"agents": {"a": told, "b": {"tools": [told], "name": version}}}, version, str)
    assert found is None or load(AgentFacts, dump(found)) == found
    facts_of(told, version, str)
