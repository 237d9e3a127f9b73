import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from gate.drive import PROTOCOLS, drive
from gate.drive.life import MOST_RESTARTS
from gate.drive.outbox import Outbox
from gate.errors import UsageError
from gate.http.pace import Pace
from gate.model.case import Case
from gate.model.config import RunConfig
from gate.model.trace import Call, Completed, Crashed, Paused, Refused, Text, Throttled, Trace
from gate.redact import Redactor
from tests.support.driving import (
    FULL,
    SIMPLE,
    FastPace,
    StillAgent,
    answering,
    case,
    config,
    run,
    says,
)
from tests.support.faulty_agent import Exchange, answers, faulty_agent, hangs, resets

OK = answers({"reply": "hello"})


async def test_every_trial_of_every_case_leaves_one_trace() -> None:
    async with faulty_agent(OK) as agent:
        traces = await run(StillAgent(agent.url), [case("a"), case("b")], trials=3, concurrency=4)
    assert sorted((trace.case, trace.trial) for trace in traces) == [(c, n) for c in "ab" for n in (1, 2, 3)]
    assert len({trace.session for trace in traces}) == 6


async def test_an_empty_plan_ends_at_once() -> None:
    assert await run(StillAgent("http://127.0.0.1:1"), []) == []


async def test_a_trace_says_who_said_what_and_when() -> None:
    async with faulty_agent(
        answers({"reply": "it is 14 °C", "calls": [{"id": "1", "name": "weather"}]})
    ) as agent:
        one = case("c", says("a"), says("b"), start_state={"x": 1}, track="retrieval")
        (trace,) = await run(StillAgent(agent.url), [one], options=FULL)
    first, second = trace.turns
    assert (first.sent, second.sent, first.ended) == ("a", "b", "answered")
    assert first.events[0].parts == (Call(id="1", name="weather", args={}), Text(text="it is 14 °C"))
    assert [(event.seq, event.turn) for event in trace.events] == [(1, 1), (2, 2)]
    assert 0 <= first.started_ms <= first.events[0].at_ms <= first.ended_ms <= second.started_ms
    assert second.ended_ms <= trace.duration_ms
    assert (trace.track, trace.source, trace.start_state) == ("retrieval", "live", {"x": 1})


@pytest.mark.parametrize("concurrency", [1, 3])
async def test_concurrency_is_bounded_and_used(concurrency: int) -> None:
    inside, most = 0, 0
    full = asyncio.Event()

    async def count(exchange: Exchange) -> None:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        if inside == concurrency:
            full.set()
        await full.wait()
        inside -= 1
        await OK(exchange)

    async with faulty_agent(count) as agent:
        await run(StillAgent(agent.url), [case()], trials=12, concurrency=concurrency)
    assert most == concurrency


async def test_the_rate_counts_turns_and_its_waits_are_nobodys_time() -> None:
    pace = FastPace(rate_per_s=0.001)
    async with faulty_agent(OK) as agent:
        (trace,) = await run(
            StillAgent(agent.url), [case("c", says("a"), says("b"), says("c"))], pace=pace, trial_timeout_s=5
        )
    assert [round(wait, -1) for wait in pace.waits] == [1000, 2000]
    assert isinstance(trace.outcome, Completed)


async def test_waiting_for_a_place_does_not_use_up_the_trials_time() -> None:
    async with faulty_agent(OK) as agent:
        three = case("c", says("a"), says("b"), says("c"))
        (trace,) = await run(StillAgent(agent.url), [three], pace=Pace(0.8), trial_timeout_s=2.0)
    assert isinstance(trace.outcome, Completed)


async def test_the_headers_of_the_agent_are_sent() -> None:
    async with faulty_agent(OK) as agent:
        await run(StillAgent(agent.url, headers={"Authorization": "Bearer x"}), [case()])
        assert agent.seen[0].headers["authorization"] == "Bearer x"


async def test_cookies_do_not_survive_a_trial() -> None:
    async with faulty_agent(answers({"reply": "x"}, headers={"set-cookie": "s=1"})) as agent:
        await run(StillAgent(agent.url), [case("c", says("a"), says("b"))], trials=2)
        assert [seen.headers.get("cookie") for seen in agent.seen] == [None, "s=1", None, "s=1"]


