import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.dataset import READERS, dump_case
from gate.documents import parse
from gate.model import Json
from gate.model.case import Expect, ExpectedCall, Parallel
from tests.support.cases import bare, lines, loaded, loaded_value, values

HI: Json = {"role": "user", "parts": [{"text": "hi"}]}


def dataset(*cases: Json) -> dict[str, Json]:
    return {"eval_cases": list(cases)}


def said(author: str, text: str, **more: Json) -> Json:
    return {"author": author, "content": {"role": author, "parts": [{"text": text}]}, **more}


def test_a_case_with_a_prompt_expects_what_its_properties_and_reference_say() -> None:
    got = loaded_value(
        dataset(
            {
                "eval_case_id": "ingest",
                "prompt": HI,
                "reference": {
                    "response": {"role": "model", "parts": [{"text": "It is"}, {"text": "saved."}]}
                },
                "rubric_groups": {"g": {"rubrics": [{"content": {"property": {"description": "Polite?"}}}]}},
                "custom_properties": {
                    "expected_nodes": ["Router", ["A", ["B", "C"]], {"parallel": ["D", "E"]}, "Join"],
                    "expected_state_keys": ["draft"],
                    "expected_response_substrings": ["saved"],
                    "forbidden_substrings": "lost",
                    "expected_tools": ["ocr", {"name": "save", "args": {"n": 1}}],
                    "owner": "ada",
                },
                "difficulty": 3,
            }
        )
    )
    (case,) = got.cases
    assert got.findings == ()
    assert case.turns[0].expect == Expect(
        calls=(ExpectedCall(name="ocr"), ExpectedCall(name="save", args={"n": 1})),
        nodes=(
            "Router",
            Parallel(branches=(("A",), ("B", "C"))),
            Parallel(branches=(("D",), ("E",))),
            "Join",
        ),
        state_keys=("draft",),
        contains=("saved",),
        excludes=("lost",),
        reference="It is\nsaved.",
        rubric="Polite?",
    )
    assert case.extra == {"owner": "ada", "difficulty": 3}


@pytest.mark.parametrize(
    "name", ["custom_properties", "customProperties", "custom_Properties", "CUSTOM-PROPERTIES"]
)
@pytest.mark.parametrize("key", ["expected_state_keys", "expectedStateKeys", "Expected_State_Keys"])
def test_properties_are_known_in_any_spelling(name: str, key: str) -> None:
    got = loaded_value(dataset({"eval_case_id": "a", "prompt": "hi", name: {key: {"phone": "+886"}}}))
    assert got.findings == ()
    assert got.cases[0].turns[0].expect == Expect(state={"phone": "+886"})


def test_a_status_among_the_other_keys_makes_it_no_annotation() -> None:
    case: Json = {"eval_case_id": "a", "prompt": "hi", "status": "open"}
    got = loaded_value({"status": "done", **dataset(case)})
    assert [case.extra for case in got.cases] == [{"status": "open"}]


