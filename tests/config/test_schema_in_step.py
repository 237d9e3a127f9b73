"""The config schema names what the tables have: metrics with their options, protocols, causes."""

import json
from typing import get_args

import pytest

from gate.documents import parse, schema_text, validate
from gate.drive import PROTOCOLS
from gate.model.verdict import UndecidedCause
from gate.score import METRICS

SCHEMA = json.loads(schema_text("config"))
HEAD = "version: 1\nagent: {protocol: adk}\ndataset: g\n"
EVERY_OPTION = {name for metric in METRICS.values() for name in (*metric.choices, *metric.texts)}


def test_every_type_of_metric_is_in_the_schema() -> None:
    assert SCHEMA["$defs"]["metric"]["properties"]["type"]["enum"] == [*METRICS]
    assert [*SCHEMA["$defs"]["metrics"]["properties"]] == sorted(
        METRICS, key=[*SCHEMA["$defs"]["metrics"]["properties"]].index
    )


def allowed(kind: str, options: dict[str, object], *, named: bool) -> bool:
    name, more = ("mine", {"type": kind}) if named else (kind, {})
    text = f"{HEAD}metrics: {json.dumps({name: {**more, **options}})}\n"
    return not validate(parse(text, "c.yaml"), "config")


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("kind", [*METRICS])
def test_the_schema_allows_exactly_the_options_of_each_type(kind: str, named: bool) -> None:
    metric = METRICS[kind]
    needed: dict[str, object] = dict.fromkeys(metric.texts, "x")
    if kind == "command":  # a list of words, which no other option is
        needed["command"] = ["x"]
    assert allowed(kind, needed, named=named)
    assert allowed(kind, {**needed, "pass_at": 0.5}, named=named) == (metric.kind == "quality")
    for option in sorted(EVERY_OPTION):
        values = metric.choices.get(option) or (("x",) if option in metric.texts else ())
        for value in values:
            assert allowed(kind, {**needed, option: value}, named=named)
        assert not allowed(kind, {**needed, option: 17}, named=named)
        if not values:
            assert not allowed(kind, {**needed, option: "exact"}, named=named)


def test_every_protocol_has_its_place_and_its_block() -> None:
    protocols = SCHEMA["$defs"]["agent"]["properties"]["protocol"]["enum"]
    assert set(PROTOCOLS) == set(protocols)
    assert set(protocols) <= set(SCHEMA["$defs"]["agent"]["properties"])


def test_every_cause_that_policy_can_speak_of_is_in_the_schema() -> None:
    always_fail = {"agent_down", "interrupted"}
    assert set(SCHEMA["$defs"]["undecided"]["properties"]) == set(get_args(UndecidedCause)) - always_fail


def objects(node: object) -> list[dict[str, object]]:
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    own = [node] if isinstance(node, dict) and isinstance(node.get("properties"), dict) else []
    return [*own, *(found for child in inner for found in objects(child))]


def test_no_object_takes_keys_that_nobody_reads() -> None:
    conditions = [node["if"] for node in SCHEMA["$defs"]["metric"]["allOf"]]
    for node in objects(SCHEMA):
        if node in conditions or node is SCHEMA["$defs"]["metric"] or "$ref" in node:
            continue
        assert "additionalProperties" in node, node
