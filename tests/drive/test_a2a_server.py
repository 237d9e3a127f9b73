"""The a2a protocol against servers as strict as the documents, and against those that lie."""

import uuid
from typing import Any

import pytest

from gate.model.case import Answer, Answers, Turn
from gate.model.trace import Completed, Crashed, Paused, Refused, Throttled
from tests.support.a2a_driving import converse
from tests.support.a2a_wire import (
    CARDS,
    REST_1,
    RPC_1,
    Error,
    calls,
    card,
    frame,
    posts_in_turn,
    server,
    streams,
    update,
)
from tests.support.driving import HERE, answering, says
from tests.support.faulty_agent import Behaviour, Exchange, answers, faulty_agent

NEW = {"SendMessage", "SendStreamingMessage", "GetTask"}
OLD = {"message/send", "message/stream", "tasks/get"}
FIELDS = {"messageId", "contextId", "taskId", "role", "parts", "metadata", "extensions", "referenceTaskIds"}


def hello(context: str = "c") -> dict[str, Any]:
    return {
        "message": {
            "messageId": uuid.uuid4().hex,
            "role": "ROLE_AGENT",
            "parts": [{"text": "Hello"}],
            "contextId": context,
        }
    }


def old_hello() -> dict[str, Any]:
    part = {"kind": "text", "text": "Hello"}
    return {
        "kind": "message",
        "messageId": uuid.uuid4().hex,
        "role": "agent",
        "parts": [part],
        "contextId": "c",
    }


def strict_1_0(exchange: Exchange) -> Any:
    """As kagent and the specification have it: the header is required, unknown fields are refused."""
    if exchange.headers.get("a2a-version") != "1.0":
        return Error(-32009, "unsupported version")
    if exchange.json["method"] not in NEW:
        return Error(-32601, "method not found")
    message = exchange.json["params"]["message"]
    assert set(message) <= FIELDS
    assert message["role"] == "ROLE_USER"
    assert all("kind" not in part for part in message["parts"])
    return hello()


def strict_0_3(exchange: Exchange) -> Any:
    """A server of before 1.0: other methods, `kind` everywhere, and a header that it has never heard of."""
    if exchange.json["method"] not in OLD:
        return Error(-32601, "method not found")
    assert "a2a-version" not in exchange.headers
    message = exchange.json["params"]["message"]
    assert set(message) <= FIELDS | {"kind"}
    assert (message["kind"], message["role"]) == ("message", "user")
    assert all(part["kind"] == "text" for part in message["parts"])
    return old_hello()


async def kagent(exchange: Exchange) -> None:
    """Refuses what has no version by HTTP's own status."""
    if exchange.headers.get("a2a-version") != "1.0":
        words = b'missing required A2A-Version header; expected "1.0"'
        await answers(body=words, status="400 Bad Request", headers={"content-type": "text/plain"})(exchange)
    else:
        await calls(strict_1_0)(exchange)


SAYS_1_0 = card(RPC_1, streaming=False)
SAYS_0_3 = card(url="http://elsewhere.example/", protocolVersion="0.3.0", streaming=False)


@pytest.mark.parametrize("shown", [SAYS_1_0, SAYS_0_3, None])
@pytest.mark.parametrize(
    "posts", [calls(strict_1_0), calls(strict_0_3), kagent], ids=["1.0", "0.3", "kagent"]
)
async def test_each_generation_is_found_whatever_the_card_says(posts: Behaviour, shown: Any) -> None:
    async with faulty_agent(server(posts, shown)) as agent:
        heard = await converse(agent.url, says("hi"), says("you"))
        asked = [exchange for exchange in agent.seen if exchange.method == "POST"]
    assert [heard.texts(0), heard.texts(1)] == [["Hello"], ["Hello"]]
    assert isinstance(heard.outcome, Completed)
    assert len(asked) <= 3  # once it was understood, nothing else is tried


async def test_an_old_server_has_its_card_where_old_cards_are() -> None:
    shown = card(url="http://elsewhere.example/rpc", protocolVersion="0.3.0", streaming=False)
    async with faulty_agent(server(calls(strict_0_3), shown, at=CARDS[1])) as agent:
        assert (await converse(agent.url, says("hi"))).texts() == ["Hello"]
        assert [exchange.path for exchange in agent.seen] == [*CARDS, "/rpc"]


