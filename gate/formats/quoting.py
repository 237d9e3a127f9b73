"""A stranger's words in a message of ours."""

from typing import Final

_MOST: Final = 80
_CUT: Final = "…"
"""The mark of the redactor's excerpts: it knows that a secret may have lost its end there."""


def start_of(text: str) -> str:
    """The start of a text; where it is cut, a mark says so."""
    return text if len(text) <= _MOST else text[:_MOST] + _CUT


def quoted(text: str) -> str:
    """The start of a text in quotes, what cannot be printed in it escaped."""
    return repr(start_of(text))
