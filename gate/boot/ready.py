"""When an agent counts as up: it is asked until it answers, soon at first and then less often."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import urlsplit

from gate.http import Client, HttpError
from gate.model.config import Ready
from gate.redact import quoted

Probe: TypeAlias = Callable[[], Awaitable[str]]
"""Gives "" when the agent is up, else what it said instead."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S, _SLOWER = 0.01, 0.5, 1.3
_PATIENCE_S = 5.0
_EXCERPT = 200


async def until_up(probe: Probe, within_s: float) -> str:
    """Ask until the agent is up, which gives "", or for `within_s` seconds, which gives its last answer."""
    said = "nothing"
    pause = _FIRST_PAUSE_S
    try:
        async with asyncio.timeout(within_s):
            while said := await probe():
                await asyncio.sleep(pause)
                pause = min(pause * _SLOWER, _LONGEST_PAUSE_S)
    except TimeoutError:
        return said
    return ""


def asked(ready: Ready) -> str:
    """The question in words, for messages: `GET /health`, or `a TCP connection`."""
    return "a TCP connection" if ready.path is None else f"GET {_path(ready.path)}"


def probe(url: str, ready: Ready, client: Client) -> Probe:
    """How to ask the agent at `url`: by HTTP where a path is given, else by opening a connection."""
    if ready.path is None:
        return lambda: _connect(url)
    address = url.rstrip("/") + _path(ready.path)
    return lambda: _get(client, address)


def client(headers: Mapping[str, str], within_s: float) -> Client:
    """A client that gives up on a silent agent soon enough to ask again."""
    return Client(headers=headers, timeout_s=min(_PATIENCE_S, within_s), max_bytes=64 * 1024)


def hint(said: str) -> str:
    """The likely cause of an answer that is not "up", and what to do about it."""
    status = said.partition(" ")[0]
    if status in ("403", "421") and "host" in said.lower():
        return (
            "The agent checks the Host header. Bind it to 127.0.0.1, or allow the address that the gate uses"
            " (adk api_server: --allow_origins; MCP and Starlette servers: allowed hosts)."
        )
    return _HINTS.get(status, "")


_HINTS = {
    "401": "Give the agent its credentials in `agent.boot.headers`.",
    "403": "Give the agent its credentials in `agent.boot.headers`.",
    "404": "The agent is up without such a path: correct `ready.path`, or leave it out to wait for the port.",
    "405": "The path takes no GET: name another in `ready.path`, or leave it out to wait for the port.",
}


def _path(path: str) -> str:
    return path if path.startswith("/") else f"/{path}"


async def _get(client: Client, address: str) -> str:
    try:
        async with client.stream("GET", address) as answer:
            if answer.status < HTTPStatus.BAD_REQUEST:
                return ""
            body = quoted((await answer.read()).body, _EXCERPT)
            return f"{_named(answer.status)} {body}".rstrip()
    except HttpError as error:
        return error.reason


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


async def _connect(url: str) -> str:
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        _, writer = await asyncio.open_connection(parts.hostname, port)
    except OSError as error:
        return os.strerror(error.errno) if error.errno else str(error)
    # A connection to a port that nobody listens on may meet itself: both ends are then the same.
    itself = writer.get_extra_info("sockname") == writer.get_extra_info("peername")
    writer.transport.abort()
    return "Connection refused" if itself else ""
