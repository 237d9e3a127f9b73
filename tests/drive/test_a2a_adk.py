"""The a2a protocol against ADK's own server, `to_a2a` of google-adk, with each of its two executors."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.model.derived import state_after
from gate.model.trace import Crashed, Throttled
from tests.support.a2a_agent import served
from tests.support.a2a_driving import converse
from tests.support.driving import answering, says

ADK_AGENTS = Path(__file__).parents[1] / "fixtures" / "adk_agents"
pytestmark = pytest.mark.filterwarnings("ignore:.*EXPERIMENTAL.*:UserWarning")


@pytest.fixture(scope="module", params=[False, True], ids=["legacy", "new"])
def adk_is_new(request: pytest.FixtureRequest) -> bool:
    """Which of the two executors; the new one tells every event of ADK."""
    return bool(request.param)


@pytest.fixture(scope="module")
def adk_a2a_url(adk_is_new: bool) -> Iterator[str]:
    """The toy agent of ADK behind `to_a2a`, with each of its two executors."""
    from google.adk.a2a.executor.a2a_agent_executor import A2aAgentExecutor
    from google.adk.a2a.utils.agent_to_a2a import to_a2a

    sys.path.insert(0, str(ADK_AGENTS))
    try:
        root_agent = importlib.import_module("toy.agent").root_agent
    finally:
        sys.path.remove(str(ADK_AGENTS))
    app = to_a2a(
        root_agent,
        agent_executor_factory=lambda runner: A2aAgentExecutor(runner=runner, force_new_version=adk_is_new),
    )
    with served(app) as url:
        yield url


@pytest.fixture(params=[{}, {"version": "0.3"}, {"stream": False}], ids=["auto", "0.3", "whole"])
def adk_options(request: pytest.FixtureRequest) -> dict[str, Any]:
    return dict(request.param)


async def test_adk_s_calls_and_words_arrive(adk_a2a_url: str, adk_options: dict[str, Any]) -> None:
    heard = await converse(adk_a2a_url, says("hi"), says("weather"), says("ping"), **adk_options)
    assert heard.texts(0) == ["Hello!"]
    assert heard.calls(1) == [("get_weather", {"city": "London"})]
    assert heard.texts(1)[0] == "Let me check."
    assert heard.calls(2) == [("ping", {})]
    if adk_options.get("stream", True):
        assert {event.author for event in heard.turns[1]} == {"toy"}


async def test_usage_and_state_are_exposed_where_adk_tells_all_of_them(
    adk_a2a_url: str, adk_options: dict[str, Any], adk_is_new: bool
) -> None:
    heard = await converse(adk_a2a_url, says("weather"), **adk_options)
    tokens = sum(event.usage.total for event in heard.turns[0] if event.usage)
    state = state_after({}, heard.turns[0])
    streamed = adk_options.get("stream", True)
    assert ("usage" in heard.exposes) == (streamed or adk_is_new)
    assert ("state" in heard.exposes) == adk_is_new
    assert tokens == (34 if streamed or adk_is_new else 0)
    assert state.get("last_city") == ("London" if streamed or adk_is_new else None)


async def test_adk_s_confirmation_is_answered(adk_a2a_url: str, adk_options: dict[str, Any]) -> None:
    heard = await converse(adk_a2a_url, says("delete"), answering("delete_repo"), **adk_options)
    [asked] = heard.open[0]
    assert (asked.name, asked.kind, asked.tool) == ("adk_request_confirmation", "confirm", "delete_repo")
    assert heard.calls(0) == [("delete_repo", {"name": "x"})]
    assert heard.calls(1) == []
    assert heard.texts(1) == ["Done: {'deleted': 'x'}"]
    assert heard.open[1] == ()


async def test_adk_goes_on_where_a_user_says_something_else(
    adk_a2a_url: str, adk_options: dict[str, Any]
) -> None:
    heard = await converse(adk_a2a_url, says("delete"), says("hi"), **adk_options)
    assert heard.texts(1) == ["Hello!"]
    assert heard.open[1] == ()


async def test_adk_s_jobs_keep_nobody_waiting_once_they_gave_a_ticket(
    adk_a2a_url: str, adk_options: dict[str, Any]
) -> None:
    heard = await converse(adk_a2a_url, says("job"), says("hi"), **adk_options)
    assert heard.calls(0) == [("start_job", {"n": 1.0})]
    assert heard.open == [(), ()]
    assert heard.texts(1) == ["Hello!"]
    silent = await converse(adk_a2a_url, says("silent"), **adk_options)
    assert [pause.kind for pause in silent.open[0]] == ["job"]


@pytest.mark.parametrize(
    ("word", "outcome", "reason"),
    [
        ("boom", Crashed, "model exploded"),
        ("quota", Throttled, "RESOURCE_EXHAUSTED"),
        ("blocked", Crashed, "SAFETY"),
    ],
)
async def test_adk_s_failures_are_told_apart(
    adk_a2a_url: str, adk_options: dict[str, Any], word: str, outcome: type, reason: str
) -> None:
    heard = await converse(adk_a2a_url, says(word), **adk_options)
    assert type(heard.outcome) is outcome
    assert reason in heard.outcome.reason


async def test_adk_s_thoughts_are_no_answer(adk_a2a_url: str, adk_options: dict[str, Any]) -> None:
    assert (await converse(adk_a2a_url, says("think"), **adk_options)).texts() == ["Hello!"]
