"""An agent on Vertex AI Agent Engine: its class methods over HTTP, and what refusals of them mean."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from gate.drive.outcome import stopped_by
from gate.drive.protocol import Stopped
from gate.formats.agent_engine import has_raised, is_unknown_method, session_id
from gate.formats.limits import prints_limit, retry_delay_s
from gate.http import BadBody, Client, Response, Streamed
from gate.model import Json
from gate.model.agent import Agent
from gate.model.config import AgentConfig
from gate.model.trace import Crashed, Refused, Throttled
from gate.redact import excerpt

_ENGINE = re.compile(r"/reasoningEngines/[^/:]+$")
_PATHS: Final[Mapping[Json, tuple[str, str]]] = {
    "engine": (":query", ":streamQuery?alt=sse"),
    "container": ("/api/reasoning_engine", "/api/stream_reasoning_engine"),
}
_PREFIXES: Final[Mapping[Json, str]] = {"async": "async_", "sync": ""}
_MOST_SAID: Final = 64 * 1024
_LONGEST_TYPE: Final = 80
_AUTHORIZE: Final = (
    "send a token that is still valid, such as `gcloud auth print-access-token` gives for an hour:"
    " `boot: {url: …, pass_env: [TOKEN], headers: {Authorization: 'Bearer {TOKEN}'}}`"
)
_HINTS: Final[Mapping[int, str]] = {
    401: _AUTHORIZE,
    403: f"may the account call `aiplatform.reasoningEngines.query`? Else {_AUTHORIZE}",
    404: "`boot.url` is https://LOCATION-aiplatform.googleapis.com/v1/projects/P/locations/LOCATION/reasoningEngines/ID,"
    " or the address of the agent's container",
}
_FAILED: Final = "the agent was called and failed: its logs say more"


class Engine:
    """One agent, in the form that the config names or its address shows."""

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        options = config.options
        is_engine = _ENGINE.search(urlsplit(agent.url).path) is not None
        self._agent = agent
        self._user = str(options.get("user", "gate"))
        self._streaming = options.get("streaming") is True
        self._paths = _PATHS.get(options.get("form"), _PATHS["engine" if is_engine else "container"])
        self._prefix = _PREFIXES.get(options.get("methods"))

    async def create(self, client: Client, state: Mapping[str, Json]) -> str:
        """Create a session and return its id; learns which kind of methods the agent has. Raises Stopped."""
        given = {"state": dict(state)} if state else {}
        for prefix in _PREFIXES.values() if self._prefix is None else (self._prefix,):
            name = f"{prefix}create_session"
            response = await self._query(client, name, given)
            if self._prefix is None and _lacks(response, name):
                continue
            self._check(response, name)
            self._prefix = prefix  # not before: a limit says nothing of the methods
            return _session(response, name)
        reason = (
            "the agent has neither async_create_session nor create_session: agents made with ADK have both"
        )
        raise Stopped(Refused(reason=reason))

    async def delete(self, client: Client, session: str) -> None:
        """Delete a session, whatever the agent says to it."""
        await self._query(client, f"{self._prefix}delete_session", {"session_id": session})

    @asynccontextmanager
    async def stream(
        self, client: Client, session: str, given: Mapping[str, Json]
    ) -> AsyncIterator[Streamed]:
        """Run one turn; the block gets its answer while it arrives. Raises Stopped or an HttpError."""
        name = f"{self._prefix}stream_query"
        partial: Mapping[str, Json] = {"run_config": {"streaming_mode": "sse"}} if self._streaming else {}
        body = self._body(name, {"session_id": session, **given, **partial})
        async with client.stream("POST", self._agent.url + self._paths[1], json=body) as streamed:
            if streamed.status != HTTPStatus.OK:
                response = await streamed.read()
                self._check(response, name)
                raise stopped_by(response, name)  # another 2xx is no stream
            kind = streamed.headers.get("content-type", "").partition(";")[0].strip().lower()
            if not kind.endswith("json") and kind != "text/event-stream":
                told = excerpt(kind, _LONGEST_TYPE) or "no type"
                raise BadBody(f"{name} answered with {told}, with neither JSON nor a stream of events")
            yield streamed

    async def _query(self, client: Client, name: str, given: Mapping[str, Json]) -> Response:
        return await client.request("POST", self._agent.url + self._paths[0], json=self._body(name, given))

    def _body(self, name: str, given: Mapping[str, Json]) -> Mapping[str, Json]:
        return {"class_method": name, "input": {"user_id": self._user, **given}}

    def _check(self, response: Response, name: str) -> None:
        """Raise Stopped for what is not 2xx; a 400 may be how the engine tells what the agent raised."""
        if HTTPStatus.OK <= response.status < HTTPStatus.MULTIPLE_CHOICES:
            return
        said = _said(response)
        raised = response.status == HTTPStatus.BAD_REQUEST and has_raised(said)
        stopped = stopped_by(response, name, hint=_FAILED if raised else _HINTS.get(response.status, ""))
        if not raised:
            raise stopped
        outcome = Throttled if prints_limit(said) else Crashed
        raise Stopped(outcome(reason=stopped.outcome.reason), retry_after_s=retry_delay_s(said))


def _said(response: Response) -> str:
    return response.body[:_MOST_SAID].decode(errors="replace")


def _lacks(response: Response, name: str) -> bool:
    refused = response.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND)
    return refused and is_unknown_method(_said(response), name)


def _session(response: Response, name: str) -> str:
    if found := session_id(response.json()):
        return found
    raise Stopped(Crashed(reason=f"{name} answered without a session's id"))
