import copy
import json
from dataclasses import fields
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.dataset import dump_case, own
from gate.dataset.expect import EXPECTED
from gate.documents import parse, schema_text, validate
from gate.model import Json
from gate.model.case import (
    Answer,
    Answers,
    BlobPart,
    Expect,
    ExpectedCall,
    FilePart,
    Parallel,
    Quarantine,
    TextPart,
    User,
)
from gate.model.finding import Place
from tests.support.cases import lines, loaded

EVERY_KEY = """\
isolation: shared
category: ingest
cases:
  - id: 取引 one/two
    category: search
    tags: [smoke, slow]
    isolation: own
    start_state: {user: ada, on: 1}
    depends_on: greeting
    quarantine: {owner: "@ada", reason: provider moved, until: 2027-01-31}
    expect: {state: {draft.title: CTO}, state_keys: [saved]}
    turns:
      - user: [{text: read this}, {mime_type: image/png, data: aGk=}, {mime_type: a/b, uri: "gs://x"}]
        expect:
          calls: [look, {name: find, args: {city: London, n: 1.0}}, {name: any}]
          nodes: [Router, {parallel: [A, [B, {parallel: [C, D]}], E]}, Join]
          contains: saved
          excludes: [error, sorry]
          pauses: adk_request_input
          reference: It is saved.
          rubric: Is it polite?
      - answer: {a: approve, b: reject, c: make it CTO, d: {input: {x: [1]}}, e: {input: approve}}
        expect: {calls: none, pauses: none}
        state_delta: {mode: {deep: 1.0}}
  - id: greeting
    user: hi
    expect: {pauses: [one, two]}
"""


def test_every_key_is_read() -> None:
    case, _ = own.read(parse(EVERY_KEY, "g.yaml"))[0]
    assert (case.id, case.category, case.tags, case.isolation) == (
        "取引 one/two",
        "search",
        ("smoke", "slow"),
        "own",
    )
    assert case.start_state == {"user": "ada", "on": 1}
    assert case.depends_on == ("greeting",)
    assert case.quarantine == Quarantine(owner="@ada", reason="provider moved", until=date(2027, 1, 31))
    assert case.expect == Expect(state={"draft.title": "CTO"}, state_keys=("saved",))
    first, second = case.turns
    assert first.sent == User(
        parts=(
            TextPart(text="read this"),
            BlobPart(mime_type="image/png", data="aGk="),
            FilePart(mime_type="a/b", uri="gs://x"),
        )
    )
    inner = Parallel(branches=(("C",), ("D",)))
    assert first.expect == Expect(
        calls=(
            ExpectedCall(name="look"),
            ExpectedCall(name="find", args={"city": "London", "n": 1}),
            ExpectedCall(name="any"),
        ),
        nodes=("Router", Parallel(branches=(("A",), ("B", inner), ("E",))), "Join"),
        contains=("saved",),
        excludes=("error", "sorry"),
        pauses=("adk_request_input",),
        reference="It is saved.",
        rubric="Is it polite?",
    )
    assert second.sent == Answers(
        answers=(
            Answer(to="a", decision="approve"),
            Answer(to="b", decision="reject"),
            Answer(to="c", decision="input", value="make it CTO"),
            Answer(to="d", decision="input", value={"x": [1]}),
            Answer(to="e", decision="input", value="approve"),
        )
    )
    assert second.expect == Expect(calls=(), pauses=())
    assert (first.state_delta, second.state_delta) == ({}, {"mode": {"deep": 1}})


def test_the_short_form_is_a_case_of_one_turn_with_the_defaults_of_the_file() -> None:
    _, case = own.read(parse(EVERY_KEY, "g.yaml"))[0]
    assert (case.category, case.isolation, case.expect) == ("ingest", "shared", Expect())
    (turn,) = case.turns
    assert turn.sent == User(parts=(TextPart(text="hi"),))
    assert turn.expect == Expect(pauses=("one", "two"))


def test_cases_and_turns_know_where_they_stand() -> None:
    first, second = own.read(parse(EVERY_KEY, "g.yaml"))[0]
    assert first.place == Place(file="g.yaml", line=4, column=5)
    assert [turn.place.line for turn in first.turns] == [13, 22]
    assert second.place == Place(file="g.yaml", line=25, column=5)
    assert second.turns[0].place == Place(file="g.yaml", line=26, column=5)


