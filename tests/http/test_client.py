import gzip
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.request import getproxies

import pytest

from gate.http import (
    MIB,
    BadBody,
    Client,
    Cut,
    HttpError,
    NotConnected,
    Response,
    Slow,
    TooBig,
)
from tests.support.faulty_agent import (
    JSON,
    Behaviour,
    Exchange,
    FaultyAgent,
    answers,
    closes,
    dribbles,
    faulty_agent,
    floods,
    floods_headers,
    hangs,
    one_after_another,
    resets,
    resets_after_first_byte,
    speaks_no_http,
)

TRUSTING = pytest.param(True, id="httpx")
"""What a client promises holds for both of its engines; this one could use a proxy, and none is set."""


@pytest.fixture(autouse=True, params=[pytest.param(False, id="direct"), TRUSTING])
def trusting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    for name in getproxies():
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name}_proxy".upper(), raising=False)
    monkeypatch.setattr(f"{__name__}.ENGINE", {"trust_env": request.param})
    trust: bool = request.param
    return trust


ENGINE: dict[str, Any] = {}


@asynccontextmanager
async def talk(behaviour: Behaviour, **options: Any) -> AsyncIterator[tuple[Client, FaultyAgent]]:
    async with faulty_agent(behaviour) as agent, Client(**ENGINE, **options) as client:
        yield client, agent


async def fetch(behaviour: Behaviour, **options: Any) -> Response:
    async with talk(behaviour, **options) as (client, agent):
        return await client.request("POST", f"{agent.url}/chat?key=secret", json={"a": 1})


async def test_a_json_answer_is_read_whole_and_its_headers_are_lower_case() -> None:
    response = await fetch(answers({"reply": "hé"}, headers={"Content-Type": "application/json", "X-Y": "1"}))
    assert response.status == 200
    assert response.json() == {"reply": "hé"}
    assert dict(response.headers)["x-y"] == "1"


@pytest.mark.parametrize("status", ["204 No Content", "302 Found", "404 Not Found", "500 Oops", "599 x"])
async def test_a_status_is_never_an_error_and_a_redirect_is_not_followed(status: str) -> None:
    async with talk(answers(body=b"", status=status, headers={"location": "/elsewhere"})) as (client, agent):
        response = await client.request("GET", agent.url)
        assert f"{response.status}" == status[:3]
        assert len(agent.seen) == 1


async def test_the_request_carries_json_and_both_kinds_of_headers() -> None:
    async with talk(answers(1), headers={"X-A": "1", "X-B": "ü"}) as (client, agent):
        await client.request(
            "POST", f"{agent.url}/p?q=1", json={"t": "é"}, headers={"x-a": "2", "Content-Type": "a/b"}
        )
        await client.request("GET", agent.url)
        first, second = agent.seen
    assert (first.method, first.path, first.json) == ("POST", "/p?q=1", {"t": "é"})
    assert first.headers["x-a"] == "2"
    assert first.headers["x-b"].encode("latin-1").decode() == "ü"
    assert first.headers["content-type"] == "a/b"
    assert second.body == b""
    assert "content-type" not in second.headers


@pytest.mark.parametrize(
    ("behaviour", "kind", "words"),
    [
        (resets, NotConnected, "closed the connection without an answer"),
        (closes, NotConnected, "closed the connection without an answer"),
        (resets_after_first_byte, Cut, "cut its answer off"),
        (floods, TooBig, "exceeds 33,554,432 bytes"),
        (floods_headers, TooBig, "headers"),
        (speaks_no_http, BadBody, "did not answer in HTTP"),
        (answers(1, headers={"content-encoding": "br"}), BadBody, "although only gzip was asked for"),
        (answers(1, headers={"content-encoding": "gzip, gzip"}), BadBody, "although only gzip"),
        (answers(body=b"no gzip", headers={"content-encoding": "gzip"}), BadBody, "not valid gzip"),
    ],
)
async def test_each_way_to_fail_has_its_error(
    behaviour: Behaviour, kind: type[HttpError], words: str
) -> None:
    with pytest.raises(kind, match=words) as failure:
        await fetch(behaviour)
    assert "secret" not in failure.value.reason
    assert not isinstance(failure.value, NotConnected) or failure.value.sent


@pytest.mark.parametrize("behaviour", [hangs, one_after_another(dribbles)])
async def test_silence_is_slow_and_dribbling_is_not_silence(behaviour: Behaviour) -> None:
    kind, cap = (Slow, 100) if behaviour is hangs else (TooBig, 5)
    with pytest.raises(kind):
        await fetch(behaviour, timeout_s=0.2, max_bytes=cap)


async def test_nobody_listens_is_not_connected_and_nothing_was_sent() -> None:
    async with faulty_agent(hangs) as agent:
        url = agent.url
    async with Client(**ENGINE) as client:
        with pytest.raises(NotConnected, match="cannot connect to http://127") as failure:
            await client.request("GET", url)
    assert not failure.value.sent


@pytest.mark.parametrize(
    ("url", "headers"),
    [("http://[bad", {}), ("gopher://x/", {}), ("http://127.0.0.1:1/", {"x": "a\r\nb"}), ("/relative", {})],
)
async def test_a_request_that_cannot_be_sent_is_an_error_of_ours(url: str, headers: dict[str, str]) -> None:
    async with Client(**ENGINE) as client:
        with pytest.raises(HttpError):
            await client.request("GET", url, headers=headers)


async def test_a_packed_answer_is_unpacked() -> None:
    for name, pack in (("gzip", gzip.compress), ("deflate", zlib.compress), ("X-GZIP", gzip.compress)):
        packed: Callable[[bytes], bytes] = pack
        response = await fetch(answers(body=packed(b'{"a": 1}'), headers={**JSON, "content-encoding": name}))
        assert response.json() == {"a": 1}


async def test_a_decompression_bomb_is_too_big_before_it_is_unpacked() -> None:
    bomb = gzip.compress(bytes(20 * MIB))
    assert len(bomb) < MIB
    with pytest.raises(TooBig):
        await fetch(answers(body=bomb, headers={"content-encoding": "gzip"}), max_bytes=MIB)


async def test_a_stream_is_read_as_it_comes_and_may_be_left_early() -> None:
    async def two_parts(exchange: Exchange) -> None:
        await exchange.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nfirst")
        await hangs(exchange)

    async with talk(two_parts) as (client, agent):
        async with client.stream("GET", agent.url) as streamed:
            assert streamed.status == 200
            assert await anext(streamed.chunks()) == b"first"
        assert len(agent.seen) == 1


async def test_cookies_last_until_they_are_forgotten() -> None:
    async with talk(answers(1, headers={"set-cookie": "session=1"})) as (client, agent):
        await client.request("GET", agent.url)
        await client.request("GET", agent.url)
        client.forget()
        await client.request("GET", agent.url)
        assert [seen.headers.get("cookie") for seen in agent.seen] == [None, "session=1", None]
