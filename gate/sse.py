"""Server-sent events as the WHATWG HTML standard (section 9.2.6) reads them, and plain lines.

Both are strict about UTF-8.
"""

import re
from collections.abc import AsyncIterator

from gate.frozen import frozen
from gate.http import MIB, TooBig, decode_text

_BREAK = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


@frozen(kw_only=False)
class ServerSentEvent:
    """One event; `event` is "message" and `id` is "" where the stream names none."""

    event: str
    data: str
    id: str = ""


async def events(chunks: AsyncIterator[bytes], *, max_bytes: int = 8 * MIB) -> AsyncIterator[ServerSentEvent]:
    """Yield each event as its blank line arrives; without one at the end it is dropped, by the standard.

    Lines end at CR LF, CR or LF only: models write U+2028 and U+0085 inside of them. `max_bytes` caps one
    event and one line. Raises BadBody for what is not UTF-8, TooBig, and whatever the chunks raise.
    """
    lines, block = _Lines(max_bytes), _Block(max_bytes)
    async for chunk in chunks:
        for line in lines.feed(chunk):
            event = block.take(decode_text(line))
            if event is not None:
                yield event


async def lines(chunks: AsyncIterator[bytes], *, max_bytes: int = 8 * MIB) -> AsyncIterator[str]:
    """Yield each line as it ends, and what follows the last break; none of them holds a CR or LF.

    Raises BadBody for what is not UTF-8, TooBig for a line over `max_bytes`, and whatever the chunks raise.
    """
    found = _Lines(max_bytes)
    async for chunk in chunks:
        for line in found.feed(chunk):
            yield decode_text(line)
    if rest := found.rest():
        yield decode_text(rest)


class _Lines:
    """Cuts chunks into lines; a line, a CR LF pair or the BOM may be spread over many chunks."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._rest = bytearray()
        self._after_cr = False
        self._first = True

    def feed(self, chunk: bytes) -> list[bytes]:
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        *done, rest = _BREAK.split(chunk)
        if done:
            done[0] = bytes(self._rest) + done[0]
            self._rest.clear()
            self._after_cr = not rest and chunk.endswith(b"\r")
            if self._first:
                done[0] = done[0].removeprefix(_BOM)
                self._first = False
        self._rest += rest
        if len(self._rest) > self._max_bytes:
            raise TooBig(f"a line of the event stream exceeds {self._max_bytes:,} bytes")
        return done

    def rest(self) -> bytes:
        """What came after the last break."""
        return bytes(self._rest)


class _Block:
    """The fields of one event, gathered line by line."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._event = ""
        self._data: list[str] = []
        self._id = ""

    def take(self, line: str) -> ServerSentEvent | None:
        """Read one line; a blank one completes the event, unless it has no data."""
        if not line:
            return self._complete()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "data":
                self._add(value)
            case "event":
                self._event = value
            case "id" if "\0" not in value:
                self._id = value
            case _:  # a comment (its name is empty), `retry`, or a field of the future
                pass
        return None

    def _add(self, value: str) -> None:
        self._size += len(value) + 1
        if self._size > self._max_bytes:
            raise TooBig(f"an event of the stream exceeds {self._max_bytes:,} bytes")
        self._data.append(value)

    def _complete(self) -> ServerSentEvent | None:
        event = (
            ServerSentEvent(self._event or "message", "\n".join(self._data), self._id) if self._data else None
        )
        self._event, self._data, self._size = "", [], 0
        return event
