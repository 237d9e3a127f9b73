"""An A2A server: its card, the way in that it understands, and what its refusals mean."""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from http import HTTPStatus
from urllib.parse import quote, urlsplit

from gate.drive.a2a_errors import WrongWay, asked, refusal, rpc_error
from gate.drive.outcome import outcome_of
from gate.drive.protocol import Stopped
from gate.formats.a2a_card import Card, Way, other_slash, read_card, ways_to_try
from gate.formats.a2a_message import Outgoing, method_of, params_of
from gate.formats.adk_fields import is_mapping
from gate.frozen import frozen
from gate.http import BadBody, Client, HttpError, Response, Streamed, parse_json
from gate.model import Json
from gate.model.agent import Agent
from gate.model.trace import Refused
from gate.redact import excerpt
from gate.sse import events

_CARDS = ("/.well-known/agent-card.json", "/.well-known/agent.json")
_STREAM = "text/event-stream"


@frozen
class Attempt:
    """One way of sending a message: where to and how it is written, and whether the answer is streamed.

    `last_resort` is for when nothing is served anywhere else.
    """

    way: Way
    stream: bool
    last_resort: bool = False


class Server:
    """One A2A server, as the options of the config describe it."""

    def __init__(self, options: Mapping[str, Json], agent: Agent) -> None:
        self._agent = agent
        self._version = str(options.get("version", "auto"))
        self._binding = {"jsonrpc": "jsonrpc", "rest": "rest"}.get(str(options.get("transport")), "auto")
        path = options.get("path")
        self._path = str(path) if path is not None else None
        self._stream = options.get("stream")
        self._settled: tuple[Attempt, ...] = ()

    async def send(self, client: Client, sent: Outgoing) -> AsyncGenerator[Json]:
        """Send a message and yield what comes back, by the first way that the server understands.

        Once one was understood it is kept: what the server refuses later, it refuses. Raises Stopped, or an
        HttpError.
        """
        refused: list[WrongWay] = []
        lost = True
        for attempt in await self._to_try(client):
            if attempt.last_resort and not lost:
                break
            try:
                async with aclosing(self._exchange(client, attempt, sent)) as frames:
                    async for frame in frames:
                        self._settle(attempt)
                        yield frame
            except WrongWay as wrong:
                refused.append(wrong)
                lost = lost and (wrong.lost or attempt.last_resort)
            except HttpError as error:
                if self._settled or not refused:
                    raise
                # What a server does to a request that it does not expect explains nothing.
                refused.append(WrongWay(Stopped(outcome_of(error))))
            else:
                return
        raise refusal(refused)

    async def task(self, client: Client, task: str) -> Json:
        """Ask for a task as it is now. Raises Stopped, or an HttpError."""
        way = self._settled[0].way
        if way.binding == "rest":
            path = f"{_rest(way)}/tasks/{quote(task, safe='')}"
            response = await client.request("GET", self._url(path), headers=self._headers(way))
            what = f"GET {path}"
        else:
            method = "GetTask" if way.version == "1.0" else "tasks/get"
            params: dict[str, Json] = {"id": task, **({"tenant": way.tenant} if way.tenant else {})}
            response = await client.request(
                "POST", self._url(way.path), json=_call(method, params), headers=self._headers(way)
            )
            what = method
        try:
            return _result(way, response, what)
        except WrongWay as wrong:
            raise wrong.stopped from None

    @property
    def streams(self) -> bool:
        """Whether answers are streamed, as far as a way in was found."""
        return any(attempt.stream for attempt in self._settled)

    async def _to_try(self, client: Client) -> Sequence[Attempt]:
        return self._settled or tuple(self._ways(await self._card(client)))

    async def _card(self, client: Client) -> Card:
        """The agent's card, looked for below `path` and at the root; an empty one where there is none."""
        for base in dict.fromkeys((self._path or "", "")):
            for path in _CARDS:
                response = await client.request(
                    "GET", self._url(base.rstrip("/") + path), headers=self._agent.headers
                )
                if response.status == HTTPStatus.OK and is_mapping(found := _json(response)):
                    return read_card(found)
        return Card()

    def _ways(self, card: Card) -> Iterator[Attempt]:
        if card.others and not card.ways:
            offered = " and ".join(card.others)
            raise Stopped(
                Refused(
                    reason=f"the agent's card offers only {offered}; the gate speaks JSONRPC and HTTP+JSON"
                )
            )
        ways = ways_to_try(card, version=self._version, binding=self._binding, path=self._path)
        streams = card.streams if self._stream is None else self._stream is True
        # A server may not do what its card promises; what the config wants is not given up.
        kinds = (True, False) if streams and self._stream is None else (streams,)
        for stream in kinds:
            yield from (Attempt(way=way, stream=stream) for way in ways)
        rpc = [other_slash(way) for way in ways if way.binding == "jsonrpc" and way.path != "/"]
        for stream in kinds:
            yield from (Attempt(way=way, stream=stream, last_resort=True) for way in rpc)

    def _settle(self, attempt: Attempt) -> None:
        self._settled = self._settled or (attempt,)

    async def _exchange(self, client: Client, attempt: Attempt, sent: Outgoing) -> AsyncGenerator[Json]:
        way, method = attempt.way, method_of(attempt.way, stream=attempt.stream)
        params = params_of(way, sent, stream=attempt.stream)
        path = f"{_rest(way)}/{method}" if way.binding == "rest" else way.path
        body = params if way.binding == "rest" else _call(method, params)
        headers = {"accept": _STREAM if attempt.stream else "application/json", **self._headers(way)}
        what = f"POST {path}" if way.binding == "rest" else f"{method} (POST {path})"
        async with client.stream("POST", self._url(path), json=body, headers=headers) as streamed:
            if not (_is_success(streamed.status) and _is_stream(streamed)):
                # A server may answer whole although a stream was asked for: with an error most of all.
                yield _result(way, await streamed.read(), what)
                return
            begun = False
            async for event in events(streamed.chunks()):
                frame = _frame(way, parse_json(event.data), what, begun=begun)
                begun = True
                yield frame

    def _headers(self, way: Way) -> Mapping[str, str]:
        own = {"A2A-Version": "1.0"} if way.version == "1.0" else {}
        if way.version == "1.0" and way.binding == "rest":
            own["content-type"] = "application/a2a+json"
        return {**own, **self._agent.headers}

    def _url(self, path: str) -> str:
        """The booted address with a path. Where the path has the address's own in it, it is not doubled."""
        base = urlsplit(self._agent.url).path.rstrip("/")
        if base and (path == base or path.startswith(f"{base}/")):
            return self._agent.url.removesuffix(base) + path
        return self._agent.url + path


