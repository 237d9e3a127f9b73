import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.formats import agents_cli_traces, foreign_results
from gate.formats.foreign_results import NotResults
from gate.formats.stored import NotASession
from gate.model import Json
from gate.model.score import Scored, Unscored
from gate.model.trace import Call, Completed, Crashed, Paused, Text
from tests.support.cases import values

RECORDED = Path(__file__).parents[1] / "fixtures/other_tools"


def recorded(name: str) -> Any:
    return json.loads((RECORDED / name).read_text(encoding="utf-8"))


def test_what_agents_cli_recorded_is_a_trace_with_its_prompt_calls_and_state() -> None:
    answered, waiting = agents_cli_traces.read(recorded("agents_cli_traces.json"), "t.json")
    (turn,) = answered.turns
    assert turn.sent == "weather"
    parts = [part for event in turn.events for part in event.parts]
    assert [type(part).__name__ for part in parts] == [
        "Text",
        "Call",
        "Result",
        "Text",
    ]
    assert turn.events[0].parts[1] == Call(
        id="adk-65cce255-908a-4f03-9cea-3cda8c5cfdce", name="get_weather", args={"city": "London"}
    )
    assert turn.events[1].state_delta == {"last_city": "London"}
    assert isinstance(answered.outcome, Completed)
    assert isinstance(waiting.outcome, Paused)
    assert "delete_repo" in waiting.outcome.reason
    assert (answered.exposes, answered.trial) == (("text", "calls", "state", "pauses"), 1)


def test_a_case_without_any_event_answered_nothing() -> None:
    case: Json = {"eval_case_id": "a", "prompt": {"parts": [{"text": "hi"}]}}
    (trace,) = agents_cli_traces.read({"eval_cases": [case]}, "t.json")
    assert trace.outcome == Crashed(reason="agents-cli recorded neither an answer nor a tool call")
    answered = {**case, "responses": [{"response": {"parts": [{"text": "hello"}]}}]}  # type: ignore[dict-item]
    (trace,) = agents_cli_traces.read({"eval_cases": [answered]}, "t.json")
    assert isinstance(trace.outcome, Completed)
    assert trace.events[0].parts == (Text(text="hello"),)


def test_results_of_agents_cli_are_joined_by_id_and_keep_its_words() -> None:
    run = foreign_results.read(recorded("agents_cli_results.json"), "r.json")
    first, second = run.trials
    assert [trial.trace.case for trial in run.trials] == ["weather", "delete"]
    assert first.scores["flaky"] == Scored(value=1.0, items=first.scores["flaky"].items)  # type: ignore[union-attr]
    reason = "No response found for candidate 0 in EvalCase delete."
    assert second.scores["flaky"] == Unscored(cause="judge", reason=reason)
    assert first.key != second.key


def test_results_of_adk_keep_thresholds_and_know_who_waits() -> None:
    run = foreign_results.read(json.dumps(recorded("adk_evalset_result.json")), "r.json")
    assert {name: metric.pass_at for name, metric in run.metrics.items() if not metric.informational} == {
        "tool_trajectory_avg_score": 1.0,
        "response_match_score": 0.8,
    }
    outcomes = {trial.trace.case: type(trial.trace.outcome).__name__ for trial in run.trials}
    completed = {"weather_ok", "empty_ref", "noargs_braces"}
    assert outcomes == {"confirm": "Paused", **dict.fromkeys(completed, "Completed")}
    assert run.made.startswith("2026-11-30T")


@pytest.mark.parametrize("status", [3, "NOT_EVALUATED"])
def test_what_adk_did_not_evaluate_is_unscored_and_no_pass(status: Json) -> None:
    results = recorded("adk_evalset_result.json")
    results["eval_case_results"][0]["overall_eval_metric_results"][0] |= {
        "score": None,
        "eval_status": status,
    }
    found = foreign_results.read(results, "r.json").trials[0].scores["tool_trajectory_avg_score"]
    assert isinstance(found, Unscored)


def test_a_case_of_which_adk_measured_nothing_crashed() -> None:
    run = foreign_results.read({"eval_case_results": [{"eval_id": "a"}]}, "r.json")
    assert run.trials[0].trace.outcome == Crashed(reason="`adk eval` measured nothing of this case")


def damaged(value: Any, path: list[int], to: Json) -> Any:
    """The value with one thing in it, found by a path of indexes, replaced."""
    if not path or not isinstance(value, dict | list) or not value:
        return to
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = keys[path[0] % len(keys)]
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[key] = damaged(value[key], path[1:], to)
    return copy


@given(
    st.sampled_from(["agents_cli_results.json", "adk_evalset_result.json", "agents_cli_traces.json"]),
    st.lists(st.integers(0, 9), max_size=12),
    values,
)
@settings(max_examples=300, deadline=None)
def test_a_damaged_file_is_read_or_refused_with_a_reason(name: str, path: list[int], to: Json) -> None:
    value = damaged(recorded(name), path, to)
    reader = agents_cli_traces.read if "traces" in name else foreign_results.read
    with contextlib.suppress(NotResults, NotASession):
        assert reader(value, "x.json") is not None


def test_a_case_is_read_once_however_many_results_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    read_case = agents_cli_traces.case_trace

    def counted(case: Any, source: str) -> Any:
        asked.append(case)
        return read_case(case, source)

    monkeypatch.setattr(foreign_results, "case_trace", counted)
    event = {"author": "a", "content": {"parts": [{"text": "hi"}]}}
    case = {"eval_case_id": "c", "prompt": "x", "agent_data": {"turns": [{"events": [event]}]}}
    result = {"eval_case_index": 0, "response_candidate_results": [{"metric_results": {"m": {"score": 1}}}]}
    run = foreign_results.read(
        {"evaluation_dataset": [{"eval_cases": [case]}], "eval_case_results": [result, result, result]}, "f"
    )
    assert [trial.trace.trial for trial in run.trials] == [1, 2, 3]
    assert asked == [case]
