"""Other tools' records: what is green there although a case crashed or waits is red here."""

import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.results import read_run
from tests.support.commands import ROOT, gate

RECORDED = ROOT / "tests/fixtures/other_tools"
CONFIG = """
version: 1
agent: {protocol: replay, replay: {traces: none.jsonl}}
dataset: golden.json
"""


def recorded(name: str) -> Any:
    return json.loads((RECORDED / name).read_text(encoding="utf-8"))


def write(path: Path, value: Any) -> str:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path.name


def healthy() -> Any:
    """Results of the day before: the case that waits now was answered then, and a third one still ran."""
    results = recorded("agents_cli_results.json")
    cases = results["evaluation_dataset"][0]["eval_cases"]
    answered = {**copy.deepcopy(cases[0]), "eval_case_id": "delete", "reference": None}
    answered["prompt"] = cases[1]["prompt"]
    third = {**copy.deepcopy(cases[0]), "eval_case_id": "boom"}
    results["evaluation_dataset"][0]["eval_cases"] = [third, cases[0], answered]
    scored = results["eval_case_results"][0]
    results["eval_case_results"] = [{**scored, "eval_case_index": index} for index in range(3)]
    return results


def test_a_crashed_and_a_paused_case_that_agents_cli_calls_1_0000_are_regressions(tmp_path: Path) -> None:
    after = recorded("agents_cli_results.json")
    assert {row["mean_score"] for row in after["summary_metrics"]} == {1.0}
    before = write(tmp_path / "before.json", healthy())
    done = gate("compare", before, write(tmp_path / "after.json", after), cwd=tmp_path)
    assert done.code == 1
    assert "boom" in done.out
    assert "agents-cli leaves out a case whose run failed" in done.out
    assert "the agent waits for" in done.out
    report = json.loads(gate("compare", before, "after.json", "--json", cwd=tmp_path).out)
    klasses = {case["id"]: case["class"] for case in report["comparison"]["cases"]}
    assert klasses == {"weather": "unchanged", "delete": "regressed", "boom": "regressed"}


def test_a_comparison_is_printed_as_markdown(tmp_path: Path) -> None:
    before = write(tmp_path / "before.json", healthy())
    after = str(RECORDED / "agents_cli_results.json")
    done = gate("compare", before, after, "--markdown", cwd=tmp_path)
    assert done.code == 1
    assert "`boom`" in done.out
    assert "completed" in done.out
    assert "|---" in done.out


def test_results_that_stayed_the_same_pass_although_their_indexes_moved(tmp_path: Path) -> None:
    before, after = healthy(), healthy()
    after["evaluation_dataset"][0]["eval_cases"].reverse()
    done = gate(
        "compare", write(tmp_path / "a.json", before), write(tmp_path / "b.json", after), cwd=tmp_path
    )
    assert done.code == 0, done.out


def test_a_lower_mean_is_a_number_and_a_regression(tmp_path: Path) -> None:
    after = healthy()
    for result in after["eval_case_results"]:
        result["response_candidate_results"][0]["metric_results"]["flaky"]["score"] = 0.2
    done = gate(
        "compare", write(tmp_path / "a.json", healthy()), write(tmp_path / "b.json", after), cwd=tmp_path
    )
    assert done.code == 1
    assert "flaky" in done.out
    assert "0.20" in done.out


def worse(results: Any) -> Any:
    """The first case called no tool; the last one was not run at all."""
    case = results["eval_case_results"][0]
    case["overall_eval_metric_results"][0] |= {"score": 0.0, "eval_status": 2}
    results["eval_case_results"].pop()
    return results


def unevaluated(results: Any) -> Any:
    """A metric threw: `adk eval` calls the case passed."""
    case = results["eval_case_results"][0]
    case["overall_eval_metric_results"][0] |= {"score": None, "eval_status": "NOT_EVALUATED"}
    return results


