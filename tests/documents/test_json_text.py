import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.documents import parse


def found(text: str) -> list[tuple[str, str]]:
    return [(f.rule, str(f.place).removeprefix("x.json:")) for f in parse(text, "x.json").findings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1, "a": 2}', [("duplicate-key", "1:10")]),
        ('{"a": NaN,\n "b": -Infinity}', [("not-json", "1:7"), ("not-json", "2:7")]),
        ('{"a": 1e999}', [("not-json", "1:7")]),
        (f'{{"a": {"9" * 310}}}', [("not-json", "1:7")]),
        (f'{{"a": {"9" * 5000}}}', [("not-json", "1:7")]),
        ("[1,\n2,\n]", [("syntax", "3:1")]),
        ('{"a": 1,}', [("syntax", "1:9")]),
        ("{'a': 1}", [("syntax", "1:2")]),
        ('{"a": 1 // x\n}', [("syntax", "1:9")]),
        ('["\\ud800"]', [("bad-text", "1:2")]),
        ('["\\ud83d\\ude00"]', []),
        ('["a\\x"]', [("syntax", "1:4")]),
        ('["a\nb"]', [("syntax", "1:2")]),
        ('{"a" 1}', [("syntax", "1:6")]),
        ('{"a": 01}', [("syntax", "1:7")]),
        ('{"a": tru}', [("syntax", "1:7")]),
        ("[1] 2", [("syntax", "1:5")]),
        ("[1, [2", [("syntax", "1:7")]),
        ("[1}", [("syntax", "1:3")]),
        ('{"a": 1 "b": 2}', [("syntax", "1:9")]),
        ("", [("empty-file", "1:1")]),
        (" \r\n", [("empty-file", "1:1")]),
        ("[" * 100_000, [("too-deep", "1:101")]),
        ("9" * 5000, [("not-json", "1:1")]),
    ],
)
def test_what_is_wrong_is_found_at_its_place(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_places_of_keys_values_and_items() -> None:
    document = parse('\ufeff{\r\n  "a": [1,\r\n    {"b": null}]\r\n}', "x.json")
    assert str(document.place(("a", 0))) == "x.json:2:9"
    assert str(document.place(("a", 1, "b"), key=True)) == "x.json:3:6"
    assert str(document.place(("a", 1, "b"))) == "x.json:3:11"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_values_are_those_of_the_standard_library(
    value: object, indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    document = parse(text, "x.json")
    if not document.findings:
        assert document.value == json.loads(text)


@given(st.text(st.sampled_from('{}[],:"\\ \n\t0123456789.eE+-truefalsnu\ud800x')))
def test_exactly_what_the_standard_library_reads_is_read(text: str) -> None:
    document = parse(text, "x.json")
    try:
        json.loads(text)
        readable = True
    except json.JSONDecodeError:
        readable = False
    assert document.broken is not readable
