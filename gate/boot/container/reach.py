"""Whether an agent is up, where neither HTTP nor a bare connection can tell."""

import asyncio
from typing import Any, Final
from urllib.parse import urlsplit

from gate.boot.container.engine import Engine
from gate.redact import excerpt

_STAYS_S: Final = 0.3
_EXCERPT: Final = 200


async def unhealthy(engine: Engine, container: str) -> str:
    """What the image's HEALTHCHECK says instead of healthy; "" where it is healthy."""
    state: dict[str, Any] = (await engine.ask(lambda api: api.inspect_container(container)))["State"]
    health = state.get("Health")
    if not health:
        return "the image has no HEALTHCHECK: give it one, or write `ready: {path: …}`"
    if health["Status"] == "healthy":
        return ""
    last = (health.get("Log") or [{"Output": ""}])[-1]["Output"]
    return f"{health['Status']} {excerpt(' '.join(last.split()), _EXCERPT)}".strip()


async def proxied(url: str) -> str:
    """Connect through the engine's proxy, which accepts and hangs up where nobody listens behind it."""
    parts = urlsplit(url)
    try:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    except OSError as error:
        return error.strerror or str(error)
    try:
        async with asyncio.timeout(_STAYS_S):
            await reader.read(1)
    except TimeoutError:
        return ""
    except OSError as error:
        return error.strerror or str(error)
    finally:
        writer.transport.abort()
    return "Connection closed"
