from collections.abc import AsyncIterator, Coroutine, Iterable
from itertools import pairwise
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.http import BadBody, TooBig
from gate.sse import ServerSentEvent, events, lines

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Nothing here waits, so that no event loop is needed, which would cost more than the work."""
    try:
        work.send(None)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    raise AssertionError("it waited")


def read(*chunks: bytes, max_bytes: int = 10_000) -> list[ServerSentEvent]:
    async def feed() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    async def collect() -> list[ServerSentEvent]:
        return [event async for event in events(feed(), max_bytes=max_bytes)]

    return run(collect())


def cut(*chunks: bytes, max_bytes: int = 10_000) -> list[str]:
    async def feed() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    async def collect() -> list[str]:
        return [line async for line in lines(feed(), max_bytes=max_bytes)]

    return run(collect())


def data(*chunks: bytes) -> list[str]:
    return [event.data for event in read(*chunks)]


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\n\ndata: b\n\n", ["a", "b"]),
        (b"data: a\r\rdata: b\r\r", ["a", "b"]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
        (b"data: a\r\n\ndata: b\n\r\n", ["a", "b"]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", ["a"]),
        (b": comment\ndata: a\n\n", ["a"]),
        (b":\n\n:\n\n", []),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b"data\ndata\n\n", ["\n"]),
        (b"data:\n\n", [""]),
        (b"data:  two spaces\n\n", [" two spaces"]),
        (b"data:none\n\n", ["none"]),
        (b"data: a\n\ndata: lost\n", ["a"]),
        (b"data: a\n\ndata: lost", ["a"]),
        (b"data: a\n", []),
        (b"", []),
        (b"event: x\n\ndata: a\n\n", ["a"]),
        (b"retry: 10\nunknown: x\nDATA: no\ndata: a\n\n", ["a"]),
        ("data: a\u2028b\u0085c\u2029d\x0b\x0c\x1ce\n\n".encode(), ["a\u2028b\u0085c\u2029d\x0b\x0c\x1ce"]),
        (b"data: a:b: c\n\n", ["a:b: c"]),
    ],
)
def test_the_standard_is_followed(stream: bytes, expected: list[str]) -> None:
    assert data(stream) == expected


def test_an_event_has_a_name_and_the_last_id_stays() -> None:
    assert read(b"event: error\nid: 7\ndata: a\n\ndata: b\n\nid: x\0y\ndata: c\n\nid\ndata: d\n\n") == [
        ServerSentEvent("error", "a", "7"),
        ServerSentEvent("message", "b", "7"),
        ServerSentEvent("message", "c", "7"),
        ServerSentEvent("message", "d", ""),
    ]


def test_a_crlf_that_is_cut_between_chunks_is_one_line_end() -> None:
    assert data(b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n") == ["a\nb"]


def test_an_event_that_ends_with_cr_is_not_held_back_for_a_line_feed() -> None:
    arrived: list[str] = []

    async def feed() -> AsyncIterator[bytes]:
        yield b"data: a\r\r"
        assert arrived == ["a"]
        yield b"\ndata: b\n\n"

    async def collect() -> None:
        async for event in events(feed()):
            arrived.append(event.data)  # noqa: PERF401 - the feed looks at what has arrived

    run(collect())
    assert arrived == ["a", "b"]


def test_a_bom_may_be_cut() -> None:
    assert data(b"\xef", b"\xbb", b"\xbfdata: a\n\n") == ["a"]


@pytest.mark.parametrize("stream", [b"data: \xff\n\n", b": \xc3\n\n", b"data: \xed\xa0\x80\n\n"])
def test_what_is_not_utf_8_is_a_bad_body(stream: bytes) -> None:
    with pytest.raises(BadBody, match="not UTF-8"):
        read(stream)


@pytest.mark.parametrize("chunks", [[b"data: " + b"x" * 100], [b"data: 1234567890\n"] * 6, [b"x" * 9] * 9])
def test_an_event_or_a_line_beyond_the_cap_is_too_big(chunks: list[bytes]) -> None:
    with pytest.raises(TooBig):
        read(*chunks, max_bytes=50)


def test_many_events_may_together_exceed_the_cap() -> None:
    assert len(read(*[b"data: 1234567890\n\n"] * 100, max_bytes=50)) == 100


LINES = st.lists(
    st.sampled_from(
        [
            b"data: a",
            b"data",
            b"id: 1",
            b"event: e",
            b": c",
            b"",
            "data: é\u2028".encode(),
            b"\xef\xbb\xbfdata: z",
        ]
    ),
    max_size=12,
)
ENDS = st.lists(st.sampled_from([b"\n", b"\r", b"\r\n"]), min_size=12, max_size=12)


@given(LINES, ENDS, st.lists(st.integers(0, 200), max_size=20))
def test_any_split_into_chunks_gives_the_same_events(
    lines: list[bytes], ends: list[bytes], cuts: Iterable[int]
) -> None:
    stream = b"".join(line + end for line, end in zip(lines, ends, strict=False))
    places = sorted({min(cut, len(stream)) for cut in cuts} | {0, len(stream)})
    chunks = [stream[a:b] for a, b in pairwise(places)]
    assert read(*chunks) == read(stream) == read(*(stream[n : n + 1] for n in range(len(stream))))


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([b"a\nb\n"], ["a", "b"]),
        ([b"a\r\nb"], ["a", "b"]),
        ([b"a\r", b"\nb"], ["a", "b"]),
        ([b"a", b"b\n\nc"], ["ab", "", "c"]),
        (["a\u2028b\u0085".encode()], ["a\u2028b\u0085"]),
        (["\u2028".encode()[:1], "\u2028".encode()[1:]], ["\u2028"]),
        ([b"\xef\xbb\xbfa\n"], ["a"]),
        ([], []),
    ],
)
def test_lines_end_at_breaks_and_the_last_one_at_the_end(chunks: list[bytes], expected: list[str]) -> None:
    assert cut(*chunks) == expected


@pytest.mark.parametrize(
    ("stream", "error"), [(b"a\n\xff\n", BadBody), (b"\xff", BadBody), (b"a" * 11, TooBig)]
)
def test_a_line_is_text_below_the_cap(stream: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        cut(stream, max_bytes=10)
