"""What only the engine without proxies has to get right by itself: connections, and the shapes of answers."""

import asyncio
import base64
from collections.abc import Callable

import pytest

from gate.http import Client, Cut
from tests.support.faulty_agent import Exchange, answers, faulty_agent, one_after_another, raw_answer


def port_of(exchange: Exchange) -> int:
    """Which connection a request came on."""
    port: int = exchange.writer.get_extra_info("peername")[1]
    return port


def writes(data: bytes, *, then: Callable[[Exchange], None] = lambda _: None) -> Callable[[Exchange], object]:
    async def behave(exchange: Exchange) -> None:
        await exchange.write(data)
        then(exchange)

    return behave


def closes(exchange: Exchange) -> None:
    exchange.writer.close()


async def seen_within(agent_url: str, client: Client, times: int) -> list[object]:
    return [(await client.request("GET", agent_url)).json() for _ in range(times)]


async def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with faulty_agent(answers("proxy")) as proxy, faulty_agent(answers("agent")) as agent:
        for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        async with Client() as client, Client(trust_env=True) as trusting:
            assert (await client.request("GET", agent.url)).json() == "agent"
            assert (await trusting.request("GET", agent.url)).json() == "proxy"
    assert len(proxy.seen) == len(agent.seen) == 1


async def test_exchanges_follow_each_other_on_one_connection() -> None:
    async with faulty_agent(answers(1)) as agent, Client() as client:
        assert await seen_within(agent.url, client, 3) == [1, 1, 1]
    assert len(set(map(port_of, agent.seen))) == 1


async def test_exchanges_at_the_same_time_have_connections_of_their_own() -> None:
    async with faulty_agent(answers(1)) as agent, Client() as client:
        await asyncio.gather(*(client.request("GET", agent.url) for _ in range(3)))
        await client.request("GET", agent.url)
    assert len(set(map(port_of, agent.seen[:3]))) == 3
    assert port_of(agent.seen[3]) in set(map(port_of, agent.seen[:3]))


async def test_a_connection_that_was_idle_for_long_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.http.direct.REUSE_WITHIN_S", -1.0)
    async with faulty_agent(answers(1)) as agent, Client() as client:
        await seen_within(agent.url, client, 2)
    assert len(set(map(port_of, agent.seen))) == 2


@pytest.mark.parametrize(
    "first",
    [
        writes(raw_answer(b"1"), then=closes),
        writes(raw_answer(b"1") + raw_answer(b'"stray"')),
        writes(raw_answer(b"1", headers={"connection": "close"})),
        writes(b"HTTP/1.0 200 OK\r\n\r\n1", then=closes),
    ],
    ids=["closed", "stray bytes", "said so", "old"],
)
async def test_a_connection_that_is_unfit_is_not_used_again(first: Callable[[Exchange], object]) -> None:
    async with faulty_agent(one_after_another(first, answers(2))) as agent, Client() as client:  # type: ignore[arg-type]
        assert (await client.request("GET", agent.url)).json() == 1
        await asyncio.sleep(0.02)  # what the server did after its answer arrives
        assert (await client.request("GET", agent.url)).json() == 2
    assert len(set(map(port_of, agent.seen))) == 2


async def test_a_connection_is_closed_where_its_answer_was_left_unread() -> None:
    async with faulty_agent(answers("x" * 1_000_000)) as agent, Client() as client:
        async with client.stream("GET", agent.url) as streamed:
            await anext(streamed.chunks())
        assert len((await client.request("GET", agent.url)).body) == 1_000_002
    assert len(set(map(port_of, agent.seen))) == 2


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + raw_answer(b"[1]"),
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[1\r\n1;x\r\n]\r\n0\r\nx-z: 1\r\n\r\n",
        raw_answer(b"[1]", headers={"x-a": "1", "X-A": "2"}),
    ],
    ids=["informed before", "chunked", "a header twice"],
)
async def test_an_answer_may_come_in_every_shape(data: bytes) -> None:
    async with faulty_agent(writes(data)) as agent, Client() as client:  # type: ignore[arg-type]
        response = await client.request("GET", agent.url)
        assert response.json() == [1]
        assert response.headers.get("x-a") in (None, "1, 2")


async def test_a_body_without_a_length_ends_with_the_connection_and_not_with_its_reset() -> None:
    head = b"HTTP/1.1 200 OK\r\n\r\n[1]"
    async with faulty_agent(writes(head, then=closes)) as agent, Client() as client:  # type: ignore[arg-type]
        assert (await client.request("GET", agent.url)).json() == [1]
    async with faulty_agent(writes(head, then=Exchange.reset)) as agent, Client() as client:  # type: ignore[arg-type]
        with pytest.raises(Cut):
            await client.request("GET", agent.url)


async def test_the_name_and_password_of_a_url_become_a_header() -> None:
    async with faulty_agent(answers(1)) as agent, Client() as client:
        await client.request("GET", agent.url.replace("//", "//me:p%40ss@"))
        await client.request("GET", agent.url)
    with_it, without = (exchange.headers for exchange in agent.seen)
    assert with_it["authorization"] == f"Basic {base64.b64encode(b'me:p@ss').decode()}"
    assert with_it["host"] == agent.url.removeprefix("http://")
    assert "authorization" not in without


async def test_what_a_connection_needs_is_sent_once_whatever_the_config_says() -> None:
    async with (
        faulty_agent(answers(1)) as agent,
        Client(headers={"Accept": "a/b", "HOST": "other"}) as client,
    ):
        await client.request("POST", agent.url, json={})
    sent = agent.seen[0].headers
    assert (sent["accept"], sent["host"], sent["content-length"]) == ("a/b", "other", "2")


async def test_a_large_request_is_sent_whole() -> None:
    async with faulty_agent(answers(1)) as agent, Client() as client:
        await client.request("POST", agent.url, json="x" * 5_000_000)
    assert len(agent.seen[0].body) == 5_000_002


async def test_a_cookie_goes_where_it_may() -> None:
    lines = {"set-cookie": "a=1; Path=/deep", "Set-Cookie": "b=2; Secure"}
    async with faulty_agent(answers(1, headers=lines)) as agent, Client() as client:
        for path in ("/deep/x", "/deep/y", "/"):
            await client.request("GET", agent.url + path)
    assert [seen.headers.get("cookie") for seen in agent.seen] == [None, "a=1", None]
