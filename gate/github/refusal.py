"""What a status that is no success means, what to write into the workflow, and how long to wait."""

import time
from collections.abc import Mapping

from gate.github.errors import (
    BadToken,
    GitHubError,
    Locked,
    MissingPermission,
    NotThere,
    RateLimited,
    TooLong,
)
from gate.http import BadBody, Response
from gate.model import Json
from gate.redact import excerpt

_SECONDARY_WAIT_S = 60.0
"""What GitHub asks for after a secondary limit that names no time."""
_CAP = 300
_DENIED = ("not accessible by", "must have", "not granted", "permission")
"""What GitHub says to a token that may not; a proxy's 403, or single sign-on's, says something else."""


def of(response: Response, asked: str, needs: str, now: float) -> GitHubError:
    """The error of an answer; `asked` is the request, `needs` the permission that it takes."""
    said = _message(response)
    what = f"GitHub answered {response.status} to {asked}: {said}"
    match response.status:
        case 429 | 403 if _limited(response, said):
            return _rate_limited(response, what, now)
        case 401:
            hint = "Is `github-token` set to a token that is still valid? The default is the job's own."
            return BadToken(what, hint=hint, status=401)
        case 403 if "locked" in said.lower():
            return Locked(what, hint="Unlock the conversation to get comments again.", status=403)
        case 403 if any(word in said.lower() for word in _DENIED):
            return MissingPermission(what, permission=needs, hint=_grant(needs), status=403)
        case 404 | 410:
            hint = f"It was deleted, or the token may not see it (needs `{needs}`)." if needs else ""
            return NotThere(what, hint=hint, status=response.status)
        case 422 if "too long" in _details(response).lower():
            return TooLong(what, status=422)
        case status:
            return GitHubError(what, status=status)


def pause_s(response: Response, now: float) -> float:
    """How long GitHub asks to wait, in seconds: `retry-after`, else until `x-ratelimit-reset`; 0 for nothing.

    https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    if after := _number(response, "retry-after"):
        return after
    if response.headers.get("x-ratelimit-remaining") == "0" and (
        reset := _number(response, "x-ratelimit-reset")
    ):
        return max(reset - now, 1.0)
    limited = response.status in (403, 429) and _limited(response, _message(response))
    return _SECONDARY_WAIT_S if limited else 0.0


def _limited(response: Response, said: str) -> bool:
    headers = response.headers
    return (
        response.status == 429  # noqa: PLR2004  # Too Many Requests
        or "retry-after" in headers
        or headers.get("x-ratelimit-remaining") == "0"
        or "rate limit" in said.lower()
    )


def _rate_limited(response: Response, what: str, now: float) -> RateLimited:
    free = time.strftime("%H:%M:%S", time.gmtime(now + pause_s(response, now)))
    return RateLimited(what, hint=f"It is free again at {free} UTC.", status=response.status)


def _grant(needs: str) -> str:
    if not needs:
        return ""
    return f"Add `{needs}` to the `permissions` of the job."


def _number(response: Response, name: str) -> float:
    """A header of seconds; 0 where it is absent or no number (a date is not used by GitHub)."""
    text = response.headers.get(name, "")
    return float(text) if text.isascii() and text.isdigit() and len(text) <= len("4102444800") else 0.0


def _message(response: Response) -> str:
    """GitHub's own words; those of whatever else answered (a proxy) are not repeated."""
    said = _body(response).get("message")
    return excerpt(said, _CAP) if isinstance(said, str) and said else "no reason given"


def _details(response: Response) -> str:
    """The reasons below a 422, as text."""
    return f"{_message(response)} {_body(response).get('errors', '')!r}"


def _body(response: Response) -> Mapping[str, Json]:
    try:
        value = response.json()
    except BadBody:
        return {}
    return value if isinstance(value, Mapping) else {}
