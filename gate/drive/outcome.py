"""What an exchange that went wrong means for its trial: whose fault it is, and whether to try again."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import assert_never

from gate.drive.protocol import Stopped
from gate.formats.limits import prints_limit, reported_failure, retry_delay_s
from gate.http import BadBody, Cut, HttpError, NotConnected, Response, Slow, TooBig
from gate.http.pace import asked_wait_s
from gate.model.derived import texts_of
from gate.model.trace import (
    Call,
    Completed,
    Crashed,
    Event,
    Exposed,
    Outcome,
    Paused,
    Refused,
    Throttled,
    TimedOut,
)
from gate.redact import excerpt, quoted

EXCERPT = 300
"""Characters of an error body that a reason quotes."""

_LIMIT_TEXT_AT_MOST = 600
_HINTS: Mapping[int, str] = {
    400: "the agent does not understand this request: compare it with the agent's API",
    401: "the agent wants credentials: send them with `headers` of a `url` boot",
    403: "the agent forbids it: look at its credentials, and at the hosts and origins that it allows",
    404: "is the path (`http.path`), or the app's name (`agent.app`), what the agent serves?",
    405: "this path exists but takes another method",
    422: "the agent's schema does not accept this request: compare it with `request` in agent-gate.yml",
}


def stopped_by(response: Response, what: str, *, hint: str = "") -> Stopped:
    """The end of a trial by an answer that is not 2xx; `what` names the request (`POST /run`).

    429 and 503 are a provider's limit, and so is any 5xx that says so; other 5xx are the agent's crash; all
    else was refused. `hint` replaces the general advice.
    """
    body = response.body[: 64 * EXCERPT].decode(errors="replace")
    words = quoted(response.body, EXCERPT)
    status = _status(response.status)
    said = f"{what} answered {status}{': ' + words if words and not status.endswith(f' {words}') else ''}"
    match response.status:
        case 429 | 503:
            return Stopped(Throttled(reason=said), retry_after_s=retry_after(response.headers, body))
        case code if code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            if prints_limit(body):
                return Stopped(Throttled(reason=said), retry_after_s=retry_after(response.headers, body))
            return Stopped(Crashed(reason=said))
        case code if HTTPStatus.MULTIPLE_CHOICES <= code < HTTPStatus.BAD_REQUEST:
            to = response.headers.get("location", "nowhere")
            advice = hint or "redirects are not followed: write the address that answers"
            return Stopped(Refused(reason=f"{said} and redirects to {to}; {advice}"))
        case code:
            advice = hint or _HINTS.get(code, "")
            return Stopped(Refused(reason=f"{said}; {advice}" if advice else said))


def outcome_of(error: HttpError) -> Outcome:
    """The outcome that a failed exchange means while the agent's process lives (or is not ours to watch)."""
    match error:
        case NotConnected(sent=False):
            return Refused(reason=error.reason)
        case Slow():
            return TimedOut(reason=error.reason)
        case NotConnected() | Cut() | TooBig() | BadBody():
            return Crashed(reason=error.reason)
        case _:
            return Refused(reason=error.reason)


def failure_in(events: Sequence[Event], exposes: Sequence[Exposed]) -> Stopped | None:
    """What a turn's events say of a failure although the exchange itself went well, or None.

    Reported errors are judged by reported_failure. An answer that is nothing but a limit's error text counts
    only where the turn has no tool call and cost no token: usage of zero was reported, or the protocol
    exposes no usage at all. Where usage is exposed and absent nobody knows: a talk about quotas stays an
    answer.
    """
    if reported := reported_failure(events):
        wait_s = retry_delay_s(reported.reason) if isinstance(reported, Throttled) else None
        return Stopped(reported, retry_after_s=wait_s)
    text = "\n".join(texts_of(events)).strip()
    if len(text) <= _LIMIT_TEXT_AT_MOST and prints_limit(text) and _is_free(events, exposes):
        reason = f"the answer is a limit's error text and cost no token: {excerpt(text, EXCERPT)!r}"
        return Stopped(Throttled(reason=reason), retry_after_s=retry_delay_s(text))
    return None


def retry_after(headers: Mapping[str, str], text: str, *, now: datetime | None = None) -> float | None:
    """Seconds that the other side asks to wait: `retry-after` (RFC 9110: seconds or a date), or RetryInfo."""
    asked = asked_wait_s(headers, now=now)
    return retry_delay_s(text) if asked is None else asked


def is_retryable(outcome: Outcome) -> bool:
    """Whether another attempt of the trial could end otherwise without the agent being any different."""
    match outcome:
        case Throttled():
            return True
        case Completed() | Crashed() | TimedOut() | Paused() | Refused():
            return False
        case _:
            assert_never(outcome)


def _status(status: int) -> str:
    phrase = next((known.phrase for known in HTTPStatus if known == status), "")
    return f"{status} {phrase}".strip()


def _is_free(events: Sequence[Event], exposes: Sequence[Exposed]) -> bool:
    if any(isinstance(part, Call) for event in events for part in event.parts):
        return False
    usages = [event.usage.total for event in events if event.usage]
    return not any(usages) and (bool(usages) or "usage" not in exposes)
