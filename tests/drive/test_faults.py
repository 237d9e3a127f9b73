"""The fault table, through the runner and over a real socket: outcome, retries, nothing left running."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from gate.http.pace import Pace
from gate.model.trace import Completed, Crashed, Outcome, Refused, Throttled, TimedOut, Trace
from tests.support.driving import FULL, SIMPLE, FastPace, StillAgent, answering, case, run, says
from tests.support.faulty_agent import (
    JSON,
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

OK = answers({"reply": "hello", "usage": {"in": 3, "out": 2}})
QUOTA = "429 RESOURCE_EXHAUSTED. You exceeded your current quota."


async def faced(behaviour: Behaviour, *, pace: Pace | None = None, **settings: Any) -> Trace:
    """The one trace of a trial against this behaviour; no task may be left over."""
    before = asyncio.all_tasks()
    async with faulty_agent(behaviour) as agent:
        (trace,) = await run(StillAgent(agent.url), [case()], pace=pace, **settings)
    assert asyncio.all_tasks() == before
    return trace


@pytest.mark.parametrize(
    ("behaviour", "outcome", "retries", "words"),
    [
        (OK, Completed, 0, ""),
        (resets, Crashed, 3, "closed the connection without an answer"),
        (closes, Crashed, 3, "closed the connection without an answer"),
        (resets_after_first_byte, Crashed, 0, "cut its answer off"),
        (floods, Crashed, 0, "exceeds 33,554,432 bytes"),
        (floods_headers, Crashed, 0, "headers"),
        (speaks_no_http, Crashed, 0, "did not answer in HTTP"),
        (answers(body=b'{"reply": '), Crashed, 0, "not JSON"),
        (answers(body=b'{"reply": NaN}'), Crashed, 0, "NaN"),
        (answers(body=b'{"reply": "\xff"}'), Crashed, 0, "not UTF-8"),
        (
            answers(body=b"{}" * 300, headers={"content-type": "text/html"}),
            Crashed,
            0,
            "content-type 'text/html'",
        ),
        (answers(body=b""), Crashed, 0, "empty"),
        (answers({"detail": "slow down"}, status="429 Too Many Requests"), Throttled, 3, "429 Too Many"),
        (answers({}, status="503 Service Unavailable"), Throttled, 3, "503 Service Unavailable"),
        (answers(body=b"boom", status="500 Oops"), Crashed, 0, "500 Internal Server Error: boom"),
        (answers(body=b"", status="502 x"), Crashed, 0, "502 Bad Gateway"),
        (answers(body=b"", status="504 x"), Crashed, 0, "504 Gateway Timeout"),
        (
            answers({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}, status="500 x"),
            Throttled,
            3,
            "500",
        ),
        (answers({}, status="302 x", headers={"location": "/login"}), Refused, 0, "redirects to /login"),
        (answers({}, status="400 x"), Refused, 0, "does not understand"),
        (answers({}, status="401 x"), Refused, 0, "credentials"),
        (answers({}, status="403 x"), Refused, 0, "hosts and origins"),
        (answers({}, status="404 x"), Refused, 0, "http.path"),
        (answers({}, status="405 x"), Refused, 0, "another method"),
        (answers({"detail": "field required"}, status="422 x"), Refused, 0, "field required"),
        (answers({"reply": QUOTA}), Throttled, 3, "cost no token"),
    ],
)
async def test_each_fault_has_its_outcome(
    behaviour: Behaviour, outcome: type[Outcome], retries: int, words: str
) -> None:
    trace = await faced(behaviour)
    assert type(trace.outcome) is outcome
    assert words in trace.outcome.reason
    assert trace.retries == retries


async def test_nobody_listens_is_refused() -> None:
    async with faulty_agent(hangs) as agent:
        url = agent.url
    pace = FastPace()
    (trace,) = await run(StillAgent(url), [case()], pace=pace)
    assert isinstance(trace.outcome, Refused)
    assert "cannot connect" in trace.outcome.reason
    assert (trace.retries, trace.turns[0].ended) == (3, "failed")
    assert pace.waits == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("behaviour", [hangs, dribbles, dribbles_headers])
async def test_the_deadline_ends_what_hangs_or_dribbles(behaviour: Behaviour) -> None:
    trace = await faced(behaviour, trial_timeout_s=0.1)
    assert isinstance(trace.outcome, TimedOut)
    assert trace.turns[0].ended == "failed"
    assert trace.retries == 0


async def test_what_came_before_the_deadline_is_kept() -> None:
    async with faulty_agent(one_after_another(OK, hangs)) as agent:
        (trace,) = await run(StillAgent(agent.url), [case("c", says("a"), says("b"))], trial_timeout_s=1.0)
    assert [turn.ended for turn in trace.turns] == ["answered", "failed"]
    assert trace.turns[0].events[0].parts
    assert isinstance(trace.outcome, TimedOut)


async def test_a_connection_that_failed_before_the_first_byte_is_tried_again() -> None:
    trace = await faced(one_after_another(resets, resets, OK))
    assert isinstance(trace.outcome, Completed)
    assert trace.retries == 2


async def test_a_connection_that_failed_in_a_later_turn_is_not_tried_again() -> None:
    async with faulty_agent(one_after_another(OK, resets, OK)) as agent:
        (trace,) = await run(StillAgent(agent.url), [case("c", says("a"), says("b"))])
        assert len(agent.seen) == 2
    assert isinstance(trace.outcome, Crashed)
    assert trace.retries == 0


@pytest.mark.parametrize(
    ("headers", "body", "waits"),
    [
        ({}, {}, [1.0, 2.0]),
        ({"retry-after": "7"}, {}, [7.0, 7.0]),
        (
            {},
            {"error": {"details": [{"@type": "x/google.rpc.RetryInfo", "retryDelay": "12.5s"}]}},
            [12.5, 12.5],
        ),
    ],
)
async def test_a_throttled_trial_waits_as_it_is_told(
    headers: dict[str, str], body: Any, waits: list[float]
) -> None:
    throttled = answers(body, status="429 x", headers={**JSON, **headers})
    pace = FastPace()
    trace = await faced(one_after_another(throttled, throttled, OK), pace=pace)
    assert isinstance(trace.outcome, Completed)
    assert (pace.waits, trace.retries) == (waits, 2)


async def test_retry_after_may_be_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=15), usegmt=True)
    pace = FastPace()
    await faced(one_after_another(answers({}, status="503 x", headers={"retry-after": date}), OK), pace=pace)
    assert 5 < pace.waits[0] <= 15


async def test_no_wait_goes_past_the_deadline() -> None:
    pace = FastPace()
    trace = await faced(
        answers({}, status="429 x", headers={"retry-after": "60"}), pace=pace, trial_timeout_s=30
    )
    assert isinstance(trace.outcome, Throttled)
    assert "not tried again: that takes 60 s" in trace.outcome.reason
    assert (trace.retries, pace.waits) == (0, [])


async def test_a_trial_that_ran_out_of_time_by_being_throttled_is_throttled() -> None:
    trace = await faced(one_after_another(answers({}, status="429 x"), hangs), trial_timeout_s=2.0)
    assert isinstance(trace.outcome, Throttled)
    assert "trying again did not end" in trace.outcome.reason
    assert trace.retries == 1


async def test_every_attempt_is_a_fresh_session() -> None:
    sessions: list[str] = []

    async def note(exchange: Exchange) -> None:
        sessions.append(exchange.json["session"])
        await answers({}, status="429 x")(exchange)

    trace = await faced(note, retries=2)
    assert len(set(sessions)) == 3
    assert trace.session == sessions[-1]


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ({"reply": QUOTA, "usage": {"in": 0, "out": 0}}, Throttled),
        ({"reply": QUOTA, "usage": {"in": 9, "out": 5}}, Completed),
        ({"reply": QUOTA}, Completed),  # usage is mapped and absent: nobody knows
        ({"reply": QUOTA, "usage": {"in": 0}, "calls": [{"id": "1", "name": "f"}]}, Completed),
        ({"reply": "Our plan has a quota of 100 calls a day.", "usage": {"in": 0, "out": 0}}, Completed),
        ({"reply": "x" * 700 + QUOTA, "usage": {"in": 0, "out": 0}}, Completed),
        ({"error": QUOTA}, Throttled),
        ({"error": "rate limit"}, Throttled),
        ({"error": "RuntimeError: boom"}, Crashed),
        ({"error": {"code": 7}}, Crashed),
        ({"error": "OSError: Disk quota exceeded"}, Crashed),
    ],
)
async def test_a_limit_in_a_200_is_told_from_an_answer_and_from_a_crash(
    body: Any, outcome: type[Outcome]
) -> None:
    assert type((await faced(answers(body), options=FULL)).outcome) is outcome


async def test_the_agent_is_not_reached_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async with faulty_agent(answers({"reply": "I am the proxy"})) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert isinstance((await faced(OK)).outcome, Completed)
        assert not proxy.seen


async def test_a_restart_is_tried_for_an_agent_that_dies_and_the_killer_is_found() -> None:
    async with faulty_agent(OK) as agent:
        still = StillAgent(agent.url, can_restart=True)

        async def deadly(exchange: Exchange) -> None:
            if exchange.json["message"] == "kill":
                still.die()
                await resets(exchange)
            await OK(exchange)

        agent.behaviour = deadly
        cases = [case(f"c{n}", says("kill" if n == 2 else "hi")) for n in range(9)]
        traces = {trace.case: trace for trace in await run(still, cases, concurrency=4)}
    killer = traces.pop("c2")
    assert isinstance(killer.outcome, Crashed)
    assert "the agent died in this trial: the process exited with 1" in killer.outcome.reason
    assert "Traceback: boom" in killer.outcome.reason
    assert len(traces) == 8
    assert all(isinstance(trace.outcome, Completed) for trace in traces.values())
    assert still.restarts == 2


async def test_nothing_is_logged_on_the_way(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        await faced(resets_after_first_byte)
    assert not caplog.records


async def test_an_answer_to_nothing_ends_the_trial_without_blame() -> None:
    async with faulty_agent(OK) as agent:
        one = case("c", says("a"), answering("confirm"), says("b"))
        (trace,) = await run(StillAgent(agent.url), [one], options=FULL)
    assert isinstance(trace.outcome, Completed)
    assert "turn 2 answers 'confirm', but the agent waits for nothing" in trace.outcome.reason
    assert len(trace.turns) == 1


async def test_simple_mappings_expose_only_what_they_map() -> None:
    assert (await faced(OK, options=SIMPLE)).exposes == ("text",)
