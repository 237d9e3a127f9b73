from pathlib import Path

import pytest

from gate.config import from_document
from gate.config.floors import FLOORS
from gate.documents import parse
from gate.model.config import Config
from gate.score import METRICS
from gate.score.metric import Metric
from tests.config.test_config import SMALL, load


def config(text: str) -> Config:
    loaded = load(SMALL + text)
    assert loaded.config, loaded.findings
    return loaded.config


def floor(rule: str, *, metrics: str = "") -> float | None:
    found = config(f"{metrics}rules: {{cases: {{regressed: 0}}, completed: {{min: 1}}, {rule}}}\n")
    return found.rules[-1].ignore_below


def test_every_measure_has_a_floor_and_nothing_else_has() -> None:
    measures = {name for name, metric in METRICS.items() if metric.kind == "measure"}
    assert {*FLOORS} == measures
    assert all(FLOORS[name] > 1 for name in measures if METRICS[name].unit in ("calls", "turns"))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("tool_calls: {max_rise: 25%}", 1.5),
        ("latency_ms: {max_rise: 25%, max_drop: 50%}", 100),
        ("tool_calls: {max_rise: 25%, ignore_below: 0}", 0),
        ("tool_calls: {max_rise: 25%, ignore_below: 7}", 7),
        ("tool_calls: {max_rise: 1}", None),
        ("tool_calls: {max_rise: 25%, max_drop: 1}", None),
        ("tool_calls: {max: 9}", None),
        ("calls: {max_drop: 25%}", None),
    ],
)
def test_a_rule_in_per_cent_has_a_floor_unless_it_is_written(rule: str, expected: float | None) -> None:
    assert floor(rule) == expected


def test_a_metric_of_another_name_has_the_floor_of_its_type() -> None:
    assert floor("slow: {max_rise: 25%}", metrics="metrics: {slow: {type: latency_ms}}\n") == 100


def metric_of(text: str, name: str) -> Metric:
    (found,) = (each for each in config(text).metrics if each.name == name)
    return METRICS[found.type](found)


PRICES = "prices: {m: {input: 1, output: 2.5}}\n"


def test_prices_alone_make_the_cost_a_metric() -> None:
    assert config("").metrics == ()
    options = {"prices": {"m": {"input": 1, "output": 2.5}}}
    assert metric_of(PRICES, "cost").options == options
    more = metric_of(f"{PRICES}metrics: {{cost: {{model: m}}}}\n", "cost")
    assert more.options == {**options, "model": "m"}
    other = metric_of(f"{PRICES}metrics: {{spent: {{type: cost}}}}\n", "spent")
    assert other.options == options


@pytest.mark.parametrize(
    "prices",
    [
        "{}",
        "{m: {input: 1}}",
        "{m: {input: -1, output: 1}}",
        "{m: 1}",
        "{m: {input: 1, output: 1, more: 1}}",
        "{m: {input: .inf, output: 1}}",
        "{m: {input: '1', output: 1}}",
    ],
)
def test_prices_that_are_none_are_findings(prices: str) -> None:
    document = parse(f"{SMALL}prices: {prices}\n", "agent-gate.yml")
    assert from_document(document, Path()).findings
