"""How a case's answers resume a thread, and what a run is given."""

import json
from typing import Any

import pytest

from gate.drive import drive
from gate.drive.langgraph_answers import Unanswerable, resumption
from gate.drive.langgraph_input import given_by
from gate.formats.langgraph_pauses import Asked, asked_by, breakpoint_at
from gate.model.case import Answer, Answers, BlobPart, FilePart, TextPart, User
from gate.model.config import AgentConfig, NoBoot, RunConfig
from gate.redact import Redactor
from tests.support.driving import StillAgent, case, says
from tests.support.faulty_agent import Exchange, faulty_agent, raw_answer

ONE, TWO = "a" * 32, "b" * 32


def answers(**given: Any) -> Answers:
    """`approve` and `reject` are decisions, all else is input."""
    made = []
    for to, value in given.items():
        decided = value in ("approve", "reject") if isinstance(value, str) else False
        decision: Any = value if decided else "input"
        made.append(Answer(to=to, decision=decision, value=None if decided else value))
    return Answers(answers=tuple(made))


def hitl(*tools: str) -> dict[str, Any]:
    return {"action_requests": [{"name": tool, "args": {}} for tool in tools]}


def inbox(*tools: str) -> list[Any]:
    return [{"action_request": {"action": tool, "args": {}}} for tool in tools]


def waiting(**values: Any) -> tuple[Asked, ...]:
    """Interrupts, each in a node of its own name."""
    ids = (ONE, TWO)
    return tuple(
        asked
        for number, (node, value) in enumerate(values.items())
        for asked in asked_by([{"id": ids[number], "value": value}], node)
    )


@pytest.mark.parametrize(
    ("asked", "given", "resume"),
    [
        (waiting(n="?"), answers(n="x"), {ONE: "x"}),
        (waiting(n="?"), answers(n="approve"), {ONE: "approve"}),
        (waiting(n="?"), answers(n=None), {ONE: None}),
        (waiting(n="?"), answers(n={}), {ONE: {}}),
        (waiting(n="?"), answers(**{ONE: 3}), {ONE: 3}),
        (waiting(n="?", m="?"), answers(m=1), {TWO: 1}),
        (waiting(n="?", m="?"), answers(m=1, n=2), {ONE: 2, TWO: 1}),
        (waiting(n=hitl("f")), answers(f="approve"), {ONE: {"decisions": [{"type": "approve"}]}}),
        (waiting(n=hitl("f")), answers(f="reject"), {ONE: {"decisions": [{"type": "reject"}]}}),
        (
            waiting(n=hitl("f")),
            answers(f={"a": 1}),
            {ONE: {"decisions": [{"type": "edit", "edited_action": {"name": "f", "args": {"a": 1}}}]}},
        ),
        (
            waiting(n=hitl("f")),
            answers(f={"type": "reject", "message": "no"}),
            {ONE: {"decisions": [{"type": "reject", "message": "no"}]}},
        ),
        (waiting(n=hitl("f")), answers(n={"decisions": []}), {ONE: {"decisions": []}}),
        (
            waiting(n=hitl("f", "g")),
            answers(g="reject", f="approve"),
            {ONE: {"decisions": [{"type": "approve"}, {"type": "reject"}]}},
        ),
        (
            waiting(n=hitl("f", "f")),
            answers(**{f"{ONE}#2": "reject", f"{ONE}#1": "approve"}),
            {ONE: {"decisions": [{"type": "approve"}, {"type": "reject"}]}},
        ),
        (waiting(n=hitl("f", "g")), answers(n="approve"), {ONE: {"decisions": [{"type": "approve"}] * 2}}),
        (waiting(n=inbox("f")), answers(f="approve"), {ONE: [{"type": "accept", "args": None}]}),
        (waiting(n=inbox("f")), answers(f="reject"), {ONE: [{"type": "ignore", "args": None}]}),
        (waiting(n=inbox("f")), answers(f="why?"), {ONE: [{"type": "response", "args": "why?"}]}),
        (
            waiting(n=inbox("f")),
            answers(f={"a": 1}),
            {ONE: [{"type": "edit", "args": {"action": "f", "args": {"a": 1}}}]},
        ),
        (waiting(n=inbox("f")), answers(f={"type": "accept"}), {ONE: [{"type": "accept"}]}),
    ],
)
def test_each_interrupt_is_answered_in_its_form(
    asked: tuple[Asked, ...], given: Answers, resume: dict[str, Any]
) -> None:
    assert resumption(given, asked) == {"command": {"resume": resume}}


