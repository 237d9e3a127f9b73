"""An ADK server's HTTP API: sessions, dialects, and what its refusals mean."""

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import quote

from gate.drive.adk_wire import Dialect
from gate.drive.outcome import stopped_by
from gate.drive.protocol import Stopped
from gate.formats.adk_app_info import facts_of, listed_app
from gate.formats.adk_fields import is_mapping
from gate.http import BadBody, Client, HttpError, Response
from gate.model import Json
from gate.model.agent import Agent, AgentFacts
from gate.model.config import AgentConfig
from gate.model.trace import Crashed

_DIALECTS: Mapping[Json, Dialect] = {"python": "python", "go": "go"}
_HOST_NOT_ALLOWED = "host not allowed"
_BIND_HINT = (
    "the server is bound to a loopback address and takes requests for no other host name: bind it to 0.0.0.0 "
    "(`--host 0.0.0.0`), name the host with `--allow_origins http://THE-HOST`, or have the gate send "
    "`headers: {Host: 127.0.0.1}` (boot: url)"
)
_PREFIX_HINT = "adk-go serves under /api unless it is started with another prefix: set `adk: {prefix: /api}`"


class Server:
    """One ADK server, as the options of the config describe it."""

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        options = config.options
        self._agent = agent
        self._app = config.app
        self._user = str(options.get("user", "gate"))
        self._streaming = options.get("streaming") is True
        self._prefix = str(options.get("prefix", "")).strip("/")
        self.endpoint = str(options.get("endpoint", "run_sse"))
        self._dialect = _DIALECTS.get(options.get("dialect"))

    @property
    def headers(self) -> Mapping[str, str]:
        """The agent's own headers, for every request."""
        return self._agent.headers

    def url(self, path: str) -> str:
        """Return the address of a path of the API, which starts with a slash."""
        return "/".join(filter(None, (self._agent.url, self._prefix))) + path

    async def dialect(self, client: Client) -> Dialect:
        """Tell adk-python, which names its language or answers as FastAPI does, from adk-go; asked once."""
        if self._dialect is None:
            response = await client.request("GET", self.url("/version"), headers=self.headers)
            if response.status == HTTPStatus.FORBIDDEN or response.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                await self.check(client, response, "GET /version")
            self._dialect = "python" if is_mapping(_json(response)) else "go"
        return self._dialect

    async def create(self, client: Client, session: str, state: Mapping[str, Json]) -> None:
        """Create a session; adk-go wants its id in the path, adk-python in the body. Raises Stopped."""
        path, body = self._sessions(), dict[str, Json](state=dict(state))
        if await self.dialect(client) == "go":
            path = f"{path}/{session}"
        else:
            body["sessionId"] = session
        response = await client.request("POST", self.url(path), json=body, headers=self.headers)
        await self.check(client, response, f"POST {path}")

    async def delete(self, client: Client, session: str) -> None:
        """Delete a session, whatever the server says to it."""
        await client.request("DELETE", self.url(f"{self._sessions()}/{session}"), headers=self.headers)

    async def about(self, client: Client) -> AgentFacts | None:
        """What the server says of the app and of itself: of a workflow no more than its name."""
        info = await self._told(client, f"/apps/{quote(self._app, safe='')}/app-info")
        if info is None:
            info = listed_app(await self._told(client, "/list-apps?detailed=true"), self._app)
        return facts_of(info, await self._told(client, "/version"), client.redact.text)

    async def _told(self, client: Client, path: str) -> Json:
        response = await client.request("GET", self.url(path), headers=self.headers)
        return _json(response) if response.status == HTTPStatus.OK else None

    def run_request(self, session: str, message: Json, state: Mapping[str, Json]) -> Mapping[str, Json]:
        """Return the body of a turn: camelCase, and only fields that both dialects know."""
        return {
            "appName": self._app,
            "userId": self._user,
            "sessionId": session,
            "newMessage": message,
            "streaming": self._streaming,
            **({"stateDelta": dict(state)} if state else {}),
        }

    async def run(self, client: Client, body: Mapping[str, Json], *, answering: bool) -> list[Json]:
        """Run one turn and return its events as they came; raises Stopped or an HttpError."""
        response = await client.request("POST", self.url("/run"), json=body, headers=self.headers)
        what = "POST /run with an answer, which has to fit the response_schema," if answering else "POST /run"
        await self.check(client, response, what)
        frames = response.json()
        if not isinstance(frames, list):
            raise BadBody("POST /run answered with JSON that is no list of events")
        return frames

    async def check(self, client: Client, response: Response, what: str) -> None:
        """Raise Stopped for an answer that is not 2xx, with what ADK means by it."""
        if HTTPStatus.OK <= response.status < HTTPStatus.MULTIPLE_CHOICES:
            return
        said = response.body[:4096].decode(errors="replace")
        stopped = stopped_by(response, what, hint=await self._hint(client, response.status, said))
        if response.status == HTTPStatus.NOT_FOUND and "ession not found" in said:
            raise Stopped(
                Crashed(reason=f"{stopped.outcome.reason} (the session was there when the trial began)")
            )
        raise stopped

    async def _hint(self, client: Client, status: int, said: str) -> str:
        if status == HTTPStatus.FORBIDDEN and _HOST_NOT_ALLOWED in said:
            return _BIND_HINT
        if status != HTTPStatus.NOT_FOUND:
            return ""
        apps = await self._apps(client)
        if apps is None:
            return "" if self._prefix else _PREFIX_HINT
        if self._app not in apps:
            return f"the server has no app {self._app!r}; it has: {', '.join(sorted(apps)) or 'none'}"
        return ""

    async def _apps(self, client: Client) -> list[str] | None:
        try:
            response = await client.request("GET", self.url("/list-apps"), headers=self.headers)
        except HttpError:
            return None
        names = _json(response)
        return [str(name) for name in names] if isinstance(names, list) else None

    def _sessions(self) -> str:
        return f"/apps/{quote(self._app, safe='')}/users/{quote(self._user, safe='')}/sessions"


def _json(response: Response) -> Json:
    try:
        return response.json()
    except BadBody:
        return None
