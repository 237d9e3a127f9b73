"""What a protocol brings to the kit: the script's steps as its bytes."""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from gate.model.config import AgentConfig
from tests.support.conformance.script import Reply, Scenario
from tests.support.faulty_agent import Exchange


class CannotSay(Exception):
    """The protocol has no form for a step."""


@dataclass(frozen=True)
class Counterpart:
    """What the protocol is held against, and the test that does it."""

    kind: Literal["real server", "from source", "recordings"]
    what: str
    test: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.what}"


@dataclass(frozen=True)
class Spoken:
    """A reply as bytes: the pieces in which a server would flush them."""

    media: str
    pieces: tuple[bytes, ...]


class Speaker(Protocol):
    """One protocol, in one of its variants (streamed or whole)."""

    protocol: str
    variant: str
    counterpart: Counterpart

    def config(self, scenario: Scenario) -> AgentConfig:
        """How the gate is told to talk to it."""

    def other(self, exchange: Exchange) -> Any:
        """The JSON for a request that is no turn, such as one that opens a session; None for a turn."""

    def speak(self, reply: Reply, request: Any) -> Spoken:
        """The answer to a turn. Raises CannotSay."""

    def answers(self, request: Any) -> list[str]:
        """The ids of the pauses that a turn's request answers."""