def test_a_file_may_be_a_bare_list_of_cases() -> None:
    assert [case.id for case in loaded("- {id: a, user: hi}\n- {id: b, user: hi}").cases] == ["a", "b"]


def test_a_json_file_may_name_its_schema() -> None:
    assert loaded('{"$schema": "x", "cases": [{"id": "a", "user": ""}]}', "g.json").findings == ()


def test_the_good_cases_of_a_bad_file_are_given_beside_every_finding() -> None:
    cases = ("{id: a, user: hi}", "{id: b, usr: hi}", "{id: c, user: hi, expects: 1}", "{id: d, user: 4}")
    got = loaded("cases:\n" + "".join(f"  - {case}\n" for case in cases))
    assert [case.id for case in got.cases] == ["a"]
    assert lines(got.findings) == [
        "g.yaml:3:5 error missing-key: a case needs 'turns'",
        "g.yaml:3:13 error unknown-key: 'usr' is not a key of a case; did you mean 'user'?",
        "g.yaml:4:23 error unknown-key: 'expects' is not a key of a case with 'user'; did you mean 'expect'?",
        "g.yaml:5:19 error wrong-type: 'user' must be text or a list, not a number (4)",
    ]


@pytest.mark.parametrize(
    ("case", "finding"),
    [
        ("{id: 42, user: x}", "2:10 error wrong-type: 'id' must be text, not a number (42)"),
        ("{id: '', user: x}", "2:10 error bad-value: 'id' cannot be ''"),
        ("{id: 'a ', user: x}", "2:10 error bad-value: 'id' cannot be 'a '"),
        ('{id: "a\\n", user: x}', None),
        ('{id: "a\\u202eb", user: x}', None),
        ("{id: a}", "2:5 error missing-key: a case needs 'turns'"),
        ("{id: a, user: x, extra: 3}", "2:29 error wrong-type: 'extra' must be a mapping, not a number (3)"),
        ("{id: a, user: x, turns: []}", "2:22 error unknown-key: 'turns' is not a key of a case with 'user'"),
        ("{id: a, turns: []}", "2:20 error bad-value: 'turns' is empty"),
        ("{id: a, turns: [{}]}", "2:21 error missing-key: a turn needs 'user'"),
        (
            "{id: a, turns: [{user: x, answer: {a: b}}]}",
            "2:22 error unknown-key: 'user' is not a key of a turn with 'answer'",
        ),
        ("{id: a, turns: [{answer: {}}]}", "2:30 error bad-value: 'answer' is empty"),
        (
            "{id: a, turns: [{answer: {a: 4}}]}",
            "2:34 error wrong-type: 'a' must be text or a mapping, not a number (4)",
        ),
        ("{id: a, turns: [{answer: {a: {}}}]}", "2:31 error missing-key: an answer needs 'input'"),
        ("{id: a, user: []}", "2:19 error bad-value: 'user' is empty"),
        ("{id: a, user: [{mime_type: a/b}]}", None),
        ("{id: a, user: [{text: x, mime_type: a/b}]}", None),
        ("{id: a, user: [{data: aGk=}]}", "2:20 error missing-key: a part with 'data' needs 'mime_type'"),
        ("{id: a, user: [{data: '*', mime_type: a/b}]}", "2:27 error bad-value: 'data' cannot be '*'"),
        (
            "{id: a, user: [{data: aGk=, uri: x, mime_type: a/b}]}",
            "2:33 error unknown-key: 'uri' is not a key of a part with 'data'",
        ),
        ("{id: a, user: x, expect: {calls: []}}", "2:38 error bad-value: 'calls' is empty"),
        ("{id: a, user: x, expect: {calls: get}}", "2:38 error bad-value: 'calls' cannot be 'get'"),
        (
            "{id: a, user: x, expect: {calls: [{args: {}}]}}",
            "2:39 error missing-key: an expected call needs 'name'",
        ),
        ("{id: a, user: x, expect: {nodes: []}}", "2:38 error bad-value: 'nodes' is empty"),
        ("{id: a, user: x, expect: {nodes: [{parallel: []}]}}", "2:50 error bad-value: 'parallel' is empty"),
        ("{id: a, user: x, expect: {state: {}}}", "2:38 error bad-value: 'state' is empty"),
        ("{id: a, user: x, expect: {contains: ''}}", "2:41 error bad-value: 'contains' is empty"),
        (
            "{id: a, user: x, expect: {contain: x}}",
            "2:31 error unknown-key: 'contain' is not a key of 'expect'; did you mean 'contains'?",
        ),
        ("{id: a, user: x, tags: [b, b]}", "2:28 error bad-value: 'tags' lists something twice"),
        (
            "{id: a, user: x, isolation: share}",
            "2:33 error bad-value: 'isolation' cannot be 'share'; did you mean 'shared'?",
        ),
        ("{id: a, user: x, quarantine: {owner: b}}", None),
        (
            "{id: a, user: x, quarantine: {owner: b, reason: c, until: soon}}",
            "2:63 error bad-value: 'until' cannot be 'soon'",
        ),
        (
            "{id: a, user: x, quarantine: {owner: b, reason: c, until: 2027-02-30}}",
            "2:63 error bad-date: there is no day '2027-02-30'",
        ),
        ("just text", None),
        ("null", None),
    ],
)
def test_what_is_wrong_with_a_case_is_a_finding_with_its_place(case: str, finding: str | None) -> None:
    got = loaded(f"cases:\n  - {case}\n")
    assert got.cases == ()
    assert all(found.level == "error" for found in got.findings)
    if finding is None:
        assert got.findings
    else:
        assert f"g.yaml:{finding}" in lines(got.findings)


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("cases: 4", "g.yaml:1:8 error wrong-type: 'cases' must be a list, not a number (4)"),
        (
            "case: []",
            "g.yaml:1:1 error unknown-key: 'case' is not a key of a golden file; did you mean 'cases'?",
        ),
        (
            "cases: []\nisolation: on",
            "g.yaml:2:12 error bad-value: 'isolation' cannot be 'on'; did you mean 'own'?",
        ),
        ("[4]", "g.yaml:1:2 error wrong-type: this file must be a mapping, not a number (4)"),
    ],
)
def test_what_is_wrong_with_a_file_is_a_finding_with_its_place(text: str, finding: str) -> None:
    assert finding in lines(loaded(text).findings)


