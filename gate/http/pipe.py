"""One connection to a server: bytes out, and the events that h11 reads in what comes back."""

import asyncio
import ssl

import h11

from gate.http.address import Origin
from gate.http.engine import CONNECT_WITHIN_S
from gate.http.errors import cause

_MOST_HEAD = 100 * 1024


class Lost(Exception):
    """The other side closed or reset the connection; the message says which where the system does."""


class Pipe(asyncio.Protocol):
    """A connection of HTTP/1.1. Whatever comes while nothing was asked makes it unfit for another request."""

    def __init__(self, origin: Origin, timeout_s: float) -> None:
        self.origin = origin
        self.idle_since: float | None = None
        self._timeout_s = timeout_s
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MOST_HEAD)
        self._transport: asyncio.Transport
        self._waiter: asyncio.Future[None] | None = None
        self._ended = False
        self._lost: Exception | None = None

    @classmethod
    async def open(cls, origin: Origin, timeout_s: float, tls: ssl.SSLContext | None) -> "Pipe":
        """Connect; raises OSError, or TimeoutError."""
        pipe = cls(origin, timeout_s)
        async with asyncio.timeout(min(timeout_s, CONNECT_WITHIN_S)):
            await asyncio.get_running_loop().create_connection(
                lambda: pipe, origin.host, origin.port, ssl=tls, happy_eyeballs_delay=0.25
            )
        return pipe

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - asyncio's signature is wider
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._http.receive_data(data)
        if self._waiter is None:
            self._transport.pause_reading()  # nobody asks yet: hold the other side back
        self._wake()

    def eof_received(self) -> None:
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended, self._lost = True, exc
        self._wake()

    def send(self, request: h11.Request, content: bytes) -> None:
        """Begin an exchange; raises h11.LocalProtocolError for what no request may hold."""
        self.idle_since = None
        parts: list[h11.Event] = [request, h11.EndOfMessage()]
        if content:
            parts.insert(1, h11.Data(data=content))
        self._transport.write(b"".join(self._http.send(part) or b"" for part in parts))

    async def event(self) -> object:
        """What comes next; raises Lost, TimeoutError, or h11.RemoteProtocolError."""
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if not self._ended:
                await self._more()
            elif self._lost is not None or self._http.their_state is h11.SEND_RESPONSE:
                raise Lost(cause(self._lost) if self._lost else "")
            else:
                self._http.receive_data(b"")  # the end of a body without a length, if it is one
        return event

    def release(self) -> bool:
        """Make ready for another exchange; False where there can be none."""
        if self._ended or (self._http.our_state, self._http.their_state) != (h11.DONE, h11.DONE):
            return False
        self._http.start_next_cycle()
        self._transport.resume_reading()
        self.idle_since = asyncio.get_running_loop().time()
        return True

    def fit(self) -> bool:
        """Whether nothing came since it was released."""
        return not self._ended and not self._http.trailing_data[0]

    def close(self) -> None:
        """End it at once."""
        self._transport.abort()

    async def _more(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        self._transport.resume_reading()
        try:
            async with asyncio.timeout(self._timeout_s):
                await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
