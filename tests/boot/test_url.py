"""Agents that somebody else started."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from gate.boot import BOOTS, boot
from gate.errors import AgentDown
from gate.model.config import BootConfig, NoBoot, Ready, UrlBoot
from gate.redact import Redactor


def enter(config: BootConfig, tmp_path: Path) -> Any:
    return boot(config, root=tmp_path, log=tmp_path / "agent.log", redact=Redactor(["canary-secret"]))


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that is held, so that nobody else gets it, but does not accept."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


Answering = Callable[[bytes], str]


@pytest.fixture
async def answering() -> AsyncIterator[Callable[..., Any]]:
    """Serves raw answers; each connection gets the next of them, the last one for ever."""
    servers: list[asyncio.Server] = []

    async def serve(*answers: bytes) -> str:
        left = list(answers)

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            request = await reader.readuntil(b"\r\n\r\n")
            seen.append(request)
            writer.write(left.pop(0) if len(left) > 1 else left[0])
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        servers.append(server)
        return f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    seen: list[bytes] = []
    serve.seen = seen  # type: ignore[attr-defined]
    yield serve
    for server in servers:
        server.close()
        await server.wait_closed()


def response(status: str, body: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n{body}".encode()


async def test_an_agent_that_answers_is_taken_as_it_is(answering: Any, tmp_path: Path) -> None:
    url = await answering(response("200 OK"))
    config = UrlBoot(url=url + "/", headers={"x-key": "k"}, ready=Ready(path="/health", within_s=5))
    async with enter(config, tmp_path) as agent:
        assert (agent.url, agent.headers, agent.can_restart) == (url, {"x-key": "k"}, False)
        assert agent.death() is None
        with pytest.raises(AgentDown, match="was not started by the gate"):
            await agent.restart()
    assert b"GET /health HTTP/1.1" in answering.seen[0]
    assert b"x-key: k" in answering.seen[0]


async def test_an_agent_that_is_not_up_yet_is_waited_for(answering: Any, tmp_path: Path) -> None:
    url = await answering(
        response("503 Service Unavailable"), response("404 Not Found"), response("204 No Content")
    )
    async with enter(UrlBoot(url=url, ready=Ready(path="/", within_s=30)), tmp_path):
        assert len(answering.seen) == 3


async def test_a_port_that_accepts_is_enough_without_a_path(answering: Any, tmp_path: Path) -> None:
    url = await answering(b"")
    async with enter(UrlBoot(url=url, ready=Ready(within_s=5)), tmp_path) as agent:
        assert agent.url == url


@pytest.mark.parametrize("path", [None, "/health"])
async def test_a_refused_connection_names_the_address_and_the_likely_cause(
    closed_port: int, path: str | None, tmp_path: Path
) -> None:
    config = UrlBoot(url=f"http://127.0.0.1:{closed_port}", ready=Ready(path=path, within_s=0.3))
    with pytest.raises(AgentDown) as down:
        async with enter(config, tmp_path):
            pytest.fail("nobody is there")
    asked = "a TCP connection" if path is None else "GET /health"
    told = f"the agent at http://127.0.0.1:{closed_port} did not answer {asked} within 0.3 s: "
    assert down.value.message.startswith(told)
    assert "Nothing is started by `boot.url`" in down.value.hint


async def test_a_name_that_does_not_exist_is_told(tmp_path: Path) -> None:
    config = UrlBoot(url="http://agent.invalid:8000", ready=Ready(within_s=0.5))
    with pytest.raises(AgentDown, match=r"http://agent\.invalid:8000 did not answer") as down:
        async with enter(config, tmp_path):
            pytest.fail("nobody is there")
    assert "no proxy" in down.value.hint


@pytest.mark.parametrize(
    ("status", "body", "hint"),
    [
        ("401 Unauthorized", "", "agent.boot.headers"),
        ("403 Forbidden", "host not allowed", "Host header"),
        ("403 Forbidden", "no", "agent.boot.headers"),
        ("404 Not Found", "", "ready.path"),
        ("405 Method Not Allowed", "", "GET"),
        ("421 Misdirected Request", "Invalid Host header", "Host header"),
        ("599 Odd", "", "Nothing is started"),
    ],
)
async def test_an_answer_that_is_not_up_has_a_hint(
    answering: Any, status: str, body: str, hint: str, tmp_path: Path
) -> None:
    url = await answering(response(status, body))
    with pytest.raises(AgentDown, match=f": {status[:3]}") as down:
        async with enter(UrlBoot(url=url, ready=Ready(path="/", within_s=0.5)), tmp_path):
            pytest.fail("it is not up")
    assert hint in down.value.hint


async def test_a_secret_in_an_answer_is_masked(answering: Any, tmp_path: Path) -> None:
    url = await answering(response("500 Internal Server Error", "key canary-secret is wrong"))
    with pytest.raises(AgentDown, match=r"500 Internal Server Error key \*\*\* is wrong"):
        async with enter(UrlBoot(url=url, ready=Ready(path="/", within_s=0.5)), tmp_path):
            pytest.fail("it is not up")


@pytest.mark.parametrize("room", [0, 5, 199])
async def test_a_secret_that_an_excerpt_cuts_is_masked(answering: Any, room: int, tmp_path: Path) -> None:
    url = await answering(response("500 Internal Server Error", f"{'x ' * 100}{'y' * room}canary-secret"))
    with pytest.raises(AgentDown) as down:
        async with enter(UrlBoot(url=url, ready=Ready(path="/", within_s=0.5)), tmp_path):
            pytest.fail("it is not up")
    assert "cana" not in down.value.message


async def test_a_secret_in_an_address_that_cannot_be_reached_is_masked(tmp_path: Path) -> None:
    config = UrlBoot(url="http://127.0.0.1:9/canary-secret", ready=Ready(path="/", within_s=0.2))
    with pytest.raises(AgentDown, match=r"http://127\.0\.0\.1:9/\*\*\*") as down:
        async with enter(config, tmp_path):
            pytest.fail("it is not up")
    assert "canary-secret" not in down.value.message + down.value.hint


async def test_a_silent_agent_is_down_in_time(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(AgentDown, match=r"did not answer GET / within 0\.3 s"):
            async with enter(UrlBoot(url=url, ready=Ready(path="/", within_s=0.3)), tmp_path):
                pytest.fail("it is silent")


async def test_recorded_traces_need_no_agent(tmp_path: Path) -> None:
    async with enter(NoBoot(), tmp_path) as agent:
        await agent.restart()
        assert (agent.url, dict(agent.headers), agent.can_restart, agent.death()) == ("", {}, False, None)


def test_every_config_has_its_way_of_booting() -> None:
    assert {way.reads for way in BOOTS.values()} == set(get_args(BootConfig))


async def test_a_header_has_the_variables_that_pass_env_names_and_no_others(
    answering: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TOKEN", " ya29.x\n")
    monkeypatch.setenv("B_TOKEN", "hidden")
    url = await answering(response("200 OK"))
    headers = {"authorization": "Bearer {A_TOKEN}", "x-b": "{B_TOKEN} {a: 1}"}
    config = UrlBoot(url=url, headers=headers, pass_env=("A_TOKEN",), ready=Ready(path="/", within_s=5))
    async with enter(config, tmp_path) as agent:
        assert agent.headers == {"authorization": "Bearer ya29.x", "x-b": "{B_TOKEN} {a: 1}"}
    assert b"authorization: Bearer ya29.x\r\n" in answering.seen[0].lower().replace(b"bearer", b"Bearer")


@pytest.mark.parametrize("value", ["a\r\nx: y", "naïve", "a\x1bb"])
async def test_a_value_that_no_header_can_carry_is_told_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("A_TOKEN", value)
    config = UrlBoot(url="http://127.0.0.1:9", headers={"x": "{A_TOKEN}"}, pass_env=("A_TOKEN",))
    with pytest.raises(AgentDown) as down:
        async with enter(config, tmp_path):
            pass
    assert down.value.message == "the value of A_TOKEN cannot stand in a header"
    assert value not in down.value.message + down.value.hint
