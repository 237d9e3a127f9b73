"""Unicode's normal forms in time that grows with the text, whatever an agent writes.

`unicodedata.normalize` sorts marks that follow each other by moving them one by one: 80,000 in a bad order
take twenty seconds, and nothing can interrupt it. No language has more than a few on a letter, so that long
runs are broken up first, as Unicode's Stream-Safe Text Format has it (UAX #15, section 13).
"""

import re
from collections.abc import Iterator
from typing import Final, Literal
from unicodedata import combining, normalize

_MOST_MARKS: Final = 30
_JOINER: Final = "\u034f"
"""COMBINING GRAPHEME JOINER: it is no mark to be sorted, and is not seen."""
_LATE: Final = dict.fromkeys((0x0F73, 0x0F75, 0x0F81, 0xFF9E, 0xFF9F), "\u0301")
"""What is no mark before it is taken apart."""
_RUN: Final = re.compile(rb"[^\0]{%d}(?=[^\0])" % _MOST_MARKS)
_SHORT: Final = 1000
"""Characters of which even the worst order takes a millisecond."""


def normal(form: Literal["NFC", "NFKC"], text: str) -> str:
    """The text in a normal form; marks beyond thirty on one letter are set apart from it."""
    return normalize(form, text if len(text) <= _SHORT or text.isascii() else "".join(_safe(text)))


def _safe(text: str) -> Iterator[str]:
    classes = bytes(map(combining, text.translate(_LATE)))
    begin = 0
    for run in _RUN.finditer(classes):
        yield text[begin : run.end()] + _JOINER
        begin = run.end()
    yield text[begin:]