@pytest.mark.parametrize(("change", "code"), [(lambda results: results, 0), (worse, 1), (unevaluated, 3)])
@pytest.mark.parametrize("twice", [False, True])
def test_results_of_adk_are_read_in_both_encodings(
    tmp_path: Path, change: Callable[[Any], Any], code: int, twice: bool
) -> None:
    after = change(recorded("adk_evalset_result.json"))
    name = write(tmp_path / "after.json", json.dumps(after) if twice else after)
    done = gate("compare", str(RECORDED / "adk_evalset_result.json"), name, cwd=tmp_path)
    assert done.code == code, done.out
    if change is worse:
        assert "noargs_braces: passed 0 of 1 before, 0 of 1 now (1 crashed)" in done.out
        assert "weather_ok" in done.out


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"eval_case_results": 3}', "it has no list eval_case_results"),
        (b'{"eval_case_results": []}', "it has the result of no case"),
        (b'{"eval_case_results": [{}]}', "result 1 has no eval_id"),
        (b'{"eval_case_results": [{}], "evaluation_dataset": []}', "result 1 is of no case"),
        (b'"[', "cannot be used"),
        (b'"[1]"', "it has no list eval_case_results"),
        (b'{"eval_case_results": [', "cannot be used"),
        (b'"\xff', "cannot be used"),
    ],
)
def test_results_that_cannot_be_used_say_why(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "x.json").write_bytes(content)
    done = gate("compare", "x.json", str(RECORDED / "adk_evalset_result.json"), cwd=tmp_path)
    assert done.code == 2
    assert says in done.err


def test_results_of_another_tool_are_not_compared_with_a_run_of_ours(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}", encoding="utf-8")
    done = gate("compare", "run.json", str(RECORDED / "adk_evalset_result.json"), cwd=tmp_path)
    assert done.code == 2
    assert "run.json is of agent-gate and" in done.err


def test_results_of_two_tools_are_not_compared(tmp_path: Path) -> None:
    files = [str(RECORDED / name) for name in ("adk_evalset_result.json", "agents_cli_results.json")]
    done = gate("compare", *files, cwd=tmp_path)
    assert done.code == 2
    assert "is of adk eval and" in done.err


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    """Three cases, of which agents-cli recorded one that was answered and one that waits."""
    (tmp_path / "agent-gate.yml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "none.jsonl").touch()
    shutil.copy(RECORDED / "agents_cli_traces.json", tmp_path / "traces.json")
    cases = [
        {
            "eval_case_id": "weather",
            "prompt": "weather",
            "custom_properties": {
                "expected_tools": [{"name": "get_weather", "args": {"city": "London"}}],
                "expected_state": {"last_city": "London"},
                "expected_response_substrings": ["Done"],
            },
        },
        {"eval_case_id": "delete", "prompt": "delete"},
        {"eval_case_id": "boom", "prompt": "boom"},
    ]
    write(tmp_path / "golden.json", {"eval_cases": cases})
    return tmp_path


def test_grade_scores_what_agents_cli_recorded_and_what_it_left_out(graded: Path) -> None:
    done = gate("grade", "traces.json", cwd=graded)
    assert done.code == 1, done.out + done.err
    trials = {trial.case: trial for trial in read_run(graded / "graded").trials}
    outcomes = {name: type(trial.outcome).__name__ for name, trial in trials.items()}
    assert outcomes == {"weather": "Completed", "delete": "Paused", "boom": "Crashed"}
    scores = trials["weather"].scores
    assert [getattr(scores[name], "value", None) for name in ("calls", "state", "says")] == [1.0, 1.0, 1.0]
    assert "agents-cli leaves out a case whose run failed" in trials["boom"].outcome.reason


def test_nodes_are_not_exposed_by_what_agents_cli_records(graded: Path) -> None:
    wanted = {"expected_nodes": ["a"]}
    case = {"eval_case_id": "weather", "prompt": "weather", "custom_properties": wanted}
    traces = recorded("agents_cli_traces.json")
    traces["eval_cases"] = traces["eval_cases"][:1]
    write(graded / "golden.json", {"eval_cases": [case]})
    write(graded / "traces.json", traces)
    done = gate("grade", "traces.json", cwd=graded)
    assert done.code == 3
    (trial,) = read_run(graded / "graded").trials
    assert getattr(trial.scores["nodes"], "cause", "") == "not_exposed"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{}", "traces.json holds no traces"),
        (b'{"eval_cases": [3]}', "case 1: expected an object"),
        (b'{"eval_cases": [{}]}', "case 1: it has no eval_case_id"),
        (b'{"eval_cases": [{"eval_case_id": "a"}]}', "case 1: no event in it"),
        (b'{"eval_cases": [{"eval_case_id": "zzz", "prompt": "x"}]}', "the suite has no case 'zzz'"),
        (
            b'{"eval_cases": [{"eval_case_id": "a", "agent_data": {"turns": [{"events": [3]}]}}]}',
            "an event is",
        ),
        (b"{", "cannot be used"),
        (b"\xff", "cannot be used"),
    ],
)
def test_traces_that_cannot_be_used_say_why(graded: Path, content: bytes, says: str) -> None:
    (graded / "traces.json").write_bytes(content)
    done = gate("grade", "traces.json", cwd=graded)
    assert done.code == 2
    assert says in done.err
