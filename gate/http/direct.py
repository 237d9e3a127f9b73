"""Exchanges with the server itself, by h11 over asyncio: what an agent is reached by.

httpx would do, and costs a start 70 ms and each request a millisecond; its proxies are none of an agent's.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

import h11

from gate.http.address import Address, address_of
from gate.http.engine import REUSE_WITHIN_S, Answer, Headers
from gate.http.errors import BadBody, Cut, HttpError, NotConnected, Slow, TooBig, cause, shown
from gate.http.pipe import Lost, Pipe
from gate.tls import tls_context

if TYPE_CHECKING:
    from gate.http.cookies import Cookies

_TOO_LARGE = 431


class Direct:
    """An engine that keeps each connection for the next exchange with the same origin."""

    def __init__(self, headers: Headers, timeout_s: float) -> None:
        self._headers = {b"accept": b"*/*", **headers, b"connection": b"keep-alive"}
        self._timeout_s = timeout_s
        self._idle: list[Pipe] = []
        self._cookies: Cookies | None = None

    @asynccontextmanager
    async def exchange(
        self, method: str, url: str, headers: Headers, content: bytes | None
    ) -> AsyncIterator[Answer]:
        address = address_of(url)
        pipe = await self._pipe(address, url)
        try:
            with _named(url, self._timeout_s):
                pipe.send(self._request(method, url, address, headers, content), content or b"")
                head = await _head(pipe)
            raw = self._raw(pipe, url)
            self._keep_cookies(url, head)
            try:
                yield Answer(head.status_code, _joined(head), raw)
            finally:
                await raw.aclose()
        finally:
            if pipe.release():
                self._idle.append(pipe)
            else:
                pipe.close()

    def forget(self) -> None:
        self._cookies = None

    async def close(self) -> None:
        while self._idle:
            self._idle.pop().close()
        await asyncio.sleep(0)  # a transport that was aborted closes its socket in the loop's next round

    async def _pipe(self, address: Address, url: str) -> Pipe:
        origin = address.origin
        kept, self._idle = self._idle, []
        found: Pipe | None = None
        oldest = asyncio.get_running_loop().time() - REUSE_WITHIN_S
        for pipe in kept:
            if not pipe.fit() or (pipe.idle_since or 0) < oldest:
                pipe.close()
            elif found is None and pipe.origin == origin:
                found = pipe
            else:
                self._idle.append(pipe)
        if found:
            return found
        try:
            # Only here, because OpenSSL takes 20 ms to get ready.
            tls = tls_context() if origin.scheme == "https" else None
            return await Pipe.open(origin, self._timeout_s, tls)
        except (OSError, UnicodeError) as error:
            raise NotConnected(f"cannot connect to {shown(url)}: {cause(error)}") from error

    def _request(
        self, method: str, url: str, address: Address, headers: Headers, content: bytes | None
    ) -> h11.Request:
        sent = {b"host": address.host.encode(), **self._headers}
        if address.authorization:
            sent[b"authorization"] = address.authorization.encode()
        if content is not None:
            sent[b"content-length"] = b"%d" % len(content)
        if self._cookies and (cookie := self._cookies.header(url)):
            sent[b"cookie"] = cookie.encode()
        sent |= headers
        return h11.Request(method=method, target=address.target, headers=[*sent.items()])

    def _keep_cookies(self, url: str, head: h11.Response) -> None:
        if lines := [value.decode("latin-1") for name, value in head.headers if name == b"set-cookie"]:
            from gate.http.cookies import Cookies  # few agents set one

            self._cookies = self._cookies or Cookies()
            self._cookies.take(url, lines)

    async def _raw(self, pipe: Pipe, url: str) -> AsyncGenerator[bytes, None]:
        with _named(url, self._timeout_s, answering=True):
            while isinstance(event := await pipe.event(), h11.Data):
                yield bytes(event.data)


async def _head(pipe: Pipe) -> h11.Response:
    """The answer's head, after any that only informs (RFC 9110, 15.2)."""
    while not isinstance(event := await pipe.event(), h11.Response):
        pass
    return event


def _joined(head: h11.Response) -> dict[str, str]:
    """Headers as text; one that comes more than once is a list (RFC 9110, 5.3)."""
    joined: dict[str, str] = {}
    for name, value in head.headers:
        key, text = name.decode("ascii"), _text(value)
        joined[key] = f"{joined[key]}, {text}" if key in joined else text
    return joined


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


@contextmanager
def _named(url: str, timeout_s: float, *, answering: bool = False) -> Iterator[None]:
    """Turn what goes wrong into our errors; `answering` says that the head of the answer has come."""
    try:
        yield
    except TimeoutError as error:
        raise Slow(f"{shown(url)} was silent for {timeout_s:g} s") from error
    except Lost as error:
        raise _lost(error, url, answering=answering) from error
    except h11.RemoteProtocolError as error:
        raise _broken(error, url, answering=answering) from error
    except (h11.LocalProtocolError, UnicodeError) as error:
        raise HttpError(f"the request to {shown(url)} cannot be sent: {cause(error)}") from error


def _lost(error: Lost, url: str, *, answering: bool) -> HttpError:
    why = f": {error}" if str(error) else ""
    if answering:
        return Cut(f"{shown(url)} cut its answer off{why}")
    return NotConnected(f"{shown(url)} closed the connection without an answer{why}", sent=True)


def _broken(error: h11.RemoteProtocolError, url: str, *, answering: bool) -> HttpError:
    if answering:
        return Cut(f"{shown(url)} cut its answer off: {cause(error)}")
    if error.error_status_hint == _TOO_LARGE:
        return TooBig(f"the headers of {shown(url)} exceed 100 KiB")
    return BadBody(f"{shown(url)} did not answer in HTTP: {cause(error)}")
