"""HTTP with deadlines, size caps and error names of our own.

Redirects are never followed, a status is never an error, and no proxy is used unless `trust_env` is set.
"""

from gate.body import (
    MAX_DEPTH,
    BadBody,
    Cut,
    HttpError,
    NotConnected,
    Slow,
    TooBig,
    decode_text,
    parse_json,
)
from gate.http.answer import Response, Streamed
from gate.http.client import MIB, Client

__all__ = [
    "MAX_DEPTH",
    "MIB",
    "BadBody",
    "Client",
    "Cut",
    "HttpError",
    "NotConnected",
    "Response",
    "Slow",
    "Streamed",
    "TooBig",
    "decode_text",
    "parse_json",
]
