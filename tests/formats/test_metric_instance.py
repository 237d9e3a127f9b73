"""What functions of other tools are handed over, held against those tools."""

import json
from typing import Any

from google.adk.evaluation.eval_case import Invocation

from gate.formats.agents_cli_dataset import read as read_dataset
from gate.formats.agents_cli_traces import case_trace
from gate.formats.metric_instance import instance_of, invocations_of
from gate.model.case import Expect, Parallel
from gate.model.finding import Place
from tests.score.made import called, case, delta, expected, said, trace, turn
from tests.support.commands import ROOT

RECORDED = ROOT / "tests/fixtures/other_tools"
INSTANCE: dict[str, Any] = {
    "prompt": {"parts": [{"text": "weather"}], "role": "user"},
    "reference": {"response": {"parts": [{"text": "Done"}], "role": "model"}},
    "eval_case_id": "weather",
    "agent_data": {
        "agents": {},
        "turns": [
            {
                "turn_index": 0,
                "turn_id": "turn_0",
                "events": [
                    {
                        "author": "demo",
                        "content": {
                            "parts": [
                                {"text": "Let me check."},
                                {
                                    "function_call": {
                                        "id": "adk-1",
                                        "args": {"city": "London"},
                                        "name": "get_weather",
                                    }
                                },
                            ],
                            "role": "model",
                        },
                        "event_time": "2026-11-30T05:43:19.612629Z",
                        "state_delta": {"last_reply": "Let me check."},
                    },
                    {
                        "author": "demo",
                        "content": {
                            "parts": [
                                {
                                    "function_response": {
                                        "id": "adk-1",
                                        "name": "get_weather",
                                        "response": {"temp": 20},
                                    }
                                }
                            ],
                            "role": "user",
                        },
                        "event_time": "2026-11-30T05:43:19.634387Z",
                        "state_delta": {"last_city": "Rome"},
                    },
                    {
                        "author": "demo",
                        "content": {"parts": [{"text": "Done: 20"}], "role": "model"},
                        "event_time": "2026-11-30T05:43:19.648632Z",
                    },
                ],
            }
        ],
    },
    "custom_properties": {"expected_nodes": ["a"]},
    "response": {"parts": [{"text": "Done: 20"}], "role": "model"},
}
"""As agents-cli 1.11 handed it to a function of ours, with one agent's description left out."""


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(held) for key, held in value.items() if key != "event_time"}
    return [without_times(held) for held in value] if isinstance(value, list) else value


def test_a_recorded_instance_comes_out_as_it_went_in() -> None:
    dataset = {
        "eval_cases": [
            {key: INSTANCE[key] for key in ("eval_case_id", "prompt", "reference", "custom_properties")}
        ]
    }
    (of,), findings = read_dataset(json.loads(json.dumps(dataset)), lambda *_, **__: Place(file="x"))
    assert not findings
    made = instance_of(of, case_trace(INSTANCE, "x"))
    assert without_times(made) == without_times(INSTANCE)


def test_properties_say_what_is_expected_in_the_words_of_agents_cli() -> None:
    of = case(
        Expect(
            nodes=("Router", Parallel(branches=(("A",), ("B", "C")))),
            state={"a.b": 1},
            contains=("x",),
            excludes=("y",),
            calls=expected("get"),
        )
    )
    assert instance_of(of, trace(turn(said("x"))))["custom_properties"] == {
        "expected_nodes": ["Router", ["A", ["B", "C"]]],
        "expected_state": {"a.b": 1},
        "expected_state_keys": {"a.b": 1},
        "expected_response_substrings": ["x"],
        "forbidden_substrings": ["y"],
        "expected_tools": ["get"],
    }


def test_of_several_messages_each_begins_its_turn() -> None:
    made: Any = instance_of(case(Expect(), Expect()), trace(turn(said("one")), turn(delta(k=1))))
    authors = [[event["author"] for event in each["events"]] for each in made["agent_data"]["turns"]]
    assert authors == [["user", "agent"], ["user", "agent"]]
    assert made["response"]["parts"] == [{"text": "one"}]


def test_invocations_are_adks_own() -> None:
    of = case(Expect(calls=expected(("get", {"a": 1})), reference="It is 1."), Expect())
    trial = trace(turn(said("wait"), called(("get", {"a": 1})), said("It is 1.")), turn(said("bye")))
    actual, wanted = invocations_of(of, trial)
    for made in (*actual, *wanted):
        Invocation.model_validate(made)
    first = Invocation.model_validate(actual[0])
    assert first.final_response
    assert first.final_response.parts
    assert first.final_response.parts[0].text == "It is 1."
    assert Invocation.model_validate(wanted[0]).intermediate_data
    assert len(actual) == len(wanted) == 2
