import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing.exceptions import Unresolvable

from gate.errors import BadInput
from gate.model.case import Expect
from gate.model.score import Unscored
from gate.model.trace import Crashed
from gate.score import bounded
from gate.score.json_schema import _validator, parsed
from tests.score.made import called, case, metric, said, score, scored, trace, turn

ONE = case(Expect())
SCHEMA = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"$ref": "#/$defs/id"}},
    "$defs": {"id": {"type": "integer"}},
}


def answered(text: str, schema: Any = SCHEMA, **options: Any) -> tuple[float, str]:
    found = scored(metric("json_schema", schema=schema, **options), ONE, trace(turn(said(text))))
    return found.value, found.reason


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ('{"id": 1}', ""),
        (' {"id": 1.0}\n', ""),
        ('{"id": "1"}', "the answer is not what the schema allows: $.id: '1' is not of type 'integer'"),
        ("{}", "the answer is not what the schema allows: $: 'id' is a required property"),
        ("", "the answer is no JSON (Expecting value at line 1, column 1); it said nothing"),
        ("sure!", 'the answer is no JSON (Expecting value at line 1, column 1); it said "sure!"'),
        ('{"id": 1} ok', 'the answer is no JSON (Extra data at line 1, column 11); it said "{'),
        ('{"id": NaN}', "the answer is no JSON (NaN is no JSON)"),
        ('{"id": 1e999}', "the answer is no JSON (1e999 is a number that no float can hold)"),
        ('{"id": 1, "id": 2}', "the answer is no JSON (an object has a key twice)"),
        ("[" * 100_000, "the answer is no JSON (it is nested too deeply)"),
        ('{"id": ' + "9" * 5000 + "}", "the answer is no JSON (Exceeds the limit"),
        ('```json\n{"id": 1}\n```', "the answer is no JSON ("),
    ],
)
def test_the_answer_is_json_that_the_schema_allows(answer: str, reason: str) -> None:
    value, why = answered(answer)
    assert value == (0 if reason else 1)
    assert why.startswith(reason)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ('```json\n{"id": 1}\n```', 1),
        ('\n```\n{"id": 1}```\n', 1),
        ('{"id": 1}', 1),
        ('Here: ```json\n{"id": 1}\n```', 0),
        ("```json", 0),
        ("``````", 0),
    ],
)
def test_a_fence_around_the_whole_answer_may_be_no_part_of_it(answer: str, value: float) -> None:
    assert answered(answer, fenced=True)[0] == value


def test_the_last_turn_answers() -> None:
    recorded = trace(turn(said("Hello!")), turn(said('{"id": 1}')))
    assert scored(metric("json_schema", schema=SCHEMA), case(Expect(), Expect()), recorded).value == 1


def test_the_arguments_of_a_tool_are_held_against_the_schema() -> None:
    subject = metric("json_schema", schema=SCHEMA, args_of="book")
    recorded = trace(turn(called(("book", {"id": 1}), ("book", {}), ("book", None), "other")))
    found = scored(subject, ONE, recorded)
    assert found.value == pytest.approx(1 / 3)
    assert found.reason == (
        "`book`, call 2 of 3: $: 'id' is a required property; `book`, call 3 of 3: not JSON: {"
    )
    assert scored(subject, ONE, trace(turn(called("other")))).value == 1
    assert isinstance(score(subject, ONE, trace(turn(), exposes=("text",))), Unscored)
    broken = trace(turn(called("other"), ended="failed"), outcome=Crashed(reason="HTTP 500"))
    assert scored(subject, ONE, broken).value == 0


@pytest.mark.parametrize(
    ("schema", "fix"),
    [
        ({"type": "objct"}, "a schema of its draft; at $.type it says: 'objct' is not valid"),
        ({"$ref": "http://example.org/a.json"}, "$ref: '#/$defs/NAME', with that under `$defs`"),
        ({"$ref": "other.json"}, "$ref: '#/$defs/NAME', with that under `$defs`"),
        ({"$ref": "#/$defs/gone"}, "$ref: '#/$defs/NAME', with that under `$defs`"),
        ({"items": [{"$ref": "file:///etc/passwd"}]}, ""),
        ({"properties": {"a": {"$id": "http://x/"}}}, "no `$id` within the schema"),
        ({"$schema": "http://example.org/my"}, "$schema: 'https://json-schema.org/draft/2020-12/schema'"),
        ({"$schema": 5}, "$schema: 'https://json-schema.org/draft/2020-12/schema'"),
        ({"$schema": "http://[x"}, "$schema: 'https://json-schema.org/draft/2020-12/schema'"),
        ({"pattern": "("}, ""),
        ({"patternProperties": {"(": True}}, ""),
        ("x", "schema: a JSON Schema"),
        (None, "schema: a JSON Schema"),
    ],
)
def test_a_schema_that_cannot_be_used_is_a_finding_before_anything_is_spent(schema: Any, fix: str) -> None:
    with pytest.raises(BadInput) as error:
        metric("json_schema", schema=schema)
    assert any(finding.fix.startswith(fix) for finding in error.value.findings)