async def test_secrets_do_not_get_into_a_trace() -> None:
    secret = "canary-12345678"
    body = {
        "reply": f"key {secret}",
        "calls": [
            {"id": secret, "name": "f", "arguments": {secret: [secret]}},
            {"name": "g", "arguments": secret},
        ],
        "results": [{"call_id": secret, "name": secret, "output": {"deep": [secret]}}],
        "state": {"k": secret},
        "pauses": [{"id": secret, "message": secret}],
    }
    async with faulty_agent(answers(body)) as agent:
        traces = await run(
            StillAgent(agent.url), [case("c", says(secret))], options=FULL, redact=Redactor([secret])
        )
    async with faulty_agent(answers({"detail": secret}, status="422 x")) as agent:
        traces += await run(StillAgent(agent.url), [case()], redact=Redactor([secret]))
    assert "***" in repr(traces)
    assert secret not in repr(traces)


PAUSE = {"pauses": [{"id": "p1", "name": "confirm", "tool": "delete"}]}


@pytest.mark.parametrize(
    ("turns", "outcome", "reached"),
    [
        ([says("a")], Paused, 1),
        ([says("a", pauses=())], Paused, 1),
        ([says("a", pauses=("other",))], Paused, 1),
        ([says("a", pauses=("confirm",))], Completed, 1),
        ([says("a", pauses=("delete",))], Completed, 1),
        ([says("a"), answering("confirm")], Completed, 2),
        ([says("a"), answering("delete")], Completed, 2),
        ([says("a"), answering("p1")], Completed, 2),
        ([says("a"), says("never mind")], Completed, 2),
        ([says("a"), answering("somebody else")], Paused, 1),
        ([says("a"), answering("p1"), answering("p1"), says("b")], Completed, 2),
    ],
)
async def test_pauses_are_answered_expected_or_reported(
    turns: list[object], outcome: type, reached: int
) -> None:
    async def behave(exchange: Exchange) -> None:
        await answers(PAUSE if exchange.number == 1 else {"reply": "done"})(exchange)

    async with faulty_agent(behave) as agent:
        (trace,) = await run(StillAgent(agent.url), [case("c", *turns)], options=FULL)  # type: ignore[arg-type]
    assert type(trace.outcome) is outcome
    assert len(trace.turns) == reached
    assert trace.turns[0].ended == "paused"


async def test_a_pause_whose_result_came_is_not_open() -> None:
    async with faulty_agent(answers({**PAUSE, "results": [{"call_id": "p1", "output": "pending"}]})) as agent:
        (trace,) = await run(StillAgent(agent.url), [case()], options=FULL)
    assert isinstance(trace.outcome, Completed)
    assert trace.turns[0].ended == "answered"


async def test_a_case_may_expect_the_pause_that_it_ends_with() -> None:
    async with faulty_agent(answers(PAUSE)) as agent:
        expecting = case("c", expect=says("", pauses=("confirm",)).expect)
        (trace,) = await run(StillAgent(agent.url), [expecting], options=FULL)
    assert isinstance(trace.outcome, Completed)


def group(*cases: Case) -> list[Case]:
    return list(cases)


