import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.documents import parse
from gate.formats import adk_criteria, experiment
from gate.model import Json
from tests.support.cases import lines, values


def criteria(value: Json) -> tuple[Json, list[str]]:
    document = parse(json.dumps(value, indent=1), "c.json")
    part, findings = adk_criteria.read(document.value, document.place)
    return part, lines(findings)


def an_experiment(*metrics: Json, **more: Json) -> tuple[Json, list[str]]:
    document = parse(json.dumps({"metrics": list(metrics), **more}, indent=1), "e.json")
    part, findings = experiment.read(document.value, document.place)
    return part, lines(findings)


def test_the_two_defaults_of_adk_become_metrics_with_a_rule_by_case() -> None:
    part, findings = criteria({"criteria": {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}})
    assert findings == []
    assert part == {
        "metrics": {
            "tool_trajectory_avg_score": {},
            "response_match_score": {"pass_at": 0.8},
        },
        "rules": {
            "tool_trajectory_avg_score": {"min": 1.0, "by": "case"},
            "response_match_score": {"min": 0.8, "by": "case"},
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("match", "match_type"),
    [
        ("IN_ORDER", "IN_ORDER"),
        ("any_order", "ANY_ORDER"),
        (0, "EXACT"),
        (2, "ANY_ORDER"),
    ],
)
def test_a_match_type_is_an_option_of_the_metric(match: Json, match_type: str) -> None:
    wanted = {"threshold": 1, "matchType": match, "ignore_args": True}
    part, findings = criteria({"criteria": {"tool_trajectory_avg_score": wanted}})
    assert findings == []
    assert part["metrics"] == {  # type: ignore[index]
        "tool_trajectory_avg_score": {"match_type": match_type, "ignore_args": True}
    }


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (
            {"criteria": {"safety_v1": 0.8}},
            "c.json:3:3 warn not-carried-over: `safety_v1` is not",
        ),
        ({"criteria": {"token_usage_v1": {}}}, "c.json:3:3 warn not-carried-over: `token_usage_v1`"),
        ({"criteria": {}, "custom_metrics": {}}, "c.json:3:2 warn not-carried-over: `custom_metrics`"),
        (
            {"criteria": {"response_match_score": {"threshold": 1, "judge_model_options": {}}}},
            "c.json:5:4 warn not-carried-over: `judge_model_options` of a criterion",
        ),
        (
            {"criteri": {}},
            "c.json:1:1 error missing-key: 'criteria' is missing; is 'criteri'",
        ),
        ({"criteria": []}, "c.json:2:14 error wrong-type: 'criteria' must be an object"),
        (
            {"criteria": {"response_match": 1}},
            "c.json:3:3 error unknown-key: 'response_match' is no",
        ),
        ({"criteria": {"response_match_score": 80}}, "c.json:3:27 error bad-value: a threshold is"),
        (
            {"criteria": {"response_match_score": True}},
            "c.json:3:27 error bad-value: a threshold is",
        ),
        ({"criteria": {"response_match_score": {}}}, "c.json:3:27 error missing-key: 'threshold'"),
        (
            {"criteria": {"tool_trajectory_avg_score": {"threshold": 1, "match_type": "SOME"}}},
            "c.json:5:18 error bad-value: this is no match type",
        ),
    ],
)
def test_a_criterion_that_cannot_be_carried_over_is_told_with_its_place(value: Json, says: str) -> None:
    _, findings = criteria(value)
    assert any(line.startswith(says) for line in findings), findings


def test_built_in_metrics_of_an_experiment_keep_their_names() -> None:
    part, findings = an_experiment(
        {"type": "builtin", "name": "trajectory_recall"},
        {"type": "builtin", "name": "trajectory_single_tool_use", "params": {"tool_name": "search"}},
        experiment_name="nightly",
        dataset="golden/*.evalset.json",
    )
    assert part == {
        "dataset": "golden/*.evalset.json",
        "metrics": {"trajectory_recall": {}, "trajectory_single_tool_use": {"tool": "search"}},
    }
    assert [line.partition(": ")[2] for line in findings] == ["`experiment_name` is not carried over"]


