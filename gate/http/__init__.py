"""HTTP with deadlines, size caps and error names of our own.

Redirects are never followed, a status is never an error, and no proxy is used unless `trust_env` is set.
"""

from gate.http.body import MAX_DEPTH, Response, Streamed, decode_text, parse_json
from gate.http.client import MIB, Client
from gate.http.errors import BadBody, Cut, HttpError, NotConnected, Slow, TooBig

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
