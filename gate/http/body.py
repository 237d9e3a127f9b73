"""What came: an answer that was read whole or is still arriving, and its body as bytes, text and JSON."""

import json as jsonlib
import math
import re
import zlib
from collections.abc import AsyncIterator, Callable, Mapping

from gate.frozen import frozen
from gate.http.errors import BadBody
from gate.model import Json
from gate.redact import excerpt

MAX_DEPTH = 100
"""How deep a JSON value of a stranger may nest: code that walks it recursively must not overflow."""
_SURROGATE = re.compile("[\ud800-\udfff]")


@frozen(kw_only=False)
class Response:
    """An answer that was read whole; header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as strict UTF-8; raises BadBody."""
        return decode_text(self.body)

    def json(self) -> Json:
        """The body as JSON (see parse_json); raises BadBody."""
        return parse_json(self.text.removeprefix("\ufeff"))


@frozen(kw_only=False)
class Streamed:
    """An answer whose body is still arriving; header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: AsyncIterator[bytes]

    def chunks(self) -> AsyncIterator[bytes]:
        """The decoded body as it arrives, once; raises Cut, Slow, TooBig or BadBody."""
        return self.body

    async def read(self) -> Response:
        """The rest of the body as one Response."""
        body = b"".join([chunk async for chunk in self.body])
        return Response(self.status, self.headers, body)


def decode_text(data: bytes) -> str:
    """Strict UTF-8; raises BadBody with the offset of the first bad byte."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadBody(f"not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}") from None


def parse_json(text: str) -> Json:
    """JSON as RFC 8259 has it: no NaN, no number beyond a float, at most MAX_DEPTH levels; raises BadBody.

    Half a surrogate pair, which no UTF-8 file can hold, becomes U+FFFD.
    """
    if not text.strip():
        raise BadBody("the body is empty; expected JSON")
    try:
        value: Json = jsonlib.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise BadBody(f"not JSON: {error}; it starts with {excerpt(text, 80)!r}") from None
    # Counting brackets is cheap and never too low, so most bodies are not walked at all.
    if text.count("[") + text.count("{") > MAX_DEPTH or "\\ud" in text.lower():
        value = _mended(value, 0)
    return value


def decoder(encoding: str, limit: int) -> Callable[[bytes], bytes]:
    """Undo a content encoding; one call never gives more than `limit` + 1 bytes, however well packed."""
    match encoding.strip().lower():
        case "" | "identity":
            return bytes
        case "gzip" | "x-gzip" | "deflate":
            inflate = zlib.decompressobj(wbits=47)  # 32 + 15: the header tells gzip from zlib
            return lambda raw: inflate.decompress(raw, limit + 1)
        case other:
            raise BadBody(f"content-encoding is {other!r} although only gzip was asked for")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]} is no JSON number that a float can hold")
    return value


def _mended(value: Json, depth: int) -> Json:
    if depth > MAX_DEPTH:
        raise BadBody(f"JSON nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_mended(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_SURROGATE.sub("\ufffd", key): _mended(item, depth + 1) for key, item in value.items()}
    return value
