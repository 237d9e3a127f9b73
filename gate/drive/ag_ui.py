"""The ag-ui protocol: agents that stream AG-UI's events, 1.0 or before, as the answer to a RunAgentInput."""

import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from gate.drive.ag_ui_input import command_of, content_of, results_of, resume_of
from gate.drive.arguments import arguments_of
from gate.drive.outcome import stopped_by
from gate.drive.protocol import Stopped
from gate.drive.waiting import Given, Waiting
from gate.formats.adk_fields import UnreadableEvent, is_mapping
from gate.formats.ag_ui import RunReader
from gate.http import BadBody, Client, Cut, HttpError, parse_json
from gate.model import Json
from gate.model.agent import Agent
from gate.model.case import Case, Turn, User
from gate.model.config import AgentConfig
from gate.model.trace import Crashed, Event, Exposed, Pause
from gate.redact import excerpt
from gate.sse import events

VERSION: Final = "1.0"
_STREAM: Final = "text/event-stream"
_HINTS: Final[Mapping[int, str]] = {
    **dict.fromkeys((404, 405), "nothing takes runs there: give the endpoint's path as `ag-ui: {path: /…}`"),
    **dict.fromkeys(
        (400, 422),
        "the agent does not accept this RunAgentInput: `ag-ui` has tools, context and forwarded_props for it",
    ),
}


class AgUi:
    """One row of PROTOCOLS.

    Options, all optional: `path`, `tools` (what the client offers to run; the case answers their calls),
    `context` and `forwarded_props`. Agents count tokens since 1.0, if they do: usage is exposed once seen.
    """

    exposes: tuple[Exposed, ...] = ("text", "calls", "nodes", "state", "pauses")

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        options = config.options
        tools, props = options.get("tools"), options.get("forwarded_props")
        self._agent = agent
        self._path = str(options.get("path", ""))
        self._tools: Sequence[Json] = tools if isinstance(tools, list) else ()
        self._context: Json = options.get("context", [])
        self._props: Mapping[str, Json] = props if is_mapping(props) else {}
        self.offered = frozenset(str(tool.get("name")) for tool in self._tools if is_mapping(tool))

    @property
    def what(self) -> str:
        """The request, for messages."""
        return f"POST {self._path or urlsplit(self._agent.url).path or '/'}"

    @asynccontextmanager
    async def converse(self, case: Case, trial: int, client: Client) -> AsyncIterator["AgUiConversation"]:
        """Begin a thread: the client keeps its messages and its state, and sends both with each run."""
        del trial
        yield AgUiConversation(self, client, RunReader(arguments_of, case.start_state, self.offered))

    def saw(self, reader: RunReader) -> None:
        """Remember what the agent has been seen to expose."""
        if reader.counts_tokens and "usage" not in self.exposes:
            self.exposes = (*self.exposes, "usage")

    def request(self, thread: str, run: str, reader: RunReader, props: Mapping[str, Json]) -> dict[str, Json]:
        """The input of a run; keys that 1.0 lets away are there, because servers before it want them."""
        return {
            "threadId": thread,
            "runId": run,
            "protocolVersion": VERSION,
            "state": reader.state.value,
            "messages": reader.heard.history.sent(),
            "tools": list(self._tools),
            "context": self._context,
            "forwardedProps": {**self._props, **props},
        }

    async def run(self, client: Client, body: Json) -> AsyncGenerator[Json]:
        """Post the input and yield the events of the answer; raises Stopped or an HttpError."""
        url = self._agent.url + self._path
        url += "" if urlsplit(url).path else "/"
        async with client.stream("POST", url, json=body, headers={"accept": _STREAM}) as streamed:
            if streamed.status != HTTPStatus.OK:
                hint = _HINTS.get(streamed.status, "")
                raise stopped_by(await streamed.read(), self.what, hint=hint)
            kind = streamed.headers.get("content-type", "")
            if kind.partition(";")[0].strip().lower() != _STREAM:
                raise BadBody(f"{self.what} answered with content-type {excerpt(kind, 80)!r}, not {_STREAM}")
            async for sent in events(streamed.chunks()):
                yield parse_json(sent.data)


class AgUiConversation:
    """One thread, and what its last run waits for."""

    def __init__(self, protocol: AgUi, client: Client, reader: RunReader) -> None:
        self.session = f"gate-{uuid.uuid4().hex}"
        self._protocol = protocol
        self._client = client
        self._reader = reader
        self._waiting = Waiting()
        self._runs = 0

    async def say(self, turn: Turn, pauses: tuple[Pause, ...]) -> AsyncIterator[Event]:
        """Run the agent with the turn added to the conversation; see Conversation.

        Answers are sent when none is lacking: a run is resumed with answers to all that it waits for.
        """
        del pauses  # the last run says more: how each is answered
        self._reader.state.set(turn.state_delta)
        given = self._waiting.take(turn.sent)
        if given is None:
            return
        body = self._input(turn, given)
        try:
            async with aclosing(self._protocol.run(self._client, body)) as frames:
                async for frame in frames:
                    for event in self._read(frame):
                        yield event
            if not self._reader.finished:
                raise Cut(f"the stream of {self._protocol.what} ended before RUN_FINISHED came")
        except (HttpError, Stopped):
            for event in self._rest():
                yield event
            raise
        for event in self._rest():
            yield event

    def _input(self, turn: Turn, given: Sequence[Given]) -> dict[str, Json]:
        """The next run's input. The ids are ours: the agent gets to know a message by them."""
        self._runs += 1
        run, reader = f"{self.session}-{self._runs}", self._reader
        asked = {each.pause.id: reader.asked[each.pause.id] for each in given}
        history = reader.heard.history
        if isinstance(turn.sent, User):
            history.add({"id": f"{run}-user", "role": "user", "content": content_of(turn.sent)})
        for number, (call_id, result) in enumerate(results_of(given, asked), 1):
            history.answer(f"{run}-tool-{number}", call_id, result)
        reader.begin(run, asked)
        body = self._protocol.request(self.session, run, reader, command_of(given, asked))
        if resume := resume_of(given, asked):
            body["resume"] = resume
        return body

    def _read(self, frame: Json) -> tuple[Event, ...]:
        try:
            found = self._reader.read(frame)
        except UnreadableEvent as error:
            reason = f"{self._protocol.what} streamed what is malformed by AG-UI's rules: {error}"
            raise Stopped(Crashed(reason=reason)) from None
        return self._learn(found)

    def _rest(self) -> tuple[Event, ...]:
        return self._learn(self._reader.rest())

    def _learn(self, found: tuple[Event, ...]) -> tuple[Event, ...]:
        self._waiting.hear(found)
        self._protocol.saw(self._reader)
        return found
