import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.dataset import own
from gate.dataset.yaml_dump import as_text, value_text
from gate.documents import parse, validate
from gate.model import Json
from gate.model.case import Case, TextPart, Turn, User
from tests.support.cases import NOWHERE, bare, cases, made, values

odd = st.sampled_from(
    (
        *(
            "",
            " ",
            "no",
            "Null",
            "~",
            "1e3",
            "0o17",
            "1:30",
            "2027-01-31",
            "a: b",
            "a #b",
            "- x",
            "{",
            "a, b",
        ),
        *("a,b", "\t", "\n", "\r\n x", "\x85", "\u2028", "\ufeff", "\U0001f600", "<<", "=", "k" * 1100),
        *("é", "##[error]x"),
    )
)
some_keys = odd | st.text("ab :#", max_size=4)
trees: st.SearchStrategy[Json] = st.recursive(
    values | odd,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(some_keys, inner, max_size=3),
    max_leaves=20,
)


@given(st.dictionaries(odd | st.just("k"), trees, max_size=3))
@settings(max_examples=300, deadline=None)
def test_any_value_reads_back_equal_by_yaml_1_2_and_by_yaml_1_1(value: Json) -> None:
    text = value_text(value)
    document = parse(text, "g.yaml")
    assert (document.findings, document.value) == ((), value)
    assert yaml.safe_load(text) == value


@given(st.lists(cases, max_size=3, unique_by=lambda case: case.id))
@settings(max_examples=100, deadline=None)
def test_any_cases_read_back_equal_as_yaml_and_as_json(wanted: list[Case]) -> None:
    for as_json, file in ((False, "g.yaml"), (True, "g.json")):
        document = parse(as_text(wanted, as_json=as_json), file)
        assert document.findings == ()
        assert validate(document, "dataset") == ()
        assert [bare(case) for case in own.read(document)[0]] == wanted


@pytest.mark.parametrize("char", ["\x1b", "\u202e", "\u2066", "\ud7ff\u200b", "\x9b", "\u2028", "\U000e0041"])
def test_nothing_that_a_terminal_obeys_is_written(char: str) -> None:
    turn = Turn(sent=User(parts=(TextPart(text=f"::error::\n##[error]{char}"),)), place=NOWHERE)
    text = as_text([made("a", turns=(turn,), start_state={f"##[group]{char}": char})])
    assert char[-1] not in text
    assert "##[" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())


def test_a_suite_is_written_as_a_person_would_write_it() -> None:
    first = {
        "id": "a", "user": "What is the weather in London?",
        "expect": {"calls": [{"name": "get_weather", "args": {"city": "London"}}], "contains": ["14 °C"]},
    }  # fmt: skip
    second = {"id": "b", "turns": [{"user": "hi", "expect": {"calls": "none"}}, {"user": "bye"}]}
    assert value_text({"cases": [first, second]}) == (
        "cases:\n"
        "  - id: a\n"
        '    user: "What is the weather in London?"\n'
        '    expect: {calls: [{name: get_weather, args: {city: London}}], contains: ["14 °C"]}\n'
        "  - id: b\n"
        "    turns: [{user: hi, expect: {calls: none}}, {user: bye}]\n"
    )


def test_json_is_json() -> None:
    assert json.loads(value_text({"a": "é"}, as_json=True)) == {"a": "é"}


def test_the_deepest_value_that_a_golden_file_may_have_is_written() -> None:
    deep: Json = "x"
    for level in range(90):
        deep = [deep] if level % 2 else {"k": deep}
    case = made("a", start_state={"deep": deep})
    document = parse(as_text([case]), "g.yaml")
    assert document.findings == ()
    assert [bare(found) for found in own.read(document)[0]] == [case]
