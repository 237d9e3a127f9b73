"""The adk protocol against a scripted server that is as strict as adk-go's, and against servers that lie."""

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from gate.drive.adk import Adk
from gate.drive.protocol import Stopped
from gate.http import BadBody, Client
from gate.model.agent import Death
from gate.model.case import Answer, Answers, Case, TextPart, Turn, User
from gate.model.config import AgentConfig, NoBoot
from gate.model.derived import left_open
from gate.model.finding import Place
from gate.model.trace import Call, Crashed, Event, Pause, Refused, Text, Throttled, Usage

HERE = Place(file="golden.yaml", line=1)
RUN_FIELDS = {
    "appName",
    "userId",
    "sessionId",
    "newMessage",
    "streaming",
    "stateDelta",
    "functionCallEventId",
}
SESSION_FIELDS = {"state", "events"}
SESSION = re.compile(r"/api/apps/weather/users/gate/sessions/(gate-[0-9a-f]{32})")
NULLS = {"content": None, "groundingMetadata": None, "usageMetadata": None}


def event(**fields: Any) -> str:
    return "data: " + json.dumps({**NULLS, "author": "bot", "id": "e1", **fields}) + "\n\n"


def text(words: str) -> dict[str, Any]:
    return {"role": "model", "parts": [{"text": words}]}


def call(call_id: str, name: str) -> dict[str, Any]:
    return {"role": "model", "parts": [{"functionCall": {"id": call_id, "name": name, "args": {}}}]}


ASKED = event(
    content=call("i1", "adk_request_input"),
    requestedInput={"interruptId": "i1", "message": "Well?", "responseSchema": None, "payload": None},
    longRunningToolIds=["i1"],
)
STREAMS = {
    "hi": event(content=text("Hello!"), usageMetadata={"promptTokenCount": 3, "candidatesTokenCount": 1}),
    "ping": event(content=call("c", "ping")),
    "ask": event(actions={"stateDelta": None}, nodeInfo={"path": "wf@1/ask@1"}) + ASKED,
    "boom": event(content=text("So"), partial=True) + 'event: error\ndata: {"error": "tool exploded"}\n\n',
    "quota": 'event: error\ndata: {"error": "Error 429, RESOURCE_EXHAUSTED"}\n\n',
    "plain": "event: error\ndata: it broke\n\n",
    "echo": event(author="user", content=text("echo")) + event(content=text("Hello!")),
    "odd": "data: [1]\n\n",
    "nonsense": "data: {oops\n\n",
}  # fmt: skip


class StrictGo(BaseHTTPRequestHandler):
    """Decodes as Go does with DisallowUnknownFields, and keeps what it was sent."""

    protocol_version = "HTTP/1.1"
    bodies: ClassVar[list[Any]] = []
    alive: ClassVar[set[str]] = set()

    def do_GET(self) -> None:
        self._send(200, '["weather"]') if self.path == "/api/list-apps" else self._send(
            404, "404 page not found"
        )

    def do_DELETE(self) -> None:
        found = SESSION.fullmatch(self.path)
        self.alive.discard(found[1] if found else "")
        self._send(200, "null")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.bodies.append(body)
        if found := SESSION.fullmatch(self.path):
            self.alive.add(found[1])
            if self._strictly(body, SESSION_FIELDS):
                self._send(200, json.dumps({"id": found[1], "state": {}}))
        elif self.path == "/api/run_sse":
            if self._strictly(body, RUN_FIELDS):
                self._run(body["newMessage"]["parts"][0])
        else:
            self._send(404, "404 page not found")

    def log_message(self, *_: Any) -> None:
        pass

    def _run(self, part: Any) -> None:
        if "functionResponse" in part:
            self._send(
                200,
                event(content=text(f"Got {part['functionResponse']['response']['payload']}.")),
                "text/event-stream",
            )
        elif part["text"] in STREAMS:
            self._send(200, STREAMS[part["text"]], "text/event-stream")
        elif part["text"] == "json":
            self._send(200, "[]", "application/json")
        else:
            status, *words = part["text"].split(" ", 1)
            self._send(int(status), *words)

    def _strictly(self, body: Any, known: set[str]) -> bool:
        if unknown := set(body) - known:
            self._send(400, f"json: unknown field {min(unknown)!r}")
        return not unknown

    def _send(self, status: int, body: str, kind: str = "text/plain; charset=utf-8") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body.encode())))
        if status == 429:
            self.send_header("retry-after", "7")
        self.end_headers()
        self.wfile.write(body.encode())


@pytest.fixture
def go_url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), StrictGo)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    StrictGo.bodies.clear()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


class Running:
    can_restart = False

    def __init__(self, url: str) -> None:
        self.url = url
        self.headers: dict[str, str] = {}

    def death(self) -> Death | None:
        return None

    async def restart(self) -> None:
        raise NotImplementedError


