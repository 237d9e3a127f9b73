"""The order of the stages: boot the agent, drive the suite against it, score, compare, publish."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from gate import __version__
from gate.boot import boot
from gate.documents import write_text
from gate.drive import drive
from gate.errors import AgentDown, UsageError
from gate.git import commit_of
from gate.model.case import Case, Side
from gate.model.derived import tokens_of
from gate.model.run import Meta, Report, TrialRecord
from gate.model.trace import Refused, Throttled, Trace
from gate.publish import SINKS
from gate.results import LOG_FILE, Results
from gate.scales import Scales
from gate.suite import Suite

_SURFACES = tuple(sink.file for sink in SINKS.values())
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Watcher(Protocol):
    """Who is told how the run goes on: a terminal, or a log."""

    def planned(self, suite: Suite) -> None:
        """The plan, before the agent is booted."""

    def measured(self, record: TrialRecord, side: Side) -> None:
        """One trial has been scored, of the case as this side has it."""


@dataclass(slots=True)
class _Course:
    """What happened on the way; filled in as the run goes."""

    run: str
    started: datetime
    clock: float
    agent_down: str = ""
    hint: str = ""
    log_tail: str = ""
    signal: int = 0
    measured: int = 0
    retries: int = 0
    tokens: int | None = None


async def run(suite: Suite, out: Path, watch: Watcher) -> tuple[Report, int]:
    """Run a checked suite to its verdict, write the run's folder; returns the report and the signal, if any.

    A signal or a dead agent ends the measuring, not the run: what was measured is judged and written.
    """
    course = _begin()
    watch.planned(suite)
    _spare_recordings(suite, out)
    scales = Scales(suite)
    with Results(out, _SURFACES) as results, _interruptible(course):
        try:
            async with scales.ready(), aclosing(_driven(suite, out)) as traces:
                async for trace in traces:
                    record = await scales.put(trace)
                    results.add(trace, record)
                    _count(course, trace)
                    watch.measured(record, trace.side)
        except AgentDown as down:
            course.agent_down, course.hint, course.log_tail = down.message, down.hint, down.log_tail
        except asyncio.CancelledError:
            if not course.signal:
                raise
        report = _concluded(suite, scales, course, results)
    publish(report, out)
    return report, course.signal


async def grade(suite: Suite, traces: Iterable[Trace], out: Path) -> Report:
    """Score recorded traces again, with this suite's cases, metrics and rules."""
    course = _begin()
    scales = Scales(suite)
    with Results(out, _SURFACES) as results:
        async with scales.ready():
            for trace in traces:
                results.add(trace, await scales.put(trace))
                _count(course, trace)
        report = _concluded(suite, scales, course, results)
    publish(report, out)
    return report


def _concluded(suite: Suite, scales: Scales, course: "_Course", results: Results) -> Report:
    report = scales.conclude(_meta(suite, course))
    results.write_run(report, suite.head.case_facts)
    return report


def publish(report: Report, out: Path) -> None:
    """Write every surface of a report into the run's folder."""
    for sink in SINKS.values():
        write_text(out / sink.file, sink.render(report))


def _spare_recordings(suite: Suite, out: Path) -> None:
    """Refuse a run whose own files would take the place of the recordings that it replays."""
    agent = suite.config.agent
    recordings = Path(str(agent.options.get("traces")))
    if agent.protocol == "replay" and recordings.resolve().parent == out.resolve():
        reason = f"{recordings} is replayed, and the files of this run would overwrite it"
        hint = "Choose another folder with --out, or move the recordings."
        raise UsageError(reason, hint=hint)


async def _driven(suite: Suite, out: Path) -> AsyncGenerator[Trace, None]:
    """The traces of all trials: of the base's text where that is another one, then of the head's."""
    config = suite.config
    numbers = tuple(range(1, config.run.trials + 1))
    booted = boot(config.agent.boot, root=Path(config.root), log=out / LOG_FILE, redact=suite.redact)
    async with booted as agent:
        for side, cases in _sides(suite):
            plan = tuple((case, numbers) for case in cases)
            async with aclosing(drive(agent, config.agent, config.run, plan, suite.redact)) as traces:
                async for trace in traces:
                    yield replace(trace, side=side)


def _sides(suite: Suite) -> Iterator[tuple[Side, tuple[Case, ...]]]:
    """The base's cases come first: an agent that cannot be restarted has not met the head's new ones then."""
    if suite.apart:
        yield "base", suite.apart
    yield "head", suite.cases


def _begin() -> _Course:
    return _Course(run=os.urandom(6).hex(), started=datetime.now(UTC), clock=time.monotonic())


def _count(course: _Course, trace: Trace) -> None:
    course.measured += not isinstance(trace.outcome, Throttled | Refused)
    course.retries += trace.retries
    tokens = tokens_of(trace.events)
    if tokens is not None:
        course.tokens = (course.tokens or 0) + tokens


def _meta(suite: Suite, course: _Course) -> Meta:
    config = suite.config
    root = Path(config.root)
    inputs = {Path(config.file), *(Path(facts.place.file) for facts in suite.head.case_facts)}
    return Meta(
        run=course.run,
        gate=__version__,
        started_at=course.started.isoformat(timespec="seconds"),
        duration_s=round(time.monotonic() - course.clock, 3),
        config=config.file,
        protocol=config.agent.protocol,
        commit=commit_of(root, inputs, ignore=[root / config.baseline]),
        head=suite.commit,
        selection=suite.selection,
        env=suite.env,
        interrupted=bool(course.signal),
        agent_down=course.agent_down,
        hint=course.hint,
        log_tail=course.log_tail,
        planned_trials=(len(suite.cases) + len(suite.apart)) * config.run.trials,
        measured_trials=course.measured,
        retries=course.retries,
        tokens=course.tokens,
    )


@contextmanager
def _interruptible(course: _Course) -> Iterator[None]:
    """Turn a signal into the cancellation of the running task; another one cuts the agent's grace short.

    A SIGHUP that is ignored (nohup) stays ignored.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]

    def interrupt(number: int) -> None:
        course.signal = course.signal or number
        if task:
            task.cancel()

    for number in heeded:
        loop.add_signal_handler(number, interrupt, number)
    try:
        yield
    finally:
        for number in heeded:
            loop.remove_signal_handler(number)
