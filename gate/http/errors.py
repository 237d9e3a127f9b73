"""How an exchange can fail; each `reason` says why, for people."""


class HttpError(Exception):
    """An exchange that gave no usable answer; `reason` says why, for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NotConnected(HttpError):
    """The connection failed before a byte came back; `sent`: although the agent had accepted it."""

    def __init__(self, reason: str, *, sent: bool = False) -> None:
        super().__init__(reason)
        self.sent = sent


class Cut(HttpError):
    """The connection was lost after the first byte."""


class Slow(HttpError):
    """Nothing arrived (or could be sent) for the time that was allowed."""


class TooBig(HttpError):
    """A body or a header exceeds its cap."""


class BadBody(HttpError):
    """What came is not UTF-8, not JSON, not of the expected content type, or not HTTP at all."""


def shown(url: str) -> str:
    """A URL for a message: without the query, where people put keys."""
    return url.partition("?")[0]


def cause(error: BaseException) -> str:
    """Some exceptions have no message; the names of their classes read well enough."""
    return str(error) or type(error).__name__
