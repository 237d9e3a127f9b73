"""The protocol itself; becomes gate/drive/NAME.py."""

import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from gate.drive.arguments import arguments_of
from gate.drive.http_template import sent_values
from gate.drive.outcome import stopped_by
from gate.drive.protocol import Stopped
from gate.formats.adk_fields import UnreadableEvent
from gate.http import Client, Cut, parse_json
from gate.model import Json
from gate.model.agent import Agent
from gate.model.case import Case, Turn
from gate.model.config import AgentConfig
from gate.model.trace import Crashed, Event, Exposed, Pause
from gate.sse import lines
from tests.support.conformance.template.reader import event_of, is_end


class Template:
    """One row of PROTOCOLS; its options are the block of its name, all of them optional."""

    # What the protocol cannot show must not stand here: metrics then read "not exposed".
    exposes: tuple[Exposed, ...] = ("text", "calls", "usage", "pauses")

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        self.path = str(config.options.get("path", "/say"))
        self.agent = agent  # its address may change, because a crashed agent is started anew

    @asynccontextmanager
    async def converse(self, case: Case, trial: int, client: Client) -> AsyncIterator["TemplateConversation"]:
        """Open a session; what the server keeps of it is deleted after the `yield`."""
        del case, trial
        yield TemplateConversation(self, client)


class TemplateConversation:
    """One session."""

    def __init__(self, protocol: Template, client: Client) -> None:
        self.session = f"gate-{uuid.uuid4().hex}"
        self._protocol = protocol
        self._client = client

    async def say(self, turn: Turn, pauses: tuple[Pause, ...]) -> AsyncIterator[Event]:
        """Send the turn and yield events while they arrive; see Conversation."""
        sent = sent_values(turn.sent, pauses)
        body = {"session": self.session, "text": sent["text"], "answers": sent["answers"]}
        what = f"POST {self._protocol.path}"
        url = self._protocol.agent.url + self._protocol.path
        async with self._client.stream("POST", url, json=body) as streamed:
            if streamed.status != 200:
                raise stopped_by(await streamed.read(), what)
            async with aclosing(_records(streamed.chunks())) as records:
                async for record in records:
                    if is_end(record):
                        return
                    yield _event(record, what)
        # Lines came in order, but the answer is not whole.
        raise Cut(f"the answer to {what} ended before its last line")


async def _records(chunks: AsyncIterator[bytes]) -> AsyncGenerator[Json]:
    async for line in lines(chunks):
        if line.strip():
            yield parse_json(line)


def _event(record: Json, what: str) -> Event:
    try:
        return event_of(record, arguments_of)
    except UnreadableEvent as error:
        raise Stopped(Crashed(reason=f"{what} answered what is no answer of its API: {error}")) from None