@pytest.mark.parametrize(
    ("asked", "given", "words"),
    [
        (waiting(n="?"), answers(m="x"), "waits for 'n'; the case answers 'm'"),
        ((), answers(m="x"), "waits for nothing"),
        (
            waiting(n=hitl("f", "g")),
            answers(f="approve"),
            "all its decisions together; 'n' for 'g' has no answer",
        ),
        (waiting(n=hitl("f")), answers(f="yes"), "a decision about 'f'"),
        ((breakpoint_at("n"),), answers(n="reject"), "only `approve`"),
        ((breakpoint_at("n"),), answers(n={"x": 1}), "only `approve`"),
    ],
)
def test_an_answer_that_the_graph_cannot_take_is_told(
    asked: tuple[Asked, ...], given: Answers, words: str
) -> None:
    with pytest.raises(Unanswerable, match=words):
        resumption(given, asked)


def test_a_breakpoint_is_passed_without_a_command() -> None:
    assert resumption(answers(n="approve"), (breakpoint_at("n"),)) == {"input": None}


def user(*parts: Any) -> User:
    return User(parts=parts or (TextPart(text="hi"),))


def given(template: Any, start: Any = None, *parts: Any) -> Any:
    more = {"session": "s", "state": {}, "history": [], "case": "c", "trial": 1, "turn": 1}
    return given_by(user(*parts), template, "messages", start or {}, more)


def without_ids(value: Any) -> Any:
    """The input without the ids of its messages, which begin as ours do."""
    messages = [dict(each) for each in value["messages"]]
    ids = [each.pop("id") for each in messages]
    assert len(set(ids)) == len(ids)
    return {**value, "messages": messages}


def test_a_users_words_are_a_message_with_an_id_of_ours() -> None:
    sent = given(None)
    assert sent["messages"][0]["id"].startswith("gate-")
    assert without_ids(sent) == {"messages": [{"role": "user", "content": "hi"}]}


