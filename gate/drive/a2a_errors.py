"""What the errors of A2A mean: another way is to be tried, the request was refused, or the agent failed."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

from gate.drive.outcome import failure_in, stopped_by
from gate.drive.protocol import Stopped
from gate.formats.a2a_parts import canonical
from gate.formats.adk_fields import is_mapping, word
from gate.http import Response
from gate.model import Json
from gate.model.trace import Crashed, Event, Refused, Throttled
from gate.redact import excerpt

_LONGEST: Final = 300
_MISUNDERSTOOD: Final = frozenset({-32600, -32601, -32602, -32004, -32009})
"""Invalid request, method or parameters, unsupported operation or version: the other generation may do."""
_REFUSED: Final = _MISUNDERSTOOD | {-32700, -32003, -32005, -32007, -32008}
_LOST: Final = frozenset({307, 308, 404, 405})
_WRONG_STATUS: Final = _LOST | {400, 415, 501}
_HINTS: Mapping[int, str] = {
    400: "the server does not understand the request: choose `a2a: {version: …, transport: …}` as it speaks",
    404: "nothing is served there: give the endpoint's path as `a2a: {path: /…}`",
    405: "nothing takes messages there: give the endpoint's path as `a2a: {path: /…}`",
}


class WrongWay(Exception):
    """The server does not understand this generation, binding or path; `stopped` is the end if none is.

    `lost` says that nothing is served at the path.
    """

    def __init__(self, stopped: Stopped, *, lost: bool = False) -> None:
        super().__init__(stopped.outcome.reason)
        self.stopped = stopped
        self.lost = lost


def asked(response: Response, what: str) -> WrongWay | Stopped:
    """What an answer that is not 200 means."""
    stopped = stopped_by(response, what, hint=_HINTS.get(response.status, ""))
    if response.status not in _WRONG_STATUS:
        return stopped
    return WrongWay(stopped, lost=response.status in _LOST)


def rpc_error(error: Json, what: str, *, final: bool = False) -> WrongWay | Stopped:
    """What an error object means, JSON-RPC's or google.rpc's; `final`: parts of an answer came before it."""
    if not is_mapping(error):
        return Stopped(Crashed(reason=f"{what} answered with the error {excerpt(str(error), _LONGEST)}"))
    code = error.get("code")
    number = code if isinstance(code, int) else 0
    more = error.get("data", error.get("details"))
    said = f"{word(error, 'message')} {canonical(more)}" if more else word(error, "message")
    reason = f"{what} answered with error {code}: {excerpt(said, _LONGEST)}"
    limit = failure_in((Event(error=reason),), ())
    if limit and isinstance(limit.outcome, Throttled):
        return limit
    if number not in _REFUSED and number != HTTPStatus.BAD_REQUEST:
        return Stopped(Crashed(reason=reason))
    stopped = Stopped(Crashed(reason=reason) if final else Refused(reason=reason))
    misunderstood = number in _MISUNDERSTOOD or number == HTTPStatus.BAD_REQUEST
    return WrongWay(stopped) if misunderstood and not final else stopped


def refusal(refused: Sequence[WrongWay]) -> Stopped:
    """The end of a trial when no way was understood: the first answer, and what else was tried."""
    first, *others = (wrong.stopped for wrong in refused)
    if not others:
        return first
    also = "; ".join(dict.fromkeys(other.outcome.reason for other in others))
    return Stopped(Refused(reason=f"{first.outcome.reason}; then: {excerpt(also, 2 * _LONGEST)}"))