@pytest.mark.parametrize("version", ["1.0", "0.3", 1.0, 0.3])
async def test_a_version_in_the_config_is_not_given_up(version: Any) -> None:
    async with faulty_agent(server(calls(lambda _: Error(-32601)), SAYS_1_0)) as agent:
        heard = await converse(agent.url, says("hi"), version=version)
        methods = [exchange.json["method"] for exchange in agent.seen if exchange.method == "POST"]
    assert methods == (["SendMessage"] if str(version) == "1.0" else ["message/send"])
    assert isinstance(heard.outcome, Refused)


async def test_a_server_that_understands_nothing_is_refused_with_all_that_it_said() -> None:
    async with faulty_agent(
        server(calls(lambda exchange: Error(-32601, exchange.json["method"])), SAYS_1_0)
    ) as agent:
        heard = await converse(agent.url, says("hi"))
    assert heard.outcome == Refused(
        reason="SendMessage (POST /) answered with error -32601: SendMessage; "
        "then: message/send (POST /) answered with error -32601: message/send"
    )


async def test_what_is_refused_later_is_not_tried_otherwise() -> None:
    posts = posts_in_turn(calls(strict_1_0), answers({}, status="400 Bad Request"))
    async with faulty_agent(server(posts, SAYS_1_0)) as agent:
        heard = await converse(agent.url, says("hi"), says("you"))
        assert len(agent.seen) == 3
    assert isinstance(heard.outcome, Refused)
    assert "does not understand the request" in heard.outcome.reason


@pytest.mark.parametrize(
    ("error", "outcome", "words"),
    [
        (Error(-32603, "it broke"), Crashed, "error -32603: it broke"),
        (Error(-32001, "no such task"), Crashed, "error -32001: no such task"),
        (Error(-32005, "no pictures"), Refused, "error -32005: no pictures"),
        (Error(-32700, "what?"), Refused, "error -32700: what?"),
        (Error(-32000, "429 RESOURCE_EXHAUSTED"), Throttled, "429 RESOURCE_EXHAUSTED"),
        (Error([1], "odd"), Crashed, "odd"),
        (Error(None, "odd"), Crashed, "odd"),
        (Error("-32601", "odd"), Crashed, "odd"),
    ],
)
async def test_an_error_in_a_200_has_its_outcome(error: Error, outcome: type, words: str) -> None:
    async with faulty_agent(server(calls(lambda _: error), SAYS_1_0)) as agent:
        heard = await converse(agent.url, says("hi"))
    assert type(heard.outcome) is outcome
    assert words in heard.outcome.reason


async def test_an_error_tells_its_data_but_not_a_book() -> None:
    body = {
        "jsonrpc": "2.0",
        "id": "1",
        "error": {"code": -32603, "message": "no", "data": {"trace": "x" * 9999}},
    }
    async with faulty_agent(server(answers(body), SAYS_1_0)) as agent:
        reason = (await converse(agent.url, says("hi"))).outcome.reason
    assert '{"trace": "xxx' in reason
    assert len(reason) < 500


def working(state: str = "WORKING", words: str = "") -> dict[str, Any]:
    return {"id": "t/1", "contextId": "c", **update(state, words)["statusUpdate"]}


@pytest.mark.parametrize("new", [True, False])
async def test_a_task_that_is_not_done_is_asked_for_until_it_is(new: bool) -> None:
    states = iter(["WORKING", "COMPLETED"])

    def method(exchange: Exchange) -> Any:
        if exchange.json["method"] in ("SendMessage", "message/send"):
            return {"task": working("SUBMITTED")} if new else {"kind": "task", **working("SUBMITTED")}
        assert exchange.json["params"]["id"] == "t/1"
        return working(next(states), "Done")

    async with faulty_agent(server(calls(method), SAYS_1_0 if new else SAYS_0_3)) as agent:
        heard = await converse(agent.url, says("hi"))
        methods = [exchange.json["method"] for exchange in agent.seen if exchange.method == "POST"]
    assert heard.texts() == ["Done"]
    assert methods == (
        ["SendMessage", "GetTask", "GetTask"] if new else ["message/send", "tasks/get", "tasks/get"]
    )