def test_recorded_turns_become_messages_and_what_the_agent_said_is_told_to_be_left_out() -> None:
    turns = [
        {"turn_index": 0, "events": [said("user", "hi", state_delta={"k": 1}), said("bot", "hello")]},
        {"turn_index": 1, "turn_id": "turn_1", "events": [said("user", "bye", event_time="now")]},
    ]
    properties = {"expected_response_substrings": ["x"]}
    got = loaded_value(
        dataset({"evalCaseId": "b", "agentData": {"turns": turns}, "customProperties": properties})
    )
    (case,) = got.cases
    assert dump_case(case) == {
        "id": "b",
        "start_state": {"k": 1},
        "turns": [{"user": "hi"}, {"user": "bye"}],
        "expect": {"contains": ["x"]},
    }
    (finding,) = lines(got.findings)
    assert "warn not-carried-over: what the agent did in recorded turns" in finding


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ({"prompt": "hi"}, "g.json:3:3 error missing-key: 'eval_case_id' is missing"),
        ({"eval_case_id": 7, "prompt": "hi"}, "g.json:4:20 error wrong-type: 'eval_case_id' must be text"),
        ({"eval_case_id": "a"}, "g.json:3:3 error no-message: case 'a' has nothing to send"),
        ({"eval_case_id": "a", "promt": "hi"}, "g.json:5:4 error unknown-key: 'promt' is not a key"),
        (
            {"eval_case_id": "a", "prompt": "hi", "agent_data": {"turns": [{"events": []}]}},
            "g.json:3:3 error two-messages: case 'a' has both `prompt` and turns",
        ),
        (
            {"eval_case_id": "a", "prompt": {"parts": []}},
            "g.json:5:14 error no-message: `prompt` has no parts",
        ),
        (
            {
                "eval_case_id": "a",
                "agent_data": {"turns": [{"events": [said("user", "a"), said("bot", "b")]}]},
            },
            "g.json:6:14 error no-message: the last event of case 'a' is no message of the user",
        ),
        (
            {
                "eval_case_id": "a",
                "agent_data": {"turns": [{"events": [said("user", "a"), {"author": "user"}]}]},
            },
            "g.json:6:14 error no-message: the last event of case 'a' is no message of the user",
        ),
        (
            {
                "eval_case_id": "a",
                "agent_data": {"turns": [{"events": [said("user", "a", contents=1)]}]},
            },
            "g.json:19:9 error unknown-key: 'contents' is not a key that is known here; did you mean",
        ),
        (
            {"eval_case_id": "a", "prompt": "hi", "custom_properties": ["x"]},
            "g.json:6:25 error wrong-type: 'custom_properties' must be an object",
        ),
        (
            {"eval_case_id": "a", "prompt": "hi", "custom_properties": {"expected_node": ["x"]}},
            "g.json:7:5 error unknown-key: 'expected_node' is not a key that is known here; did you mean",
        ),
        (
            {"eval_case_id": "a", "prompt": "hi", "custom_properties": {"expected_nodes": ["x", 3]}},
            "g.json:9:6 error wrong-type: the name of a node, or a list of branches, is expected here",
        ),
        (
            {"eval_case_id": "a", "prompt": "hi", "custom_properties": {"forbidden_substrings": [""]}},
            "g.json:8:6 error wrong-type: a text is expected here, not an empty text",
        ),
        (
            {"eval_case_id": "a", "prompt": "hi", "custom_properties": {"expected_state": {"": 1}}},
            "g.json:7:23 error bad-value: a key of the state is empty",
        ),
        (
            {"eval_case_id": "a", "prompt": "hi", "custom_properties": {"expected_tools": [{"name": ""}]}},
            "g.json:9:15 error wrong-type: a text is expected here, not an empty text",
        ),
        (
            {
                "eval_case_id": "a",
                "prompt": "hi",
                "custom_properties": {"expected_nodes": ["x"], "expectedNodes": ["y"]},
            },
            "g.json:10:5 error duplicate-key: 'expectedNodes' and 'expected_nodes' say the same thing twice",
        ),
        (
            {"eval_case_id": "a", "prompt": "hi", "customProperties": {}, "custom_properties": {}},
            "g.json:7:4 error duplicate-key: 'custom_properties' and 'customProperties' say the same thing",
        ),
        ("x", "g.json:3:3 error wrong-type: an object is expected here, not text"),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_the_other_cases_are_given(case: Json, says: str) -> None:
    got = loaded_value(dataset(case, {"eval_case_id": "good", "prompt": "hi"}))
    assert [found.id for found in got.cases] == ["good"]
    found = lines(got.findings)
    assert any(line.startswith(says) for line in found), found


def test_an_empty_list_of_tools_expects_nothing_and_that_is_said() -> None:
    nothing: Json = {"expectedTools": [], "expected_nodes": [], "forbidden_substrings": []}
    got = loaded_value(dataset({"eval_case_id": "a", "prompt": "hi", "custom_properties": nothing}))
    assert got.cases[0].turns[0].expect == Expect()
    assert lines(got.findings) == [
        "g.json:7:5 warn not-carried-over: an empty `expected_tools` expects nothing"
    ]


def test_a_file_of_traces_is_no_dataset() -> None:
    got = loaded_value(dataset({"eval_case_id": "a", "prompt": HI, "responses": [{"response": HI}]}))
    assert lines(got.findings) == [
        (
            "g.json:2:16 error traces-not-cases: these are traces that `agents-cli eval generate` recorded, "
            "not a dataset"
        )
    ]


names = "eval_case_id prompt reference agent_data custom_properties rubric_groups response parts text turns"
more_names = "events author content state_delta expected_nodes parallel"
keys = st.sampled_from(f"{names} {more_names}".split())
trees = st.recursive(
    values | st.sampled_from(["user", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
)


@given(st.lists(st.fixed_dictionaries({"eval_case_id": st.just("a")}, optional={"prompt": trees}) | trees))
@settings(max_examples=150, deadline=None)
def test_nothing_makes_it_raise_and_what_it_gives_reads_back_the_same(cases: list[Json]) -> None:
    document = parse(json.dumps({"eval_cases": cases}), "g.json")
    if not READERS["agents-cli"].accepts(document.value):
        return
    found, _ = READERS["agents-cli"].read(document)
    for case in found:
        again = loaded(json.dumps({"cases": [dump_case(case)]}), "again.json")
        assert again.findings == ()
        assert bare(again.cases[0]) == bare(case)
