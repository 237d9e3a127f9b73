"""One trial of one case: fresh sessions until one counts, under one deadline."""

import asyncio
from contextlib import AsyncExitStack, suppress
from dataclasses import replace

from gate.drive.outcome import failure_in, is_retryable, outcome_of
from gate.drive.pauses import answered, still_running, unexpected
from gate.drive.protocol import AgentProtocol, Conversation, Stopped
from gate.drive.recorder import Recorder
from gate.frozen import frozen
from gate.http import Client, Cut, HttpError, NotConnected
from gate.http.pace import Pace, backoff
from gate.model.agent import Agent, Death
from gate.model.case import Answers, Case, Turn
from gate.model.config import RunConfig
from gate.model.derived import described, left_open
from gate.model.trace import Completed, Event, Outcome, Pause, Paused, Throttled, TimedOut, Trace
from gate.redact import Redactor

GOODBYE_S = 2.0
"""How long closing a session may take after its trial has ended."""

USER, SET = "user", "set by the case"
"""How a change of the state that the case sends is told from the agent's own, as ADK's sessions tell it."""

_DEATH_SHOWS_WITHIN_S = 0.5
_DEATH_POLL_S = 0.02


@frozen
class Bench:
    """What all trials of a drive share."""

    protocol: AgentProtocol
    agent: Agent
    run: RunConfig
    redact: Redactor
    pace: Pace


@frozen
class Tried:
    """A trial's trace, and how the agent's process ended if it was found dead when the trial had failed."""

    trace: Trace
    death: Death | None


async def try_case(bench: Bench, client: Client, case: Case, number: int) -> Tried:
    """Run one trial; again from the start, in a fresh session, where a limit or the connection spoiled it.

    The deadline covers all attempts and the waits between them; waiting for a place of the rate limit is
    added to it. A trial that runs out of time because an earlier attempt was throttled is Throttled, not
    TimedOut.
    """
    deadline = asyncio.get_running_loop().time() + bench.run.trial_timeout_s
    throttled: Throttled | None = None
    retries = 0
    while True:
        attempt = _Attempt(bench, client, case, number, deadline)
        await attempt.run()
        deadline = attempt.deadline
        death = await _death(bench, attempt)
        if death or not attempt.retryable or retries >= bench.run.retries:
            break
        if isinstance(attempt.outcome, Throttled):
            throttled = attempt.outcome
        delay = backoff(retries + 1, attempt.asked_s)
        if delay >= (left := deadline - asyncio.get_running_loop().time()):
            attempt.remark(
                f"not tried again: that takes {delay:g} s, and the trial has {max(left, 0):.1f} s left"
            )
            break
        await bench.pace.sleep(delay)
        retries += 1
    if throttled and isinstance(attempt.outcome, TimedOut):
        attempt.outcome = throttled
        attempt.remark("trying again did not end within the trial's time")
    return Tried(trace=attempt.trace(retries), death=death)


def unrun(bench: Bench, case: Case, number: int, outcome: Outcome) -> Trace:
    """The trace of a trial that was not run."""
    return Trace(
        case=case.id,
        trial=number,
        session="",
        turns=(),
        outcome=replace(outcome, reason=bench.redact.text(outcome.reason)),
        exposes=bench.protocol.exposes,
        track=case.track,
        start_state=case.start_state,
    )