def test_files_are_content_blocks() -> None:
    parts = [
        TextPart(text="Look:"),
        BlobPart(mime_type="image/png", data="AA=="),
        BlobPart(mime_type="application/pdf", data="AA=="),
        FilePart(mime_type="image/png", uri="https://a/b.png"),
        FilePart(mime_type="audio/wav", uri="https://a/b.wav"),
    ]
    assert given(None, None, *parts)["messages"][0]["content"] == [
        {"type": "text", "text": "Look:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        {"type": "file", "base64": "AA==", "mime_type": "application/pdf"},
        {"type": "image_url", "image_url": {"url": "https://a/b.png"}},
        {"type": "audio", "url": "https://a/b.wav", "mime_type": "audio/wav"},
    ]


def test_a_template_is_filled_and_its_messages_are_named() -> None:
    assert given({"question": "{text}", "n": "{turn}"}) == {"question": "hi", "n": 1}
    said = {"role": "user", "content": "hi"}
    assert without_ids(given({"messages": "{text}"})) == {"messages": [said]}
    assert without_ids(given({"messages": [["user", "{text}"]]})) == {"messages": [said]}
    kept = given({"messages": [{"role": "user", "content": "{text}", "id": "mine"}, 3]})
    assert kept == {"messages": [{**said, "id": "mine"}, 3]}


def test_the_start_state_comes_before_what_is_said() -> None:
    start = {"city": "Rome", "messages": [{"role": "assistant", "content": "ho"}]}
    assert without_ids(given(None, start)) == {
        "city": "Rome",
        "messages": [{"role": "assistant", "content": "ho"}, {"role": "user", "content": "hi"}],
    }
    assert given({"question": "{text}"}, {"city": "Rome"}) == {"city": "Rome", "question": "hi"}


class Listening:
    """A server that keeps what it was sent."""

    def __init__(self, *, hidden: bool, others: int) -> None:
        self.seen: list[tuple[str, str, Any]] = []
        self._hidden = hidden
        self._others: list[Any] = [{"assistant_id": "0", "graph_id": "other"}] * others

    async def __call__(self, exchange: Exchange) -> None:
        self.seen.append((exchange.method, exchange.path, exchange.json))
        answer: Any = {"thread_id": "../x?"}
        if exchange.path.endswith("/search"):
            if self._hidden:
                await exchange.write(raw_answer(b"{}", status="404 Not Found"))
                return
            answer = [{"assistant_id": "1-2-3", "graph_id": "agent", "name": "Support"}, *self._others]
        elif exchange.path.endswith("/state"):
            answer = {"values": {"messages": [], "city": "Rome"}, "next": [], "tasks": []}
        await exchange.write(raw_answer(json.dumps(answer).encode()))


async def sent(
    app: str = "",
    *,
    hidden: bool = False,
    others: int = 0,
    start: Any = None,
    trials: int = 1,
    **options: Any,
) -> list[tuple[str, str, Any]]:
    """What two turns have the gate ask; a server may hide its assistants."""
    server = Listening(hidden=hidden, others=others)
    config = AgentConfig(
        protocol="langgraph", boot=NoBoot(), app=app, options={"streaming": False, **options}
    )
    one = case("c", says("hi"), says("ho"), start_state=start or {})
    plan = ((one, tuple(range(1, trials + 1))),)
    async with faulty_agent(server) as agent:
        traces = drive(StillAgent(agent.url), config, RunConfig(concurrency=1), plan, Redactor())
        assert [trace.outcome.reason async for trace in traces] == [""] * trials
    return server.seen


async def test_what_is_asked_of_a_server() -> None:
    seen = await sent(prefix="/v2/", body={"config": {"x": 1}, "input": 3, "assistant_id": "other"})
    assert [(method, path) for method, path, _ in seen] == [
        ("POST", "/v2/assistants/search"),
        ("POST", "/v2/threads"),
        ("POST", "/v2/threads/..%2Fx%3F/runs/wait"),
        ("GET", "/v2/threads/..%2Fx%3F/state"),
        ("POST", "/v2/threads/..%2Fx%3F/runs/wait"),
        ("GET", "/v2/threads/..%2Fx%3F/state"),
        ("DELETE", "/v2/threads/..%2Fx%3F"),
    ]
    body = seen[2][2]
    assert (body["assistant_id"], body["on_disconnect"], body["config"]) == ("agent", "cancel", {"x": 1})
    assert body["input"]["messages"][0]["content"] == "hi"


@pytest.mark.parametrize(
    ("app", "meant"), [("", "agent"), ("agent", "agent"), ("Support", "1-2-3"), ("1-2-3", "1-2-3")]
)
async def test_an_assistant_is_named_by_its_graph_its_id_or_its_name(app: str, meant: str) -> None:
    assert (await sent(app))[2][2]["assistant_id"] == meant


async def test_a_start_state_is_sent_once_and_assistants_are_looked_up_once() -> None:
    seen = await sent(start={"city": "Rome"}, trials=2)
    inputs = [body["input"] for _, path, body in seen if path.endswith("/wait")]
    assert [given.get("city") for given in inputs] == ["Rome", None, "Rome", None]
    paths = [path for _, path, _ in seen]
    assert paths.count("/assistants/search") == 1
    assert len([path for path in paths if path.endswith("/history")]) == 2


async def test_an_assistant_that_is_not_among_the_first_thousand_is_asked_for() -> None:
    assert (await sent("mine", others=999))[2][2]["assistant_id"] == "mine"
    with pytest.raises(AssertionError, match="no graph 'mine'"):
        await sent("mine", others=998)


async def test_a_server_that_hides_its_assistants_is_asked_for_the_app_itself() -> None:
    assert (await sent("anything", hidden=True))[2][2]["assistant_id"] == "anything"
