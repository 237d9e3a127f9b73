"""A LangGraph server's HTTP API: assistants, threads, runs, and what its refusals mean."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from http import HTTPStatus
from urllib.parse import quote

from gate.drive.outcome import stopped_by
from gate.drive.protocol import Stopped
from gate.formats.adk_fields import is_mapping
from gate.frozen import frozen
from gate.http import BadBody, Client, Response, Streamed, TooBig, parse_json
from gate.model import Json
from gate.model.agent import Agent
from gate.model.config import AgentConfig
from gate.model.trace import Crashed, Refused
from gate.redact import excerpt
from gate.sse import ServerSentEvent, events

_MOST = 1000
_LONGEST_TYPE = 80
_SEARCH = "/assistants/search"
_NO_SERVER = (
    "is a LangGraph server there (`langgraph dev`)? What all of its paths begin with is `langgraph.prefix`"
)
_SMALLER = "without each word of its models, `langgraph: {tokens: false}`, it is smaller"
_NO_REQUEST = "`langgraph.body` adds to a run's request, and `langgraph.input` says what the graph is given"


@frozen(kw_only=False)
class Frame:
    """One event of a stream, by its name; the answer of a run that was waited for has the name ""."""

    name: str
    data: Json


class Server:
    """One LangGraph server, as the options of the config describe it."""

    def __init__(self, config: AgentConfig, agent: Agent) -> None:
        options = config.options
        body = options.get("body")
        self._agent = agent
        self._app = config.app
        self._prefix = str(options.get("prefix", "")).strip("/")
        self._body: Mapping[str, Json] = body if is_mapping(body) else {}
        self._assistant = ""
        self.streams = options.get("streaming") is not False
        self._tokens = options.get("tokens") is not False

    @property
    def what(self) -> str:
        """The request of a turn, for messages."""
        return f"POST /threads/…/runs/{'stream' if self.streams else 'wait'}"

    async def check(self, client: Client) -> None:
        """Find the assistant that `app` names, once; Refused where the server has another one, or several."""
        if self._assistant:
            return
        response = await client.request("POST", self._url(_SEARCH), json={"limit": _MOST})
        if response.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED) and self._app:
            self._assistant = (
                self._app
            )  # a server may hide its assistants: then a run says what it thinks of it
            return
        _check(response, f"POST {_SEARCH}", hint=_NO_SERVER)
        self._assistant = self._chosen(_assistants(response))

    async def open(self, client: Client) -> str:
        """Create a thread and return its id. Raises Stopped or an HttpError."""
        response = await client.request("POST", self._url("/threads"), json={})
        _check(response, "POST /threads", hint=_NO_SERVER)
        created = response.json()
        thread = created.get("thread_id") if is_mapping(created) else None
        if not isinstance(thread, str) or not thread:
            raise BadBody("POST /threads answered without a thread_id")
        return thread

    async def close(self, client: Client, thread: str) -> None:
        """Delete a thread, whatever the server says to it."""
        await client.request("DELETE", self._thread(thread))

    async def state(self, client: Client, thread: str) -> Json:
        """The state that a thread is left with. Raises Stopped or an HttpError."""
        response = await client.request("GET", self._thread(thread, "/state"))
        _check(response, "GET /threads/…/state", lost=True)
        return response.json()

    async def began_with(self, client: Client, thread: str) -> Mapping[str, Json] | None:
        """The values of a thread after its first input; None where the server keeps no history of them."""
        wanted = {"limit": 1, "metadata": {"source": "loop", "step": 0}}
        response = await client.request("POST", self._thread(thread, "/history"), json=wanted)
        found = response.json() if response.status == HTTPStatus.OK else None
        first = found[0] if isinstance(found, list) and found else None
        values = first.get("values") if is_mapping(first) else None
        return values if is_mapping(values) else None

    async def run(self, client: Client, thread: str, turn: Mapping[str, Json]) -> AsyncGenerator[Frame]:
        """Run one turn and yield what comes of it. Raises Stopped or an HttpError.

        A run whose connection is gone is cancelled: a trial that ran out of time keeps no worker busy.
        """
        body: dict[str, Json] = {
            **self._body,
            "assistant_id": self._assistant,
            "on_disconnect": "cancel",
            **turn,
        }
        if not self.streams:
            response = await client.request("POST", self._thread(thread, "/runs/wait"), json=body)
            _check(response, self.what, hint=_NO_REQUEST, lost=True)
            yield Frame("", response.json())
            return
        body |= {
            "stream_mode": ["updates", "messages-tuple"] if self._tokens else ["updates"],
            "stream_subgraphs": True,
        }
        async with client.stream("POST", self._thread(thread, "/runs/stream"), json=body) as streamed:
            await self._check_stream(streamed)
            try:
                async for sent in events(streamed.chunks()):
                    yield _frame(sent)
            except TooBig as error:
                raise TooBig(f"{error.reason}; {_SMALLER}" if self._tokens else error.reason) from None

    async def _check_stream(self, streamed: Streamed) -> None:
        if streamed.status != HTTPStatus.OK:
            response = await streamed.read()
            _check(response, self.what, hint=_NO_REQUEST, lost=True)
            raise stopped_by(response, self.what)  # another 2xx is no stream: its nodes would not be seen
        media = streamed.headers.get("content-type", "")
        if not media.startswith("text/event-stream"):
            told = excerpt(media, _LONGEST_TYPE) or "no type"
            raise BadBody(f"{self.what} answered with {told}, not with text/event-stream")

    def _chosen(self, found: Sequence[Mapping[str, Json]]) -> str:
        """The graph, assistant or name that `app` is; the only graph where it is none."""
        graphs = sorted({str(each.get("graph_id")) for each in found})
        if not self._app and len(graphs) == 1:
            return graphs[0]
        if self._app in graphs or (self._app and len(found) >= _MOST):
            return self._app
        for each in found if self._app else ():
            if self._app in (each.get("assistant_id"), each.get("name")):
                return str(each.get("assistant_id"))
        wanted = f"no graph {self._app!r}" if self._app else "several graphs, and `agent.app` names none"
        has = excerpt(", ".join(graphs), 300) or "none"
        raise Stopped(
            Refused(reason=f"the server has {wanted if graphs or self._app else 'no graph'}; it has: {has}")
        )

    def _thread(self, thread: str, path: str = "") -> str:
        return self._url(f"/threads/{quote(thread, safe='')}{path}")

    def _url(self, path: str) -> str:
        return "/".join(filter(None, (self._agent.url, self._prefix))) + path


def _assistants(response: Response) -> list[Mapping[str, Json]]:
    found = response.json()
    if not isinstance(found, list):
        raise BadBody(f"POST {_SEARCH} answered with JSON that is no list of assistants")
    return [each for each in found if is_mapping(each)]


def _check(response: Response, what: str, *, hint: str = "", lost: bool = False) -> None:
    """Raise Stopped for an answer that is not 2xx; `lost`: the thread was there when the trial began."""
    if HTTPStatus.OK <= response.status < HTTPStatus.MULTIPLE_CHOICES:
        return
    if lost and response.status == HTTPStatus.NOT_FOUND:
        stopped = stopped_by(response, what, hint="the thread was there when the trial began")
        raise Stopped(Crashed(reason=stopped.outcome.reason))
    wrong = (
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.CONFLICT,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    )
    raise stopped_by(response, what, hint=hint if response.status in wrong else "")


def _frame(sent: ServerSentEvent) -> Frame:
    try:
        return Frame(sent.event, parse_json(sent.data))
    except BadBody:
        if sent.event != "error":
            raise
        return Frame(sent.event, sent.data)
