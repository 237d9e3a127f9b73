"""Why a container's agent does not answer: it listens elsewhere, or only to itself."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from gate.boot.container.engine import Engine, EngineError

_LISTENING: Final = re.compile(
    r"\s*\d+: (?P<address>[0-9A-F]{8}|[0-9A-F]{32}):(?P<port>[0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A "
)
_LOOPBACK: Final = frozenset({"0100007F", "00000000000000000000000001000000"})
_OF_ENGINE: Final = "0B00007F"
"""127.0.0.11, where the engine's own resolver listens in every container (proc_net_tcp: little endian)."""
_TABLES: Final = ("cat", "/proc/net/tcp", "/proc/net/tcp6")
_MOST: Final = 64 * 1024
_WITHIN_S: Final = 5


async def why_late(engine: Engine, container: str, port: int) -> str:
    """A hint from the container's own /proc/net/tcp; "" where it has no `cat`, or nothing listens."""
    table = bytearray()

    def each(said: bytes) -> None:
        table.extend(said)
        if len(table) > _MOST:
            raise EngineError("it says too much")  # the agent may be anything, its `cat` too

    with suppress(EngineError, TimeoutError):
        async with asyncio.timeout(_WITHIN_S):
            made = await engine.ask(lambda api: api.exec_create(container, _TABLES, stderr=False))
            await engine.follow(lambda api: api.exec_start(made["Id"], stream=True), each)
    return explained(table.decode("ascii", "replace"), port)


def explained(table: str, port: int) -> str:
    """What the listening sockets of a table as in proc(5) say about an agent that should be on `port`."""
    listeners = list(_listeners(table))
    on_port = [address for address, number in listeners if number == port]
    if on_port and all(address in _LOOPBACK for address in on_port):
        return (
            f"It listens on 127.0.0.1:{port} only, where no other container reaches it: bind it to 0.0.0.0."
        )
    if listeners and not on_port:
        ports = sorted({number for _, number in listeners})
        where = ", ".join(map(str, ports))
        return f"It listens on port {where}, not on {port}: write `port: {ports[0]}`, or pass it `{{port}}`."
    return ""


def _listeners(table: str) -> Iterator[tuple[str, int]]:
    for line in table.splitlines():
        match = _LISTENING.match(line)
        if match and match["address"] != _OF_ENGINE:
            yield match["address"], int(match["port"], 16)