def test_a_schema_is_needed_and_may_be_of_another_draft() -> None:
    with pytest.raises(BadInput) as error:
        metric("json_schema")
    assert [finding.what for finding in error.value.findings] == [
        "metric 'json_schema' of type 'json_schema' needs 'schema'"
    ]
    seven = {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]}
    assert answered('["a"]', seven)[0] == 1
    assert answered("[1]", seven)[0] == 0
    assert answered("1", {"properties": {"$ref": {"type": "string"}}})[0] == 1


def test_nothing_is_fetched_whatever_the_draft_makes_of_a_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("urllib.request.urlopen", lambda *_: pytest.fail("it was fetched"))
    four = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "properties": {"a": {"id": "http://example.org/", "items": {"$ref": "#/definitions/b"}}},
        "definitions": {"b": {"type": "string"}},
    }
    found = score(metric("json_schema", schema=four), ONE, trace(turn(said('{"a": [1]}'))))
    assert isinstance(found, Unscored)
    assert found.reason.startswith("the schema refers to what is not in it")


def test_a_validator_knows_no_way_to_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urllib.request.urlopen", lambda *_: pytest.fail("it was fetched"))
    with pytest.raises(Unresolvable):
        [*_validator({"$ref": "http://example.org/a.json"}).iter_errors(1)]


def test_a_value_that_takes_too_long_is_unscored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded.bounded, "__defaults__", (0.05,))
    subject = metric("json_schema", schema={"pattern": "^(a+)+$"})
    found = score(subject, ONE, trace(turn(said(json.dumps("a" * 60 + "b")))))
    assert isinstance(found, Unscored)
    assert found.cause == "malformed"


def test_a_value_that_is_too_deep_for_its_schema_is_unscored() -> None:
    subject = metric("json_schema", schema={"items": {"$ref": "#"}})
    found = score(subject, ONE, trace(turn(said("[" * 900 + "]" * 900))))
    assert isinstance(found, Unscored)
    assert "nested too deeply" in found.reason


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "b"]), inner),
    max_leaves=6,
)


@given(VALUES)
def test_what_is_allowed_is_what_jsonschema_allows(value: Any) -> None:
    expected = Draft202012Validator(SCHEMA).is_valid(value)
    assert answered(json.dumps(value))[0] == expected


@given(st.text() | st.text('{}[]",:0 \n`'))
def test_any_text_is_json_or_is_said_not_to_be(text: str) -> None:
    value, reason = answered(text, schema=True)
    assert value == (0 if reason else 1)
    if value:
        assert parsed(text) == json.loads(text)


@pytest.mark.parametrize("number", [10**308, 10**309, 10**5000, -(10**400), 1e308], ids="abcde")
@pytest.mark.parametrize("bound", [0.1, 1e-300, 3, 2**70])
@pytest.mark.parametrize("keyword", ["multipleOf", "minimum", "exclusiveMaximum", "const", "enum"])
def test_no_number_of_an_agent_is_more_than_a_schema_can_bear(
    number: float, bound: float, keyword: str
) -> None:
    schema = {keyword: [bound] if keyword == "enum" else bound}
    if abs(number) < 10**4000:
        score(metric("json_schema", schema=schema), ONE, trace(turn(said(json.dumps(number)))))
    of_tool = metric("json_schema", schema={"properties": {"n": schema}}, args_of="count")
    for value in (number, float("inf"), float("nan")):
        score(of_tool, ONE, trace(turn(called(("count", {"n": value})))))


def test_a_number_that_cannot_be_divided_is_unscored() -> None:
    found = score(metric("json_schema", schema={"multipleOf": 0.1}), ONE, trace(turn(said("1" + "0" * 400))))
    assert isinstance(found, Unscored)
    assert found.cause == "malformed"
    assert found.reason.startswith("a number is too large to be held against the schema")
