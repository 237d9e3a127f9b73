"""How an exchange can fail, and the words for it."""

from gate.body import BadBody, Cut, HttpError, NotConnected, Slow, TooBig

__all__ = ["BadBody", "Cut", "HttpError", "NotConnected", "Slow", "TooBig", "cause", "shown"]


def shown(url: str) -> str:
    """A URL for a message: without the query, where people put keys."""
    return url.partition("?")[0]


def cause(error: BaseException) -> str:
    """Some exceptions have no message; the names of their classes read well enough."""
    return str(error) or type(error).__name__
