import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.http import MAX_DEPTH, MIB, BadBody, Response, decode_text, parse_json
from gate.http.body import decoder


def test_one_chunk_is_never_unpacked_beyond_the_cap() -> None:
    assert len(decoder("gzip", 1000)(gzip.compress(bytes(MIB)))) == 1001


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("{", "not JSON"),
        ('{"a": NaN}', "NaN"),
        ("-Infinity", "Infinity"),
        ("[1e999]", "1e999"),
        ("1" * 5000, "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), "nested deeper"),
        ('{"a":' * (MAX_DEPTH + 2) + "1" + "}" * (MAX_DEPTH + 2), "nested deeper"),
        ("{} {}", "not JSON"),
    ],
)
def test_what_is_no_json_says_why(text: str, words: str) -> None:
    with pytest.raises(BadBody, match=words):
        parse_json(text)


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    assert parse_json(r'{"a\ud800": ["\uDFFF", "\ud83d\ude00"]}') == {"a\ufffd": ["\ufffd", "😀"]}


def test_a_byte_order_mark_before_json_is_ignored() -> None:
    assert Response(200, {}, b"\xef\xbb\xbf[1]").json() == [1]


def test_text_that_is_not_utf_8_names_the_byte() -> None:
    with pytest.raises(BadBody, match="byte 0xff at offset 2"):
        decode_text(b"ab\xff")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=15,
)


@given(VALUES)
def test_any_json_value_survives(value: object) -> None:
    assert parse_json(json.dumps(value)) == value
    assert parse_json(json.dumps(value, ensure_ascii=False)) == value


@given(st.text(max_size=300))
def test_any_text_is_json_or_a_bad_body(text: str) -> None:
    try:
        value = parse_json(text)
    except BadBody:
        return
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
