"""What a protocol adapter promises: it translates an exchange; the runner owns trials, deadlines, retries."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias, runtime_checkable

from gate.http import Client
from gate.model.agent import Agent, AgentFacts
from gate.model.case import Case, Turn
from gate.model.config import AgentConfig
from gate.model.trace import Event, Exposed, Outcome, Pause, Trace
from gate.redact import Redactor


class Stopped(Exception):
    """The exchange ended in an outcome other than an answer; events that were yielded before are kept."""

    def __init__(self, outcome: Outcome, *, retry_after_s: float | None = None) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome
        self.retry_after_s = retry_after_s


class Conversation(Protocol):
    """One fresh session with the agent."""

    session: str

    def say(self, turn: Turn, pauses: tuple[Pause, ...]) -> AsyncIterator[Event]:
        """Send one turn and yield assembled events as they arrive; the runner stamps seq, turn and at_ms.

        `pauses` are those that may be answered before the turn: the open ones, and jobs that run long. Raises
        Stopped, or an HttpError that the runner maps to an outcome.
        """


class AgentProtocol(Protocol):
    """One way of talking to agents."""

    exposes: tuple[Exposed, ...]

    def converse(self, case: Case, trial: int, client: Client) -> AbstractAsyncContextManager[Conversation]:
        """Open a fresh session with the case's start state, and leave nothing behind."""


@runtime_checkable
class Introspective(Protocol):
    """A protocol whose servers may say what the agent is made of."""

    async def about(self, client: Client) -> AgentFacts | None:
        """What the server says, or None; raises Stopped or an HttpError."""


@runtime_checkable
class Recordings(Protocol):
    """The place of a protocol where nothing is sent, because every trial has been recorded before."""

    def trace(self, case: Case, trial: int, redact: Redactor) -> Trace:
        """The recorded trial; Refused where there is none."""


ProtocolFactory: TypeAlias = Callable[[AgentConfig, Agent], AgentProtocol | Recordings]
