"""The http protocol: any agent that takes JSON and answers with JSON, by a mapping in the config."""

import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from gate.drive.http_mapping import ResponseBlock
from gate.drive.http_template import fill, fill_path, fill_text, sent_values
from gate.drive.outcome import stopped_by
from gate.drive.protocol import Stopped
from gate.errors import UsageError
from gate.formats.json_paths import BadPath, JsonPath
from gate.http import BadBody, Client
from gate.model import Json
from gate.model.agent import Agent
from gate.model.case import Case, Turn
from gate.model.config import AgentConfig
from gate.model.derived import state_after, texts_of
from gate.model.trace import Event, Pause, Refused
from gate.redact import excerpt

_DEFAULT_REQUEST: Json = {"message": "{text}", "session": "{session}"}


class HttpJson:
    """One row of PROTOCOLS; its options are the `http` block. Raises UsageError for what is no JSONPath."""

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        options = config.options
        self._agent = agent
        self._path = str(options.get("path", "/"))
        self._request = options.get("request", _DEFAULT_REQUEST)
        self._headers = {key: str(value) for key, value in _mapping(options, "headers").items()}
        self._start = _mapping(options, "start")
        try:
            self._response = ResponseBlock(_mapping(options, "response"))
            self._session = JsonPath(str(self._start.get("session", "$.id")))
        except BadPath as error:
            raise UsageError(str(error), hint="JSONPath is as RFC 9535 has it: $.reply, $.calls[*]") from None
        self.exposes = self._response.exposes

    @asynccontextmanager
    async def converse(self, case: Case, trial: int, client: Client) -> AsyncIterator["HttpConversation"]:
        """Open a session by the `start` request, or name one; nothing is left to be closed."""
        conversation = HttpConversation(self, case, trial, client)
        if self._start:
            conversation.session = await self._opened(conversation)
        yield conversation

    async def _opened(self, conversation: "HttpConversation") -> str:
        path = str(self._start.get("path", "/"))
        body = await self.post(conversation, path, self._start.get("request", {}), conversation.values())
        session = self._session.first(body)
        if session is None:
            raise Stopped(Refused(reason=f"POST {path} answered without a session at {self._session.text}"))
        return str(session)

    async def post(
        self, conversation: "HttpConversation", path: str, template: Json, values: Mapping[str, Json]
    ) -> Json:
        """Send one filled template; returns the JSON of a 2xx answer. Raises Stopped or an HttpError."""
        url = f"{self._agent.url}{fill_path(path, values)}"
        headers = {key: fill_text(value, values) for key, value in self._headers.items()}
        response = await conversation.client.request(
            "POST", url, json=fill(template, values), headers=headers
        )
        if not 200 <= response.status < 300:  # noqa: PLR2004 - success, by RFC 9110
            raise stopped_by(response, f"POST {path}")
        kind = response.headers.get("content-type", "application/json")
        if not kind.partition(";")[0].strip().lower().endswith("json"):
            raise BadBody(
                f"POST {path} answered with content-type {kind!r} instead of JSON: "
                f"{excerpt(response.text, 80)!r}"
            )
        return response.json()

    async def say(
        self, conversation: "HttpConversation", turn: Turn, pauses: tuple[Pause, ...]
    ) -> list[Event]:
        """One exchange: what the agent said and did, and what the conversation knows from now on."""
        values = conversation.values(turn, pauses)
        body = await self.post(conversation, self._path, self._request, values)
        events = list(self._response.events(body, conversation.state))
        conversation.learn(str(values["text"]), events, self._response.session(body))
        return events


class HttpConversation:
    """One session: its id, the state as far as it is known, and what was said."""

    def __init__(self, protocol: HttpJson, case: Case, trial: int, client: Client) -> None:
        self.session = f"gate-{uuid.uuid4().hex}"
        self.client = client
        self.state: dict[str, Json] = dict(case.start_state)
        self._protocol = protocol
        self._case = case
        self._trial = trial
        self._turns = 0
        self._history: list[Json] = []

    async def say(self, turn: Turn, pauses: tuple[Pause, ...]) -> AsyncIterator[Event]:
        """Send the turn; its events come when the whole answer has come."""
        self._turns += 1
        for event in await self._protocol.say(self, turn, pauses):
            yield event

    def values(self, turn: Turn | None = None, pauses: tuple[Pause, ...] = ()) -> dict[str, Json]:
        """What the placeholders stand for; `{history}` holds the turns before this one."""
        said = sent_values(turn.sent, pauses) if turn else {"text": "", "parts": [], "answers": []}
        return {
            **said,
            "session": self.session,
            "state": dict(self.state),
            "history": list(self._history),
            "case": self._case.id,
            "trial": self._trial,
            "turn": self._turns,
        }

    def learn(self, sent: str, events: list[Event], session: str) -> None:
        """Remember what was said, what the state is, and the agent's own name for the session."""
        self.session = session or self.session
        self._history += [
            {"role": "user", "content": sent},
            {"role": "assistant", "content": "\n".join(texts_of(events))},
        ]
        self.state = state_after(self.state, events)


def _mapping(options: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    found = options.get(key)
    return found if isinstance(found, Mapping) else {}
