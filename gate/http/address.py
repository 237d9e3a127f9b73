"""A URL as the parts of a request: where to connect, and what to ask for there."""

import base64
from urllib.parse import SplitResult, quote, unquote, urlsplit

from gate.frozen import frozen
from gate.http.errors import HttpError, shown

_PORTS = {"http": 80, "https": 443}
_SAFE = "/?%!$&'()*+,;=:@~[]"  # what RFC 3986 lets stand, and escapes that are there already


@frozen(kw_only=False)
class Origin:
    """Where a connection goes; two URLs of one origin can share it."""

    scheme: str
    host: str
    port: int


@frozen(kw_only=False)
class Address:
    """`host` is the header of that name; `authorization` comes from `user:password@`, "" without."""

    origin: Origin
    host: str
    target: str
    authorization: str


def address_of(url: str) -> Address:
    """The parts of an absolute http(s) URL; raises HttpError for anything else."""
    try:
        return _address(urlsplit(url))
    except ValueError as error:  # that no text can be encoded so is one too
        raise HttpError(f"the request to {shown(url)} cannot be sent: {error}") from error


def _address(parts: SplitResult) -> Address:
    name = parts.hostname or ""
    if not name.isascii():
        name = name.encode("idna").decode()
    if parts.scheme not in _PORTS or not name or " " in name or not name.isprintable():
        raise ValueError("it is no address of http:// or https://")
    bracketed = f"[{name}]" if ":" in name else name
    usual = _PORTS[parts.scheme]
    query = f"?{parts.query}" if parts.query else ""
    return Address(
        origin=Origin(parts.scheme, name, usual if parts.port is None else parts.port),
        host=bracketed if parts.port in (None, usual) else f"{bracketed}:{parts.port}",
        target=quote((parts.path or "/") + query, _SAFE),
        authorization=_basic(parts),
    )


def _basic(parts: SplitResult) -> str:
    if parts.username is None and parts.password is None:
        return ""
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"
