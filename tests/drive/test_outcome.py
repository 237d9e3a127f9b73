from datetime import UTC, datetime

import pytest

from gate.drive.outcome import failure_in, retry_after, stopped_by
from gate.http import Response
from gate.model.trace import Call, Crashed, Event, Refused, Text, Throttled, Usage

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "text", "seconds"),
    [
        ("", "", None),
        ("30", "", 30.0),
        ("1.5", "", 1.5),
        ("-1", "", None),
        ("soon", "", None),
        ("٣", "", None),
        ("Mon, 30 Nov 2026 12:00:20 GMT", "", 20.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", "", 0.0),
        ("Mon, 30 Nov 2026 12:00:20", "", 20.0),
        ("5", '"retryDelay": "12s"', 5.0),
        ("", '{"retryDelay": "12s"}', 12.0),
        ("", r"{\"retryDelay\": \"12.75s\"}", 12.75),
        ("", "{'retryDelay': '0s'}", 0.0),
        ("", "retry_delay { seconds: 41 }", 41.0),
        ("", "Please retry in 7.25s.", 7.25),
        ("", "retry in a while", None),
        ("Mon, 01 Jan 2020 00:00:00 +99999999999999", "", None),
    ],
)
def test_how_long_to_wait_is_read_from_headers_dates_and_retry_info(
    header: str, text: str, seconds: float | None
) -> None:
    assert retry_after({"retry-after": header} if header else {}, text, now=NOON) == seconds


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"Internal Server Error", "POST /a answered 500 Internal Server Error"),
        (b"Error", "POST /a answered 500 Internal Server Error"),
        (b"it broke", "POST /a answered 500 Internal Server Error: it broke"),
        (b"", "POST /a answered 500 Internal Server Error"),
    ],
)
def test_a_body_that_only_repeats_the_status_is_said_once(body: bytes, said: str) -> None:
    stopped = stopped_by(Response(status=500, headers={}, body=body), "POST /a")
    assert stopped.outcome == Crashed(reason=said)


def test_a_long_body_is_quoted_in_part_and_a_hint_may_be_given() -> None:
    stopped = stopped_by(Response(404, {}, b"x" * 5000), "POST /run", hint="create the session first")
    assert isinstance(stopped.outcome, Refused)
    assert (
        stopped.outcome.reason == f"POST /run answered 404 Not Found: {'x' * 300}…; create the session first"
    )


def test_a_status_that_nobody_named_is_still_an_outcome() -> None:
    assert isinstance(stopped_by(Response(599, {}, b"\xff"), "POST /").outcome, Crashed)
    assert isinstance(stopped_by(Response(418, {}, b""), "POST /").outcome, Refused)


def error(text: str) -> Event:
    return Event(error=text)


def text(words: str, usage: Usage | None = None, author: str = "agent") -> Event:
    return Event(parts=(Text(text=words),), usage=usage, author=author)


LIMIT = "Error code: 429 - rate_limit_error"
FREE, PAID = Usage(input_tokens=0, output_tokens=0), Usage(input_tokens=5, output_tokens=1)


@pytest.mark.parametrize(
    ("events", "exposes", "outcome"),
    [
        ([], ("text",), None),
        ([text("hello")], ("text",), None),
        ([error("boom")], ("text",), Crashed),
        ([error("boom"), text("I found another way")], ("text",), None),
        ([error("boom"), Event(parts=(Call(id="1", name="f", args={}),))], ("text",), None),
        ([text("hello"), error("boom")], ("text",), Crashed),
        ([error("RESOURCE_EXHAUSTED"), text("sorry")], ("text",), Throttled),
        ([error("429 Too Many Requests"), error("boom")], ("text",), Throttled),
        ([error("The model is overloaded")], ("text",), Throttled),
        ([error("503 UNAVAILABLE")], ("text",), Throttled),
        ([error("the database is unavailable")], ("text",), Crashed),
        ([text(LIMIT)], ("text",), Throttled),
        ([text(LIMIT)], ("text", "usage"), None),
        ([text(LIMIT, FREE)], ("text", "usage"), Throttled),
        ([text(LIMIT, PAID)], ("text", "usage"), None),
        ([text("thinking", PAID), text(LIMIT, FREE)], ("text", "usage"), None),
        ([text(LIMIT, author="user")], ("text",), None),
        ([text("Your rate limit is 10 a minute.")], ("text",), None),
        ([text(LIMIT), Event(parts=(Call(id="1", name="f", args={}),))], ("text",), None),
    ],
)
def test_what_events_say_of_a_failure(
    events: list[Event], exposes: tuple[str, ...], outcome: type | None
) -> None:
    stopped = failure_in(events, exposes)  # type: ignore[arg-type]
    assert (type(stopped.outcome) if stopped else None) is outcome
