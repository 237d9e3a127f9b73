"""The runner: many trials, bounded concurrency, one trace each, as they end."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import replace

from gate.drive.life import Life, obituary
from gate.drive.outbox import Outbox
from gate.drive.protocol import AgentProtocol, Recordings
from gate.drive.trial import Bench, try_case, unrun
from gate.drive.units import Plan, Unit, alone, grouped, unmet
from gate.errors import UsageError
from gate.http import Client
from gate.http.pace import Pace
from gate.model.agent import Agent
from gate.model.case import Case
from gate.model.config import AgentConfig, RunConfig
from gate.model.trace import Crashed, Outcome, Refused, Trace
from gate.redact import Redactor


async def drive(
    agent: Agent,
    config: AgentConfig,
    run: RunConfig,
    plan: Plan,
    redact: Redactor,
    *,
    pace: Pace | None = None,
) -> AsyncGenerator[Trace, None]:
    """Run the plan and yield each trial's trace when it ends; may be called again with another plan.

    Cases that stand alone run side by side, `run.concurrency` at a time; then the groups run one after the
    other. A cancellation stops everything, and traces that were finished are still yielded before it goes
    on. Iterate it inside `contextlib.aclosing` when leaving early. `run.rate_per_s` counts turns (see
    Pace). Raises UsageError for an unknown protocol, and BadInput for recordings that cannot be read.
    """
    protocol = protocol_of(config, agent)
    if isinstance(protocol, Recordings):
        for case, trials in plan:
            for trial in trials:
                yield protocol.trace(case, trial, redact)
        return
    bench = Bench(protocol=protocol, agent=agent, run=run, redact=redact, pace=pace or Pace(run.rate_per_s))
    outbox = Outbox(2 * run.concurrency)
    work = asyncio.create_task(_Crew(bench, outbox).work(plan))
    work.add_done_callback(lambda _: outbox.close())
    try:
        while (trace := await outbox.take()) is not None:
            yield trace
        await _outcome(work)
    except asyncio.CancelledError:
        await _stop(work)
        for trace in outbox.rest():
            yield trace
        raise
    finally:
        await _stop(work)


def protocol_of(config: AgentConfig, agent: Agent) -> AgentProtocol | Recordings:
    """The config's row of PROTOCOLS for this agent; raises UsageError."""
    from gate.drive import PROTOCOLS  # the table imports its rows, and the package imports this module

    if config.protocol not in PROTOCOLS:
        known = ", ".join(sorted(PROTOCOLS))
        raise UsageError(f"there is no protocol {config.protocol!r}", hint=f"write one of {known}")
    return PROTOCOLS[config.protocol](config, agent)


async def _outcome(work: asyncio.Task[None]) -> None:
    """Raise what the workers raised: the first of them, for it cancelled the others."""
    try:
        await work
    except ExceptionGroup as group:
        raise group.exceptions[0] from group


async def _stop(work: asyncio.Task[None]) -> None:
    """End the work; another cancellation meanwhile changes nothing: traces that are finished must be kept."""
    work.cancel()
    while not work.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([work])


class _Crew:
    """The workers of one drive."""

    def __init__(self, bench: Bench, outbox: Outbox) -> None:
        self._bench = bench
        self._outbox = outbox
        self._life = Life(bench.agent)

    async def work(self, plan: Plan) -> None:
        """Run every trial of the plan."""
        pending = deque(alone(plan))
        while pending and not await self._life.revive():
            for suspect in await self._side_by_side(pending):
                await self._once_more(suspect)
        for unit in [*pending, *grouped(plan)]:
            await self._in_order(unit)

    async def _side_by_side(self, pending: deque[Unit]) -> list[Unit]:
        """Work until nothing is pending or the agent died; returns the units that were in flight then."""
        suspects: list[Unit] = []
        async with asyncio.TaskGroup() as workers:
            for _ in range(min(self._bench.run.concurrency, len(pending))):
                workers.create_task(self._worker(pending, suspects))
        return suspects

    async def _worker(self, pending: deque[Unit], suspects: list[Unit]) -> None:
        async with self._client() as client:
            while pending and not suspects:
                unit = pending.popleft()
                await self._outbox.reserve()
                tried = await try_case(self._bench, client, unit.cases[0], unit.trial)
                if tried.death:
                    self._outbox.give_back()
                    suspects.append(unit)
                else:
                    self._outbox.put(tried.trace)

    async def _once_more(self, unit: Unit) -> None:
        """Run a trial that was in flight when the agent died, alone: another death is this trial's fault."""
        await self._outbox.reserve()
        over = await self._life.revive()
        async with self._client() as client:
            trace = await self._trace(client, unit.cases[0], unit.trial, over)
        self._outbox.put(replace(trace, retries=trace.retries + 1))

    async def _in_order(self, unit: Unit) -> None:
        """Run one trial of a group, alone: the case during which the agent dies is to blame."""
        over = await self._life.renew()
        ended: dict[str, Outcome] = {}
        async with self._client() as client:
            for case in unit.cases:
                await self._outbox.reserve()
                why = over or unmet(case, ended) or self._bereft(ended)
                trace = await self._trace(client, case, unit.trial, why)
                ended[case.id] = trace.outcome
                self._outbox.put(trace)

    async def _trace(self, client: Client, case: Case, trial: int, unable: Outcome | None) -> Trace:
        if unable:
            return unrun(self._bench, case, trial, unable)
        tried = await try_case(self._bench, client, case, trial)
        if not tried.death:
            return tried.trace
        reason = self._bench.redact.text(f"the agent died in this trial: {obituary(tried.death)}")
        return replace(tried.trace, outcome=Crashed(reason=reason))

    def _bereft(self, ended: dict[str, Outcome]) -> Refused | None:
        """Why the rest of a group is not run: what its cases share went with the agent."""
        if not ended or self._bench.agent.death() is None:
            return None
        return Refused(
            reason=f"not run: the agent died in {list(ended)[-1]!r}, and with it what this case builds on"
        )

    def _client(self) -> Client:
        return Client(
            headers=self._bench.agent.headers,
            timeout_s=self._bench.run.trial_timeout_s,
            redact=self._bench.redact,
        )
