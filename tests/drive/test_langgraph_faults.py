"""The fault table of the langgraph protocol: each way of breaking, at each request, over a real socket."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from gate.drive.langgraph import Langgraph
from gate.model.case import Turn
from gate.model.config import AgentConfig, NoBoot
from gate.model.derived import texts_of, tokens_of
from gate.model.trace import (
    Call,
    Completed,
    Crashed,
    Outcome,
    Paused,
    Refused,
    Thought,
    Throttled,
    TimedOut,
    Trace,
)
from gate.redact import Redactor
from tests.support.driving import StillAgent, answering, case, run, says
from tests.support.faulty_agent import (
    Behaviour,
    Exchange,
    answers,
    closes,
    dribbles,
    dribbles_headers,
    faulty_agent,
    floods,
    floods_headers,
    hangs,
    one_after_another,
    resets,
    resets_after_first_byte,
    speaks_no_http,
)

SSE = {"content-type": "text/event-stream; charset=utf-8"}
STREAMED = pytest.mark.parametrize("stream", [False, True], ids=["waited for", "streamed"])
QUOTA = "429 RESOURCE_EXHAUSTED. You exceeded your current quota."
INTERRUPT = {"id": "ab" * 16, "value": "Shall I?"}


def ai(text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "ai", "id": "m1", "content": text, **fields}


def state(*messages: Any, **fields: Any) -> dict[str, Any]:
    values = {"messages": list(messages)}
    return {"values": values, "next": [], "tasks": [], "checkpoint": {"checkpoint_id": "c1"}, **fields}


DONE = state(ai("It is 14 °C."))
UPDATE = ("updates", {"agent": {"messages": [ai("It is 14 °C.")]}})
ABOUT = {"langgraph_node": "agent", "langgraph_checkpoint_ns": "agent:1"}


def token(text: str, **fields: Any) -> tuple[str, Any]:
    return "messages", [{**ai(text), "type": "AIMessageChunk", **fields}, ABOUT]


HALF = (
    token("It "),
    token("is"),
    token("", tool_call_chunks=[{"index": 0, "id": "c1", "name": "f", "args": '{"a'}]),
)


def frames(*values: Any) -> bytes:
    return b"".join(
        value if isinstance(value, bytes) else f"event: {value[0]}\ndata: {json.dumps(value[1])}\n\n".encode()
        for value in values
    )


def streams(*values: Any) -> Behaviour:
    return answers(body=frames(*values), headers=SSE)


def cuts(*values: Any, hang: bool = False) -> Behaviour:
    """A stream whose connection is lost, or stands still, in the middle of it."""

    async def behave(exchange: Exchange) -> None:
        head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99999\r\n\r\n"
        await exchange.write(head + frames(*values))
        if hang:
            await hangs(exchange)
        exchange.writer.close()
        raise ConnectionResetError

    return behave


GOOD: Mapping[str, Behaviour] = {
    "search": answers([{"assistant_id": "a", "graph_id": "agent", "name": "agent"}]),
    "open": answers({"thread_id": "t1"}),
    "run": streams(UPDATE),
    "state": answers(DONE),
    "close": answers({}),
}
REQUESTS = tuple(GOOD)


def asked(exchange: Exchange) -> str:
    """Which request of the protocol this is."""
    if exchange.method == "DELETE":
        return "close"
    return {"/assistants/search": "search", "/threads": "open", "/threads/t1/state": "state"}.get(
        exchange.path, "run"
    )


def server(**faults: Behaviour) -> Behaviour:
    behaviours = {**GOOD, **faults}

    async def behave(exchange: Exchange) -> None:
        await behaviours[asked(exchange)](exchange)

    return behave


async def faced(
    behaviour: Behaviour, *turns: Turn, stream: bool = True, redact: Redactor | None = None, **settings: Any
) -> Trace:
    """The one trace of a trial against this behaviour; no task may be left over."""
    before = asyncio.all_tasks()
    async with faulty_agent(behaviour) as agent:
        (trace,) = await run(
            StillAgent(agent.url),
            [case("one", *turns)],
            options={"streaming": stream},
            protocol="langgraph",
            redact=redact,
            **settings,
        )
    assert asyncio.all_tasks() == before
    return trace


def ended(trace: Trace, outcome: type[Outcome], words: str = "") -> None:
    assert type(trace.outcome) is outcome, trace.outcome
    assert words in trace.outcome.reason


FAULTS = [
    (resets, Crashed, "closed the connection without an answer"),
    (closes, Crashed, "closed the connection without an answer"),
    (resets_after_first_byte, Crashed, "cut its answer off"),
    (floods, Crashed, "exceeds 33,554,432 bytes"),
    (floods_headers, Crashed, ""),
    (speaks_no_http, Crashed, "did not answer in HTTP"),
    (answers(body=b'{"thread_id": '), Crashed, "not JSON"),
    (answers(body=b'{"thread_id": NaN}'), Crashed, "NaN"),
    (answers(body=b'"\xff"'), Crashed, "not UTF-8"),
    (answers(body=b""), Crashed, "empty"),
    (answers({"detail": "slow down"}, status="429 x"), Throttled, "429 Too Many"),
    (answers({}, status="503 x"), Throttled, "503 Service Unavailable"),
    (answers({"detail": QUOTA}, status="500 x"), Throttled, "500"),
    (answers({"detail": "boom"}, status="500 x"), Crashed, "boom"),
    (answers({}, status="401 x"), Refused, "credentials"),
    (answers({}, status="403 x"), Refused, "forbids"),
    (answers({}, status="302 x", headers={"location": "/login"}), Refused, "redirects to /login"),
]


@pytest.mark.parametrize("request_", ["search", "open", "run", "state"])
@pytest.mark.parametrize(("behaviour", "outcome", "words"), FAULTS)
async def test_each_fault_has_its_outcome_at_each_request(
    request_: str, behaviour: Behaviour, outcome: type[Outcome], words: str
) -> None:
    trace = await faced(server(**{request_: behaviour}), stream=request_ != "run", retries=0)
    ended(trace, outcome, words)


@pytest.mark.parametrize("status", ["201 Created", "204 No Content", "206 Partial Content", "299 x"])
async def test_a_stream_of_another_status_is_no_stream_although_the_thread_is_at_its_end(status: str) -> None:
    body = b"" if status.startswith("204") else frames(UPDATE)
    trace = await faced(server(run=answers(body=body, headers=SSE, status=status)), retries=0)
    ended(trace, Refused, f"POST /threads/…/runs/stream answered {status.split(maxsplit=1)[0]}")


async def test_a_type_that_is_none_is_told_by_its_start() -> None:
    odd = answers(body=frames(UPDATE), headers={"content-type": "x/" + "y" * 6000})
    trace = await faced(server(run=odd), retries=0)
    ended(trace, Crashed, "answered with x/yyy")
    assert len(trace.outcome.reason) < 300


@pytest.mark.parametrize("behaviour", [*(fault[0] for fault in FAULTS), hangs, dribbles, dribbles_headers])
async def test_a_thread_that_cannot_be_deleted_changes_nothing(
    behaviour: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gate.drive.trial.GOODBYE_S", 0.1)
    ended(await faced(server(close=behaviour), retries=0), Completed)


@pytest.mark.parametrize("request_", ["search", "open", "run", "state"])
@pytest.mark.parametrize("behaviour", [hangs, dribbles, dribbles_headers])
async def test_the_deadline_ends_what_hangs_or_dribbles(request_: str, behaviour: Behaviour) -> None:
    trace = await faced(server(**{request_: behaviour}), stream=request_ != "run", trial_timeout_s=0.2)
    ended(trace, TimedOut)


@pytest.mark.parametrize(
    ("behaviour", "outcome", "words"),
    [
        *FAULTS[:2],
        *FAULTS[4:6],
        *FAULTS[10:],
        (streams(b"data: " + b"x" * 9_000_000), Crashed, "8,388,608 bytes; without each word of its models"),
        (answers({}), Crashed, "not with text/event-stream"),
        (
            answers(body=b"<html>", headers={"content-type": "text/html"}),
            Crashed,
            "not with text/event-stream",
        ),
        (streams(b"event: updates\ndata: {\n\n"), Crashed, "not JSON"),
        (streams(b'event: updates\ndata: "\xff"\n\n'), Crashed, "not UTF-8"),
        (streams(("updates", 3)), Crashed, "an update is a number, not an object"),
        (streams(("updates", {"agent": {"messages": [3]}})), Crashed, "a message is a number"),
        (
            streams(("updates", {"agent": {"messages": [{"content": "x"}]}})),
            Crashed,
            "neither a type nor a role",
        ),
        (streams(("messages", {})), Crashed, "no pair of a message"),
        (streams(("error", {"error": "RuntimeError", "message": "boom"})), Crashed, "RuntimeError: boom"),
        (streams(b"event: error\ndata: it broke\n\n"), Crashed, "it broke"),
        (streams(("error", None)), Crashed, "an error that is null"),
        (streams(("error", {})), Crashed, "{}"),
        (streams(UPDATE, ("error", {"error": "RateLimitError", "message": QUOTA})), Throttled, "429"),
        (answers({"detail": "no such field"}, status="422 x"), Refused, "`langgraph.body`"),
        (answers({"detail": "busy"}, status="409 x"), Refused, "409 Conflict"),
        (answers({"detail": "Thread not found"}, status="404 x"), Crashed, "the thread was there"),
        (
            streams(b": heartbeat\n\n", ("metadata", {"run_id": "r"}), UPDATE, b": heartbeat\n\n"),
            Completed,
            "",
        ),
        (streams(("tomorrow", [1]), UPDATE, ("end", None)), Completed, ""),
    ],
)
async def test_each_fault_of_a_stream_has_its_outcome(
    behaviour: Behaviour, outcome: type[Outcome], words: str
) -> None:
    ended(await faced(server(run=behaviour), retries=0), outcome, words)


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        ({"messages": []}, Completed, ""),
        (None, Completed, ""),
        ({"__error__": {"error": "RuntimeError", "message": "boom"}}, Crashed, "RuntimeError: boom"),
        ({"__error__": "boom"}, Crashed, "boom"),
        ({"__error__": {"error": "ResourceExhausted", "message": QUOTA}}, Throttled, "429"),
        ({"__interrupt__": 3}, Crashed, "__interrupt__ is a number, not a list"),
    ],
)
async def test_what_a_run_that_was_waited_for_answers(
    answer: Any, outcome: type[Outcome], words: str
) -> None:
    ended(await faced(server(run=answers(answer)), stream=False, retries=0), outcome, words)


async def test_the_bytes_that_keep_a_waiting_connection_alive_are_no_answer() -> None:
    body = b"\n\n\n" + json.dumps({"messages": []}).encode()
    ended(await faced(server(run=answers(body=body)), stream=False), Completed)


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        ([], Crashed, "the thread's state is a list, not an object"),
        ({}, Refused, "no 'messages'"),
        (state(ai("x", content=3)), Crashed, "content is a number"),
        (state(values=3), Crashed, "the values of the thread's state is a number"),
        (state(values=None), Refused, "no 'messages'"),
        (state(values=[ai("It is 14 °C.")]), Completed, ""),
        (state(tasks=3), Crashed, "tasks is a number"),
        (state(next=3), Crashed, "next is a number"),
        (state(checkpoint=3), Crashed, "checkpoint is a number"),
        (state(next=["agent"]), Crashed, "it had still to run 'agent'"),
        (state(checkpoint=None), Crashed, "as it was before"),
        (state(tasks=[{"name": "agent", "error": "Boom()"}], next=["agent"]), Crashed, "Boom()"),
        (
            state(next=["a"], tasks=[{"name": "a", "interrupts": [INTERRUPT]}]),
            Crashed,
            "waits as it did before",
        ),
    ],
)
async def test_what_a_threads_state_may_say(answer: Any, outcome: type[Outcome], words: str) -> None:
    ended(await faced(server(state=answers(answer)), retries=0), outcome, words)


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        ([], Refused, "the server has no graph"),
        ({}, Crashed, "no list of assistants"),
        ([3, {"graph_id": "agent"}], Completed, ""),
        ([{"graph_id": "a"}, {"graph_id": "b"}], Refused, "`agent.app` names none; it has: a, b"),
        ([{"graph_id": f"graph-{number}"} for number in range(999)], Refused, "graph-0"),
    ],
)
async def test_what_a_server_may_have(answer: Any, outcome: type[Outcome], words: str) -> None:
    ended(await faced(server(search=answers(answer)), retries=0), outcome, words)


async def test_a_server_that_is_none_says_so() -> None:
    trace = await faced(server(search=answers({}, status="404 x")), retries=0)
    ended(trace, Refused, "is a LangGraph server there")
    trace = await faced(server(open=answers({"detail": "?"}, status="404 x")), retries=0)
    ended(trace, Refused, "`langgraph.prefix`")
    ended(await faced(server(open=answers({"thread_id": 3}))), Crashed, "without a thread_id")


@pytest.mark.parametrize(
    ("sending", "outcome"),
    [
        (lambda values: cuts(*values), Crashed),
        (lambda values: cuts(*values, hang=True), TimedOut),
    ],
    ids=["cut", "stands still"],
)
async def test_what_came_of_a_stream_is_kept(sending: Any, outcome: type[Outcome]) -> None:
    trace = await faced(server(run=sending(HALF)), trial_timeout_s=0.3)
    ended(trace, outcome)
    assert trace.turns[0].ended == "failed"
    if outcome is TimedOut:
        return
    assert list(texts_of(trace.events)) == ["It is"]
    calls = [part for event in trace.events for part in event.parts if isinstance(part, Call)]
    assert [(call.name, call.args) for call in calls] == [("f", None)]
    assert not any(event.pauses for event in trace.events)


async def test_a_stream_that_ends_in_order_but_too_early_is_no_answer() -> None:
    running = state(ai("Let me see."), next=["tools"], tasks=[{"name": "tools", "interrupts": []}])
    update = ("updates", {"agent": {"messages": [ai("Let me see.")]}})
    trace = await faced(server(run=streams(update), state=answers(running)), retries=0)
    ended(trace, Crashed, "ended before the graph did: it had still to run 'tools'")
    assert list(texts_of(trace.events)) == ["Let me see."]


async def test_a_turn_that_left_the_thread_untouched_is_no_answer() -> None:
    trace = await faced(server(), says("one"), says("two"), retries=0)
    ended(trace, Crashed, "its thread is as it was before")
    assert [turn.ended for turn in trace.turns] == ["answered", "failed"]


async def test_a_resumption_that_left_the_thread_waiting_is_no_answer() -> None:
    waiting = state(next=["a"], tasks=[{"name": "a", "interrupts": [INTERRUPT]}])
    told = ("updates", {"__interrupt__": [INTERRUPT]})
    behaviour = server(
        run=_per_run(streams(told), streams(("metadata", {"run_id": "r"}))), state=answers(waiting)
    )
    trace = await faced(behaviour, says("x"), answering("a"), retries=0)
    ended(trace, Crashed, "it had still to run 'a'")
    assert [turn.ended for turn in trace.turns] == ["paused", "failed"]


def _per_run(*behaviours: Behaviour) -> Behaviour:
    left = list(behaviours)

    async def behave(exchange: Exchange) -> None:
        await (left.pop(0) if len(left) > 1 else left[0])(exchange)

    return behave


async def test_an_error_is_told_even_where_the_thread_is_gone() -> None:
    broken = streams(*HALF, ("error", {"error": "RuntimeError", "message": "boom"}))
    trace = await faced(server(run=broken, state=resets), retries=0)
    ended(trace, Crashed, "RuntimeError: boom")
    assert list(texts_of(trace.events)) == ["It is"]


async def test_what_comes_after_an_error_is_not_read() -> None:
    broken = streams(("error", "boom"), ("updates", 3))
    ended(await faced(server(run=broken, state=answers(state())), retries=0), Crashed, "boom")


async def test_a_secret_that_a_stream_cuts_in_two_is_taken_out() -> None:
    behaviour = server(run=cuts(token("key sk-can"), token("ary-4711")))
    trace = await faced(behaviour, redact=Redactor(["sk-canary-4711"]))
    assert list(texts_of(trace.events)) == ["key ***"]


async def test_an_answer_that_is_only_a_limits_text_is_a_limit() -> None:
    free = ai(QUOTA, usage_metadata={"input_tokens": 0, "output_tokens": 0})
    behaviour = server(run=streams(("updates", {"agent": {"messages": [free]}})), state=answers(state(free)))
    ended(await faced(behaviour, retries=0), Throttled, "no token")


@STREAMED
async def test_a_throttled_trial_is_tried_again_in_a_fresh_thread(*, stream: bool) -> None:
    good = streams(UPDATE) if stream else answers({"messages": []})
    behaviour = server(run=_per_run(answers({}, status="429 x"), good))
    trace = await faced(behaviour, stream=stream)
    ended(trace, Completed)
    assert trace.retries == 1
    assert list(texts_of(trace.events)) == ["It is 14 °C."]


async def test_tokens_that_the_state_does_not_have_are_a_thought_and_counted() -> None:
    counts = {"input_tokens": 5, "output_tokens": 2}
    hidden = [("messages", [{**ai("a"), "id": "other"}, ABOUT]), token("b", id="m2", usage_metadata=counts)]
    trace = await faced(server(run=streams(*hidden, UPDATE)))
    ended(trace, Completed)
    thoughts = [part.text for event in trace.events for part in event.parts if isinstance(part, Thought)]
    assert thoughts == ["a", "b"]
    assert tokens_of(trace.events) == 7
    assert list(texts_of(trace.events)) == ["It is 14 °C."]


async def test_words_that_no_node_handed_over_are_kept_where_the_thread_is_gone() -> None:
    hidden = [token("to: a", id="other"), UPDATE]
    trace = await faced(server(run=streams(*hidden), state=resets), retries=0)
    ended(trace, Crashed, "closed the connection")
    thoughts = [part.text for event in trace.events for part in event.parts if isinstance(part, Thought)]
    assert (thoughts, list(texts_of(trace.events))) == (["to: a"], ["It is 14 °C."])


async def test_a_graph_that_waits_before_it_has_messages_is_not_refused() -> None:
    told = ("updates", {"__interrupt__": [INTERRUPT]})
    waiting = state(values={}, next=["a"], tasks=[{"name": "a", "interrupts": [INTERRUPT]}])
    ended(await faced(server(run=streams(told), state=answers(waiting))), Paused, "'a'")


@pytest.mark.parametrize(
    ("history", "lost"),
    [
        (answers([{"values": {"city": "Rome", "log": ["x"]}}]), ""),
        (answers([{"values": {"city": "", "log": ["x"]}}]), "'city'"),
        (answers([{"values": {"log": ["x"]}}]), "'city'"),
        (answers([]), "'city', 'log'"),
        (answers({}, status="404 x"), "'city', 'log'"),
        (answers({"values": 3}), "'city', 'log'"),
    ],
)
async def test_a_start_state_is_looked_for_where_the_thread_began(history: Behaviour, lost: str) -> None:
    good = server()

    async def behave(exchange: Exchange) -> None:
        await (history if exchange.path.endswith("/history") else good)(exchange)

    async with faulty_agent(behave) as agent:
        one = case("one", start_state={"city": "Rome", "log": ["x"], "messages": []})
        (trace,) = await run(StillAgent(agent.url), [one], options={}, protocol="langgraph", retries=0)
    if lost:
        ended(trace, Refused, f"takes no {lost} of the start state")
    else:
        ended(trace, Completed)


def test_a_graph_that_has_shown_messages_once_shows_calls() -> None:
    made = Langgraph(AgentConfig(protocol="langgraph", boot=NoBoot()), StillAgent(""))
    made.saw(messages=False)
    assert "calls" not in made.exposes
    made.saw(messages=True)
    made.saw(messages=False)
    assert "calls" in made.exposes


async def test_an_old_servers_interrupt_without_an_id_takes_one_answer() -> None:
    old = {"value": "Shall I?", "resumable": True, "ns": ["agent:1"], "when": "during"}
    told = ("updates", {"__interrupt__": [old]})
    waiting = state(next=["agent"], tasks=[{"name": "agent", "interrupts": [old]}])
    states = _per_run(answers(waiting), answers({**DONE, "checkpoint": {"checkpoint_id": "c2"}}))
    sent: list[Any] = []

    async def runs(exchange: Exchange) -> None:
        sent.append(exchange.json)
        await streams(told if len(sent) == 1 else UPDATE)(exchange)

    trace = await faced(server(run=runs, state=states), says("x"), answering("agent", {"ok": 1}))
    ended(trace, Completed)
    assert sent[1]["command"] == {"resume": {"ok": 1}}
    assert "input" not in sent[1]
    two = [{**old, "value": "one"}, {**old, "value": "two"}]
    waiting = state(next=["agent"], tasks=[{"name": "agent", "interrupts": two}])
    behaviour = server(run=streams(("updates", {"__interrupt__": two})), state=answers(waiting))
    ended(await faced(behaviour, says("x"), answering("agent")), Paused, "one answer at a time")


async def test_one_connection_trouble_at_the_first_request_is_tried_again() -> None:
    assert await _tries(one_after_another(resets, GOOD["search"])) == 1


async def _tries(search: Behaviour) -> int:
    numbered: list[Exchange] = []

    async def first(exchange: Exchange) -> None:
        numbered.append(exchange)
        exchange.number = len(numbered)
        await search(exchange)

    trace = await faced(server(search=first))
    ended(trace, Completed)
    return trace.retries
