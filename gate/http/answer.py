"""What came: an answer that was read whole or is still arriving, and its body as bytes, text and JSON."""

import zlib
from collections.abc import AsyncIterator, Callable, Mapping

from gate.body import BadBody, decode_text, parse_json
from gate.frozen import frozen
from gate.model import Json


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


def decoder(encoding: str, limit: int) -> Callable[[bytes], bytes]:
    """Undo a content encoding; one call never gives more than `limit` + 1 bytes, however well packed."""
    match encoding.strip().lower():
        case "" | "identity":
            return bytes
        case "gzip" | "x-gzip" | "deflate":
            inflate = zlib.decompressobj(wbits=47)  # 32 + 15: the header tells gzip from zlib
            return lambda raw: inflate.decompress(raw, limit + 1)
        case _:
            raise BadBody(f"content-encoding is {encoding!r} although only gzip was asked for")