class _Attempt:
    """One fresh session, from its opening to its end. `asked_s` is the wait that the other side asks for."""

    def __init__(self, bench: Bench, client: Client, case: Case, number: int, deadline: float) -> None:
        self._bench = bench
        self._client = client
        self._case = case
        self._number = number
        self._recorder = Recorder(bench.redact)
        self._heard: list[Event] = []
        self._session = ""
        self._ended_ms = 0.0
        self.deadline = deadline
        self.outcome: Outcome = Completed()
        self.asked_s: float | None = None
        self.retryable = False
        self.lost = False

    async def run(self) -> None:
        """Hold the conversation; how it ended is in `outcome`. Never raises what the agent caused."""
        self._client.forget()
        stack = AsyncExitStack()
        try:
            await self._converse(stack)
        finally:
            self._ended_ms = self._recorder.ms()
            # A session that cannot be closed changes nothing that was measured, and must not hold the worker.
            with suppress(HttpError, Stopped, TimeoutError):
                async with asyncio.timeout(GOODBYE_S):
                    await stack.aclose()

    async def _converse(self, stack: AsyncExitStack) -> None:
        try:
            async with asyncio.timeout_at(self.deadline) as limit:
                opening = self._bench.protocol.converse(self._case, self._number, self._client)
                conversation = await stack.enter_async_context(opening)
                self._session = conversation.session
                self.outcome = await self._talk(conversation, limit)
                self._session = conversation.session
        except Stopped as stopped:
            self._fail(stopped)
        except HttpError as error:
            self.lost = isinstance(error, NotConnected | Cut)
            unheard = not self._recorder.turns and not self._heard
            self._fail(Stopped(outcome_of(error)), again=unheard and isinstance(error, NotConnected))
        except TimeoutError:
            limit_s = self._bench.run.trial_timeout_s
            self._fail(Stopped(TimedOut(reason=f"the trial did not end within {limit_s:g} s")))

    async def _talk(self, conversation: Conversation, limit: asyncio.Timeout) -> Outcome:
        pauses: tuple[Pause, ...] = ()
        jobs: tuple[Pause, ...] = ()
        for number, turn in enumerate(self._case.turns, 1):
            waiting = tuple({pause.id: pause for pause in (*jobs, *pauses)}.values())
            if isinstance(turn.sent, Answers) and (end := _unanswerable(turn.sent, waiting, number)):
                return end
            await self._place(limit)
            pauses = await self._exchange(conversation, turn, pauses, waiting)
            jobs = still_running(jobs, turn.sent, self._heard)
        left = unexpected(pauses, self._case.turns[-1].expect, self._case.expect)
        return Paused(reason=_unexpected(left)) if left else Completed()

    async def _place(self, limit: asyncio.Timeout) -> None:
        """Wait for a place of the rate limit; the trial's clock stands still meanwhile."""
        if limit.expired():  # the cancellation is on its way
            return
        limit.reschedule(None)
        waited = await self._bench.pace.place()
        self._recorder.skip(waited)
        self.deadline += waited
        limit.reschedule(self.deadline)

    async def _exchange(
        self, conversation: Conversation, turn: Turn, pauses: tuple[Pause, ...], answerable: tuple[Pause, ...]
    ) -> tuple[Pause, ...]:
        self._recorder.begin(turn.sent)
        if turn.state_delta:
            self._recorder.hear(Event(author=USER, state_delta=turn.state_delta, not_in_trajectory=SET))
        self._heard = []
        async for event in conversation.say(turn, answerable):
            self._heard.append(event)
            self._recorder.hear(event)
        if stopped := failure_in(self._heard, self._bench.protocol.exposes):
            raise stopped
        left = left_open(pauses, turn.sent, self._heard)
        self._recorder.end("paused" if left else "answered")
        return left

    def _fail(self, stopped: Stopped, *, again: bool = False) -> None:
        """End the open turn. A limit that its events reported explains what came after it, such as a cut."""
        reported = failure_in(self._heard, self._bench.protocol.exposes)
        if reported and isinstance(reported.outcome, Throttled):
            stopped = reported
        self.outcome = stopped.outcome
        self.asked_s = stopped.retry_after_s
        self.retryable = again or is_retryable(stopped.outcome)
        self._recorder.end("paused" if isinstance(stopped.outcome, Paused) else "failed")

    def remark(self, text: str) -> None:
        """Add to the outcome's reason."""
        self.outcome = replace(self.outcome, reason=f"{self.outcome.reason}; {text}")

    def trace(self, retries: int) -> Trace:
        """What was recorded, without secrets."""
        redact = self._bench.redact
        return Trace(
            case=self._case.id,
            trial=self._number,
            session=redact.text(self._session),
            turns=self._recorder.turns,
            outcome=replace(self.outcome, reason=redact.text(self.outcome.reason)),
            exposes=self._bench.protocol.exposes,
            track=self._case.track,
            start_state=self._case.start_state,
            retries=retries,
            duration_ms=self._ended_ms,
        )


def _unexpected(left: tuple[Pause, ...]) -> str:
    """What a case ended with although it does not say so, and the two ways to say so."""
    name = next(iter(dict.fromkeys(pause.tool or pause.name or pause.id for pause in left)))
    return (
        f"the agent waits for an answer to {described(left)}: answer it in another turn "
        f"(`- answer: {{{name}: approve}}`), or end the case with `pauses: {name}`"
    )


def _unanswerable(sent: Answers, pauses: tuple[Pause, ...], number: int) -> Outcome | None:
    """How a trial ends at a turn whose answers nobody waits for; None where somebody does."""
    wanted = f"turn {number} answers {', '.join(repr(answer.to) for answer in sent.answers)}"
    if not pauses:
        return Completed(
            reason=f"{wanted}, but the agent waits for nothing: it and what follows was not sent"
        )
    if not any(answered(pause, sent) for pause in pauses):
        return Paused(reason=f"{wanted}, but the agent waits for {described(pauses)}")
    return None


async def _death(bench: Bench, attempt: _Attempt) -> Death | None:
    """How the agent died, if it did and the attempt failed; an exit shows a moment after the connection."""
    if isinstance(attempt.outcome, Completed | Paused):
        return None
    waited = 0.0
    while attempt.lost and bench.agent.can_restart and waited < _DEATH_SHOWS_WITHIN_S:
        if bench.agent.death():
            break
        await bench.pace.sleep(_DEATH_POLL_S)
        waited += _DEATH_POLL_S
    return bench.agent.death()
