"""JSON Patch by RFC 6902's own examples, held against the jsonpatch library, and against floods."""

import copy
from typing import Any

import jsonpatch
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.formats.json_patch import DEEPEST, BadPatch, Work, copied, equal, patched, pointers, tokens


def applied(document: Any, *operations: Any, most: int = 1000) -> Any:
    return patched(copy.deepcopy(document), copy.deepcopy(list(operations)), Work(most))


def op(name: str, path: str, *value: Any, **more: Any) -> dict[str, Any]:
    return {"op": name, "path": path, **({"value": value[0]} if value else {}), **more}


@pytest.mark.parametrize(
    ("document", "operations", "after"),
    [
        # RFC 6902, appendix A
        ({"foo": "bar"}, [op("add", "/baz", "qux")], {"baz": "qux", "foo": "bar"}),
        ({"foo": ["bar", "baz"]}, [op("add", "/foo/1", "qux")], {"foo": ["bar", "qux", "baz"]}),
        ({"baz": "qux", "foo": "bar"}, [op("remove", "/baz")], {"foo": "bar"}),
        ({"foo": ["bar", "qux", "baz"]}, [op("remove", "/foo/1")], {"foo": ["bar", "baz"]}),
        ({"baz": "qux"}, [op("replace", "/baz", "boo")], {"baz": "boo"}),
        (
            {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
            [op("move", "/qux/thud", **{"from": "/foo/waldo"})],
            {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
        ),
        (
            {"foo": ["all", "grass", "cows", "eat"]},
            [op("move", "/foo/3", **{"from": "/foo/1"})],
            {"foo": ["all", "cows", "eat", "grass"]},
        ),
        ({"foo": ["a", 2, "c"]}, [op("test", "/foo/1", 2)], {"foo": ["a", 2, "c"]}),
        ({"foo": 1}, [op("add", "/child", {"grandchild": {}})], {"foo": 1, "child": {"grandchild": {}}}),
        ({"foo": "bar"}, [op("add", "/baz", "qux", xyz=123)], {"foo": "bar", "baz": "qux"}),
        ({"/": 9, "~1": 10}, [op("test", "/~01", 10)], {"/": 9, "~1": 10}),
        ({"foo": ["bar"]}, [op("add", "/foo/-", ["abc", "def"])], {"foo": ["bar", ["abc", "def"]]}),
        # beyond it
        ({"a": 1}, [], {"a": 1}),
        ({"a": 1}, [op("replace", "", [1])], [1]),
        ({"a": 1}, [op("add", "", None)], None),
        ({"a": 1}, [op("remove", "")], None),
        ({"": {"": 1}}, [op("replace", "//", 2)], {"": {"": 2}}),
        ({"a": {"b": 1}}, [op("move", "", **{"from": "/a"})], {"b": 1}),
        ({"a": [1]}, [op("move", "/a/0", **{"from": "/a/0"})], {"a": [1]}),
        (
            {"a": {"b": []}},
            [op("copy", "/c", **{"from": "/a"}), op("add", "/c/b/-", 1)],
            {"a": {"b": []}, "c": {"b": [1]}},
        ),
        ({"n": 1}, [op("test", "/n", 1.0)], {"n": 1}),
        ({"n": {"b": 1, "a": [2]}}, [op("test", "/n", {"a": [2.0], "b": 1})], {"n": {"b": 1, "a": [2]}}),
        ({"é\u2028": 1}, [op("remove", "/é\u2028")], {}),
    ],
)  # fmt: skip
def test_a_patch_does_what_the_rfc_says(document: Any, operations: list[Any], after: Any) -> None:
    assert applied(document, *operations) == after


@pytest.mark.parametrize(
    ("document", "operation", "why"),
    [
        ({"a": 1}, op("remove", "/b"), "level 1 of its pointer names nothing"),
        ({"a": 1}, op("replace", "/b", 1), "level 1 of its pointer names nothing"),
        ({"a": 1}, op("add", "/b/c", 1), "level 1 of its pointer names nothing"),
        ({"a": 1}, op("add", "/a/b", 1), "nothing can be added to a number"),
        ({"a": 1}, op("add", "/a/b/c", 1), "level 2 of its pointer leads into a number"),
        (None, op("add", "/a", 1), "nothing can be added to null"),
        ([1], op("add", "/2", 1), "level 1 of its pointer is an index beyond a list of 2"),
        ([1], op("remove", "/1"), "level 1 of its pointer is an index beyond a list of 1"),
        ([1], op("remove", "/-"), "level 1 of its pointer is no index"),
        ([1], op("replace", "/-", 2), "level 1 of its pointer is no index"),
        ([1], op("add", "/01", 1), "is no index"),
        ([1], op("add", "/-1", 1), "is no index"),
        ([1], op("add", "/1e0", 1), "is no index"),
        ([1], op("add", "/²", 1), "is no index"),
        ([1], op("add", "/\u0660", 1), "is no index"),
        ([1], op("add", "/" + "9" * 400, 1), "is no index"),
        ({"a": 1}, op("add", "b", 1), "no JSON Pointer"),
        ({"a": 1}, op("add", "/a~2", 1), "no JSON Pointer"),
        ({"a": 1}, op("add", "/a~", 1), "no JSON Pointer"),
        ({"a": 1}, {"op": "add", "path": 3, "value": 1}, "its pointer is a number"),
        ({"a": 1}, {"op": "add", "value": 1}, "its pointer is null"),
        ({"a": 1}, op("add", "/b"), "it has no value"),
        ({"a": 1}, op("test", "/a"), "it has no value"),
        ({"a": True}, op("test", "/a", 1), "there is another value"),
        ({"a": False}, op("test", "/a", 0), "there is another value"),
        ({"a": "1"}, op("test", "/a", 1), "there is another value"),
        ({"a": 1}, op("test", "/b", None), "level 1 of its pointer names nothing"),
        ({"a": 1}, op("copy", "/b"), "its pointer is null"),
        ({"a": {"b": 1}}, op("move", "/a/b/c", **{"from": "/a"}), "moved into itself"),
        ({"a": 1}, op("move", "/a", **{"from": ""}), "moved into itself"),
        ({"a": 1}, op("Add", "/b", 1), "'Add' is no operation"),
        ({"a": 1}, op("merge", "/b", 1), "'merge' is no operation"),
        ({"a": 1}, {"path": "/a"}, "'None' is no operation"),
        ({"a": 1}, {"op": ["add"], "path": "/a"}, "is no operation"),
        ({"a": 1}, "add", "it is text, not an object"),
        ({"a": 1}, None, "it is null, not an object"),
        ({"a": 1}, op("add", "/x" * 101, 1), "deeper than 100"),
    ],
)  # fmt: skip
def test_a_patch_that_does_not_apply_says_why(document: Any, operation: Any, why: str) -> None:
    with pytest.raises(BadPatch) as failed:
        applied(document, operation)
    assert why in str(failed.value)
    assert str(failed.value).startswith("operation 1 (")


def test_a_failing_operation_is_named_by_its_number() -> None:
    with pytest.raises(BadPatch, match=r"operation 2 \(move /x /y\): level 1 of its pointer names"):
        applied({}, op("add", "/a", 1), op("move", "/y", **{"from": "/x"}))


def test_a_long_pointer_is_cut_with_a_mark_that_the_redactor_knows() -> None:
    with pytest.raises(BadPatch) as failed:
        applied({}, op("remove", "/" + "k" * 500))
    assert len(str(failed.value)) < 300
    assert "…" in str(failed.value)


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


TWO_DEEP = [op("add", "/a", deep(60)), op("add", "/b", deep(60))]


def test_a_document_becomes_as_deep_as_code_that_walks_it_can_bear() -> None:
    assert applied({}, op("add", "/a", deep(DEEPEST - 1)))
    for operations in (
        [op("add", "/a", deep(DEEPEST))],
        [*TWO_DEEP, op("move", "/b" + "/0" * 59, **{"from": "/a"})],
        [*TWO_DEEP, op("copy", "/a" + "/0" * 59, **{"from": "/a"})],
    ):  # fmt: skip
        with pytest.raises(BadPatch, match="nested deeper"):
            applied({}, *operations, most=100_000)


@pytest.mark.parametrize(
    "operations",
    [
        [op("copy", "/-", **{"from": ""})] * 40,  # each doubles the document
        [op("add", "/0", 1)] * 9000,  # each moves all that is there
        [op("move", "/0", **{"from": "/9000"})] * 9000,
    ],
    ids=["doubling", "inserting in front", "moving to the front"],
)
def test_patches_that_cost_more_than_they_are_long_are_stopped(operations: list[Any]) -> None:
    with pytest.raises(BadPatch, match="copy and move more values"):
        applied(list(range(10_000)), *operations, most=100_000)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "é\u2028"]) | st.just(1.5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab~/"), inner, max_size=3),
    max_leaves=8,
)
POINTERS = st.lists(st.sampled_from(["a", "b", "~0", "~1", "0", "1", "-", "01"]), max_size=3).map(
    lambda parts: "".join(f"/{part}" for part in parts)
)
OPERATIONS = st.builds(
    lambda name, path, source, value: {"op": name, "path": path, "from": source, "value": value},
    st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
    POINTERS,
    POINTERS,
    JSON,
)


