"""The a2a protocol: agents that speak Agent2Agent, 1.0 or 0.3, by JSON-RPC or HTTP+JSON."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from gate.drive.a2a_answers import Unanswerable, answering_parts
from gate.drive.a2a_server import Server
from gate.drive.protocol import Stopped
from gate.formats.a2a import INTERRUPTED, UpdateReader
from gate.formats.a2a_message import Outgoing, SentPart
from gate.formats.adk_fields import UnreadableEvent
from gate.http import Client, HttpError
from gate.model import Json
from gate.model.agent import Agent
from gate.model.case import Answers, Case, Turn
from gate.model.config import AgentConfig
from gate.model.trace import Crashed, Event, Exposed, Pause, Paused

_POLLS_S = (0.1, 0.2, 0.5, 1.0)
_ORDER: tuple[Exposed, ...] = ("text", "calls", "state", "usage", "pauses")


class A2a:
    """One row of PROTOCOLS.

    Options, all optional: `version` (auto, 1.0 or 0.3), `transport` (auto, jsonrpc or rest), `path` (of the
    endpoint, where the card's is wrong) and `stream` (as the card says). What the agent exposes beyond text
    and pauses is known once it was seen: A2A itself has no tool calls.
    """

    exposes: tuple[Exposed, ...] = ("text", "pauses")

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        self._server = Server(config.options, agent)

    @asynccontextmanager
    async def converse(self, case: Case, trial: int, client: Client) -> AsyncIterator["A2aConversation"]:
        """Begin a conversation; the agent names its context as it first answers. Nothing is to be closed."""
        del case, trial  # A2A has no state to start with
        yield A2aConversation(self, self._server, client)

    def saw(self, exposed: set[Exposed]) -> None:
        """Remember what the agent has been seen to expose."""
        if not exposed <= set(self.exposes):
            self.exposes = tuple(each for each in _ORDER if each in exposed or each in self.exposes)


class A2aConversation:
    """One context. A turn continues the task that waits for it; else it begins another one."""

    def __init__(self, protocol: A2a, server: Server, client: Client) -> None:
        self.session = ""
        self._protocol = protocol
        self._server = server
        self._client = client
        self._reader = UpdateReader(client.redact.text)

    async def say(self, turn: Turn, pauses: tuple[Pause, ...]) -> AsyncIterator[Event]:
        """Send a message, or answers to pauses, and yield what the agent emits; see Conversation."""
        sent = self._outgoing(turn, pauses)
        self._reader.begin(sent.id)
        frames = self._frames(sent)
        try:
            async with aclosing(frames):
                async for frame in frames:
                    for event in self._read(frame):
                        yield event
                    if self._reader.over:
                        break
        except (HttpError, Stopped):
            for event in self._rest():
                yield event
            raise
        for event in self._rest():
            yield event
        if not self._reader.finished:
            raise Stopped(Crashed(reason=self._unfinished()))

    def _outgoing(self, turn: Turn, pauses: tuple[Pause, ...]) -> Outgoing:
        return Outgoing(
            id=f"gate-{uuid.uuid4().hex}",
            parts=self._parts(turn, pauses),
            context=self._reader.context,
            task=self._reader.task if self._continues(turn, pauses) else "",
        )

    def _parts(self, turn: Turn, pauses: tuple[Pause, ...]) -> tuple[SentPart, ...]:
        if not isinstance(turn.sent, Answers):
            return turn.sent.parts
        try:
            return answering_parts(turn.sent, pauses, self._reader.vendor)
        except Unanswerable as error:
            raise Stopped(Paused(reason=str(error))) from None

    def _continues(self, turn: Turn, pauses: tuple[Pause, ...]) -> bool:
        """Whether the turn belongs to the task that waits: it answers it, or the task asked for any words."""
        asks_for_words = any(pause.name in INTERRUPTED for pause in pauses)
        return self._reader.state in INTERRUPTED and (isinstance(turn.sent, Answers) or asks_for_words)

    async def _frames(self, sent: Outgoing) -> AsyncGenerator[Json]:
        """What comes back, and the task again and again where the answer did not wait for its end."""
        async with aclosing(self._server.send(self._client, sent)) as frames:
            async for frame in frames:
                yield frame
        polls = 0
        while not self._server.streams and self._reader.task and not self._reader.over:
            await asyncio.sleep(_POLLS_S[min(polls, len(_POLLS_S) - 1)])
            polls += 1
            yield await self._server.task(self._client, self._reader.task)

    def _read(self, frame: Json) -> tuple[Event, ...]:
        try:
            events = self._reader.read(frame)
        except UnreadableEvent as error:
            raise Stopped(Crashed(reason=f"the agent sent what A2A does not have: {error}")) from None
        self._learn()
        return events

    def _rest(self) -> tuple[Event, ...]:
        try:
            events = self._reader.rest()
        except UnreadableEvent:  # an artifact whose chunks nobody can read, after what ended the turn
            return ()
        self._learn()
        return events

    def _learn(self) -> None:
        self.session = self._reader.context or self.session
        self._protocol.saw(self._reader.exposed)

    def _unfinished(self) -> str:
        if not self._reader.state:
            return "the agent's answer ended without a message and without a task"
        return f"the agent's answer ended while its task was {self._reader.state}"
