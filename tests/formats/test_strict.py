"""JSON that programs wrote, read strictly."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.strict import MAX_DEPTH, strict_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_what_a_program_writes_reads_as_json_does(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    assert strict_json(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ("{} {}", "Extra data"),
        ("NaN", "NaN"),
        ('{"a": -Infinity}', "Infinity"),
        ("1e999", "1e999"),
        ("9" * 350, "no number"),
        ("9" * 5000, "5000 digits"),
        ('{"a": 1, "b": 2, "a": 3}', "'a' is there twice"),
        ('"a\\ud800"', "surrogate"),
        ('{"\\uDFFF": 1}', "surrogate"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested"),
        ("[" * 100_000, "nested"),
        ('{"a":' * 100_000, "nested"),
    ],
)
def test_what_no_program_writes_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        strict_json(text)


def test_the_deepest_value_that_is_allowed_is_read() -> None:
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert json.dumps(strict_json(text)) == text