def _rest(way: Way) -> str:
    tenant = f"/{quote(way.tenant, safe='')}" if way.tenant else ""
    base = way.path.rstrip("/")
    version = "/v1" if way.version == "0.3" and not base.endswith("/v1") else ""
    return base + tenant + version


def _call(method: str, params: Mapping[str, Json]) -> Mapping[str, Json]:
    return {"jsonrpc": "2.0", "id": "1", "method": method, "params": params}


def _is_success(status: int) -> bool:
    return HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES


def _is_stream(streamed: Streamed) -> bool:
    return streamed.headers.get("content-type", "").startswith(_STREAM)


def _result(way: Way, response: Response, what: str) -> Json:
    if not _is_success(response.status):
        raise asked(response, what)
    return _frame(way, response.json(), what, begun=False)


def _frame(way: Way, frame: Json, what: str, *, begun: bool) -> Json:
    """What an answer holds; raises WrongWay or Stopped for an error, which HTTP calls a success."""
    if not is_mapping(frame):
        raise BadBody(f"{what} answered with JSON that is no object: {excerpt(json.dumps(frame), 80)}")
    if (error := frame.get("error")) is not None:
        raise rpc_error(error, what, final=begun)
    if way.binding == "rest":
        return frame
    if "result" not in frame:
        raise BadBody(f"{what} answered with JSON that is no JSON-RPC: it has neither result nor error")
    return frame["result"]


def _json(response: Response) -> Json:
    try:
        return response.json()
    except BadBody:
        return None
