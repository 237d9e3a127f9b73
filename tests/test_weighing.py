"""Trials are scored one by one, or side by side where scoring waits for somebody."""

import asyncio
from typing import Any

import pytest

from gate.errors import AgentDown
from gate.model.run import TrialRecord
from gate.model.trace import Completed, Trace
from gate.weighing import SIDE_BY_SIDE, Weighing


class FakeScales:
    """Scores when it is told to."""

    def __init__(self, *, waits: bool) -> None:
        self.waits = waits
        self.open = asyncio.Event()
        self.running = self.most = 0

    async def put(self, trace: Trace) -> TrialRecord:
        self.running += 1
        self.most = max(self.most, self.running)
        if self.waits:
            await self.open.wait()
        self.running -= 1
        if trace.case == "bug":
            raise ZeroDivisionError
        return TrialRecord(case=trace.case, trial=trace.trial, outcome=Completed(), scores={})


def a_trace(number: int, case: str = "a") -> Trace:
    return Trace(case=case, trial=number, session="s", turns=(), outcome=Completed(), exposes=())


class Desk:
    """Takes down what was scored, and what was not."""

    def __init__(self, *, waits: bool = True) -> None:
        self.scales: Any = FakeScales(waits=waits)
        self.done: list[int] = []
        self.left: list[int] = []

    def weighing(self) -> Weighing:
        return Weighing(
            self.scales,
            lambda trace, _: self.done.append(trace.trial),
            lambda trace: self.left.append(trace.trial),
        )


async def test_where_nothing_waits_each_trial_is_scored_at_once() -> None:
    desk = Desk(waits=False)
    async with desk.weighing() as weighing:
        for number in range(5):
            await weighing.put(a_trace(number))
            assert desk.done == [*range(number + 1)]
    assert desk.scales.most == 1


async def test_where_scoring_waits_trials_are_scored_side_by_side_up_to_a_limit() -> None:
    desk = Desk()
    async with desk.weighing() as weighing:
        for number in range(SIDE_BY_SIDE):
            await weighing.put(a_trace(number))
        more = asyncio.create_task(weighing.put(a_trace(SIDE_BY_SIDE)))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not more.done()
        desk.scales.open.set()
        await more
    assert sorted(desk.done) == [*range(SIDE_BY_SIDE + 1)]
    assert desk.scales.most == SIDE_BY_SIDE
    assert not desk.left


async def test_what_is_being_scored_is_waited_for_when_the_agent_goes_down() -> None:
    desk = Desk()
    with pytest.raises(AgentDown):  # noqa: PT012  # the block is what it ends
        async with desk.weighing() as weighing:
            await weighing.put(a_trace(1))
            asyncio.get_running_loop().call_soon(desk.scales.open.set)
            raise AgentDown("gone")
    assert desk.done == [1]


async def test_a_cancelled_run_waits_for_nothing_and_keeps_the_traces() -> None:
    desk = Desk()

    async def run() -> None:
        async with desk.weighing() as weighing:
            await weighing.put(a_trace(1))
            await weighing.put(a_trace(2))
            await asyncio.Event().wait()

    task = asyncio.create_task(run())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(desk.left) == [1, 2]
    assert not desk.done


async def test_a_bug_in_scoring_is_no_verdict() -> None:
    desk = Desk()
    desk.scales.open.set()
    with pytest.raises(ZeroDivisionError):  # noqa: PT012  # it comes at the end of the block
        async with desk.weighing() as weighing:
            await weighing.put(a_trace(1, "bug"))
            await weighing.put(a_trace(2))