def said(words: str) -> Turn:
    return Turn(sent=User(parts=(TextPart(text=words),)), place=HERE)


async def talk(url: str, *turns: Turn, heard: list[Event] | None = None, **options: Any) -> list[Event]:
    events = [] if heard is None else heard
    case = Case(id="c", turns=turns, place=HERE, start_state={"unit": "C"})
    config = AgentConfig(protocol="adk", boot=NoBoot(), app="weather", options={"prefix": "/api", **options})
    pauses: tuple[Pause, ...] = ()
    async with Client() as client, Adk(config, Running(url)).converse(case, 1, client) as conversation:
        for turn in turns:
            before = len(events)
            async for one in conversation.say(turn, pauses):
                events.append(one)
            pauses = left_open(pauses, turn.sent, events[before:])
    return events


async def test_a_server_without_a_version_gets_what_go_knows_and_nothing_else(go_url: str) -> None:
    [event] = await talk(go_url, said("hi"))
    assert event.parts == (Text(text="Hello!"),)
    assert event.usage == Usage(input_tokens=3, output_tokens=1)
    assert StrictGo.bodies[0] == {"state": {"unit": "C"}}
    assert set(StrictGo.bodies[1]) <= RUN_FIELDS - {"stateDelta"}
    assert StrictGo.bodies[1]["sessionId"] not in StrictGo.alive


async def test_a_change_of_state_is_a_field_that_go_knows(go_url: str) -> None:
    await talk(go_url, replace(said("hi"), state_delta={"unit": "F"}))
    assert StrictGo.bodies[1]["stateDelta"] == {"unit": "F"}


async def test_the_dialect_can_be_written_down(go_url: str) -> None:
    with pytest.raises(Stopped) as stopped:
        await talk(go_url, said("hi"), dialect="python")
    assert isinstance(stopped.value.outcome, Refused)


async def test_a_call_without_arguments_and_nulls_are_read(go_url: str) -> None:
    [event] = await talk(go_url, said("ping"))
    assert event.parts == (Call(id="c", name="ping", args={}),)


async def test_go_gets_an_answer_as_its_payload(go_url: str) -> None:
    answer = Answers(answers=(Answer(to="adk_request_input", decision="input", value="42"),))
    events = await talk(go_url, said("ask"), Turn(sent=answer, place=HERE))
    assert [event.node for event in events] == ["ask", "", ""]
    assert events[-1].parts == (Text(text="Got 42."),)
    assert StrictGo.bodies[-1]["newMessage"]["parts"] == [
        {"functionResponse": {"id": "i1", "name": "adk_request_input", "response": {"payload": "42"}}}
    ]


@pytest.mark.parametrize(
    ("words", "outcome", "reason"),
    [
        ("boom", Crashed, "tool exploded"),
        ("plain", Crashed, "it broke"),
        ("quota", Throttled, "RESOURCE_EXHAUSTED"),
        ("odd", Crashed, "the agent sent what is no ADK event: an event is an object, this is a list"),
        ("500 it broke", Crashed, "500 Internal Server Error: it broke"),
        ("404 session not found", Crashed, "session not found"),
        ("400 failed to decode request", Refused, "failed to decode request"),
        ("429 slow down", Throttled, "slow down"),
        ("503 no model", Throttled, "no model"),
    ],
)
async def test_failures_end_in_their_outcome(go_url: str, words: str, outcome: type, reason: str) -> None:
    with pytest.raises(Stopped) as stopped:
        await talk(go_url, said(words))
    assert isinstance(stopped.value.outcome, outcome)
    assert reason in stopped.value.outcome.reason
    assert stopped.value.retry_after_s == (7 if words.startswith("429") else None)


async def test_what_was_streamed_before_a_failure_is_kept(go_url: str) -> None:
    heard: list[Event] = []
    with pytest.raises(Stopped):
        await talk(go_url, said("boom"), heard=heard)
    assert [event.parts for event in heard] == [(Text(text="So"),)]


async def test_an_echo_of_the_user_is_not_the_agents(go_url: str) -> None:
    assert [event.author for event in await talk(go_url, said("echo"))] == ["bot"]


@pytest.mark.parametrize(
    ("words", "message"),
    [("json", "application/json, not with text/event-stream"), ("nonsense", "not JSON")],
)
async def test_a_body_that_is_no_event_stream_is_a_bad_body(go_url: str, words: str, message: str) -> None:
    with pytest.raises(BadBody, match=message):
        await talk(go_url, said(words))


async def test_without_the_prefix_the_refusal_names_it(go_url: str) -> None:
    with pytest.raises(Stopped) as stopped:
        await talk(go_url, said("hi"), prefix="")
    assert isinstance(stopped.value.outcome, Refused)
    assert "set `adk: {prefix: /api}`" in stopped.value.outcome.reason
