import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.score.values import ABSENT, LONGEST, differences, line, names, plain, quoted, same, shown

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.floats(0, 2) | st.text("ab", max_size=1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("expected", "actual", "equal"),
    [
        (20, 20.0, True),
        (2**53 + 1, float(2**53), False),
        (0, -0.0, True),
        (1, True, False),
        (True, 1, False),
        (True, True, True),
        (0, None, False),
        (None, None, True),
        ("20", 20, False),
        ("London", "London ", False),
        ("", None, False),
        ([1, 2], [1.0, 2], True),
        ([1, 2], (1, 2), True),
        ([1, 2], [2, 1], False),
        ([1, 2], [1, 2, 3], False),
        ([], {}, False),
        ({"a": {"b": 1}}, {"a": {"b": 1.0}}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({"a": None}, {}, False),
    ],
)
def test_values_are_compared_without_coercion(expected: Any, actual: Any, equal: bool) -> None:
    assert same(expected, actual) is equal


@pytest.mark.parametrize(
    ("expected", "actual", "inside"),
    [
        ({}, {"a": 1}, True),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}, True),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, True),
        ({"a": [1]}, {"a": [1, 2]}, False),
        ({"a": 1}, {"b": 1}, False),
    ],
)
def test_a_subset_may_lack_keys_at_any_depth_but_no_items(expected: Any, actual: Any, inside: bool) -> None:
    assert same(expected, actual, subset=True) is inside


def test_differences_name_the_path_of_each_leaf() -> None:
    found = list(differences({"a": {"b": [1, 2]}, "c": 1}, {"a": {"b": [1, 3]}, "d": 2}))
    assert [(".".join(item.path), item.expected, item.actual) for item in found] == [
        ("a.b.1", 2, 3),
        ("c", 1, ABSENT),
        ("d", ABSENT, 2),
    ]


@given(JSON)
def test_every_value_equals_itself_after_a_round_trip(value: Any) -> None:
    assert same(value, json.loads(json.dumps(value)))
    assert plain(value) == value


@given(JSON, JSON)
def test_equality_is_symmetric_and_implies_subset_and_is_the_lack_of_differences(
    left: Any, right: Any
) -> None:
    for subset in (False, True):
        assert same(left, right, subset=subset) is not any(differences(left, right, subset=subset))
    assert same(left, right) is same(right, left)
    assert not same(left, right) or same(left, right, subset=True)


@given(st.text())
def test_a_value_in_a_reason_is_short_and_on_one_line_and_can_be_encoded(text: str) -> None:
    for found in (line(text), shown({"a": text}), quoted(text)):
        assert len(found) <= LONGEST + 2
        assert len(found.splitlines()) <= 1
        assert found.encode().decode() == found


def test_a_long_text_ends_in_an_ellipsis() -> None:
    assert line("x" * 201) == "x" * 199 + "…"
    assert line("x" * 200) == "x" * 200
    assert line("a\n\tb\x1b[31m") == "a b [31m"
    assert line(" " * 900 + "x") == "…"


def test_a_value_without_bottom_is_shown_in_words() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    assert shown(value) == "a value that is nested too deeply to show"


def test_names_in_a_row_are_counted_after_the_first() -> None:
    assert names(["a", "b"]) == "`a`, `b`"
    assert names(["a", "b", "c"], most=2) == "`a`, `b`, and 1 more"
