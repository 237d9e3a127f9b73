import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.dataset import READERS, dump_case
from gate.documents import parse
from gate.formats import kagent_suite
from gate.model import Json
from gate.model.case import Expect
from tests.support.cases import bare, lines, loaded, values

USER: Json = {"role": "user", "content": "What is the weather in London?"}
CALL: Json = {
    "role": "assistant",
    "tool_calls": [
        {
            "id": "a",
            "type": "function",
            "function": {"name": "get_weather", "arguments": '{"city": "London"}'},
        }
    ],
}
REFERENCE: Json = [
    USER,
    CALL,
    {"role": "tool", "tool_call_id": "a", "content": "14"},
    {"role": "assistant", "content": "14"},
]
PATH: dict[str, Json] = {"type": "trajectory_match", "mode": "superset", "reference": REFERENCE}
USED: dict[str, Json] = {"type": "tools_used", "expected": ["get_weather"]}


def suite(*evaluators: Json, **more: Json) -> Json:
    return {"name": "s", "cases": [{"name": "a", "session_id": "s1", "evaluators": list(evaluators), **more}]}


def told(value: Json) -> tuple[list[Json], list[str]]:
    got = loaded(json.dumps(value, indent=1), "suite.json")
    return [dump_case(case) for case in got.cases], lines(got.findings)


def test_a_reference_tells_the_message_and_the_calls() -> None:
    (case,), findings = told(suite(PATH, {"type": "llm_judge", "prompt": "Is it grounded?"}))
    assert findings == []
    assert case == {
        "id": "a",
        "user": "What is the weather in London?",
        "expect": {
            "calls": [{"name": "get_weather", "args": {"city": "London"}}],
            "rubric": "Is it grounded?",
        },
        "extra": {"session_id": "s1"},
    }


def test_arguments_that_are_ignored_are_left_open_and_names_add_to_the_reference() -> None:
    used = {"type": "tools_used", "expected": ["get_weather", "ask_user"]}
    value = {**suite(PATH, used), "defaults": {"tool_args_match_mode": "ignore"}}  # type: ignore[dict-item]
    (case,), findings = told(value)
    assert findings == []
    assert case["expect"] == {"calls": ["get_weather", "ask_user"]}  # type: ignore[index]


@pytest.mark.parametrize("mode", ["both", "unordered", "subset"])
def test_an_empty_list_of_all_that_may_be_called_expects_no_call(mode: str) -> None:
    nothing: Json = {"type": "tools_used", "expected": [], "mode": mode}
    (case,), findings = told(suite(nothing, {**PATH, "reference": [USER]}))
    assert findings == []
    assert case["expect"] == {"calls": "none"}  # type: ignore[index]


@pytest.mark.parametrize(
    ("evaluator", "says"),
    [
        ({"type": "tools_used", "expected": []}, "an empty `expected` of mode superset expects nothing"),
        ({"type": "trajectory_match", "reference": []}, "an empty `reference` expects nothing"),
    ],
)
def test_an_evaluator_that_asks_for_nothing_is_told(evaluator: Json, says: str) -> None:
    document = parse(json.dumps(suite(evaluator), indent=1), "suite.json")
    (case,), findings = kagent_suite.read(document.value, document.place, {"": ["hi"]})
    assert case.turns[0].expect == Expect()
    assert [finding.what for finding in findings] == [says]


def test_two_messages_make_two_turns_with_their_calls() -> None:
    (case,), _ = told(suite({**PATH, "reference": [USER, CALL, {"role": "user", "content": "Thanks"}]}, USED))
    assert [turn.get("expect") for turn in case["turns"]] == [  # type: ignore[index]
        {"calls": [{"name": "get_weather", "args": {"city": "London"}}]},
        {"calls": "none"},
    ]
    assert case["expect"] == {"calls": ["get_weather"]}  # type: ignore[index]


def test_what_the_recording_says_is_sent_where_the_suite_does_not_tell_it() -> None:
    document = parse(json.dumps(suite(USED)), "suite.json")
    (case,), findings = kagent_suite.read(document.value, document.place, {"s1": ["Hello", "Bye"]})
    assert findings == ()
    assert dump_case(case)["turns"] == [{"user": "Hello"}, {"user": "Bye"}]


@pytest.mark.parametrize(
    ("evaluator", "says"),
    [
        ({**PATH, "mode": "strict"}, "`mode: strict` is the metric's here, not the case's"),
        ({**PATH, "mode": "unordered"}, "`mode: unordered` is the metric's here"),
        (
            {**PATH, "tool_args_match_mode": "superset"},
            "`tool_args_match_mode: superset` is the metric's here",
        ),
        ({**PATH, "tool_args_match_mode": "subset"}, "`tool_args_match_mode: subset` is the metric's here"),
        ({**USED, "mode": "both"}, "`mode: both` is the metric's here"),
        ({**USED, "mode": "subset"}, "`tools_used` of mode subset, a list of what may be called"),
        ({"type": "llm_judge", "model": "m", "prompt": "x"}, "`model` of a judge is not carried over"),
        ({"type": "llm_judge", "prompt": "{outputs}"}, "a judge without a text of its own has no rubric"),
        ({**PATH, "threshold": 0.5}, "`threshold` of an evaluator is not carried over"),
    ],
)
def test_what_a_case_cannot_say_is_told_and_never_dropped(evaluator: Json, says: str) -> None:
    cases, findings = told(suite({**PATH, "mode": "superset"}, evaluator))
    assert len(cases) == 1
    if evaluator["type"] == "trajectory_match":  # type: ignore[index]
        cases, findings = told(suite(evaluator))
    assert any(says in finding and "warn not-carried-over" in finding for finding in findings), findings


