import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonpath import JSONPathEnvironment

from gate.formats.json_paths import BadPath, JsonPath

DOCUMENT = {"a": {"b": [1, None, {"c": "x"}]}, "odd key": 2, "list": [[1], [2]], "t": "[1]"}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$", [DOCUMENT]),
        ("$.a.b[0]", [1]),
        ("$.a.b[2].c", ["x"]),
        ("$.a.b[*]", [1, None, {"c": "x"}]),
        ("$.a[*]", [[1, None, {"c": "x"}]]),
        ("$.list[*][0]", [1, 2]),
        ("$.missing.b", []),
        ("$.a.b.c", []),
        ("$.a.b[9]", []),
        ("$.t[0]", []),
        ("$['odd key']", [2]),
        ("$..c", ["x"]),
        ("$.a.b[-1].c", ["x"]),
        ("$.a.b[?@.c == 'x'].c", ["x"]),
    ],
)
def test_a_path_finds_its_nodes(path: str, found: list[object]) -> None:
    assert list(JsonPath(path).find(DOCUMENT)) == found


def test_a_string_has_no_children_even_where_it_holds_json() -> None:
    assert list(JsonPath("$[-1]").find("[1]")) == []
    assert list(JsonPath("$..a").find('{"a": 1}')) == []


def test_the_first_value_skips_null() -> None:
    assert JsonPath("$.a.b[*]").first({"a": {"b": [None, False]}}) is False
    assert JsonPath("$.a").first({}) is None


@pytest.mark.parametrize("text", ["", "a.b", "$.a[", "$a", "$.a.length()", "$.x ~ y", "$.a[01]", " $.a"])
def test_what_is_no_json_path_says_so(text: str) -> None:
    with pytest.raises(BadPath, match="is no JSONPath"):
        JsonPath(text)


NAMES = st.sampled_from(["a", "b", "_c1"])
STEPS = st.one_of(NAMES.map(".{}".format), st.integers(0, 3).map("[{}]".format), st.just("[*]"))
VALUES = st.recursive(
    st.none() | st.integers(0, 9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)


@given(st.lists(STEPS, max_size=4).map("".join), VALUES.filter(lambda value: isinstance(value, dict | list)))
def test_the_short_way_finds_what_the_library_finds(steps: str, value: object) -> None:
    path = f"${steps}"
    assert list(JsonPath(path).find(value)) == JSONPathEnvironment(strict=True).findall(path, value)  # type: ignore[arg-type]
