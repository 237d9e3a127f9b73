import gc
import math
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gate.documents import canonical, parse
from gate.documents.yaml_text import MAX_ALIASED


def found(text: str) -> list[tuple[str, str, str]]:
    return [(f.rule, str(f.place).removeprefix("x.yaml:"), f.level) for f in parse(text, "x.yaml").findings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: on\n", [("yaml-surprise", "1:4", "warn")]),
        ("on: 1\n", [("yaml-surprise", "1:1", "warn")]),
        ("a: [x, no]\n", [("yaml-surprise", "1:8", "warn")]),
        ("a: 1e3\n", [("yaml-surprise", "1:4", "warn")]),
        ("a: 010\n", [("yaml-surprise", "1:4", "warn")]),
        ("a: 12:30:45\n", [("yaml-surprise", "1:4", "warn")]),
        ("a: 2027-01-31\n", [("yaml-surprise", "1:4", "warn")]),
        ("until: 2027-01-31\n", []),
        ("a: 2027-01-31T10:00:00Z\n", [("yaml-surprise", "1:4", "warn")]),
        ("a: 1_000\n", [("yaml-surprise", "1:4", "warn")]),
        ('a: "on"\nb: "010"\nc: 1.5\nd: "2027-01-31"\n', []),
        ("a: x\u2028y\n", [("bad-text", "1:5", "error")]),
        ('a: 1\r\nb: "x\u2028y"\n', [("bad-text", "2:6", "error")]),
        ('a: "x\\u2028y"\n', []),
        ("a: 1\nb: 2\na: 3\n", [("duplicate-key", "3:1", "error")]),
        ("a: {b: 1, b: 2}\n", [("duplicate-key", "1:11", "error")]),
        ("1: x\n", [("key-not-text", "1:1", "error")]),
        ("true: x\n", [("key-not-text", "1:1", "error")]),
        ("? \n: x\n", [("key-not-text", "1:2", "error")]),
        ("? [a]\n: b\n", [("key-not-text", "1:3", "error")]),
        ("a: {{name}}\n", [("key-not-text", "1:5", "error")]),
        ("a: .nan\nb: -.inf\n", [("not-json", "1:4", "error"), ("not-json", "2:4", "error")]),
        ("a: 1e999\n", [("not-json", "1:4", "error")]),
        ("a: " + "9" * 5000 + "\n", [("not-json", "1:4", "error")]),
        ("a: !!python/object/apply:os.system [x]\n", [("yaml-tag", "1:4", "error")]),
        ("a: !thing x\n", [("yaml-tag", "1:4", "error")]),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", [("yaml-merge", "3:3", "error")]),
        ("a: *x\n", [("alias", "1:4", "error")]),
        ("a: &x [*x]\n", [("alias", "1:8", "error")]),
        ("a: 1\n---\nb: 2\n", [("yaml-documents", "2:1", "error")]),
        ("", [("empty-file", "1:1", "error")]),
        ("# nothing\n", [("empty-file", "2:1", "error")]),
        ("a:\n\t- b\n", [("syntax", "2:1", "error")]),
        ("a: b: c\n", [("syntax", "1:5", "error")]),
        ("a: [1, 2\n", [("syntax", "2:1", "error")]),
        ('a: "b\n', [("syntax", "2:1", "error")]),
        ("a:\n  b: 'x'y\n", [("syntax", "2:9", "error")]),
        ("a: 1\nb: \x07\n", [("bad-text", "2:4", "error")]),
        ("é: \x00\n", [("bad-text", "1:4", "error")]),
        ("[" * 101, [("too-deep", "1:101", "error")]),
        ("[" * 5000, [("too-deep", "1:1001", "error")]),
        ("- " * 5000 + "x", [("too-deep", "1:201", "error")]),
    ],
)
def test_what_is_wrong_is_found_at_its_place(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(text) == expected


def test_a_surprise_says_both_readings_and_what_to_write() -> None:
    finding = parse("a: on\n", "x.yaml").findings[0]
    assert finding.what == "`on` reads as true in many YAML tools and as text here"
    assert finding.fix == 'Quote it: "on".'


def test_a_duplicate_key_names_the_first_place_and_the_last_value_counts() -> None:
    document = parse("a: 1\nb:\n  c: 1\n  c: 2\n", "x.yaml")
    assert document.value == {"a": 1, "b": {"c": 2}}
    assert document.findings[0].what == "the key 'c' is also at x.yaml:3:3"


@pytest.mark.parametrize("text", ["a: 1\r\nb: [x]\r\n", "\ufeffa: 1\nb: [x]\n"])
def test_a_byte_order_mark_and_windows_line_ends_change_nothing(text: str) -> None:
    document = parse(text, "x.yaml")
    assert document.value == {"a": 1, "b": ["x"]}
    assert str(document.place(("b", 0))) == "x.yaml:2:5"
    assert not document.findings


def test_places_of_keys_values_and_items() -> None:
    document = parse("cases:\n  - id: a\n    tags: [x, y]\n", "x.yaml")
    assert str(document.place(("cases", 0))) == "x.yaml:2:5"
    assert str(document.place(("cases", 0, "tags"), key=True)) == "x.yaml:3:5"
    assert str(document.place(("cases", 0, "tags"))) == "x.yaml:3:11"
    assert str(document.place(("cases", 0, "tags", 1))) == "x.yaml:3:15"
    assert str(document.place(("cases", 0, "nope", "x"))) == "x.yaml:2:5"
    assert str(document.place()) == "x.yaml:1:1"


def test_columns_count_characters_not_bytes() -> None:
    assert str(parse('{"é😀": 1, b: on}\n', "x.yaml").findings[0].place) == "x.yaml:1:14"


def test_an_alias_gives_the_value_of_its_anchor_also_as_a_key() -> None:
    document = parse("a: &x {b: [1]}\nc: *x\nd: &k name\n*k : 1\n", "x.yaml")
    assert document.value == {"a": {"b": [1]}, "c": {"b": [1]}, "d": "name", "name": 1}
    assert not document.findings


def test_a_bomb_of_aliases_is_refused_before_it_grows() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    document = parse("\n".join(lines), "bomb.yaml")
    assert document.broken
    assert [f.rule for f in document.findings] == ["alias"]


def test_a_bomb_of_long_texts_is_refused_too() -> None:
    text = f"a: &a {'x' * 1_000_000}\nb: [{', '.join(['*a'] * 20)}]\n"
    assert [f.rule for f in parse(text, "bomb.yaml").findings] == ["alias"]
    assert MAX_ALIASED * 100 < 20 * 1_000_000


def test_aliases_cannot_pass_the_limit_of_depth() -> None:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 200))]
    assert [f.rule for f in parse("\n".join(lines), "x.yaml").findings] == ["too-deep"]


