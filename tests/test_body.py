"""Bytes of a stranger become text and JSON, or one named reason why not."""

import json
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.body import MAX_DEPTH, MOST_VALUES, BadBody, decode_text, parse_json
from gate.formats.strict import strict_json


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
        ("[" + "1" * 400 + "]", "no JSON number that a float can hold"),
        ("-1" + "0" * 309, "no JSON number that a float can hold"),
        ("[" * 100_000, "not JSON"),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), "nested deeper"),
        ('{"a":' * (MAX_DEPTH + 2) + "1" + "}" * (MAX_DEPTH + 2), "nested deeper"),
        ("{} {}", "not JSON"),
    ],
)
def test_what_is_no_json_says_why(text: str, words: str) -> None:
    with pytest.raises(BadBody, match=words):
        parse_json(text)


@pytest.mark.parametrize("number", [10**308, -(10**308), int(sys.float_info.max), -1, 0, 2**64])
def test_a_whole_number_that_a_float_can_hold_is_exact_and_read_back_from_a_recording(number: int) -> None:
    assert parse_json(f"[{number}]") == strict_json(f"[{number}]") == [number]


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    assert parse_json(r'{"a\ud800": ["\uDFFF", "\ud83d\ude00"]}') == {"a\ufffd": ["\ufffd", "😀"]}


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


@pytest.mark.parametrize("text", ["[" + "1," * MOST_VALUES + "1]", "[" + "[]" * MOST_VALUES + "]"])
def test_a_flood_of_tiny_values_is_refused_before_it_is_read(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gate.body.json.loads", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(BadBody, match="more than 1,000,000"):
        parse_json(text)


@pytest.mark.parametrize("fill", [lambda text: [text], lambda text: {"k": text}, lambda text: {text: 1}])
def test_the_deepest_value_that_is_allowed_is_read_and_mended(fill: Callable[[str], object]) -> None:
    value = fill("a\ud800")
    mended = fill("a\ufffd")
    for _ in range(MAX_DEPTH - 1):
        value, mended = [value], [mended]
    assert parse_json(json.dumps(value)) == mended
