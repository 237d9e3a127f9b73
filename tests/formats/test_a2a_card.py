"""Agent cards: what of them is believed, and what is tried beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.a2a_card import Card, Way, other_slash, read_card, ways_to_try
from gate.model import Json

RPC_1, RPC_0 = Way(version="1.0", binding="jsonrpc"), Way(version="0.3", binding="jsonrpc")


def rest(version: str = "1.0", path: str = "/") -> Way:
    return Way(version="1.0" if version == "1.0" else "0.3", binding="rest", path=path)


def one(**fields: Json) -> Json:
    return {"supportedInterfaces": [fields]}


@pytest.mark.parametrize(
    ("card", "ways"),
    [
        (one(url="http://h:1/", protocolBinding="JSONRPC", protocolVersion="1.0"), (RPC_1,)),
        (one(url="http://h:1", protocolBinding="JSONRPC", protocolVersion="1.0"), (RPC_1,)),
        (one(url="http://h/?key=x", protocolBinding="JSONRPC"), (RPC_1,)),
        (one(url="http://h/a/b#c", protocolBinding="HTTP+JSON", protocolVersion="1.2"), (rest(path="/a/b"),)),
        (one(url="/a", protocolBinding="HTTP+JSON", protocolVersion="0.3"), (rest("0.3", "/a"),)),
        (one(url="no address", protocolBinding="JSONRPC"), (RPC_1,)),
        (one(url="http://h/", protocolBinding="GRPC"), ()),
        ({"url": "http://h/"}, (RPC_0,)),
        ({"url": "http://h/", "protocolVersion": "0.2.6", "preferredTransport": "JSONRPC"}, (RPC_0,)),
        ({"url": "http://h/", "protocol_version": "1.0", "preferred_transport": "HTTP+JSON"}, (rest(),)),
        (
            {
                "url": "http://h/rpc",
                "additionalInterfaces": [
                    {"url": "http://h/rpc", "transport": "JSONRPC"},
                    {"url": "http://h/api", "transport": "HTTP+JSON"},
                    {"url": "h:1", "transport": "GRPC"},
                    "junk",
                ],
            },
            (Way(version="0.3", binding="jsonrpc", path="/rpc"), rest("0.3", "/api")),
        ),
        (
            one(url="http://h/", protocolBinding="JSONRPC", tenant="t"),
            (Way(version="1.0", binding="jsonrpc", tenant="t"),),
        ),
        ({"supportedInterfaces": "junk", "url": 3, "additionalInterfaces": {}}, ()),
        ([], ()),
        (None, ()),
    ],
)
def test_a_card_gives_its_ways_without_their_host(card: Json, ways: tuple[Way, ...]) -> None:
    assert read_card(card).ways == ways


def test_a_card_of_both_generations_keeps_the_order_of_the_new_one() -> None:
    both = {"supportedInterfaces": [{"url": "http://h/", "protocolBinding": "HTTP+JSON"}], "url": "http://h/"}
    assert read_card(both).ways == (rest(), RPC_0)


@pytest.mark.parametrize(
    ("card", "streams", "others"),
    [
        ({"capabilities": {"streaming": True}}, True, ()),
        ({"capabilities": {"streaming": "yes"}}, False, ()),
        ({"capabilities": []}, False, ()),
        (one(url="x", protocolBinding="GRPC"), False, ("GRPC",)),
    ],
)
def test_a_card_says_whether_it_streams_and_what_it_has_for_others(
    card: Json, streams: bool, others: tuple[str, ...]
) -> None:
    assert (read_card(card).streams, read_card(card).others) == (streams, others)


@pytest.mark.parametrize(
    ("card", "options", "ways"),
    [
        (Card(), {}, (RPC_1, RPC_0)),
        (Card(), {"version": "0.3"}, (RPC_0,)),
        (Card(), {"binding": "rest"}, (rest(), rest("0.3"))),
        (Card(ways=(RPC_0,)), {}, (RPC_0, RPC_1)),
        (Card(ways=(RPC_0, RPC_1)), {}, (RPC_0, RPC_1)),
        (Card(ways=(RPC_0,)), {"version": "1.0"}, (RPC_1,)),
        (Card(ways=(rest(path="/a"),)), {"binding": "jsonrpc", "version": "1.0", "path": "/b"}, None),
        (Card(ways=(rest(), RPC_1)), {"binding": "jsonrpc"}, (RPC_1, RPC_0)),
        (Card(ways=(rest(path="/a"),)), {"version": "0.3"}, (rest("0.3", "/a"),)),
    ],
)
def test_the_other_generation_comes_after_the_card_s(
    card: Card, options: dict[str, str], ways: tuple[Way, ...] | None
) -> None:
    expected = (Way(version="1.0", binding="jsonrpc", path="/b"),) if ways is None else ways
    assert ways_to_try(card, **options) == expected


@pytest.mark.parametrize(("path", "other"), [("/a", "/a/"), ("/a/", "/a"), ("/a/b/", "/a/b")])
def test_a_path_has_one_other_slash(path: str, other: str) -> None:
    assert other_slash(rest(path=path)) == rest(path=other)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "url",
                    "supportedInterfaces",
                    "additionalInterfaces",
                    "protocolBinding",
                    "transport",
                    "capabilities",
                ]
            ),
            inner | st.sampled_from(["JSONRPC", "HTTP+JSON", "GRPC", "http://h/a"]),
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_no_card_is_too_odd_to_be_read(card: Json) -> None:
    ways = ways_to_try(read_card(card))
    assert 2 <= len(ways) <= 32
    assert {way.version for way in ways} == {"1.0", "0.3"}
    assert all(way.path.startswith("/") for way in ways)