async def test_a_task_over_rest_is_asked_for_by_its_path() -> None:
    async def posts(exchange: Exchange) -> None:
        done = exchange.method == "GET"
        await answers(working("COMPLETED", "Done") if done else {"task": working()})(exchange)

    shown = card({**REST_1, "url": "http://h/api/", "tenant": "a b"}, streaming=False)
    async with faulty_agent(server(posts, shown)) as agent:
        heard = await converse(agent.url, says("hi"))
        last = [(exchange.method, exchange.path) for exchange in agent.seen[1:]]
        sent = agent.seen[1]
    assert heard.texts() == ["Done"]
    assert last == [("POST", "/api/a%20b/message:send"), ("GET", "/api/a%20b/tasks/t%2F1")]
    assert sent.headers["content-type"] == "application/a2a+json"
    assert sent.headers["accept"] == "application/json"


async def test_a_task_that_cannot_be_asked_for_is_no_answer() -> None:
    def method(exchange: Exchange) -> Any:
        return (
            {"task": working()} if exchange.json["method"] == "SendMessage" else Error(-32601, "no GetTask")
        )

    async with faulty_agent(server(calls(method), SAYS_1_0)) as agent:
        heard = await converse(agent.url, says("hi"))
    assert isinstance(heard.outcome, Refused)
    assert "GetTask answered with error -32601" in heard.outcome.reason


async def test_a_turn_continues_its_context_and_a_task_that_waits() -> None:
    results = iter([working("INPUT_REQUIRED", "Which?"), working("COMPLETED", "Rome."), working("COMPLETED")])
    async with faulty_agent(server(calls(lambda _: {"task": next(results)}), SAYS_1_0)) as agent:
        heard = await converse(agent.url, says("hi"), says("Rome"), says("bye"))
        sent = [exchange.json["params"]["message"] for exchange in agent.seen if exchange.method == "POST"]
    assert isinstance(heard.outcome, Completed)
    assert [(each.get("contextId"), each.get("taskId")) for each in sent] == [
        (None, None),
        ("c", "t/1"),
        ("c", None),
    ]
    assert len({each["messageId"] for each in sent}) == 3


async def test_an_agent_below_a_path_is_reached_below_it() -> None:
    shown = card({**RPC_1, "url": "http://controller.kagent:8083/api/a2a/ns/bot/"}, streaming=False)
    at = f"/api/a2a/ns/bot{CARDS[0]}"
    async with faulty_agent(server(calls(strict_1_0), shown, at=at)) as agent:
        assert (await converse(f"{agent.url}/api/a2a/ns/bot", says("hi"))).texts() == ["Hello"]
        assert [exchange.path for exchange in agent.seen] == [at, "/api/a2a/ns/bot/"]
        assert (await converse(agent.url, says("hi"), path="/api/a2a/ns/bot")).texts() == ["Hello"]
        assert agent.seen[-1].path == "/api/a2a/ns/bot"


async def test_the_agent_s_headers_are_sent_with_every_request() -> None:
    async with faulty_agent(server(calls(strict_1_0), SAYS_1_0)) as agent:
        await converse(agent.url, says("hi"), headers={"authorization": "Bearer x"})
        assert [exchange.headers.get("authorization") for exchange in agent.seen] == ["Bearer x"] * 2


async def test_a_page_in_place_of_a_card_is_no_card() -> None:
    async def behave(exchange: Exchange) -> None:
        page = answers(body=b"<html>", headers={"content-type": "text/html"})
        await (page if exchange.method == "GET" else calls(strict_0_3))(exchange)

    async with faulty_agent(behave) as agent:
        assert (await converse(agent.url, says("hi"))).texts() == ["Hello"]


async def test_a_stream_may_be_answered_whole() -> None:
    async with faulty_agent(server(calls(strict_1_0), card(RPC_1))) as agent:
        assert (await converse(agent.url, says("hi"))).texts() == ["Hello"]
        assert agent.seen[-1].headers["accept"] == "text/event-stream"


