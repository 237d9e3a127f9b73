"""PNG pictures made small: a page of text needs a palette, and browsers write true colour."""

import struct
import zlib
from collections import Counter
from collections.abc import Iterator

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COARSE = bytes(value & 0xF8 for value in range(256))
Rows = list[bytes]


def with_palette(png: bytes, note: tuple[str, str]) -> bytes:
    """The same picture (8 bits, RGB) in at most 256 colours, with a text chunk: its keyword and its text.

    Colours that differ in their last three bits become the most frequent one of them.
    """
    parts = list(_chunks(png))
    width, height, *kind = struct.unpack(">IIBBBBB", next(data for name, data in parts if name == b"IHDR"))
    assert kind == [8, 2, 0, 0, 0], "8 bits a channel, RGB, not interlaced"
    packed = zlib.decompress(b"".join(data for name, data in parts if name == b"IDAT"))
    rows = _unfiltered(packed, width * 3)
    palette, index = _palette(rows)
    lines = b"".join(b"\0" + bytes(index[pixel] for pixel in _pixels(row)) for row in rows)
    made = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette),
        (b"tEXt", "\0".join(note).encode("latin-1")),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(_chunk(name, data) for name, data in made)


def note(png: bytes, keyword: str) -> str:
    """The text that a picture carries under a keyword; "" where there is none."""
    for name, data in _chunks(png):
        found, _, text = data.partition(b"\0")
        if name == b"tEXt" and found == keyword.encode("latin-1"):
            return text.decode("latin-1")
    return ""


def size(png: bytes) -> tuple[int, int]:
    """Width and height."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(_SIGNATURE)
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        place += 12 + length


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _pixels(row: bytes) -> Iterator[bytes]:
    return (row[place : place + 3] for place in range(0, len(row), 3))


def _palette(rows: Rows) -> tuple[bytes, dict[bytes, int]]:
    """The colours, and which of them stands for each colour that the picture has."""
    frequent = [
        colour for colour, _ in Counter(pixel for row in rows for pixel in _pixels(row)).most_common()
    ]
    numbers: dict[bytes, int] = {}
    palette: list[bytes] = []
    index = {}
    for colour in frequent:
        coarse = colour.translate(_COARSE)
        if coarse not in numbers:
            numbers[coarse] = len(palette)
            palette.append(colour)
        index[colour] = numbers[coarse]
    assert len(palette) <= 256, f"{len(palette)} colours"
    return b"".join(palette), index


def _unfiltered(packed: bytes, width: int) -> Rows:
    """The rows before PNG's filters (section 9); the pixel before is three bytes back."""
    rows: Rows = []
    above = bytes(width)
    for place in range(0, len(packed), width + 1):
        kind, line = packed[place], bytearray(packed[place + 1 : place + 1 + width])
        for i, value in enumerate(line) if kind else ():
            left, corner = (line[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            guesses = (0, left, above[i], (left + above[i]) // 2, _paeth(left, above[i], corner))
            line[i] = (value + guesses[kind]) & 255
        above = bytes(line)
        rows.append(above)
    return rows


def _paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((abs(guess - near), order, near) for order, near in enumerate((left, above, corner)))[2]
