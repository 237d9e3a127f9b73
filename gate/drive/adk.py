"""The adk protocol: agents behind `adk api_server` of adk-python, or behind adk-go's REST server."""

import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from http import HTTPStatus
from typing import get_args

from gate.drive.adk_events import told
from gate.drive.adk_server import Server
from gate.drive.adk_wire import Unanswerable, answer_parts, message, user_parts
from gate.drive.protocol import Stopped
from gate.formats.adk import EventReader, error_frame
from gate.http import BadBody, Client, HttpError, Streamed, parse_json
from gate.model import Json
from gate.model.agent import Agent, AgentFacts
from gate.model.case import Answers, Case, Turn, User
from gate.model.config import AgentConfig
from gate.model.trace import Event, Exposed, Pause, Paused
from gate.sse import ServerSentEvent, events


class Adk:
    """One row of PROTOCOLS.

    Options, all optional: `dialect` (auto, python or go), `user`, `endpoint` (run_sse or run), `streaming`
    and `prefix` (of all paths).
    """

    exposes: tuple[Exposed, ...] = get_args(Exposed)

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        self._server = Server(config, agent)

    async def about(self, client: Client) -> AgentFacts | None:
        """What the server says of the app: agents, instructions and tools, and its own version."""
        return await self._server.about(client)

    @asynccontextmanager
    async def converse(self, case: Case, trial: int, client: Client) -> AsyncIterator["AdkConversation"]:
        """Create a session with the case's start state, and delete it afterwards if the server lets us."""
        del trial  # each session has an id of its own, so that no retry meets what an earlier one left
        session = f"gate-{uuid.uuid4().hex}"
        await self._server.create(client, session, case.start_state)
        try:
            yield AdkConversation(self._server, client, session)
        finally:
            with suppress(HttpError):
                await self._server.delete(client, session)


class AdkConversation:
    """One session. A resumed turn needs only the answers: the server finds the invocation by their ids."""

    def __init__(self, server: Server, client: Client, session: str) -> None:
        self.session = session
        self._server = server
        self._client = client

    async def say(self, turn: Turn, pauses: tuple[Pause, ...]) -> AsyncIterator[Event]:
        """Send a message, or answers to pauses, and yield what the agent emits; see Conversation."""
        body = await self._body(turn, pauses)
        frames = self._frames(body, answering=isinstance(turn.sent, Answers))
        async with aclosing(told(frames, EventReader(self._client.redact.text), error_frame)) as said:
            async for event in said:
                yield event

    async def _body(self, turn: Turn, pauses: Sequence[Pause]) -> Mapping[str, Json]:
        if isinstance(turn.sent, User):
            parts = user_parts(turn.sent)
        else:
            parts = await self._answers(turn.sent, pauses)
        return self._server.run_request(self.session, message(parts), turn.state_delta)

    async def _answers(self, answers: Answers, pauses: Sequence[Pause]) -> list[Json]:
        try:
            parts = answer_parts(answers, pauses, await self._server.dialect(self._client))
        except Unanswerable as error:
            raise Stopped(Paused(reason=str(error))) from None
        return parts

    async def _frames(self, body: Mapping[str, Json], *, answering: bool) -> AsyncGenerator[Json]:
        if self._server.endpoint == "run":
            for frame in await self._server.run(self._client, body, answering=answering):
                yield frame
            return
        async with self._client.stream(
            "POST", self._server.url("/run_sse"), json=body, headers=self._server.headers
        ) as streamed:
            await self._check(streamed)
            async for sent in events(streamed.chunks()):
                yield _frame(sent)

    async def _check(self, streamed: Streamed) -> None:
        if streamed.status != HTTPStatus.OK:
            await self._server.check(self._client, await streamed.read(), "POST /run_sse")
        kind = streamed.headers.get("content-type", "")
        if not kind.startswith("text/event-stream"):
            raise BadBody(f"POST /run_sse answered with {kind or 'no type'}, not with text/event-stream")


def _frame(sent: ServerSentEvent) -> Json:
    if sent.event != "error":
        return parse_json(sent.data)
    try:
        frame = parse_json(sent.data)
    except BadBody:
        return {"error": sent.data}
    return frame if error_frame(frame) else {"error": sent.data}
