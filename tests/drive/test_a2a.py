"""The a2a protocol against the real SDK, in both generations and bindings, streamed and whole."""

from collections.abc import Iterator
from typing import Any

import pytest

from gate.model.case import BlobPart, FilePart, TextPart, Turn, User
from gate.model.trace import Completed, Crashed, Paused, Refused, Result, Throttled
from tests.support.a2a_agent import scripted_app, served
from tests.support.a2a_driving import converse, run
from tests.support.driving import HERE, answering, case, says

ALL = [("JSONRPC", "1.0"), ("HTTP+JSON", "1.0"), ("JSONRPC", "0.3"), ("HTTP+JSON", "0.3")]


@pytest.fixture(scope="module")
def sdk_url() -> Iterator[str]:
    with served(scripted_app(*ALL)) as url:
        yield url


@pytest.fixture(
    params=[f"{v} {t} {s}" for v in ("1.0", "0.3") for t in ("jsonrpc", "rest") for s in ("s", "w")]
)
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Each generation in each binding, streamed and whole."""
    version, transport, stream = str(request.param).split(" ")
    return {"version": version, "transport": transport, "stream": stream == "s"}


async def test_a_message_is_an_answer(sdk_url: str, options: dict[str, Any]) -> None:
    heard = await converse(sdk_url, says("message"), **options)
    assert heard.texts() == ["Just a message."]
    assert heard.open == [()]


async def test_turns_share_a_context_and_not_a_task(sdk_url: str, options: dict[str, Any]) -> None:
    heard = await converse(sdk_url, says("one"), says("two"), **options)
    assert [heard.texts(0), heard.texts(1)] == [["Hello, one!"], ["Hello, two!"]]
    assert heard.session
    assert heard.session != (await converse(sdk_url, says("one"), **options)).session


async def test_what_status_and_artifact_both_say_is_told_once(sdk_url: str, options: dict[str, Any]) -> None:
    assert (await converse(sdk_url, says("twice"), **options)).texts() == ["Looking.", "It is 20."]


async def test_chunks_of_an_artifact_are_one_text(sdk_url: str, options: dict[str, Any]) -> None:
    assert (await converse(sdk_url, says("chunks"), **options)).texts() == ["Hello, \u2028world"]


async def test_data_is_told_as_json(sdk_url: str, options: dict[str, Any]) -> None:
    assert (await converse(sdk_url, says("answer_in_data"), **options)).texts() == ['{"city": "Zürich"}']


@pytest.mark.parametrize("vendor", ["adk", "kagent"])
async def test_the_tools_of_vendors_are_seen(sdk_url: str, options: dict[str, Any], vendor: str) -> None:
    heard = await converse(sdk_url, says(f"calls {vendor}"), **options)
    assert heard.calls() == [("get_weather", {"city": "London", "days": 3.0})]
    results = [part for event in heard.turns[0] for part in event.parts if isinstance(part, Result)]
    assert [(result.call_id, result.value) for result in results] == [("c1", {"temp": 20.0})]
    assert heard.texts() == ["20 degrees."]
    assert "calls" in heard.exposes


async def test_an_agent_of_nobody_exposes_no_calls(sdk_url: str, options: dict[str, Any]) -> None:
    assert (await converse(sdk_url, says("hi"), **options)).exposes == ("text", "pauses")


async def test_a_question_is_answered_over_several_turns_on_one_task(
    sdk_url: str, options: dict[str, Any]
) -> None:
    heard = await converse(sdk_url, says("ask"), says("more"), says("Paris"), **options)
    asked = [[(pause.name, pause.kind, pause.message) for pause in pauses] for pauses in heard.open]
    assert asked == [
        [("input-required", "input", "Which city?")],
        [("input-required", "input", "And the country?")],
        [],
    ]
    assert [heard.texts(turn) for turn in range(3)] == [
        ["Which city?"],
        ["And the country?"],
        ["You said Paris."],
    ]


@pytest.mark.parametrize(
    ("word", "to", "value", "said"),
    [
        ("ask", "input-required", "Rome", "You said Rome."),
        ("ask", "input-required", None, "You said approve."),
        ("login", "auth-required", {"token": "x"}, "You said [{'token': 'x'}]."),
    ],
)
async def test_a_question_takes_an_answer_by_name(
    sdk_url: str, options: dict[str, Any], word: str, to: str, value: Any, said: str
) -> None:
    heard = await converse(sdk_url, says(word), answering(to, value), **options)
    assert heard.texts() == [said]
    assert heard.open[-1] == ()


async def test_kagent_is_answered_as_it_wants(sdk_url: str, options: dict[str, Any]) -> None:
    heard = await converse(sdk_url, says("approve kagent"), answering("delete_repo"), **options)
    [asked] = heard.open[0]
    assert (asked.name, asked.kind, asked.tool) == ("adk_request_confirmation", "confirm", "delete_repo")
    assert heard.texts() == ["You said [{'decision_type': 'approve'}]."]


async def test_an_answer_to_somebody_else_is_not_sent(sdk_url: str, options: dict[str, Any]) -> None:
    heard = await converse(sdk_url, says("ask"), answering("nobody"), **options)
    assert isinstance(heard.outcome, Paused)
    assert "the agent waits for 'input-required'; the case answers 'nobody'" in heard.outcome.reason


@pytest.mark.parametrize(
    ("word", "outcome", "reason"),
    [
        ("fail", Crashed, "the task failed: out of luck"),
        ("quota", Throttled, "429 RESOURCE_EXHAUSTED"),
        ("reject", Crashed, "the task was rejected: not my job"),
        ("stop", Crashed, "the task was canceled"),
        ("raises", Crashed, ""),  # 0.3 over REST has no words for it
    ],
)
async def test_a_failure_in_a_200_is_one(
    sdk_url: str, options: dict[str, Any], word: str, outcome: type, reason: str
) -> None:
    heard = await converse(sdk_url, says(word), **options)
    assert type(heard.outcome) is outcome
    assert reason in heard.outcome.reason


async def test_what_came_before_a_failure_is_kept(sdk_url: str, options: dict[str, Any]) -> None:
    assert (await converse(sdk_url, says("fail"), **options)).texts() == ["Half an answer"]


async def test_every_kind_of_part_is_taken(sdk_url: str, options: dict[str, Any]) -> None:
    parts = (
        TextPart(text="hi"),
        BlobPart(mime_type="image/png", data="aGk="),
        FilePart(mime_type="text/plain", uri="https://example.com/a"),
    )
    heard = await converse(sdk_url, Turn(sent=User(parts=parts), place=HERE), **options)
    assert heard.texts() == ["Hello, hi!"]


@pytest.mark.parametrize("offered", ALL)
async def test_the_card_alone_shows_the_way(offered: tuple[str, str]) -> None:
    with served(scripted_app(offered)) as url:
        assert (await converse(url, says("hi"))).texts() == ["Hello, hi!"]


async def test_a_server_without_streams_is_asked_for_whole_answers() -> None:
    with served(scripted_app(*ALL, streaming=False)) as url:
        assert (await converse(url, says("hi"))).texts() == ["Hello, hi!"]
        # The card may know it better than the config; then the config decides.
        refused = await converse(url, says("hi"), stream=True)
    assert isinstance(refused.outcome, Refused)
    assert "stream" in refused.outcome.reason


async def test_a_server_that_streams_although_its_card_denies_it_is_found_by_falling_back() -> None:
    lies = {"supportedInterfaces": [{"url": "http://x/rpc", "protocolBinding": "JSONRPC"}]}
    lies |= {"capabilities": {"streaming": True}}  # type: ignore[dict-item]
    with served(scripted_app(*ALL, streaming=False, says=lies)) as url:
        assert (await converse(url, says("hi"))).texts() == ["Hello, hi!"]


@pytest.mark.parametrize(
    "says_of_itself",
    [
        {"url": "http://192.0.2.1/rpc", "protocolVersion": "0.3.0"},
        {"url": "http://192.0.2.1/rpc/", "protocolVersion": "0.2.6", "preferredTransport": "JSONRPC"},
        {"supportedInterfaces": [{"url": "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}]},
    ],
)
async def test_a_card_that_lies_about_version_slash_and_host_is_seen_through(
    says_of_itself: dict[str, Any],
) -> None:
    with served(scripted_app(*ALL, says=says_of_itself, compat=False)) as url:  # it speaks 1.0 only
        assert (await converse(url, says("hi"), says("you"))).texts() == ["Hello, you!"]
        assert (await converse(url, says("hi"), transport="rest")).texts() == ["Hello, hi!"]


async def test_without_a_card_the_path_is_enough() -> None:
    with served(scripted_app(*ALL, says={})) as url:
        assert (await converse(url, says("hi"), path="/rpc")).texts() == ["Hello, hi!"]
        assert (await converse(f"{url}/rpc", says("hi"), path="/rpc")).texts() == ["Hello, hi!"]
        lost = await converse(url, says("hi"))
    assert isinstance(lost.outcome, Refused)
    assert "a2a: {path: /…}" in lost.outcome.reason


async def test_a_card_of_grpc_alone_is_refused_with_words() -> None:
    with served(scripted_app(says={"url": "x:1", "preferredTransport": "GRPC"})) as url:
        heard = await converse(url, says("hi"))
    assert heard.outcome == Refused(
        reason="the agent's card offers only GRPC; the gate speaks JSONRPC and HTTP+JSON"
    )


async def test_many_trials_at_once_find_their_way(sdk_url: str) -> None:
    traces = await run(
        sdk_url, *(case(f"c{number}", says("calls adk")) for number in range(8)), concurrency=8
    )
    assert [type(trace.outcome) for trace in traces] == [Completed] * 8
    assert len({trace.session for trace in traces}) == 8
    assert all("calls" in trace.exposes for trace in traces)


async def test_a_question_that_the_case_leaves_open_is_paused(sdk_url: str) -> None:
    [trace] = await run(sdk_url, case("c", says("ask")))
    assert trace.outcome == Paused(
        reason="the agent waits for an answer to 'input-required': answer it in another turn "
        "(`- answer: {input-required: approve}`), or end the case with `pauses: input-required`"
    )
    [expected] = await run(sdk_url, case("c", says("ask", pauses=("input-required",))))
    assert isinstance(expected.outcome, Completed)
