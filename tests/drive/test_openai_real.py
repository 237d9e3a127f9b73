"""The openai protocols against a real server, and what we send and speak against OpenAI's own types."""

from collections.abc import Iterator
from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import CompletionCreateParams
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_create_params import ResponseCreateParams
from pydantic import TypeAdapter

from gate.model.case import Turn
from gate.model.derived import calls_of, texts_of, tokens_of
from gate.model.trace import Completed, Paused, Refused, Thought, Throttled, Trace
from tests.support.conformance.kit import hold
from tests.support.conformance.script import SCRIPT, Scenario
from tests.support.conformance.speaker import CannotSay, Speaker, Spoken
from tests.support.conformance.speakers.openai_chat import OpenaiChat
from tests.support.conformance.speakers.openai_responses import OpenaiResponses
from tests.support.driving import StillAgent, answering, case, run, says
from tests.support.openai_server import openai_server

FUNCTION = {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {}}}}
OFFERED: dict[str, Any] = {
    "openai-chat": {"tools": [{"type": "function", "function": FUNCTION}]},
    "openai-responses": {"tools": [{"type": "function", **FUNCTION}]},
}
CHAT_REQUEST: TypeAdapter[Any] = TypeAdapter(CompletionCreateParams)
RESPONSES_REQUEST: TypeAdapter[Any] = TypeAdapter(ResponseCreateParams)
BOTH = pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses"])
STREAMED = pytest.mark.parametrize("stream", [False, True])


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with openai_server() as address:
        yield address


async def talk(url: str, protocol: str, *turns: Turn, **options: Any) -> Trace:
    (trace,) = await run(StillAgent(url), [case("c", *turns)], options=options, protocol=protocol)
    return trace


def kept(protocol: str, *, stream: bool) -> dict[str, Any]:
    """The server remembers no response that it streamed."""
    return {"store": False} if protocol == "openai-responses" and stream else {}


@BOTH
@STREAMED
async def test_a_loop_of_tool_calls_completes_by_the_answers_of_the_case(
    url: str, protocol: str, *, stream: bool
) -> None:
    turns = (says("weather"), answering("call_1", "14 °C"), answering("call_2", {"t": 3}))
    trace = await talk(
        f"{url}/v1", protocol, *turns, stream=stream, **kept(protocol, stream=stream), body=OFFERED[protocol]
    )
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert [turn.ended for turn in trace.turns] == ["paused", "paused", "answered"]
    assert [(call.name, call.args) for call in calls_of(trace.events)] == [
        ("get_weather", {"city": "Paris"}),
        ("get_weather", {"city": "Oslo"}),
    ]
    assert "".join(texts_of(trace.events)).strip() == 'It is 14 °C and {"t": 3}.'


@BOTH
async def test_one_answer_by_the_tools_name_answers_all_of_its_calls(url: str, protocol: str) -> None:
    trace = await talk(
        url, protocol, says("weather"), answering("get_weather", "5 °C"), body=OFFERED[protocol]
    )
    assert "".join(texts_of(trace.events)) == "It is 5 °C and 5 °C."
    assert tokens_of(trace.events) == 36


@BOTH
async def test_a_call_that_nobody_answers_is_a_pause(url: str, protocol: str) -> None:
    trace = await talk(url, protocol, says("weather"), body=OFFERED[protocol])
    assert isinstance(trace.outcome, Paused)
    assert "'get_weather'" in trace.outcome.reason


@BOTH
@STREAMED
async def test_what_was_said_before_is_remembered(url: str, protocol: str, *, stream: bool) -> None:
    more = kept(protocol, stream=stream)
    trace = await talk(url, protocol, says("apple"), says("pear"), stream=stream, **more)
    assert isinstance(trace.outcome, Completed), trace.outcome
    assert "the first was 'apple'" in "".join(texts_of(trace.turns[1].events))


@BOTH
async def test_a_thought_is_no_answer(url: str, protocol: str) -> None:
    trace = await talk(url, protocol, says("weather"), stream=True, body=OFFERED[protocol])
    thoughts = [part.text for event in trace.events for part in event.parts if isinstance(part, Thought)]
    assert thoughts == ["I need the weather."]
    assert not list(texts_of(trace.events))


async def test_a_response_that_the_server_forgot_is_told(url: str) -> None:
    trace = await talk(url, "openai-responses", says("apple"), says("pear"), stream=True)
    assert isinstance(trace.outcome, Refused)
    assert "not found" in trace.outcome.reason


async def test_a_limit_of_the_server_is_a_limit(url: str) -> None:
    (trace,) = await run(
        StillAgent(url), [case("c", says("teapot"))], options={}, protocol="openai-chat", retries=0
    )
    assert isinstance(trace.outcome, Throttled)


async def test_a_wrong_path_says_where_it_is_set(url: str) -> None:
    trace = await talk(url, "openai-chat", says("hi"), path="/chat")
    assert isinstance(trace.outcome, Refused)
    assert "`openai-chat.path`" in trace.outcome.reason


def name_of(value: object) -> str:
    return value.name if isinstance(value, Scenario) else str(getattr(value, "variant", value))


CHAT: tuple[Speaker, ...] = (OpenaiChat(stream=False), OpenaiChat(stream=True))
RESPONSES: tuple[Speaker, ...] = (OpenaiResponses(stream=False), OpenaiResponses(stream=True))
SAID = [scenario for scenario in SCRIPT if scenario.replies[0].sending == "at once"]


async def spoken_by(speaker: Speaker, scenario: Scenario) -> tuple[list[Any], list[Spoken]]:
    try:
        held = await hold(speaker, scenario)
    except CannotSay:
        return [], []
    return held.requests, held.spoken


def records(spoken: Spoken) -> list[bytes]:
    """The JSON values of an answer."""
    if spoken.media == "application/json":
        return list(spoken.pieces)
    frames = [piece.partition(b"data: ")[2].strip() for piece in spoken.pieces]
    return [frame for frame in frames if frame != b"[DONE]"]


@pytest.mark.parametrize("scenario", SAID, ids=name_of)
@pytest.mark.parametrize("speaker", CHAT, ids=name_of)
async def test_chat_is_what_openai_types_say(speaker: Speaker, scenario: Scenario) -> None:
    requests, spoken = await spoken_by(speaker, scenario)
    for request in requests:
        taken = CHAT_REQUEST.validate_python(request)
        assert list(taken["messages"])
    model = ChatCompletion if speaker.variant == "whole" else ChatCompletionChunk
    for record in (record for each in spoken for record in records(each) if b'"error"' not in record):
        assert model.model_validate_json(record, strict=True).id


@pytest.mark.parametrize("scenario", SAID, ids=name_of)
@pytest.mark.parametrize("speaker", RESPONSES, ids=name_of)
async def test_responses_are_what_openai_types_say(speaker: Speaker, scenario: Scenario) -> None:
    requests, spoken = await spoken_by(speaker, scenario)
    for request in requests:
        taken = RESPONSES_REQUEST.validate_python(request)
        assert len(list(taken["input"])) == len(request["input"])
    model: TypeAdapter[Any] = TypeAdapter(Response if speaker.variant == "whole" else ResponseStreamEvent)
    for record in (record for each in spoken for record in records(each)):
        assert model.validate_json(record).model_dump(exclude_unset=True)
