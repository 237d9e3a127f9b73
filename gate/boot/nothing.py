"""No boot: recorded traces need no agent."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType

from gate.boot.booting import Scene
from gate.model.agent import Agent, Death
from gate.model.config import NoBoot


class Nobody:
    """Stands where an agent is expected; has no address and never dies."""

    url = ""
    headers: Mapping[str, str] = MappingProxyType({})
    can_restart = False

    def death(self) -> Death | None:
        return None

    async def restart(self) -> None:
        """Nothing to do."""


@asynccontextmanager
async def recorded(_config: NoBoot, _scene: Scene) -> AsyncIterator[Agent]:
    """An agent that nobody needs to start."""
    yield Nobody()
