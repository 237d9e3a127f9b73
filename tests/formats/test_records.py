"""The JSON form of the model's records, and that the published schemas say the same."""

import dataclasses
import json
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from gate.formats.records import KINDS, Malformed, dump, load
from gate.model import bar, baseline, finding, run, score, trace, verdict
from gate.model.case import Quarantine
from gate.model.config import AcceptPolicy, Amount, Rule
from gate.model.trace import Trace
from tests.support.traces import traces

SCHEMAS = Path(__file__).parents[2] / "schemas"
RECORDS = {
    cls.__name__: cls
    for module in (bar, baseline, finding, run, score, trace, verdict)
    for cls in vars(module).values()
    if dataclasses.is_dataclass(cls) and isinstance(cls, type)
} | {cls.__name__: cls for cls in (AcceptPolicy, Quarantine, Amount, Rule)}


def schema(name: str) -> dict[str, object]:
    return cast(
        "dict[str, object]", json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    )


@given(traces)
@settings(max_examples=60)
def test_a_trace_that_was_written_reads_back_the_same_and_fits_its_schema(given_trace: Trace) -> None:
    data = json.loads(json.dumps(dump(given_trace)))
    assert load(Trace, data) == given_trace
    Draft202012Validator(schema("trace")).validate(data)


def _has_no_default(field: "dataclasses.Field[object]") -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


@pytest.mark.parametrize("name", ["trace", "run", "baseline"])
def test_a_schema_has_the_properties_of_its_records_and_requires_what_they_require(name: str) -> None:
    published = cast("dict[str, dict[str, object]]", schema(name)["$defs"])
    renamed = {"klass": "class"}
    checked = 0
    for title, definition in published.items():
        if title not in RECORDS:
            continue
        record = RECORDS[title]
        tag = ["kind"] if record in KINDS.values() else []
        names = {field.name: renamed.get(field.name, field.name) for field in dataclasses.fields(record)}
        required = {names[field.name] for field in dataclasses.fields(record) if _has_no_default(field)}
        if title != "Value":
            assert set(cast("dict[str, object]", definition["properties"])) == {*names.values(), *tag}, title
            assert set(cast("list[str]", definition.get("required", []))) == {*required, *tag}, title
            checked += 1
    assert checked


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (3, "Trace"),
        ({"case": "a"}, "trial"),
        (
            {"case": "a", "trial": 1, "session": "", "turns": [], "exposes": [], "outcome": {"kind": "ok"}},
            "kind",
        ),
        (
            {"case": "a", "trial": 1, "session": "", "turns": [], "exposes": [], "outcome": {"kind": "text"}},
            "text",
        ),
        (
            {
                "case": "a",
                "trial": 1,
                "session": "",
                "turns": [],
                "exposes": [],
                "outcome": {"kind": "completed"},
                "x": 1,
            },
            "x",
        ),
    ],
)
def test_a_value_of_another_shape_is_malformed_and_says_where(data: object, says: str) -> None:
    with pytest.raises(Malformed, match=says):
        load(Trace, data)


@pytest.mark.parametrize(
    "name", ["anchors", "baseline", "config", "dataset", "metric-request", "metric-response", "run", "trace"]
)
def test_a_published_schema_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