async def test_a_group_runs_in_the_order_of_its_dependencies_each_trial_on_a_fresh_agent() -> None:
    async with faulty_agent(OK) as agent:
        still = StillAgent(agent.url, can_restart=True)
        cases = [case("b", depends_on=("a",), group="g"), case("a", group="g"), case("free")]
        traces = await run(still, cases, trials=2, concurrency=4)
    ended = [(trace.case, trace.trial) for trace in traces]
    assert ended[2:] == [("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    assert still.restarts == 2


async def test_a_dependent_of_what_did_not_complete_is_not_run() -> None:
    async def fails_first(exchange: Exchange) -> None:
        await answers({}, status="500 x" if exchange.json["message"] == "bad" else "200 OK")(exchange)

    async with faulty_agent(fails_first) as agent:
        cases = [
            case("a", says("bad"), group="g"),
            case("b", depends_on=("a",), group="g"),
            case("c", depends_on=("b",), group="g"),
            case("d", group="g"),
        ]
        a, b, c, d = await run(StillAgent(agent.url), cases)
    assert isinstance(a.outcome, Crashed)
    assert b.outcome == Refused(reason="not run: depends on 'a', which crashed")
    assert c.outcome == Refused(reason="not run: depends on 'b', which was refused")
    assert isinstance(d.outcome, Completed)


async def test_the_case_of_a_group_in_which_the_agent_dies_crashed_and_the_rest_is_not_run() -> None:
    async with faulty_agent(OK) as agent:
        still = StillAgent(agent.url, can_restart=True)

        async def deadly(exchange: Exchange) -> None:
            if exchange.json["message"] == "kill":
                still.die()
                await resets(exchange)
            await OK(exchange)

        agent.behaviour = deadly
        cases = [
            case("a", group="g"),
            case("b", says("kill"), group="g"),
            case("c", group="g"),
            case("z", group="h"),
        ]
        a, b, c, z = await run(still, cases)
    assert isinstance(a.outcome, Completed)
    assert isinstance(b.outcome, Crashed)
    assert isinstance(c.outcome, Refused)
    assert "the agent died in 'b'" in c.outcome.reason
    assert isinstance(z.outcome, Completed)


async def test_an_agent_that_keeps_dying_is_given_up() -> None:
    async with faulty_agent(OK) as agent:
        still = StillAgent(agent.url, can_restart=True)

        async def deadly(exchange: Exchange) -> None:
            still.die()
            await resets(exchange)

        agent.behaviour = deadly
        traces = await run(still, [case()], trials=20, concurrency=2)
    assert still.restarts == MOST_RESTARTS
    assert len(traces) == 20
    reasons = [trace.outcome.reason for trace in traces if isinstance(trace.outcome, Crashed)]
    assert len(reasons) == 20
    assert "was restarted 5 times and died again: the process exited with 1" in reasons[-1]


async def test_an_agent_that_does_not_come_up_again_ends_the_run() -> None:
    async with faulty_agent(OK) as agent:
        still = StillAgent(agent.url, can_restart=True, comes_up=False)
        still.die()
        traces = await run(still, [case("a"), case("b", group="g")], trials=2)
    assert len(traces) == 4
    assert still.restarts == 1
    for trace in traces:
        assert isinstance(trace.outcome, Crashed)
        assert "did not come up again: it exited with 1; its last lines:\nno module" in trace.outcome.reason


async def test_a_death_while_others_succeed_blames_nobody_in_vain() -> None:
    async with faulty_agent(OK) as agent:
        still = StillAgent(agent.url, can_restart=True)

        async def dies_once(exchange: Exchange) -> None:
            if exchange.number == 3:
                still.die()
                await resets(exchange)
            await OK(exchange)

        agent.behaviour = dies_once
        traces = await run(still, [case()], trials=8, concurrency=2)
    assert len(traces) == 8
    assert all(isinstance(trace.outcome, Completed) for trace in traces)
    assert still.restarts == 1


async def test_the_plan_may_be_followed_by_another() -> None:
    async with faulty_agent(OK) as agent:
        still = StillAgent(agent.url)
        first = await run(still, [case("a")])
        second = [
            trace async for trace in drive(still, config(), RunConfig(), ((case("a"), (2, 3)),), Redactor())
        ]
    assert [trace.trial for trace in [*first, *second]] == [1, 2, 3]


async def test_leaving_early_stops_everything() -> None:
    before = asyncio.all_tasks()
    async with faulty_agent(OK) as agent:
        plan = ((case(), tuple(range(1, 100))),)
        async with aclosing(drive(StillAgent(agent.url), config(), RunConfig(), plan, Redactor())) as traces:
            async for _ in traces:
                break
        sent = len(agent.seen)
        await asyncio.sleep(0)
        assert len(agent.seen) == sent < 99
    assert asyncio.all_tasks() == before


async def test_a_cancellation_keeps_what_was_finished_and_leaves_nothing_running() -> None:
    before = asyncio.all_tasks()
    kept: list[Trace] = []
    hanging = asyncio.Event()

    async def some_hang(exchange: Exchange) -> None:
        if exchange.number > 3:
            hanging.set()
            await hangs(exchange)
        await OK(exchange)

    async with faulty_agent(some_hang) as agent:

        async def consume() -> None:
            plan = ((case(), tuple(range(1, 50))),)
            async with aclosing(
                drive(StillAgent(agent.url), config(), RunConfig(concurrency=2), plan, Redactor())
            ) as traces:
                async for trace in traces:
                    kept.append(trace)
                    if len(kept) == 1:
                        await hanging.wait()

        consumer = asyncio.create_task(consume())
        await hanging.wait()
        consumer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await consumer
    assert asyncio.all_tasks() == before
    assert kept
    assert all(isinstance(trace.outcome, Completed) for trace in kept)


async def test_a_cancellation_while_waiting_yields_what_is_left_in_the_outbox() -> None:
    kept: list[Trace] = []
    hanging = asyncio.Event()

    async def all_but_five_hang(exchange: Exchange) -> None:
        if exchange.number > 5:
            hanging.set()
            await hangs(exchange)
        await OK(exchange)

    async with faulty_agent(all_but_five_hang) as agent:

        async def consume() -> None:
            plan = ((case(), tuple(range(1, 50))),)
            async for trace in drive(
                StillAgent(agent.url), config(), RunConfig(concurrency=1), plan, Redactor()
            ):
                kept.append(trace)  # noqa: PERF401 - a cancelled comprehension keeps nothing

        consumer = asyncio.create_task(consume())
        await hanging.wait()
        consumer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await consumer
    assert len(kept) == 5


async def test_a_trace_that_is_finished_at_the_moment_of_a_cancellation_is_yielded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept: list[Trace] = []

    async def consume() -> None:
        plan = ((case(), (1,)),)
        async for trace in drive(StillAgent(agent.url), config(), RunConfig(), plan, Redactor()):
            kept.append(trace)  # noqa: PERF401 - a cancelled comprehension keeps nothing

    async with faulty_agent(OK) as agent:
        consumer = asyncio.create_task(consume())
        put = Outbox.put

        def put_and_cancel(outbox: Outbox, trace: Trace) -> None:
            put(outbox, trace)
            consumer.cancel()

        monkeypatch.setattr(Outbox, "put", put_and_cancel)
        with pytest.raises(asyncio.CancelledError):
            await consumer
    assert len(kept) == 1


async def test_a_slow_reader_holds_the_trials_back() -> None:
    async with faulty_agent(OK) as agent:
        plan = ((case(), tuple(range(1, 100))),)
        async with aclosing(
            drive(StillAgent(agent.url), config(), RunConfig(concurrency=2), plan, Redactor())
        ) as traces:
            await anext(traces)
            before = -1
            while before != len(agent.seen):
                before = len(agent.seen)
                await asyncio.sleep(0.05)
            assert before <= 1 + 2 * 2 + 2


async def test_an_unknown_protocol_names_the_known_ones() -> None:
    with pytest.raises(UsageError) as failure:
        await anext(drive(StillAgent(""), config(protocol="smoke"), RunConfig(), (), Redactor()))
    assert "http" in failure.value.hint


async def test_a_bug_in_a_protocol_is_no_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        exposes = ()

        def converse(self, *_: object) -> AsyncIterator[None]:
            raise ZeroDivisionError

    monkeypatch.setitem(PROTOCOLS, "http", lambda *_: Broken())
    before = asyncio.all_tasks()
    with pytest.raises(ZeroDivisionError):
        await run(StillAgent("http://127.0.0.1:1"), [case()], trials=5, options=SIMPLE)
    assert asyncio.all_tasks() == before


async def test_a_reported_limit_explains_the_cut_after_it() -> None:
    async with faulty_agent(answers({"error": "RESOURCE_EXHAUSTED", "reply": "sorry"})) as agent:
        (trace,) = await run(StillAgent(agent.url), [case()], options=FULL, retries=0)
    assert isinstance(trace.outcome, Throttled)
    assert trace.turns[0].ended == "failed"
    assert trace.turns[0].events
