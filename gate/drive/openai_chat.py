"""The openai-chat protocol: agents behind `POST /v1/chat/completions`, whole or streamed."""

import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager

from gate.drive.arguments import arguments_of
from gate.drive.openai_http import Endpoint
from gate.drive.openai_parts import chat_content
from gate.drive.protocol import Stopped
from gate.drive.waiting import Given, Waiting
from gate.formats.adk_fields import UnreadableEvent
from gate.formats.openai_chat import ChatReader
from gate.http import Client, HttpError
from gate.model import Json
from gate.model.agent import Agent
from gate.model.case import Case, Turn, User
from gate.model.config import AgentConfig
from gate.model.trace import Event, Exposed, Pause, Paused

_EXPOSES: Mapping[str, tuple[Exposed, ...]] = {
    "client": ("text", "calls", "usage", "pauses"),
    "server": ("text", "calls", "usage"),
    "hidden": ("text", "usage"),
}


class OpenaiChat:
    """One row of PROTOCOLS; its options are the `openai-chat` block, all of them optional.

    An answer has the calls that the client is to run, or that a server chose to show. Where `body` offers no
    tools and `tools` says nothing, the agent's own calls are hidden: nobody may conclude that there are none.
    """

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        self.endpoint = Endpoint(config, agent, path="/v1/chat/completions", tools="")
        self.tools = self.endpoint.tools or ("client" if self.endpoint.offers_tools else "hidden")
        self.system = str(config.options.get("system", ""))
        self.exposes = _EXPOSES[self.tools]

    @asynccontextmanager
    async def converse(self, case: Case, trial: int, client: Client) -> AsyncIterator["ChatConversation"]:
        """Begin an empty history: the server keeps nothing."""
        del case, trial
        yield ChatConversation(self, client)

    def refuse_hidden(self, event: Event) -> None:
        """Raise Stopped for calls where nobody said who runs them."""
        if event.pauses and not (self.endpoint.tools or self.endpoint.offers_tools):
            names = ", ".join(repr(pause.name) for pause in event.pauses)
            advice = (
                "set `openai-chat.tools`: `client` where the case answers them, `server` where they have run"
            )
            raise Stopped(Paused(reason=f"the agent asks its client to run {names}; {advice}"))

    def request(self, messages: list[Json]) -> Mapping[str, Json]:
        """The body of a turn: the whole history."""
        usage = {"stream_options": {"include_usage": True}} if self.endpoint.streams else {}
        return self.endpoint.request(usage, {"messages": messages})


class ChatConversation:
    """One history, with the calls in it that nobody answered yet."""

    def __init__(self, protocol: OpenaiChat, client: Client) -> None:
        self.session = f"gate-{uuid.uuid4().hex}"
        self._protocol = protocol
        self._client = client
        self._waiting = Waiting()
        self._answered = 0
        self._legacy = False
        self._messages: list[Json] = (
            [{"role": "system", "content": protocol.system}] if protocol.system else []
        )

    async def say(self, turn: Turn, pauses: tuple[Pause, ...]) -> AsyncIterator[Event]:
        """Send the turn with all that was said before; see Conversation.

        Answers are sent when none is lacking: the API takes the results of an answer's calls together.
        """
        del pauses  # the history says more: which answer each call belongs to
        given = self._waiting.take(turn.sent)
        if given is None:
            return
        if isinstance(turn.sent, User):
            self._messages.append({"role": "user", "content": chat_content(turn.sent)})
        self._messages += [self._result(each) for each in given]
        self._answered += 1
        waits = self._protocol.tools != "server"
        reader = ChatReader(arguments_of, waits=waits, number=self._answered)
        try:
            await self._read(reader)
        except (HttpError, Stopped):
            if reader.began:
                yield reader.event(cut=True)
            raise
        event = self._learn(reader)
        yield event
        self._protocol.refuse_hidden(event)

    async def _read(self, reader: ChatReader) -> None:
        endpoint = self._protocol.endpoint
        done = False
        records = endpoint.post(self._client, self._protocol.request(self._messages))
        async with aclosing(records):
            async for record in records:
                done = done or record.done
                if record.value is None or reader.error:
                    continue
                try:
                    reader.read(record.value)
                except UnreadableEvent as error:
                    raise endpoint.unreadable(error) from None
        if not (done or reader.finished):
            raise endpoint.unfinished("a finish_reason or [DONE] came")
        if not reader.began:
            raise endpoint.unreadable(UnreadableEvent("it has no choice"))

    def _learn(self, reader: ChatReader) -> Event:
        try:
            event = reader.event()
        except UnreadableEvent as error:
            raise self._protocol.endpoint.unreadable(error) from None
        self._messages.append(reader.message())
        self._waiting.hear([event])
        self._legacy = any(reader.is_legacy(pause.id) for pause in event.pauses)
        return event

    def _result(self, given: Given) -> Json:
        if self._legacy:
            return {"role": "function", "name": given.pause.name, "content": given.text}
        return {"role": "tool", "tool_call_id": given.pause.id, "content": given.text}