def test_half_a_surrogate_in_the_text_is_a_finding() -> None:
    assert [f.rule for f in parse("a: \ud800\n", "x.yaml").findings] == ["bad-text"]


@pytest.mark.parametrize(
    "text",
    ["null", "~", "true", "False", "0", "-7", "+3", "0x1F", "0o17", "1.5", ".5", "1.", "1.5e-3", "yes", "x"],
)
def test_plain_scalars_mean_what_another_reader_of_yaml_1_2_says(text: str) -> None:
    assert parse(f"a: {text}\n", "x.yaml").value == {"a": YAML(typ="safe").load(f"a: {text}\n")["a"]}


def test_reading_leaves_the_garbage_collector_as_it_was() -> None:
    parse("a: [", "x.yaml")
    assert gc.isenabled()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)


@given(st.text())
def test_no_text_raises(text: str) -> None:
    document = parse(text, "x.yaml")
    assert document.findings or not document.broken


@given(JSON)
def test_what_another_library_writes_is_read_back(value: object) -> None:
    out = StringIO()
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.allow_unicode = False
    writer.width = 1_000_000  # where it folds a text of escapes it adds a space that no reader can tell
    writer.dump({"a": value}, out)
    document = parse(out.getvalue(), "x.yaml")
    assert [f for f in document.findings if f.level == "error"] == []
    assert canonical(document.value) == canonical({"a": value}) or _has_float(value)


def _has_float(value: object) -> bool:
    match value:
        case float():
            return math.isfinite(value)
        case list():
            return any(map(_has_float, value))
        case dict():
            return any(map(_has_float, value.values()))
        case _:
            return False