@pytest.mark.parametrize(
    ("metric", "says"),
    [
        ({"type": "built_in", "name": "x"}, "e.json:4:12 error bad-value: 'built_in' is no"),
        (
            {"type": "builtin", "name": "trajectory_recal"},
            "e.json:5:12 error bad-value: 'trajectory_recal'",
        ),
        ({"type": "builtin"}, "e.json:3:3 error missing-key: 'name' is missing"),
        (
            {"type": "builtin", "name": "trajectory_single_tool_use"},
            "e.json:3:3 error missing-key: 'tool",
        ),
        ("x", "e.json:3:3 error wrong-type: an object is expected here"),
        (
            {"type": "llm_judge", "name": "a b", "model": "m", "prompt_template": "x"},
            "e.json:5:12 error bad-value: 'a b' cannot be the name",
        ),
        ({"type": "llm_judge", "name": "a", "prompt_template": "x"}, "e.json:3:3 error missing-key: 'model'"),
        ({"type": "llm_judge", "name": "a", "model": "m"}, "e.json:3:3 error missing-key: 'prompt_template'"),
        (
            {"type": "llm_judge", "name": "a", "model": "", "prompt_template": "x"},
            "e.json:6:13 error bad-value: the name of a model",
        ),
        (
            {"type": "llm_judge", "name": "a", "model": 3, "prompt_template": "x"},
            "e.json:6:13 error wrong-type: 'model' must be text",
        ),
        (
            {"type": "llm_judge", "name": "a", "model": "m", "prompt_template": ["x"]},
            "e.json:7:23 error wrong-type: 'prompt_template' must be text",
        ),
        (
            {"type": "llm_judge", "name": "a", "model": "m", "prompt_template": "x", "params": {"seed": 1.5}},
            "e.json:9:13 error bad-value: a whole number from 0 to 1000000000",
        ),
        (
            {
                "type": "llm_judge",
                "name": "a",
                "model": "m",
                "prompt_template": "x",
                "params": {"temperature": 3},
            },
            "e.json:9:20 error bad-value: a number from 0 to 2",
        ),
    ],
)
def test_a_metric_that_is_wrong_is_told_with_its_place(metric: Json, says: str) -> None:
    _, findings = an_experiment(metric)
    assert any(line.startswith(says) for line in findings), findings


def test_two_metrics_of_one_name_are_told() -> None:
    twice = {"type": "builtin", "name": "rouge_1"}
    _, findings = an_experiment(twice, twice)
    assert findings == ["e.json:9:12 error duplicate-metric: there are two metrics named 'rouge_1'"]


def test_a_dataset_in_a_warehouse_is_told() -> None:
    part, findings = an_experiment({"type": "builtin", "name": "rouge_1"}, dataset="bq://p.d.t")
    assert part == {"metrics": {"rouge_1": {}}}
    (finding,) = findings
    assert finding.startswith("e.json:8:2 warn not-carried-over: `dataset` is not carried over: golden files")


names = st.sampled_from(["tool_trajectory_avg_score", "response_match_score", "threshold", "type", "name"])
keys = ["threshold", "match_type", "ignore_args", "type", "name", "model", "system_prompt", "params"]
options = st.dictionaries(st.sampled_from(keys), values | st.just("llm_judge"))
tops = st.sampled_from(["criteria", "metrics", "dataset"])


@given(st.dictionaries(tops, st.dictionaries(names, values | options) | st.lists(values | options)))
@settings(max_examples=150, deadline=None)
def test_nothing_makes_them_raise(value: Json) -> None:
    criteria(value)
    document = parse(json.dumps(value), "e.json")
    experiment.read(document.value, document.place)
