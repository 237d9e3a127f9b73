"""Trials are scored while others run: side by side where scoring waits for a judge, else one by one."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from gate.model.run import TrialRecord
from gate.model.trace import Trace
from gate.scales import Scales

SIDE_BY_SIDE: Final = 32
"""Trials that are being scored at once; the agent waits while there are so many."""


class Weighing:
    """Scores what it is given; `scored` is told each trial, `unscored` what no time was left for.

    When it is left normally, or because the agent went down, it waits for what is being scored. A cancelled
    run waits for nothing.
    """

    def __init__(
        self,
        scales: Scales,
        scored: Callable[[Trace, TrialRecord], None],
        unscored: Callable[[Trace], None],
    ) -> None:
        self._scales = scales
        self._scored = scored
        self._unscored = unscored
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def put(self, trace: Trace) -> None:
        """Score a trial, now or soon; raises what an earlier one has raised."""
        if not self._scales.waits:
            self._scored(trace, await self._scales.put(trace))
            return
        while len(self._tasks) >= SIDE_BY_SIDE:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
            self._reap()
        self._tasks.add(asyncio.create_task(self._weigh(trace)))
        self._reap()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            while self._tasks and (kind is None or issubclass(kind, Exception)):
                await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
                self._reap()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._tasks.clear()

    async def _weigh(self, trace: Trace) -> None:
        try:
            record = await self._scales.put(trace)
        except asyncio.CancelledError:
            self._unscored(trace)
            raise
        self._scored(trace, record)

    def _reap(self) -> None:
        for task in [task for task in self._tasks if task.done()]:
            self._tasks.discard(task)
            task.result()
