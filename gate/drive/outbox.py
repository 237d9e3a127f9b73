"""Finished traces on their way out."""

import asyncio

from gate.model.trace import Trace


class Outbox:
    """Holds at most `size` traces: a trial takes room before it starts, so that an ended one never waits."""

    def __init__(self, size: int) -> None:
        self._room = asyncio.Semaphore(size)
        self._traces: asyncio.Queue[Trace | None] = asyncio.Queue()

    async def reserve(self) -> None:
        """Wait until there is room for one more trace."""
        await self._room.acquire()

    def give_back(self) -> None:
        """Return the room of a trial that leaves no trace."""
        self._room.release()

    def put(self, trace: Trace) -> None:
        """Send a trace on its way."""
        self._traces.put_nowait(trace)

    def close(self) -> None:
        """Nothing more will come."""
        self._traces.put_nowait(None)

    async def take(self) -> Trace | None:
        """The next trace, or None at the end."""
        trace = await self._traces.get()
        self._room.release()
        return trace

    def rest(self) -> list[Trace]:
        """What has not been taken yet."""
        traces = []
        while not self._traces.empty():
            if trace := self._traces.get_nowait():
                traces.append(trace)
        return traces
