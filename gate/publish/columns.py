"""Texts in columns, as a terminal shows them."""

import unicodedata
from collections.abc import Collection, Iterator, Sequence


def aligned(grid: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> list[str]:
    """Each row as a line, its cells two spaces apart; the columns in `right` end below each other."""
    widths = [max(map(width, column)) for column in zip(*grid, strict=True)]
    return ["  ".join(_padded(row, widths, right)).rstrip() for row in grid]


def width(text: str) -> int:
    """Columns that a text takes on a terminal (Unicode UAX 11: wide and fullwidth characters take two)."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _padded(row: Sequence[str], widths: Sequence[int], right: Collection[int]) -> Iterator[str]:
    for number, (text, size) in enumerate(zip(row, widths, strict=True)):
        pad = " " * (size - width(text))
        yield pad + text if number in right else text + pad
