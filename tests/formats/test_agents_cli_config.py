"""`eval_config.yaml` of agents-cli in both spellings, and what is wrong with one, each at its place."""

from typing import Any

import pytest
from hypothesis import given

from gate.documents import parse, validate
from gate.formats.agents_cli_config import MEASURED_HERE, part, read
from gate.score import METRICS
from tests.support.traces import json_values

LIST = """\
metrics_to_run: [nodes, tone, safety]
custom_metrics:
  - name: nodes
    custom_function_file: metrics.py
    description: The path through the graph
  - name: inline
    custom_function: |
      def evaluate(instance):
          return 1
  - name: tone
    prompt_template: "Is {response} polite?"
    judge_model: gemini
"""
NAMES = """\
custom_metrics:
  nodes: {type: python, module: metrics, function: node_order}
  state: {module: evals.metrics, function: state_keys}
"""


def reading(text: str, folder: str = "") -> tuple[dict[str, Any], list[str]]:
    document = parse(text, "eval_config.yaml")
    assert not document.broken, document.findings
    found, findings = read(document.value, document.place, folder)
    return found, [f"{f.place.line}:{f.place.column} {f.level} {f.rule} {f.what}" for f in findings]


def test_a_list_of_metrics_is_read_as_agents_cli_does() -> None:
    found, told = reading(LIST, "tests/eval")
    assert found == {"nodes": {"type": "python", "file": "tests/eval/metrics.py"}}
    assert told == [
        "6:5 warn not-carried-over a metric that `metrics_to_run` does not name is left out",
        "10:5 warn not-carried-over the judge 'tone' is not carried over",
        "1:31 warn not-carried-over the metric 'safety' of `metrics_to_run` is not carried over",
    ]


def test_names_with_module_and_function_are_read_too() -> None:
    assert reading(NAMES) == (
        {
            "nodes": {"type": "python", "module": "metrics", "function": "node_order"},
            "state": {"type": "python", "module": "evals.metrics", "function": "state_keys"},
        },
        [],
    )
    assert reading(NAMES, "tests/eval")[0]["nodes"]["in"] == "tests/eval"


def test_code_in_the_file_is_carried_over() -> None:
    found, _ = reading(LIST.replace("nodes, tone, safety", "inline"))
    assert found == {"inline": {"type": "python", "code": "def evaluate(instance):\n    return 1\n"}}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "1:1 error wrong-type an object is expected here, not a list"),
        ("custom_metrics: 3", "1:17 error wrong-type `custom_metrics` is a list of metrics"),
        ("custom_metrics: [{custom_function: x}]", "1:18 error missing-key 'name' is missing"),
        ("custom_metrics: [3]", "1:18 error wrong-type an object is expected here"),
        ("custom_metrics: {a: {}}", "1:21 error missing-key the metric 'a' names no function"),
        (
            "custom_metrics: {a: {module: m, custom_function: f}}",
            "error missing-key the metric 'a' says in custom_function and in module where its function is",
        ),
        ("custom_metrics: {a: {module: 3}}", "1:30 error wrong-type 'module' must be text"),
        (
            "custom_metrics: [{name: a, module: m}, {name: a, module: m}]",
            "1:40 error duplicate-metric there are two metrics named 'a'",
        ),
        (
            "metrics_to_run: [3]\ncustom_metrics: {a: {module: m}}",
            "1:18 error wrong-type the name of a metric",
        ),
        (
            "metrics_to_run: x\ncustom_metrics: {a: {module: m}}",
            "1:17 error wrong-type 'metrics_to_run' must be a list",
        ),
        (
            "metrics_to_run: [a, response_match_score]\ncustom_metrics: {a: {module: m}}",
            "1:21 warn not-carried-over the metric 'response_match_score' of `metrics_to_run`",
        ),
        (
            "custom_metric: []",
            "1:1 warn unknown-key 'custom_metric' is not a key that is known here; did you mean",
        ),
        (
            "custom_metrics: {a: {module: m, modul: n}}",
            "warn not-carried-over `modul` of a metric is not carried over; did",
        ),
        ("custom_metrics: {a: {module: m, execution: remote}}", "warn not-carried-over `execution: remote`"),
        (
            "custom_metrics: {a: {module: m, execution: cloud}}",
            "1:44 error bad-value 'cloud' is no way of execution",
        ),
        ("custom_metrics: {tone: {metric_spec_parameters: {}}}", "warn not-carried-over the judge 'tone'"),
    ],
)
def test_what_is_wrong_or_left_out_is_told_at_its_place(text: str, told: str) -> None:
    assert any(told in line for line in reading(text)[1]), reading(text)[1]


@given(json_values)
def test_nothing_makes_it_raise_and_what_it_gives_is_a_config(value: Any) -> None:
    for shape in (
        value,
        {"custom_metrics": value, "metrics_to_run": value},
        {"custom_metrics": {"a": value}},
    ):
        document = parse("{}", "x.yaml")
        found, _ = part(shape, document.place)
        assert set(found) <= {"metrics"}


def test_the_part_is_valid_in_a_config() -> None:
    document = parse(NAMES, "x.yaml")
    found, _ = part(document.value, document.place)
    import json

    config = {
        "version": 1,
        "agent": {"protocol": "replay", "replay": {"traces": "t"}},
        "dataset": "g",
        **found,
    }
    assert not validate(parse(json.dumps(config), "c.json"), "config")


def test_what_is_said_to_be_measured_here_is() -> None:
    assert set(MEASURED_HERE) <= set(METRICS)
