"""An answer's body: unpacked within its cap, read as JSON whatever mark stands before it."""

import gzip

from gate.http import MIB, Response
from gate.http.answer import decoder


def test_one_chunk_is_never_unpacked_beyond_the_cap() -> None:
    assert len(decoder("gzip", 1000)(gzip.compress(bytes(MIB)))) == 1001


def test_a_byte_order_mark_before_json_is_ignored() -> None:
    assert Response(200, {}, b"\xef\xbb\xbf[1]").json() == [1]
