import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gate.documents.accept import Acceptance
from gate.documents.schema import schema_text
from gate.documents.validator import make_validator

CONFIG: dict[str, object] = {
    "version": 1,
    "agent": {
        "protocol": "http",
        "boot": {
            "command": ["agent", "{port}"],
            "env": {"A": "1"},
            "pass_env": ["KEY"],
            "ready": {"within": "60s"},
        },
        "http": {
            "path": "/chat",
            "request": {"q": "{text}"},
            "response": {"text": "$.reply", "call": {}, "calls": "$"},
        },
    },
    "dataset": ["golden/*.yaml"],
    "run": {"trials": 3, "rate": "15/min", "trial_timeout": 2.5},
    "metrics": {"calls": {"mode": "in_order"}, "mine": {"type": "rouge_1", "stemmer": True, "pass_at": 0.5}},
    "rules": {"cases": {"regressed": 0}, "says": [{"min": 0.5}, {"max_drop": "5%", "level": "warn"}]},
    "undecided": {"throttled": "warn"},
}
DATASET: dict[str, object] = {
    "isolation": "shared",
    "cases": [
        {
            "id": "a",
            "tags": ["x"],
            "quarantine": {"owner": "@a", "reason": "b", "until": "2027-01-31"},
            "turns": [
                {
                    "user": "hi",
                    "expect": {
                        "calls": ["f", {"name": "g", "args": {"x": 1}}],
                        "nodes": ["a", {"parallel": ["b", ["c", "d"]]}],
                    },
                },
                {"answer": {"p": "approve", "q": {"input": [1]}}, "expect": {"state": {"a.b": None}}},
            ],
        },
        {"id": "b", "user": [{"text": "x"}, {"mime_type": "a/b", "uri": "u"}], "expect": {"calls": "none"}},
    ],
}
SCHEMAS = {name: json.loads(schema_text(name)) for name in ("config", "dataset")}
VALID = {"config": CONFIG, "dataset": DATASET}
ACCEPTS = {name: Acceptance(schema).of(schema) for name, schema in SCHEMAS.items()}
REFERENCE = {name: Draft202012Validator(schema) for name, schema in SCHEMAS.items()}
ERRORS = {name: make_validator(schema) for name, schema in SCHEMAS.items()}
VALUES = st.sampled_from(
    [
        None,
        True,
        0,
        1,
        1.0,
        -1,
        0.5,
        "",
        "x",
        "none",
        "60s",
        "5%",
        "$.a",
        [],
        [1],
        ["x", "x"],
        {},
        {"type": "calls"},
        {"x": 1},
    ]
)
KEYS = st.sampled_from(
    ["x", "", "type", "url", "user", "answer", "data", "uri", "command", "pass_at", "level", "cases"]
)


def places(value: object) -> list[tuple[object, object]]:
    """Every (container, key) below a value."""
    inside: list[tuple[object, object]] = []
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in steps:
        inside += [(value, key), *places(child)]
    return inside


@st.composite
def nearly_valid(draw: st.DrawFn, name: str) -> object:
    value = deepcopy(VALID[name])
    for _ in range(draw(st.integers(1, 2))):
        holder, key = draw(st.sampled_from(places(value)))
        how = draw(st.sampled_from(["replace", "remove", "add"]))
        if how == "replace":
            holder[key] = deepcopy(draw(VALUES))  # type: ignore[index]
        elif how == "remove":
            del holder[key]  # type: ignore[attr-defined]
        elif isinstance(holder, dict):
            holder[draw(KEYS)] = deepcopy(draw(VALUES))
        if not places(value):
            break
    return value


def test_golden_cases_that_are_right_are_accepted_without_jsonschema() -> None:
    assert ACCEPTS["dataset"](DATASET)


@pytest.mark.parametrize("name", ["config", "dataset"])
@given(data=st.data())
def test_it_is_only_ever_too_strict_and_the_errors_are_those_of_jsonschema(
    name: str, data: st.DataObject
) -> None:
    value = data.draw(nearly_valid(name))
    reference = [(e.json_path, e.validator) for e in REFERENCE[name].iter_errors(value)]
    assert not (ACCEPTS[name](value) and reference)
    assert sorted((e.json_path, str(e.validator)) for e in ERRORS[name](value)) == sorted(
        (path, str(keyword)) for path, keyword in reference
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"oneOf": [True]},
        {"$ref": "elsewhere.json"},
        {"$ref": "#/$defs/none"},
        {"enum": [1]},
        {"if": {"type": "string"}},
    ],
)
def test_what_it_does_not_know_is_left_to_jsonschema(schema: dict[str, object]) -> None:
    assert not Acceptance(schema).of(schema)("x")


def test_a_schema_may_contain_itself() -> None:
    schema = {"type": "array", "items": {"$ref": "#"}}
    accepts = Acceptance(schema).of(schema)
    assert accepts([[], [[]]])
    assert not accepts([[], [1]])


def test_an_object_with_bounds_on_names() -> None:
    schema = {
        "propertyNames": {"pattern": "^a"},
        "anyOf": [{"required": ["ab"]}, {"required": ["ac"]}],
        "maximum": 1,
    }
    accepts = Acceptance(schema).of(schema)
    assert accepts({"ac": 1})
    assert not accepts({"b": 1, "ac": 1})
    assert not accepts({"ad": 1})
    assert accepts(1)
    assert not accepts(2)