LISTS: list[Json] = [[], ["x"], ["x", "x"], [""], [[]], [{"user": "x"}], [{"text": "x"}]]
MAPPINGS: list[Json] = [
    {},
    {"": 1},
    {"text": "x"},
    {"input": 1},
    {"parallel": ["x"]},
    {"name": "x"},
    {"id": "x"},
]
JUNK: st.SearchStrategy[Json] = st.sampled_from(
    [None, True, 0, 1.5, "", "none", " x", "x\n", "a/b", "shared", *LISTS, *MAPPINGS]
)
KEYS = st.sampled_from(
    [
        "id",
        "user",
        "turns",
        "answer",
        "expect",
        "calls",
        "text",
        "data",
        "uri",
        "mime_type",
        "args",
        "name",
        "x",
    ]
)


def _spots(value: Json) -> list[list[Json] | dict[str, Json]]:
    if isinstance(value, list):
        return [value, *(spot for held in value for spot in _spots(held))]
    if isinstance(value, dict):
        return [value, *(spot for held in value.values() for spot in _spots(held))]
    return []


EXAMPLES = [dump_case(case) for case in own.read(parse(EVERY_KEY, "g.yaml"))[0]]


@st.composite
def damaged(draw: st.DrawFn) -> Json:
    """A case in which one thing was replaced, removed or added."""
    value = copy.deepcopy(draw(st.sampled_from(EXAMPLES)))
    spot = draw(st.sampled_from(_spots(value)))
    in_place: bool = draw(st.booleans())
    if isinstance(spot, dict):
        key = draw(st.one_of(KEYS, st.just(""), *map(st.just, sorted(spot))))
        if key in spot and in_place:
            del spot[key]
        else:
            spot[key] = draw(JUNK)
    elif spot and in_place:
        spot[draw(st.integers(0, len(spot) - 1))] = draw(JUNK)
    else:
        spot.append(draw(JUNK))
    return value


@given(damaged())
@settings(max_examples=400, deadline=None)
def test_reading_refuses_exactly_what_the_schema_refuses(value: Json) -> None:
    document = parse(json.dumps({"cases": [value]}), "g.json")
    read, findings = own.read(document)
    by_schema = validate(document, "dataset")
    assert bool(read) == (by_schema == ())
    assert findings == by_schema


def test_schema_reader_and_record_know_the_same_expectations() -> None:
    in_schema = json.loads(schema_text("dataset"))["$defs"]["expect"]["properties"]
    assert set(in_schema) == set(EXPECTED) == {field.name for field in fields(Expect)}