async def test_a_server_that_cannot_stream_is_asked_once_more_without() -> None:
    def method(exchange: Exchange) -> Any:
        return Error(-32004, "no streams") if "Streaming" in exchange.json["method"] else strict_1_0(exchange)

    async with faulty_agent(server(calls(method), card(RPC_1))) as agent:
        assert (await converse(agent.url, says("hi"))).texts() == ["Hello"]


async def test_what_breaks_while_another_way_is_tried_explains_nothing() -> None:
    posts = posts_in_turn(calls(lambda _: Error(-32009, "speak 1.1")), answers(body=b"<html>"))
    async with faulty_agent(server(posts, SAYS_1_0)) as agent:
        heard = await converse(agent.url, says("hi"))
    assert isinstance(heard.outcome, Refused)
    assert heard.outcome.reason.startswith(
        "SendMessage (POST /) answered with error -32009: speak 1.1; then: not JSON"
    )


def confirmations(*tools: str) -> dict[str, Any]:
    parts = [
        {
            "data": {
                "id": f"q-{tool}",
                "name": "adk_request_confirmation",
                "args": {"originalFunctionCall": {"id": tool, "name": tool, "args": {}}},
            },
            "metadata": {"kagent_type": "function_call", "kagent_is_long_running": True},
        }
        for tool in tools
    ]
    status = {
        "state": "TASK_STATE_INPUT_REQUIRED",
        "message": {"messageId": "m", "role": "ROLE_AGENT", "parts": parts},
    }
    return {"statusUpdate": {"taskId": "t", "contextId": "c", "status": status}}


def deciding(**answers_: Any) -> Turn:
    given = tuple(
        Answer(
            to=to,
            decision="input" if isinstance(said, dict) else said,
            value=said if isinstance(said, dict) else None,
        )
        for to, said in answers_.items()
    )
    return Turn(sent=Answers(answers=given), place=HERE)


@pytest.mark.parametrize(
    ("turn", "sent"),
    [
        (deciding(a="approve", b="approve"), [{"decision_type": "approve"}]),
        (deciding(a="reject", b="reject"), [{"decision_type": "reject"}]),
        (
            deciding(a="approve", b="reject"),
            [
                {"id": "q-a", "name": "adk_request_confirmation", "response": {"confirmed": True}},
                {"id": "q-b", "name": "adk_request_confirmation", "response": {"confirmed": False}},
            ],
        ),
        (
            deciding(a={"ask_user_answers": [{"answer": ["x"]}]}),
            [{"decision_type": "approve", "ask_user_answers": [{"answer": ["x"]}]}],
        ),
    ],
)
async def test_kagent_hears_one_decision_where_all_are_alike(turn: Turn, sent: list[Any]) -> None:
    tools = [answer.to for answer in turn.sent.answers] if isinstance(turn.sent, Answers) else []
    posts = posts_in_turn(streams(frame(confirmations(*tools))), streams(frame(hello())))
    async with faulty_agent(server(posts, card(RPC_1))) as agent:
        heard = await converse(agent.url, says("go"), turn)
        message = agent.seen[-1].json["params"]["message"]
    assert heard.texts() == ["Hello"]
    assert [part["data"] for part in message["parts"]] == sent
    assert message["taskId"] == "t"


async def test_an_answer_to_no_tool_that_waits_is_not_sent() -> None:
    async with faulty_agent(server(streams(frame(confirmations("a"))), card(RPC_1))) as agent:
        heard = await converse(agent.url, says("go"), answering("b"))
    assert isinstance(heard.outcome, Paused)
    assert "'adk_request_confirmation' for 'a'; the case answers 'b'" in heard.outcome.reason


async def test_unicode_and_numbers_arrive_as_they_were_sent() -> None:
    words = "a\u2028b\u0085 \U0001f600 \u202e"
    async with faulty_agent(server(calls(strict_1_0), SAYS_1_0)) as agent:
        await converse(agent.url, says(words))
        assert agent.seen[-1].json["params"]["message"]["parts"] == [{"text": words}]