def oracle(document: Any, operations: list[Any]) -> Any:
    try:
        return jsonpatch.apply_patch(document, copy.deepcopy(operations))
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException):
        return BadPatch


def differs(operations: list[Any]) -> bool:
    """Where the library leaves the RFC: a whole document, whose root it cannot remove or move; true is 1."""
    return any(
        each["path"] == "" or (each["op"] in ("move", "copy") and each["from"] == "") for each in operations
    ) or any(each["op"] == "test" for each in operations)


@settings(max_examples=600)
@given(JSON, st.lists(OPERATIONS, max_size=4))
def test_the_library_agrees(document: Any, operations: list[Any]) -> None:
    if differs(operations):
        return
    try:
        ours = applied(document, *operations, most=100_000)
    except BadPatch:
        ours = BadPatch
    theirs = oracle(document, operations)
    assert ours is theirs if BadPatch in (ours, theirs) else equal(ours, theirs)


@given(JSON, JSON)
def test_the_difference_of_two_documents_leads_from_one_to_the_other(before: Any, after: Any) -> None:
    patch = jsonpatch.make_patch(before, after).patch
    assert equal(applied(before, *patch, most=100_000), after)


@given(JSON, st.lists(OPERATIONS | JSON, max_size=3))
def test_nothing_raises_but_a_bad_patch(document: Any, operations: list[Any]) -> None:
    try:
        list(pointers(operations))
        applied(document, *operations, most=100_000)
    except BadPatch:
        pass


@given(JSON)
def test_a_copy_is_equal_and_shares_nothing(value: Any) -> None:
    made, size = copied(value)
    assert equal(made, value)
    assert size >= 1
    if isinstance(value, list | dict):
        assert made is not value


def test_pointers_are_of_what_may_change() -> None:
    operations = [
        op("add", "/a/b", 1),
        op("test", "/c", 1),
        op("copy", "/d", **{"from": "/e"}),
        op("move", "/f", **{"from": "/g"}),
    ]
    assert list(pointers(operations)) == [["a", "b"], ["d"], ["f"], ["g"]]
    assert tokens("") == []
    assert tokens("/a~1b/~01") == ["a/b", "~1"]
    assert tokens("/x" * DEEPEST) == ["x"] * DEEPEST
