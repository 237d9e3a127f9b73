"""A booted agent, as the stages see it."""

from collections.abc import Mapping
from typing import Protocol

from gate.frozen import frozen


@frozen
class Death:
    """The agent's process is gone: how, and the last lines of its log, redacted."""

    reason: str
    log_tail: str = ""


@frozen
class AgentPart:
    """One agent of an app: what it is told to do, and the names of its tools."""

    name: str
    description: str = ""
    instruction: str = ""
    tools: tuple[str, ...] = ()


@frozen
class AgentFacts:
    """What a server says of the agent under test: its root's name, itself with its version, and all agents.

    Texts are redacted and cut; `left_out` counts agents and tools that are not told.
    """

    name: str = ""
    server: str = ""
    agents: tuple[AgentPart, ...] = ()
    left_out: int = 0

    @property
    def tools(self) -> int:
        """How many tools there are, each name once."""
        return len({tool for agent in self.agents for tool in agent.tools})


class Agent(Protocol):
    """An address that answers. It stays up inside the boot block; a restart gives it a fresh `{tmp}`."""

    @property
    def url(self) -> str:
        """The base URL, without a trailing slash; may change on restart."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers to send with every request."""

    @property
    def can_restart(self) -> bool:
        """Whether `restart` is possible: false for an agent that somebody else started."""

    def death(self) -> Death | None:
        """How the agent's process ended, or None while it lives (or is not ours to watch)."""

    async def restart(self) -> None:
        """Stop the agent, empty `{tmp}`, boot it again and wait until it is ready; raises AgentDown."""