def test_settings_of_the_suite_are_told() -> None:
    _, findings = told(
        {
            **suite(PATH, invocation_id="e-1"),  # type: ignore[dict-item]
            "source": {"kind": "postgres", "password": "hunter2"},
            "defaults": {"judge_model": "m", "drop_internal_tools": False, "extra_tool_denylist": ["x"]},
        }
    )
    told_of = (
        "`source`",
        "`judge_model`",
        "`drop_internal_tools: false`",
        "`extra_tool_denylist`",
        "`invocation_id`",
    )
    assert [
        name for name in told_of if not any(f"{name} is not carried over" in line for line in findings)
    ] == []
    assert "hunter2" not in "".join(findings)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (
            suite(USED),
            "suite.json:6:18 error no-message: what the user said in this session is not in the suite",
        ),
        (
            suite({"type": "tool_used"}),
            "suite.json:9:14 error bad-value: 'tool_used' is no type of evaluator",
        ),
        (suite({"mode": "strict"}), "suite.json:8:5 error missing-key: 'type' is missing"),
        (suite({**PATH, "mode": "exact"}), "suite.json:10:14 error bad-value: 'exact' is no mode here"),
        (suite({"type": "trajectory_match"}), "suite.json:8:5 error missing-key: 'reference' is missing"),
        (suite({"type": "tools_used"}), "suite.json:8:5 error missing-key: 'expected' is missing"),
        (suite({**PATH, "referenc": 1}), "suite.json:39:6 error unknown-key: 'referenc' is not a key"),
        (suite(PATH, session_id=None), "suite.json:4:3 error missing-key: 'session_id' is missing"),
        (suite(PATH, evaluators=None), "suite.json:4:3 error missing-key: 'evaluators' is missing"),
        (
            suite({**PATH, "reference": [{"role": "bot"}]}),
            "suite.json:13:16 error bad-value: 'bot' is no role",
        ),
        (
            suite(
                {
                    **PATH,
                    "reference": [
                        USER,
                        {"role": "assistant", "tool_calls": [{"name": "f", "arguments": "x"}]},
                    ],
                }
            ),
            "suite.json:21:23 error bad-arguments: `arguments` is not the JSON text of an object",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(value: Json, says: str) -> None:
    cases, findings = told(value)
    assert cases == []
    assert any(line.startswith(says) for line in findings), findings


DEEP = '{"a":' * 60 + "1" + "}" * 60


@pytest.mark.parametrize("arguments", ["[1]", '{"a": NaN}', '{"a": 1, "a": 2}', DEEP])
def test_arguments_that_are_no_object_of_a_golden_file_are_told(arguments: str) -> None:
    call = {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": arguments}}]}
    cases, findings = told(suite({**PATH, "reference": [USER, call]}))
    assert cases == []
    assert "error bad-arguments: `arguments` is not the JSON text of an object" in findings[0]


names = st.sampled_from(
    [*PATH, *USED, "name", "session_id", "evaluators", "role", "content", "tool_calls", "function"]
)
words = st.sampled_from(
    ["trajectory_match", "tools_used", "llm_judge", "user", "assistant", "strict", "{}", "f"]
)
trees = st.recursive(
    values | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=5),
    max_leaves=20,
)
messages = st.lists(st.just(USER) | st.just(CALL) | trees, max_size=4)
judged = st.fixed_dictionaries(
    {"type": words}, optional={"reference": messages, "expected": trees, "mode": words}
)
some_cases = st.fixed_dictionaries(
    {"name": st.just("a"), "session_id": st.just("s")},
    optional={"evaluators": st.lists(judged | trees, max_size=3)},
)


@given(st.lists(some_cases | trees, max_size=2), st.lists(st.text(max_size=3), max_size=2))
@settings(max_examples=200, deadline=None)
def test_nothing_makes_it_raise_and_what_it_gives_reads_back_the_same(
    cases: list[Json], said: list[str]
) -> None:
    document = parse(json.dumps({"cases": cases}), "suite.json")
    if not READERS["kagent-suite"].accepts(document.value):
        return
    found, _ = kagent_suite.read(document.value, document.place, {"s": said})
    for case in found:
        again = loaded(json.dumps({"cases": [dump_case(case)]}), "again.json")
        assert again.findings == ()
        assert bare(again.cases[0]) == bare(case)
