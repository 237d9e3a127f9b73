import ast
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.documents import parse
from gate.documents.document import Document
from gate.model import Json
from tests.support.cases import lines, values


def read(text: str) -> Document:
    return parse(text, "cases.py")


def test_the_list_of_dicts_is_read_and_nothing_else_of_the_file_is_looked_at() -> None:
    document = read(
        '"""Cases."""\nimport os\n\nNAMES = ["a"]\n\n\ndef run():\n    raise SystemExit\n\n\n'
        'CASES: list[dict] = [\n    {"id": "é", "n": -1.5, "t": (1, True, None), "long": "a" "b"},\n]\n'
        "os.abort()\n"
    )
    assert document.findings == ()
    assert document.value == [{"id": "é", "n": -1.5, "t": [1, True, None], "long": "ab"}]
    assert str(document.place((0, "n"))) == "cases.py:12:22"
    assert str(document.place((0, "n"), key=True)) == "cases.py:12:17"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "cases.py:1:1 error empty-file"),
        ("X = [", "cases.py:1:5 error syntax: this is not Python: '[' was never closed"),
        ("X = 1\n", "cases.py:1:1 error no-list: no list of cases is assigned"),
        ("X = [{}]\nY = [{}]\n", "cases.py:2:5 error two-lists: this file has 2 lists of cases: X, Y"),
        ('X = [{"a": f"{b}"}]', "cases.py:1:12 error not-a-literal: an f-string would have to be run"),
        ('X = [{"a": open("f")}]', "cases.py:1:12 error not-a-literal: this is code, which is not run"),
        ('X = [{"é": __import__("os")}]', "cases.py:1:12 error not-a-literal: this is code"),
        ("X = [{**y}]", "cases.py:1:9 error not-a-literal: `**` would have to be run"),
        ("X = [{1: 2}]", "cases.py:1:7 error not-a-literal: a key must be a text"),
        ('X = [{"a": b"x"}]', "cases.py:1:12 error not-a-literal: this is a value that no golden file"),
        ('X = [{"a": {1}}]', "cases.py:1:12 error not-a-literal: this is code"),
        ('X = [{"a": 1e999}]', "cases.py:1:12 error not-a-literal: this number is too large"),
        ('X = [{"a": -' + "9" * 400 + "}]", "cases.py:1:12 error not-a-literal: this number is too large"),
        ('X = [{"a": -True}]', "cases.py:1:12 error not-a-literal: this is code"),
        ('X = [{"a": "\\ud800"}]', "cases.py:1:12 error not-a-literal: this text holds half"),
        ('X = [{"a": 1, "a": 2}]', "cases.py:1:15 error duplicate-key: the key 'a' is also at cases.py:1:7"),
        ("X = " + "[" * 150 + "]" * 150, "cases.py:1:105 error too-deep"),
        ("-" * 100_000 + "1", "cases.py:1:1 error too-deep: an expression in this file is nested"),
        ("1+" * 100_000 + "1", "cases.py:1:1 error too-deep: an expression in this file is nested"),
        ("#" * (1 << 20) + "\n", "cases.py:1:1 error too-big: a Python file may have 1 MiB"),
        ("X = '\0'", "cases.py:1:1 error syntax: this is not Python"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text: str, says: str) -> None:
    (found,) = lines(read(text).findings)
    assert found.startswith(says)


@given(st.lists(st.dictionaries(st.text(max_size=3), values, max_size=3), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_a_literal_reads_as_python_itself_reads_it(value: Json) -> None:
    document = read(f"CASES = {value!r}\n")
    assert (document.value, document.findings) == (ast.literal_eval(repr(value)), ())
    assert json.dumps(document.value)


@given(st.text() | st.text("[]{}():,'\"=Xa1-+*.f\\\n #lambdnot", max_size=80))
@settings(max_examples=300, deadline=None)
def test_no_text_makes_it_raise(text: str) -> None:
    document = read(text)
    assert document.broken or isinstance(document.value, list)
    assert document.findings or document.value is not None


def test_places_on_one_long_line_are_counted_in_characters() -> None:
    text = 'X = [{"id": "é€", "a": "\U0001d11eé", "b": [1, "é", {"c": 2}]}, {"id": "ü", "n": 3}]'
    document = read(text)
    for path, written in (
        ((0, "b", 2, "c"), "2}"),
        ((0, "a"), '"\U0001d11e'),
        ((1, "n"), "3}"),
        ((0, "b"), "[1"),
    ):
        assert str(document.place(path)) == f"cases.py:1:{text.index(written) + 1}"
