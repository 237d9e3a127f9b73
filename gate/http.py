"""HTTP with deadlines, size caps and error names of our own: the only module that imports httpx.

Redirects are never followed, a status is never an error, and no proxy is used unless `trust_env` is set.
"""

import json as jsonlib
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self, TypeAlias

import httpx

from gate.body import BadBody, Cut, HttpError, NotConnected, Slow, TooBig, decode_text, parse_json
from gate.model import Json
from gate.network import check_proxies
from gate.redact import Redactor
from gate.tls import tls_context

__all__ = [
    "MIB",
    "BadBody",
    "Client",
    "Cut",
    "HttpError",
    "NotConnected",
    "Response",
    "Slow",
    "Streamed",
    "TooBig",
    "Transport",
    "decode_text",
    "parse_json",
]

Transport: TypeAlias = httpx.AsyncBaseTransport
MIB = 1024 * 1024
# uvicorn and Node close idle connections after 5 s; a request sent at that moment is lost without an answer.
_REUSE_WITHIN_S = 2.0
_CONNECT_WITHIN_S = 10.0
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Response:
    """An answer that was read whole; header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as strict UTF-8; raises BadBody."""
        return decode_text(self.body)

    def json(self) -> Json:
        """The body as JSON (see parse_json); raises BadBody."""
        return parse_json(self.text.removeprefix("\ufeff"))


@dataclass(frozen=True, slots=True)
class Streamed:
    """An answer whose body is still arriving; header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: AsyncIterator[bytes]

    def chunks(self) -> AsyncIterator[bytes]:
        """The decoded body as it arrives, once; raises Cut, Slow, TooBig or BadBody."""
        return self.body

    async def read(self) -> Response:
        """The rest of the body as one Response."""
        body = b"".join([chunk async for chunk in self.body])
        return Response(self.status, self.headers, body)


class Client:
    """Talks HTTP for one worker: give each its own, a shared pool slows down with every task that waits.

    `timeout_s` bounds each wait for the next byte, not the whole exchange; `max_bytes` caps a body after
    decompression. All headers of an answer together are capped at 100 KiB. `redact` is
    for protocols that cut what came before it is recorded.
    """

    def __init__(
        self,
        *,
        headers: Mapping[str, str] = _NOTHING,
        timeout_s: float = 120,
        max_bytes: int = 32 * MIB,
        trust_env: bool = False,
        transport: Transport | None = None,
        redact: Redactor | None = None,
    ) -> None:
        if trust_env:
            check_proxies()
        self.redact = redact or Redactor()
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s
        self._client = httpx.AsyncClient(
            headers=_encoded({"user-agent": "agent-gate", "accept-encoding": "gzip", **headers}),
            timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_WITHIN_S)),
            limits=httpx.Limits(keepalive_expiry=_REUSE_WITHIN_S),
            verify=tls_context(),
            trust_env=trust_env,
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.aclose()

    def forget(self) -> None:
        """Drop the cookies: a fresh session must not be recognised as the one before."""
        self._client.cookies.clear()

    async def request(
        self,
        method: str,
        url: str,
        *,
        json: Json = None,
        headers: Mapping[str, str] = _NOTHING,
    ) -> Response:
        """One exchange with the whole body; raises an HttpError, never on a status."""
        async with self.stream(method, url, json=json, headers=headers) as streamed:
            return await streamed.read()

    def stream(
        self, method: str, url: str, *, json: Json = None, headers: Mapping[str, str] = _NOTHING
    ) -> AbstractAsyncContextManager[Streamed]:
        """One exchange whose body is read as it comes; raises an HttpError, never on a status."""
        return self._open(method, url, _content(json), headers)

    @asynccontextmanager
    async def _open(
        self, method: str, url: str, content: bytes | None, headers: Mapping[str, str]
    ) -> AsyncIterator[Streamed]:
        kind = {} if content is None else {"content-type": "application/json"}
        sent = _encoded({**kind, **headers})
        with _named(url, self._timeout_s):
            request = self._client.build_request(method, url, content=content, headers=sent)
            response = await self._client.send(request, stream=True)
        body = self._body(response, url)
        try:
            yield Streamed(response.status_code, response.headers, body)
        finally:
            await body.aclose()
            await response.aclose()

    async def _body(self, response: httpx.Response, url: str) -> AsyncGenerator[bytes, None]:
        decode = _decoder(response.headers.get("content-encoding", ""), self._max_bytes)
        size = 0
        with _named(url, self._timeout_s, answering=True):
            async for raw in response.aiter_raw():
                chunk = decode(raw)
                size += len(chunk)
                if size > self._max_bytes:
                    raise TooBig(f"the answer of {_shown(url)} exceeds {self._max_bytes:,} bytes")
                if chunk:
                    yield chunk


def _content(json: Json) -> bytes | None:
    return None if json is None else jsonlib.dumps(json, allow_nan=False, separators=(",", ":")).encode()


def _encoded(headers: Mapping[str, str]) -> dict[bytes, bytes]:
    return {name.lower().encode(): value.encode() for name, value in headers.items()}


def _decoder(encoding: str, limit: int) -> Callable[[bytes], bytes]:
    """Undo a content encoding; one call never gives more than `limit` + 1 bytes, however well packed."""
    match encoding.strip().lower():
        case "" | "identity":
            return bytes
        case "gzip" | "x-gzip" | "deflate":
            inflate = zlib.decompressobj(wbits=47)  # 32 + 15: the header tells gzip from zlib
            return lambda raw: inflate.decompress(raw, limit + 1)
        case _:
            raise BadBody(f"content-encoding is {encoding!r} although only gzip was asked for")


@contextmanager
def _named(url: str, timeout_s: float, *, answering: bool = False) -> Iterator[None]:
    """Turn httpx's exceptions into ours; `answering` says that the head of the answer has come."""
    try:
        yield
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise NotConnected(f"cannot connect to {_shown(url)}: {_cause(error)}") from error
    except httpx.TimeoutException as error:
        raise Slow(f"{_shown(url)} was silent for {timeout_s:g} s") from error
    except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
        raise _broken(error, url, answering=answering) from error
    except zlib.error as error:
        raise BadBody(f"the answer of {_shown(url)} is not valid gzip: {error}") from error
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise HttpError(f"the request to {_shown(url)} cannot be sent: {_cause(error)}") from error


def _broken(error: httpx.TransportError, url: str, *, answering: bool) -> HttpError:
    if answering:
        return Cut(f"{_shown(url)} cut its answer off: {_cause(error)}")
    if isinstance(error, httpx.NetworkError) or str(error).startswith("Server disconnected"):
        return NotConnected(
            f"{_shown(url)} closed the connection without an answer: {_cause(error)}", sent=True
        )
    if _hint(error) == httpx.codes.REQUEST_HEADER_FIELDS_TOO_LARGE:
        return TooBig(f"the headers of {_shown(url)} exceed 100 KiB")
    return BadBody(f"{_shown(url)} did not answer in HTTP: {_cause(error)}")


def _hint(error: BaseException | None) -> int:
    """h11's own verdict, at the end of the chain of causes; 0 where it gives none."""
    while error is not None and not hasattr(error, "error_status_hint"):
        error = error.__cause__ or error.__context__
    return int(getattr(error, "error_status_hint", 0))


def _cause(error: Exception) -> str:
    """Some messages of httpx are empty; its class names read well enough."""
    return str(error) or type(error).__name__


def _shown(url: str) -> str:
    """Without the query, where people put keys."""
    return url.partition("?")[0]
