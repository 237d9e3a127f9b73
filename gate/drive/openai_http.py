"""One endpoint of an OpenAI-compatible server: what a request carries, and its answer, whole or streamed."""

from collections.abc import AsyncGenerator, Mapping
from http import HTTPStatus

from gate.drive.outcome import stopped_by
from gate.drive.protocol import Stopped
from gate.formats.adk_fields import is_mapping
from gate.frozen import frozen
from gate.http import BadBody, Client, Cut, Streamed, parse_json
from gate.model import Json
from gate.model.agent import Agent
from gate.model.config import AgentConfig
from gate.model.trace import Crashed
from gate.sse import ServerSentEvent, events

_VERSION = "/v1"
_DONE = "[DONE]"


@frozen(kw_only=False)
class Record:
    """One JSON value of an answer, and the name of its server-sent event; `done`: the stream says its end."""

    value: Json = None
    event: str = ""
    done: bool = False


class Endpoint:
    """Where turns are posted to, by the options `path`, `model`, `stream`, `tools` and `body`."""

    def __init__(self, config: AgentConfig, agent: Agent, *, path: str, tools: str) -> None:
        options = config.options
        body = options.get("body")
        self._agent = agent
        self._protocol = config.protocol
        self._path = str(options.get("path", path))
        self._model = str(options.get("model", "agent"))
        self._body: Mapping[str, Json] = body if is_mapping(body) else {}
        self.streams = options.get("stream") is True
        self.tools = str(options.get("tools", tools))

    @property
    def what(self) -> str:
        """The request, for messages."""
        return f"POST {self._path}"

    @property
    def offers_tools(self) -> bool:
        """Whether `body` offers the agent tools that the client runs."""
        return bool(self._body.get("tools") or self._body.get("functions"))

    def request(self, usual: Mapping[str, Json], own: Mapping[str, Json]) -> Mapping[str, Json]:
        """A body: what is usual or what `body` says instead (null: not at all), and what is our own."""
        wanted = {"model": self._model, **usual, **self._body}
        stream = {"stream": True} if self.streams else {}
        return {**{key: value for key, value in wanted.items() if value is not None}, **own, **stream}

    async def post(self, client: Client, body: Mapping[str, Json]) -> AsyncGenerator[Record]:
        """Send one turn and yield its answer: one record, or those of a stream until it ends.

        What comes decides, not what was asked for: errors come whole. Raises Stopped or an HttpError.
        """
        async with client.stream("POST", self._url(), json=body) as streamed:
            if not HTTPStatus.OK <= streamed.status < HTTPStatus.MULTIPLE_CHOICES:
                raise stopped_by(await streamed.read(), self.what, hint=self._hint(streamed.status))
            kind = streamed.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
            if kind == "text/event-stream":
                async for sent in events(streamed.chunks()):
                    yield _record(sent)
            else:
                yield Record(await self._whole(streamed, kind), done=True)

    def unreadable(self, error: ValueError) -> Stopped:
        """The end of a trial whose agent answered something else."""
        return Stopped(Crashed(reason=f"{self.what} answered what is no answer of its API: {error}"))

    def unfinished(self, lacking: str) -> Cut:
        """The failure of a stream that ended in order, but too early."""
        return Cut(f"the stream of {self.what} ended before {lacking}")

    async def _whole(self, streamed: Streamed, kind: str) -> Json:
        response = await streamed.read()
        if not kind.endswith("json"):
            raise BadBody(f"{self.what} answered with content-type {kind!r}, with neither JSON nor a stream")
        return response.json()

    def _url(self) -> str:
        # A base URL is often written as clients of OpenAI want it, with the version at its end.
        base = self._agent.url
        twice = base.endswith(_VERSION) and self._path.startswith(f"{_VERSION}/")
        return (base.removesuffix(_VERSION) if twice else base) + self._path

    def _hint(self, status: int) -> str:
        if status == HTTPStatus.NOT_FOUND:
            return f"is `{self._protocol}.path` what the agent serves, and `model` one that it knows?"
        if status in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY):
            return (
                f"`{self._protocol}.body` adds what the agent needs; null there leaves out what we would send"
            )
        return ""


def _record(sent: ServerSentEvent) -> Record:
    if sent.data.strip() == _DONE:
        return Record(done=True)
    try:
        value = parse_json(sent.data)
    except BadBody:
        if sent.event != "error":
            raise
        value = {"error": sent.data}
    return Record(value, sent.event)
