"""The order of the stages: boot the agent, drive the suite against it, score, compare, publish."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from gate.boot import boot
from gate.course import Course
from gate.documents import write_text
from gate.drive import about, drive
from gate.errors import AgentDown, UsageError
from gate.model.case import Case, Side
from gate.model.run import TrialRecord
from gate.model.trace import Trace
from gate.model.verdict import Report
from gate.publish import SINKS
from gate.redact import Redactor
from gate.results import LOG_FILE, RUN_FILE, TRACES_FILE, Results
from gate.scales import Scales
from gate.suite import Suite
from gate.weighing import Weighing

_SURFACES = tuple(sink.file for sink in SINKS.values())


class Watcher(Protocol):
    """Who is told how the run goes on: a terminal, or a log."""

    def planned(self, suite: Suite) -> None:
        """The plan, before the agent is booted."""

    def measured(self, record: TrialRecord, side: Side) -> None:
        """One trial has been scored, of the case as this side has it."""


async def run(suite: Suite, out: Path, watch: Watcher) -> tuple[Report, int]:
    """Run a checked suite to its verdict, write the run's folder; returns the report and the signal, if any.

    A signal or a dead agent ends the measuring, not the run: what was measured is judged and written.
    """
    course = Course(suite, _own(out))
    watch.planned(suite)
    _spare_recordings(suite, out)
    scales = Scales(suite)
    with Results(out, _SURFACES, suite.redact.sweep) as results, course.interruptible():

        def scored(trace: Trace, record: TrialRecord) -> None:
            results.add(trace, record)
            watch.measured(record, trace.side)

        try:
            async with (
                scales.ready(),
                aclosing(_driven(suite, out, course)) as traces,
                Weighing(scales, scored, results.keep) as weighing,
            ):
                async for trace in traces:
                    course.count(trace)
                    await weighing.put(trace)
        except AgentDown as down:
            course.down = down
        except asyncio.CancelledError:
            if not course.signal:
                raise
        report = _concluded(suite, scales, course, results)
    publish(report, out, suite.redact)
    return report, course.signal


async def generate(suite: Suite, out: Path, kept: Callable[[Trace], None]) -> int:
    """Run a checked suite and write nothing but its traces and the agent's log; returns the signal, if any.

    `kept` is told each trace that is on disk. Raises AgentDown.
    """
    course = Course(suite, _own(out))
    _spare_recordings(suite, out)
    with Results(out, _SURFACES, suite.redact.sweep) as results, course.interruptible():
        try:
            async with aclosing(_driven(suite, out, course)) as traces:
                async for trace in traces:
                    results.keep(trace)
                    kept(trace)
        except asyncio.CancelledError:
            if not course.signal:
                raise
    return course.signal


async def grade(suite: Suite, traces: Iterable[Trace], out: Path) -> Report:
    """Score recorded traces again, with this suite's cases, metrics and rules."""
    course = Course(suite, _own(out))
    scales = Scales(suite)
    with Results(out, _SURFACES, suite.redact.sweep) as results:
        async with scales.ready(), Weighing(scales, results.add, results.keep) as weighing:
            for trace in traces:
                course.count(trace)
                await weighing.put(trace)
        report = _concluded(suite, scales, course, results)
    publish(report, out, suite.redact)
    return report


def _own(out: Path) -> Iterator[Path]:
    """What a run writes: where somebody committed it, the work tree is no other for that."""
    yield from (out / name for name in (RUN_FILE, TRACES_FILE, LOG_FILE, *_SURFACES))


def _concluded(suite: Suite, scales: Scales, course: Course, results: Results) -> Report:
    report = scales.conclude(course.meta())
    for track in suite.tracks:
        for record in track.trials:
            results.record(record)
    results.write_run(report, suite.facts)
    return report


def publish(report: Report, out: Path, redact: Redactor) -> None:
    """Write every surface of a report into the run's folder."""
    for sink in SINKS.values():
        write_text(out / sink.file, redact.sweep(sink.render(report)))


def _spare_recordings(suite: Suite, out: Path) -> None:
    """Refuse a run whose own files would take the place of the recordings that it replays."""
    agent = suite.config.agent
    recordings = Path(str(agent.options.get("traces")))
    if agent.protocol == "replay" and recordings.resolve().parent == out.resolve():
        reason = f"{recordings} is replayed, and the files of this run would overwrite it"
        hint = "Choose another folder with --out, or move the recordings."
        raise UsageError(reason, hint=hint)


async def _driven(suite: Suite, out: Path, course: Course) -> AsyncGenerator[Trace, None]:
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
        course.agent = await about(agent, config.agent, suite.redact)


def _sides(suite: Suite) -> Iterator[tuple[Side, tuple[Case, ...]]]:
    """The base's cases come first: an agent that cannot be restarted has not met the head's new ones then."""
    if suite.apart:
        yield "base", suite.apart
    yield "head", suite.cases
