"""Exchanges by httpx, which knows proxies: the only module that imports it."""

import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeAlias

import httpx

from gate.http.engine import CONNECT_WITHIN_S, REUSE_WITHIN_S, Answer, Headers
from gate.http.errors import BadBody, Cut, HttpError, NotConnected, Slow, TooBig, cause, shown

Transport: TypeAlias = httpx.AsyncBaseTransport


class Proxied:
    """An engine that uses the proxies of the environment, or a transport that is given."""

    def __init__(
        self,
        headers: Headers,
        timeout_s: float,
        transport: Transport | None,
        context: ssl.SSLContext,
        *,
        trust_env: bool = True,
    ) -> None:
        self._timeout_s = timeout_s
        self._client = httpx.AsyncClient(
            headers=dict(headers),
            timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_WITHIN_S)),
            limits=httpx.Limits(keepalive_expiry=REUSE_WITHIN_S),
            verify=context,
            trust_env=trust_env,
            transport=transport,
        )

    @asynccontextmanager
    async def exchange(
        self, method: str, url: str, headers: Headers, content: bytes | None
    ) -> AsyncIterator[Answer]:
        with _named(url, self._timeout_s):
            request = self._client.build_request(method, url, content=content, headers=dict(headers))
            response = await self._client.send(request, stream=True)
        raw = self._raw(response, url)
        try:
            yield Answer(response.status_code, response.headers, raw)
        finally:
            await raw.aclose()
            await response.aclose()

    def forget(self) -> None:
        self._client.cookies.clear()

    async def close(self) -> None:
        await self._client.aclose()

    async def _raw(self, response: httpx.Response, url: str) -> AsyncGenerator[bytes, None]:
        with _named(url, self._timeout_s, answering=True):
            async for chunk in response.aiter_raw():
                yield chunk


@contextmanager
def _named(url: str, timeout_s: float, *, answering: bool = False) -> Iterator[None]:
    """Turn httpx's exceptions into ours; `answering` says that the head of the answer has come."""
    try:
        yield
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise NotConnected(f"cannot connect to {shown(url)}: {cause(error)}") from error
    except httpx.TimeoutException as error:
        raise Slow(f"{shown(url)} was silent for {timeout_s:g} s") from error
    except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
        raise _broken(error, url, answering=answering) from error
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise HttpError(f"the request to {shown(url)} cannot be sent: {cause(error)}") from error


def _broken(error: httpx.TransportError, url: str, *, answering: bool) -> HttpError:
    if answering:
        return Cut(f"{shown(url)} cut its answer off: {cause(error)}")
    if isinstance(error, httpx.NetworkError) or str(error).startswith("Server disconnected"):
        return NotConnected(
            f"{shown(url)} closed the connection without an answer: {cause(error)}", sent=True
        )
    if _hint(error) == httpx.codes.REQUEST_HEADER_FIELDS_TOO_LARGE:
        return TooBig(f"the headers of {shown(url)} exceed 100 KiB")
    return BadBody(f"{shown(url)} did not answer in HTTP: {cause(error)}")


def _hint(error: BaseException | None) -> int:
    """h11's own verdict, at the end of the chain of causes; 0 where it gives none."""
    while error is not None and not hasattr(error, "error_status_hint"):
        error = error.__cause__ or error.__context__
    return int(getattr(error, "error_status_hint", 0))
