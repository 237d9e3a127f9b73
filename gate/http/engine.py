"""What moves the bytes of an exchange promises; the client above it knows caps, encodings and JSON."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

from gate.frozen import frozen

Headers: TypeAlias = Mapping[bytes, bytes]

# uvicorn and Node close idle connections after 5 s; a request sent at that moment is lost without an answer.
REUSE_WITHIN_S = 2.0
CONNECT_WITHIN_S = 10.0


@frozen(kw_only=False)
class Answer:
    """The head of an answer, names in lower case, and its body as it arrives, still encoded."""

    status: int
    headers: Mapping[str, str]
    raw: AsyncGenerator[bytes, None]


class Engine(Protocol):
    """One way to a server."""

    def exchange(
        self, method: str, url: str, headers: Headers, content: bytes | None
    ) -> AbstractAsyncContextManager[Answer]:
        """Send a request; raises an HttpError on entry, and from `raw`."""

    def forget(self) -> None:
        """Drop the cookies."""

    async def close(self) -> None:
        """Close what is open."""
