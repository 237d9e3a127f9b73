"""The fake GitHub at http.py's transport seam."""

import json
from collections.abc import AsyncIterator

import httpx

from tests.support.github.exchange import Request
from tests.support.github.fake import FakeGitHub, breathe, encoded


def transport(fake: FakeGitHub) -> httpx.MockTransport:
    """Answer every request of a Client from `fake`."""

    async def handle(request: httpx.Request) -> httpx.Response:
        await breathe()
        body = await request.aread()
        asked = Request(request.method, str(request.url), request.headers, json.loads(body) if body else None)
        if not asked.url.startswith((fake.base, fake.graphql_url)):
            raise AssertionError(f"{asked.url} is not below {fake.base}: the token has left GitHub")
        answer = fake.answer(asked)
        await breathe()
        if not answer.status:
            raise httpx.ReadError("connection reset by peer", request=request)
        headers = {"content-type": "application/json", **answer.headers}
        return httpx.Response(answer.status, headers=headers, stream=_Body(encoded(answer)))

    return httpx.MockTransport(handle)


class _Body(httpx.AsyncByteStream):
    """A body that is still to be read, as one from a socket is."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._data
