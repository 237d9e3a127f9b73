"""The client: caps, encodings, JSON and headers over an engine that moves the bytes."""

import json as jsonlib
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from gate.http.answer import Response, Streamed, decoder
from gate.http.direct import Direct
from gate.http.engine import Answer, Engine, Headers
from gate.http.errors import BadBody, TooBig, shown
from gate.model import Json
from gate.network import check_proxies
from gate.redact import Redactor
from gate.tls import tls_context, trusting

if TYPE_CHECKING:
    from gate.http.proxied import Transport

MIB = 1024 * 1024
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Client:
    """Talks HTTP for one worker; its exchanges follow each other.

    `timeout_s` bounds each wait for the next byte, not the whole exchange; `max_bytes` caps a body after
    decompression. All headers of an answer together are capped at 100 KiB. `redact` is for
    protocols that cut what came before it is recorded. `authorities` is PEM text: the only ones that are
    trusted.
    """

    def __init__(  # noqa: PLR0913  # each is an option of its own
        self,
        *,
        headers: Mapping[str, str] = _NOTHING,
        timeout_s: float = 120,
        max_bytes: int = 32 * MIB,
        trust_env: bool = False,
        transport: "Transport | None" = None,
        redact: Redactor | None = None,
        authorities: str = "",
    ) -> None:
        self.redact = redact or Redactor()
        self._max_bytes = max_bytes
        sent = _encoded({"user-agent": "agent-gate", "accept-encoding": "gzip", **headers})
        self._engine: Engine = (
            _proxied(sent, timeout_s, transport, authorities, trust_env=trust_env)
            if trust_env or transport or authorities
            else Direct(sent, timeout_s)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._engine.close()

    def forget(self) -> None:
        """Drop the cookies: a fresh session must not be recognised as the one before."""
        self._engine.forget()

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
        async with self._engine.exchange(method, url, _encoded({**kind, **headers}), content) as answer:
            body = self._body(answer, url)
            try:
                yield Streamed(answer.status, answer.headers, body)
            finally:
                await body.aclose()

    async def _body(self, answer: Answer, url: str) -> AsyncGenerator[bytes, None]:
        decode = decoder(answer.headers.get("content-encoding", ""), self._max_bytes)
        size = 0
        async for raw in answer.raw:
            try:
                chunk = decode(raw)
            except zlib.error as error:
                raise BadBody(f"the answer of {shown(url)} is not valid gzip: {error}") from error
            size += len(chunk)
            if size > self._max_bytes:
                raise TooBig(f"the answer of {shown(url)} exceeds {self._max_bytes:,} bytes")
            if chunk:
                yield chunk


def _proxied(
    headers: Headers, timeout_s: float, transport: "Transport | None", authorities: str, *, trust_env: bool
) -> Engine:
    from gate.http.proxied import Proxied  # httpx costs 70 ms, and an agent is reached without a proxy

    if trust_env:
        check_proxies()
    context = trusting(authorities) if authorities else tls_context()
    return Proxied(headers, timeout_s, transport, context, trust_env=trust_env)


def _content(json: Json) -> bytes | None:
    return None if json is None else jsonlib.dumps(json, allow_nan=False, separators=(",", ":")).encode()


def _encoded(headers: Mapping[str, str]) -> dict[bytes, bytes]:
    return {name.lower().encode(): value.encode() for name, value in headers.items()}
