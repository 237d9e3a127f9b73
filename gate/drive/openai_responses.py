"""The openai-responses protocol: agents behind `POST /v1/responses`, whole or streamed."""

import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager

from gate.drive.arguments import arguments_of
from gate.drive.openai_answers import output_item
from gate.drive.openai_http import Endpoint, Record
from gate.drive.openai_parts import responses_content
from gate.drive.protocol import Stopped
from gate.drive.waiting import Waiting
from gate.formats.adk_fields import UnreadableEvent
from gate.formats.openai_responses import ResponsesReader, sent_back
from gate.http import Client, HttpError
from gate.model import Json
from gate.model.agent import Agent
from gate.model.case import Case, Turn, User
from gate.model.config import AgentConfig
from gate.model.trace import Event, Exposed, Pause

_EXPOSES: Mapping[str, tuple[Exposed, ...]] = {
    "client": ("text", "calls", "usage", "pauses"),
    "server": ("text", "calls", "usage", "pauses"),
    "hidden": ("text", "usage", "pauses"),
}


class OpenaiResponses:
    """One row of PROTOCOLS; its options are the `openai-responses` block, all of them optional.

    `store` (true unless it says otherwise) has the server keep the conversation: a turn names the response
    before it. Else each turn carries all of it.
    """

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        self.endpoint = Endpoint(config, agent, path="/v1/responses", tools="client")
        self.waits = self.endpoint.tools != "server"
        self.stores = config.options.get("store") is not False
        self._system = str(config.options.get("system", ""))
        self.exposes = _EXPOSES[self.endpoint.tools]

    @asynccontextmanager
    async def converse(
        self, case: Case, trial: int, client: Client
    ) -> AsyncIterator["ResponsesConversation"]:
        """Begin a conversation: its first response will name it."""
        del case, trial
        yield ResponsesConversation(self, client)

    def request(self, new: list[Json], history: list[Json], previous: str) -> Mapping[str, Json]:
        """The body of a turn: what is new after the response `previous`, or the whole history."""
        usual: dict[str, Json] = {"instructions": self._system} if self._system else {}
        if not self.stores:
            usual["store"] = False
        own: dict[str, Json] = {"input": history}
        if self.stores and previous:
            own = {"input": new, "previous_response_id": previous}
        return self.endpoint.request(usual, own)


class ResponsesConversation:
    """One conversation: the response that it continues, its history, and what waits for an answer."""

    def __init__(self, protocol: OpenaiResponses, client: Client) -> None:
        self.session = f"gate-{uuid.uuid4().hex}"
        self._protocol = protocol
        self._client = client
        self._waiting = Waiting()
        self._asked: dict[str, Mapping[str, Json]] = {}
        self._history: list[Json] = []
        self._previous = ""

    async def say(self, turn: Turn, pauses: tuple[Pause, ...]) -> AsyncIterator[Event]:
        """Send the turn and yield an event an item, as each is complete; see Conversation.

        Answers are sent when none is lacking: the API takes the results of a response's calls together.
        """
        del pauses  # the items that wait say more: what kind of output each takes
        given = self._waiting.take(turn.sent)
        if given is None:
            return
        new: list[Json] = [output_item(each, self._asked[each.pause.id]) for each in given]
        if isinstance(turn.sent, User):
            new.append({"role": "user", "content": responses_content(turn.sent)})
        self._history += new
        reader = ResponsesReader(arguments_of, waits=self._protocol.waits)
        try:
            async for event in self._events(reader, new):
                yield event
        except (HttpError, Stopped):
            for event in reader.rest():
                yield event
            raise
        self._learn(reader)

    async def _events(self, reader: ResponsesReader, new: list[Json]) -> AsyncIterator[Event]:
        endpoint = self._protocol.endpoint
        body = self._protocol.request(new, self._history, self._previous)
        records = endpoint.post(self._client, body)
        async with aclosing(records):
            async for record in records:
                for event in self._read(reader, record):
                    self._waiting.hear([event])
                    yield event
        if not reader.finished:
            raise endpoint.unfinished("response.completed came")

    def _read(self, reader: ResponsesReader, record: Record) -> tuple[Event, ...]:
        try:
            found = reader.end() if record.value is None else reader.read(record.value, record.event)
        except UnreadableEvent as error:
            raise self._protocol.endpoint.unreadable(error) from None
        if record.done and not reader.finished:
            raise self._protocol.endpoint.unreadable(UnreadableEvent("it has no output"))
        return found

    def _learn(self, reader: ResponsesReader) -> None:
        self._asked |= reader.asked
        self._previous = reader.id
        self._history += sent_back(reader.items)
