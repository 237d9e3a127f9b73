"""An agent on a raw socket that fails in the ways in which servers fail: what it writes is up to the test.

`answer(...)` writes a well-formed HTTP/1.1 answer; everything below it does not.
"""

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

JSON: Mapping[str, str] = MappingProxyType({"content-type": "application/json"})
FOREVER = 3600.0


@dataclass
class Exchange:
    """One request as it came, and the connection to answer it on. `number` counts requests from 1."""

    number: int
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def json(self) -> Any:
        return json.loads(self.body) if self.body else None

    async def write(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """Close with RST in place of FIN."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Behaviour: TypeAlias = Callable[[Exchange], Awaitable[None]]


@dataclass
class FaultyAgent:
    """A running server; `seen` has every request, `open` the connections that have not ended."""

    url: str
    behaviour: Behaviour
    seen: list[Exchange] = field(default_factory=list)
    open: set[asyncio.Task[None]] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.open.add(task)
        try:
            while exchange := await _read(reader, writer, len(self.seen) + 1):
                self.seen.append(exchange)
                await self.behaviour(exchange)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self.open.discard(task)
            writer.close()


@asynccontextmanager
async def faulty_agent(behaviour: Behaviour) -> AsyncIterator[FaultyAgent]:
    """Serve on a free port of the loopback address until the block ends."""
    agent = FaultyAgent("", behaviour)
    server = await asyncio.start_server(agent.serve, "127.0.0.1", 0)
    agent.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield agent
    finally:
        server.close()
        left = list(agent.open)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int) -> Exchange | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Exchange(number, method, path, headers, body, reader, writer)


def raw_answer(body: bytes, *, status: str = "200 OK", headers: Mapping[str, str] = JSON) -> bytes:
    """The bytes of one answer with a content-length."""
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, f"content-length: {len(body)}", "", ""]).encode() + body


def answers(
    value: Any = None, *, body: bytes | None = None, status: str = "200 OK", headers: Mapping[str, str] = JSON
) -> Behaviour:
    """Always this answer: a JSON value, or raw bytes."""
    content = json.dumps(value).encode() if body is None else body

    async def behave(exchange: Exchange) -> None:
        await exchange.write(raw_answer(content, status=status, headers=headers))

    return behave


def one_after_another(*behaviours: Behaviour) -> Behaviour:
    """The first request meets the first behaviour, and so on; the last one stays."""

    async def behave(exchange: Exchange) -> None:
        await behaviours[min(exchange.number, len(behaviours)) - 1](exchange)

    return behave


async def resets(exchange: Exchange) -> None:
    exchange.reset()
    raise ConnectionResetError


async def closes(exchange: Exchange) -> None:
    exchange.writer.close()
    raise ConnectionResetError


async def resets_after_first_byte(exchange: Exchange) -> None:
    await exchange.write(
        b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"re'
    )
    exchange.writer.close()
    raise ConnectionResetError


async def hangs(_: Exchange) -> None:
    await asyncio.sleep(FOREVER)


async def dribbles(exchange: Exchange) -> None:
    """One byte every 10 ms, without an end."""
    await exchange.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99999\r\n\r\n"
    )
    while True:
        await exchange.write(b" ")
        await asyncio.sleep(0.01)


async def dribbles_headers(exchange: Exchange) -> None:
    await exchange.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
    while True:
        await exchange.write(b"a")
        await asyncio.sleep(0.01)


async def floods(exchange: Exchange) -> None:
    """100 MB of one JSON string."""
    size = 100_000_000
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n\r\n"
    await exchange.write(head.encode())
    for _ in range(size // 100_000):
        await exchange.write(b"x" * 100_000)


async def floods_headers(exchange: Exchange) -> None:
    await exchange.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(1_000_000):
        await exchange.write(f"x-{number}: {'a' * 1000}\r\n".encode())


async def speaks_no_http(exchange: Exchange) -> None:
    await exchange.write(b"SSH-2.0-OpenSSH_9.2p1\r\n\r\n")
    exchange.writer.close()
    raise ConnectionResetError
