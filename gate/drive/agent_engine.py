"""The agent-engine protocol: ADK agents on Vertex AI Agent Engine, or in the container that it runs."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from typing import get_args

from gate.drive.adk_events import told
from gate.drive.adk_wire import Unanswerable, answer_parts, message, user_parts
from gate.drive.agent_engine_server import Engine
from gate.drive.protocol import Stopped
from gate.formats.adk import EventReader
from gate.formats.adk_fields import is_mapping
from gate.formats.agent_engine import Ending, failure_of, payload
from gate.http import Client, HttpError, parse_json
from gate.model import Json
from gate.model.agent import Agent
from gate.model.case import Case, TextPart, Turn, User
from gate.model.config import AgentConfig
from gate.model.trace import Crashed, Event, Exposed, Pause, Paused
from gate.sse import lines


class AgentEngine:
    """One row of PROTOCOLS.

    Options, all optional: `form` (auto, engine or container), `methods` (auto, async or sync), `user` and
    `streaming`.
    """

    exposes: tuple[Exposed, ...] = get_args(Exposed)

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        self._engine = Engine(config, agent)

    @asynccontextmanager
    async def converse(
        self, case: Case, trial: int, client: Client
    ) -> AsyncIterator["AgentEngineConversation"]:
        """Create a session with the case's start state, and delete it afterwards if the agent lets us."""
        del trial  # the engine names its sessions, so that no retry meets what an earlier one left
        session = await self._engine.create(client, case.start_state)
        try:
            yield AgentEngineConversation(self._engine, client, session)
        finally:
            with suppress(HttpError):
                await self._engine.delete(client, session)


class AgentEngineConversation:
    """One session. A resumed turn needs only the answers: ADK finds the invocation by their ids."""

    def __init__(self, engine: Engine, client: Client, session: str) -> None:
        self.session = session
        self._engine = engine
        self._client = client

    async def say(self, turn: Turn, pauses: tuple[Pause, ...]) -> AsyncIterator[Event]:
        """Send a message, or answers to pauses, and yield what the agent emits; see Conversation."""
        given = dict(_given(turn, pauses))
        if turn.state_delta:
            given["state_delta"] = dict(turn.state_delta)
        ending = Ending()
        frames = self._frames(given, ending)
        async with aclosing(told(frames, EventReader(self._client.redact.text), failure_of)) as events:
            async for event in events:
                yield event
        if lacking := ending.lacking():
            raise Stopped(Crashed(reason=_ENDED.format(lacking=lacking)))

    async def _frames(self, given: Mapping[str, Json], ending: Ending) -> AsyncGenerator[Json]:
        async with self._engine.stream(self._client, self.session, given) as streamed:
            async for line in lines(streamed.chunks()):
                if text := payload(line):
                    frame = parse_json(text)
                    yield frame
                    if is_mapping(frame):  # by now it has been read, and is an event
                        ending.hear(frame)


_ENDED = (
    "the stream ended in order, but before {lacking}: that is how the engine ends it when the agent raises,"
    " or where there is no such session"
)


def _given(turn: Turn, pauses: Sequence[Pause]) -> Mapping[str, Json]:
    """The input of a turn: a text where it is nothing else, which every version takes."""
    match turn.sent:
        case User(parts=(TextPart(text=text),)):
            return {"message": text}
        case User() as user:
            return {"message": message(user_parts(user))}
        case answers:
            try:
                return {"message": message(answer_parts(answers, pauses, "python"))}
            except Unanswerable as error:
                raise Stopped(Paused(reason=str(error))) from None
