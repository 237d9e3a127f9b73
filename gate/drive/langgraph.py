"""The langgraph protocol: graphs behind LangGraph's server, by threads and runs."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress

from gate.drive.arguments import arguments_of
from gate.drive.langgraph_answers import Unanswerable, resumption
from gate.drive.langgraph_input import given_by, messages_in
from gate.drive.langgraph_server import Frame, Server
from gate.drive.protocol import Stopped
from gate.formats.adk_fields import UnreadableEvent, is_mapping
from gate.formats.langgraph import ThreadReader
from gate.http import Client, Cut, HttpError
from gate.model import Json
from gate.model.agent import Agent
from gate.model.case import Case, Turn, User
from gate.model.config import AgentConfig
from gate.model.trace import Crashed, Event, Exposed, Pause, Paused, Refused
from gate.redact import excerpt

_STREAMED: tuple[Exposed, ...] = ("text", "calls", "nodes", "state", "usage", "pauses")


class Langgraph:
    """One row of PROTOCOLS; its options are the `langgraph` block, all of them optional.

    Nodes are seen only in a stream. Calls are seen in the messages of a graph's state: once a graph is known
    to have none, nobody may conclude that it calls no tools.
    """

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        options = config.options
        self.server = Server(config, agent)
        self.messages = str(options.get("messages", "messages"))
        self.output = str(options.get("output", ""))
        self.template = options.get("input")
        self._all = tuple(each for each in _STREAMED if each != "nodes" or self.server.streams)
        self._shown = False
        self.exposes: tuple[Exposed, ...] = self._all

    @asynccontextmanager
    async def converse(self, case: Case, trial: int, client: Client) -> AsyncIterator["ThreadConversation"]:
        """Create a thread, and delete it afterwards if the server lets us."""
        await self.server.check(client)
        thread = await self.server.open(client)
        try:
            yield ThreadConversation(self, thread, case, trial, client)
        finally:
            with suppress(HttpError):
                await self.server.close(client, thread)

    def saw(self, *, messages: bool) -> None:
        """Remember whether the graph's state has messages: calls are seen there, and unstreamed tokens."""
        self._shown = self._shown or messages
        hidden = () if self._shown else ("calls",) if self.server.streams else ("calls", "usage")
        self.exposes = tuple(each for each in self._all if each not in hidden)


class ThreadConversation:
    """One thread. The case's start state is a part of its first input."""

    def __init__(self, protocol: Langgraph, thread: str, case: Case, trial: int, client: Client) -> None:
        self.session = thread
        self._protocol = protocol
        self._server = protocol.server
        self._case = case
        self._trial = trial
        self._client = client
        self._turns = 0
        self._reader = ThreadReader(
            arguments_of, messages=protocol.messages, output=protocol.output, start=case.start_state
        )

    async def say(self, turn: Turn, pauses: tuple[Pause, ...]) -> AsyncIterator[Event]:
        """Send a message, or answers to pauses, and yield what the graph does; see Conversation."""
        del pauses  # the thread's state says more: which interrupt each belongs to
        self._turns += 1
        request = self._request(turn)
        frames = self._server.run(self._client, self.session, request)
        try:
            async with aclosing(frames):
                async for frame in frames:
                    for event in self._read(frame):
                        yield event
        except (HttpError, Stopped):
            for event in self._reader.rest():
                yield event
            raise
        try:
            settled = await self._settled()
        except (HttpError, Stopped):
            for event in self._reader.kept():
                yield event
            raise
        for event in settled:
            yield event
        await self._refuse()

    def _request(self, turn: Turn) -> Mapping[str, Json]:
        if isinstance(turn.sent, User):
            given = self._input(turn.sent)
            self._begin(messages_in(given, self._protocol.messages))
            return {"input": given}
        try:
            request = resumption(turn.sent, self._reader.asked)
        except Unanswerable as error:
            raise Stopped(Paused(reason=str(error))) from None
        command = request.get("command")
        given = command.get("resume") if is_mapping(command) else None
        ids = given if is_mapping(given) else {}
        self._begin(None, answered=tuple(asked.id for asked in self._reader.asked if asked.id in ids))
        return request

    def _begin(self, sent: Sequence[Json] | None, answered: tuple[str, ...] = ()) -> None:
        try:
            self._reader.begin(sent, streamed=self._server.streams, answered=answered)
        except UnreadableEvent as error:
            reason = f"the messages that `input` or the case's start state gives are none: {error}"
            raise Stopped(Refused(reason=reason)) from None

    def _input(self, user: User) -> Json:
        first = self._turns == 1
        start = self._case.start_state if first else {}
        return given_by(user, self._protocol.template, self._protocol.messages, start, self._values())

    def _values(self) -> dict[str, Json]:
        return {
            "session": self.session,
            "state": dict(self._case.start_state),
            "history": [],
            "case": self._case.id,
            "trial": self._trial,
            "turn": self._turns,
        }

    def _read(self, frame: Frame) -> tuple[Event, ...]:
        try:
            if frame.name:
                return self._reader.read(frame.name, frame.data)
            self._reader.answer(frame.data)
        except UnreadableEvent as error:
            raise self._unreadable(error) from None
        return ()

    async def _settled(self) -> tuple[Event, ...]:
        """The rest of a turn by the thread's state; a run that failed is told even where that is gone."""
        try:
            state = await self._server.state(self._client, self.session)
        except (HttpError, Stopped):
            if not self._reader.error:
                raise
            return self._reader.failed()
        try:
            return self._reader.settle(state)
        except UnreadableEvent as error:
            raise self._unreadable(error) from None

    async def _refuse(self) -> None:
        """Raise for what makes a turn no answer although nothing has failed."""
        reader, what = self._reader, self._server.what
        if reader.unfinished:
            raise Cut(f"the answer of {what} ended before the graph did: {reader.unfinished}")
        if reader.error:
            return
        self._protocol.saw(messages=reader.has_messages)
        if lost := await self._lost():
            names = ", ".join(map(repr, lost))
            raise Stopped(
                Refused(reason=f"the graph's input takes no {names} of the start state; {self._has()}")
            )
        if not (reader.has_messages or reader.asked or self._protocol.output):
            key = self._protocol.messages
            advice = (
                "name the key of the answer, `langgraph: {output: KEY}`, or of messages, `{messages: KEY}`"
            )
            reason = f"the graph's state has no {key!r} to read an answer from; {self._has()}; {advice}"
            raise Stopped(Refused(reason=reason))

    def _has(self) -> str:
        return f"its state has: {excerpt(', '.join(self._reader.keys), 300) or 'nothing'}"

    async def _lost(self) -> list[str]:
        """The keys of the start state that the graph did not take: LangGraph drops them without a word."""
        start = {
            key: value for key, value in self._case.start_state.items() if key != self._protocol.messages
        }
        if self._turns > 1 or not start:
            return []
        values = await self._server.began_with(self._client, self.session)
        if values is None:
            return [key for key in start if key not in self._reader.keys]
        return [key for key, value in start.items() if key not in values or (value and not values[key])]

    def _unreadable(self, error: UnreadableEvent) -> Stopped:
        return Stopped(Crashed(reason=f"{self._server.what} answered what LangGraph does not send: {error}"))
