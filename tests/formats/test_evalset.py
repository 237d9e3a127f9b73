import base64
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.documents import parse
from gate.formats import evalset
from gate.model import Json
from gate.model.case import Answer, Answers, BlobPart, Case, Expect, ExpectedCall, FilePart, TextPart, User
from gate.model.finding import Finding, Place
from tests.support.cases import bare, lines

FIXTURES = Path(__file__).parents[1] / "fixtures" / "evalset"


def _read(value: Json) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    return _read_text(json.dumps(value))


def _read_text(text: str, file: str = "s.json") -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    document = parse(text, file)
    assert evalset.accepts(document.value)
    return evalset.read(document.value, document.place)


def _says(findings: Sequence[Finding]) -> list[str]:
    return [f"{found.level} {found.rule}: {found.what}" for found in findings]


def _invocation(**more: Json) -> dict[str, Json]:
    return {"user_content": {"parts": [{"text": "hi"}]}, **more}


def _one(*invocations: Json, **more: Json) -> Json:
    return {"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": list(invocations), **more}]}


def _expect(value: Json) -> Expect:
    (case,), findings = _read(value)
    assert findings == ()
    return case.turns[0].expect


def test_a_set_that_adk_itself_writes_reads_the_same_in_both_spellings() -> None:
    from google.adk.evaluation.eval_case import EvalCase, IntermediateData, Invocation, SessionInput
    from google.adk.evaluation.eval_rubrics import Rubric, RubricContent
    from google.adk.evaluation.eval_set import EvalSet
    from google.genai import types

    picture = bytes(range(256))
    first = Invocation(
        invocation_id="e-1",
        user_content=types.Content(
            role="user",
            parts=[
                types.Part(text="Read this"),
                types.Part.from_bytes(data=picture, mime_type="image/png"),
                types.Part.from_uri(file_uri="gs://b/x.pdf", mime_type="application/pdf"),
            ],
        ),
        intermediate_data=IntermediateData(
            tool_uses=[
                types.FunctionCall(name="ocr", args={"lang": "en", "page_range": [1, 2]}),
                types.FunctionCall(id="c2", name="now"),
            ]
        ),
        final_response=types.Content(
            role="model",
            parts=[
                types.Part(text="hidden", thought=True),
                types.Part(text="It is"),
                types.Part(text="a card."),
            ],
        ),
    )
    second = Invocation(
        user_content=types.Content(role="user", parts=[types.Part(text="Thanks")]),
        intermediate_data=IntermediateData(),
        rubrics=[Rubric(rubric_id="r", rubric_content=RubricContent(text_property="Is it polite?"))],
    )
    third = Invocation(user_content=types.Content(role="user", parts=[types.Part(text="Bye")]))
    case = EvalCase(
        eval_id="read_card",
        conversation=[first, second, third],
        session_input=SessionInput(
            app_name="cards", user_id="u", state={"some_key": 1, "otherKey": {"a_b": 2}}
        ),
        final_session_state={"draft.title": "CTO"},
    )
    made = EvalSet(eval_set_id="s", name="s", eval_cases=[case], creation_timestamp=1.5)
    wanted = (
        User(
            parts=(
                TextPart(text="Read this"),
                BlobPart(mime_type="image/png", data=base64.b64encode(picture).decode()),
                FilePart(mime_type="application/pdf", uri="gs://b/x.pdf"),
            )
        ),
        Expect(
            calls=(
                ExpectedCall(name="ocr", args={"lang": "en", "page_range": [1, 2]}),
                ExpectedCall(name="now", args={}),
            ),
            reference="It is\na card.",
        ),
    )
    texts = (
        made.model_dump_json(indent=2),
        made.model_dump_json(by_alias=True, exclude_none=True),
        made.model_dump_json(by_alias=True),
    )
    for text in texts:
        (got,), findings = _read_text(text)
        assert findings == ()
        assert (got.id, got.start_state) == ("read_card", {"some_key": 1, "otherKey": {"a_b": 2}})
        assert got.expect == Expect(state={"draft.title": "CTO"})
        assert (got.turns[0].sent, got.turns[0].expect) == wanted
        assert got.turns[1].expect == Expect(calls=(), rubric="Is it polite?")
        assert got.turns[2].expect == Expect()


def test_the_second_form_of_intermediate_data_gives_the_same_calls() -> None:
    from google.adk.evaluation.eval_case import EvalCase, Invocation, InvocationEvent, InvocationEvents
    from google.adk.evaluation.eval_set import EvalSet
    from google.genai import types

    calls = [
        types.Part.from_function_call(name=name, args=args) for name, args in (("a", {"x": 1}), ("b", {}))
    ]
    events = InvocationEvents(
        invocation_events=[
            InvocationEvent(author="root", content=types.Content(role="model", parts=calls)),
            InvocationEvent(author="root"),
        ]
    )
    user = types.Content(role="user", parts=[types.Part(text="hi")])
    case = EvalCase(eval_id="a", conversation=[Invocation(user_content=user, intermediate_data=events)])
    made = EvalSet(eval_set_id="s", eval_cases=[case])
    for text in (made.model_dump_json(), made.model_dump_json(by_alias=True)):
        (got,), findings = _read_text(text)
        assert findings == ()
        assert got.turns[0].expect.calls == (
            ExpectedCall(name="a", args={"x": 1}),
            ExpectedCall(name="b", args={}),
        )


def test_the_legacy_form_reads_as_adk_converts_it() -> None:
    from google.adk.evaluation.local_eval_sets_manager import convert_eval_set_to_pydantic_schema

    text = (FIXTURES / "legacy.test.json").read_text(encoding="utf-8")
    (got,), findings = _read_text(text, "legacy.test.json")
    assert findings == ()
    converted = convert_eval_set_to_pydantic_schema("legacy", json.loads(text))
    (by_adk,), _ = _read_text(converted.model_dump_json())
    assert [bare(got).turns[n] for n in (0, 1)] == [bare(by_adk).turns[n] for n in (0, 1)]
    assert (got.id, got.start_state) == (by_adk.id, by_adk.start_state) == ("dice", {"rolls": [1, 2]})
    assert got.turns[0].expect == Expect(calls=(), reference="I can roll dice.")
    # ADK makes "no tool call" of a missing key; the gate does not make up an expectation.
    assert got.turns[2].expect == Expect()
    assert got.place == Place(file="legacy.test.json", line=2, column=3)
    assert [turn.place.line for turn in got.turns] == [5, 11, 19]


def test_a_legacy_list_of_queries_is_one_case_named_after_the_file() -> None:
    (got,), findings = _read_text(
        '[{"query": "a", "reference": "b"}, {"query": "c"}]', "golden/home.test.json"
    )
    assert findings == ()
    assert got.id == "home"
    assert [turn.expect.reference for turn in got.turns] == ["b", None]


def test_a_recorded_confirmation_becomes_an_answer_to_the_tool() -> None:
    text = (FIXTURES / "confirm.evalset.json").read_text(encoding="utf-8")
    (got,), findings = _read_text(text)
    first, second = got.turns
    assert first.expect == Expect(calls=(ExpectedCall(name="delete_card", args={"id": 7}),))
    assert second.sent == Answers(answers=(Answer(to="delete_card", decision="approve"),))
    assert second.expect == Expect(calls=(), reference="Card 7 is gone.")
    assert got.expect == Expect(state={"cards": []})
    assert _says(findings) == [
        "warn not-carried-over: calls of `adk_*` are the runtime's own and are not expected as tool calls"
    ]
    assert "pauses:" in findings[0].fix


@pytest.mark.parametrize(
    ("name", "response", "answer"),
    [
        ("adk_request_confirmation", {"confirmed": False}, Answer(to="", decision="reject")),
        (
            "adk_request_confirmation",
            {"confirmed": True, "payload": {"n": 1}},
            Answer(to="", decision="input", value={"confirmed": True, "payload": {"n": 1}}),
        ),
        ("adk_request_input", {"result": "yes"}, Answer(to="", decision="input", value="yes")),
        ("book", {"result": 1, "by": "me"}, Answer(to="", decision="input", value={"result": 1, "by": "me"})),
        ("book", {"confirmed": True}, Answer(to="", decision="input", value={"confirmed": True})),
    ],
)
def test_function_responses_of_a_user_are_answers(name: str, response: Json, answer: Answer) -> None:
    part = {"functionResponse": {"name": name, "response": response}}
    (got,), findings = _read(_one({"userContent": {"parts": [part]}}))
    assert findings == ()
    assert got.turns[0].sent == Answers(answers=(replace(answer, to=name),))


def test_intermediate_data_without_calls_expects_none_and_no_data_expects_nothing() -> None:
    assert _expect(_one(_invocation(intermediate_data={}))).calls == ()
    assert _expect(_one(_invocation(intermediate_data={"tool_uses": []}))).calls == ()
    assert _expect(_one(_invocation(intermediate_data={"invocation_events": []}))).calls == ()
    assert _expect(_one(_invocation(intermediate_data=None))).calls is None
    assert _expect(_one(_invocation())).calls is None


def test_an_empty_final_response_is_no_reference_and_an_empty_state_no_expectation() -> None:
    value = _one(_invocation(final_response={"parts": [{"text": ""}]}), final_session_state={})
    (case,), findings = _read(value)
    assert findings == ()
    assert case.expect == case.turns[0].expect == Expect()


@pytest.mark.parametrize(
    ("value", "finding"),
    [
        (_one(_invocation(app_details={"agent_details": {}})), "`app_details` is not carried over"),
        (
            _one(_invocation(), session_input={"app_name": "a", "user_id": "u", "session_id": "s"}),
            "a fixed `session_id` is not carried over",
        ),
        (
            _one(_invocation(intermediate_data={"tool_responses": [{}]})),
            "`tool_responses` is not carried over",
        ),
        (
            _one(_invocation(intermediate_data={"intermediate_responses": [["a", []]]})),
            "`intermediate_responses` is not carried over",
        ),
        (
            _one(
                _invocation(
                    intermediate_data={
                        "invocation_events": [{"author": "a", "content": {"parts": [{"text": "x"}]}}]
                    }
                )
            ),
            "texts in `invocation_events` are not carried over",
        ),
        (
            _one(
                _invocation(
                    intermediate_data={
                        "invocation_events": [{"content": {"parts": [{"function_response": {}}]}}]
                    }
                )
            ),
            "tools' answers in `invocation_events` are not carried over",
        ),
        (
            _one(_invocation(final_response={"parts": [{"inline_data": {}}]})),
            "parts of `final_response` that are not text are not carried over",
        ),
        (
            _one({"user_content": {"parts": [{"text": "x", "video_metadata": {}}]}}),
            "`video_metadata` of a message's part is not carried over",
        ),
        (
            _one(_invocation(), rubrics=[{"rubric_id": "a", "rubric_content": {"text_property": "x"}}] * 2),
            "`rubrics` that are not exactly one with a text are not carried over",
        ),
        (
            _one(_invocation(), rubrics=[{"rubric_content": {"text_property": "x"}, "type": "T"}]),
            "`type` of a rubric is not carried over",
        ),
        (
            _one(*[_invocation(app_details={"x": 1})] * 3),
            "`app_details` is not carried over (3 places, the first is here)",
        ),
        (
            [{"name": "a", "data": [{"query": "x", "expected_intermediate_agent_responses": [{}]}]}],
            "`expected_intermediate_agent_responses` is not carried over",
        ),
        (
            [
                {
                    "name": "a",
                    "data": [
                        {"query": "x", "expected_tool_use": [{"tool_name": "t", "mock_tool_output": 1}]}
                    ],
                }
            ],
            "`mock_tool_output` of an expected tool use is not carried over",
        ),
    ],
)
def test_what_has_no_place_in_a_case_is_one_warning_a_file(value: Json, finding: str) -> None:
    (_,), findings = _read(value)
    assert _says(findings) == [f"warn not-carried-over: {finding}"]


def test_a_key_that_adk_allows_but_nobody_knows_is_a_warning_with_what_was_probably_meant() -> None:
    (_,), findings = _read(_one(_invocation(), finalSesionState={"a": 1}))
    (said,) = _says(findings)
    assert said.startswith("warn unknown-key: 'finalSesionState' is not a key that is known here")
    assert said.endswith("did you mean 'final_session_state'?")


@pytest.mark.parametrize(
    ("value", "finding"),
    [
        (
            {"eval_set_id": "s", "eval_case": []},
            "missing-key: 'eval_cases' is missing; is 'eval_case' meant to be it?",
        ),
        ({"eval_set_id": "s", "eval_cases": {}}, "wrong-type: 'eval_cases' must be a list, not an object"),
        ({"eval_cases": [4]}, "wrong-type: an object is expected here, not a number"),
        ({"eval_cases": [{"conversation": [_invocation()]}]}, "missing-key: 'eval_id' is missing"),
        ({"eval_cases": [{"eval_id": "a"}]}, "missing-key: 'conversation' is missing"),
        (_one(), "no-turns: case 'a' has no message to send"),
        (
            _one({"user_contents": {}}),
            "missing-key: 'user_content' is missing; is 'user_contents' meant to be it?",
        ),
        (
            _one(_invocation(final_respons={})),
            "unknown-key: 'final_respons' is not a key that is known here; did you mean 'final_response'?",
        ),
        (
            _one({"user_content": {"parts": []}}),
            "no-message: `user_content` has no parts: nothing would be sent",
        ),
        (
            _one({"user_content": {"parts": [{"executable_code": {}}]}}),
            "unsupported-part: this part holds `executable_code`, which cannot be sent",
        ),
        (
            _one({"user_content": {"parts": [{"inline_data": {"mime_type": "a/b", "data": "*"}}]}}),
            "bad-base64: `data` is not base64",
        ),
        (
            _one({"user_content": {"parts": [{"function_response": {"name": "a"}}, {"text": "x"}]}}),
            "mixed-message: one message holds answers to pauses and something else",
        ),
        (
            _one({"user_content": {"parts": [{"function_response": {"name": "a"}}] * 2}}),
            "two-answers: two answers to 'a' in one message cannot be told apart",
        ),
        (
            _one(_invocation(intermediate_data={"tool_use": []})),
            "unknown-key: 'tool_use' is not a key that is known here; did you mean 'tool_uses'?",
        ),
        (
            _one(_invocation(intermediate_data={"tool_uses": [{"args": {}}]})),
            "missing-key: 'name' is missing",
        ),
        (
            _one(_invocation(intermediate_data={"tool_uses": [{"name": "a", "args": "{}"}]})),
            "wrong-type: 'args' must be an object, not text",
        ),
        (
            {"eval_cases": [{"eval_id": "a", "conversationScenario": {"startingPrompt": "x"}}]},
            "conversation-scenario: case 'a' lets a model play the user (`conversation_scenario`)",
        ),
        (
            [{"name": "a", "dat": []}, {"name": "b", "data": []}],
            "missing-key: 'data' is missing; is 'dat' meant to be it?",
        ),
        ([{"data": [{"query": "x"}]}], "missing-key: 'name' is missing"),
        (
            [{"name": "a", "data": [{"quary": "x"}]}],
            "missing-key: 'query' is missing; is 'quary' meant to be it?",
        ),
    ],
)
def test_what_is_wrong_is_an_error_and_its_case_is_not_given(value: Json, finding: str) -> None:
    cases, findings = _read(value)
    assert cases == ()
    assert f"error {finding}" in _says(findings)


def test_a_finding_stands_where_its_key_does() -> None:
    text = """{"eval_set_id": "s", "eval_cases": [
  {"evalId": "good", "conversation": [{"userContent": {"parts": [{"text": "x"}]}}]},
  {"evalId": "bad", "conversation": [
    {"userContent": {"parts": [{"text": 4}]}}
  ]}
]}"""
    (case,), findings = _read_text(text)
    assert (case.id, case.place) == ("good", Place(file="s.json", line=2, column=3))
    assert lines(findings) == ["s.json:4:41 error wrong-type: 'text' must be text, not a number"]


SHAPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "eval_cases",
                    "eval_id",
                    "conversation",
                    "userContent",
                    "parts",
                    "text",
                    "inline_data",
                    "function_response",
                    "name",
                    "response",
                    "args",
                    "intermediate_data",
                    "tool_uses",
                    "invocation_events",
                    "content",
                    "function_call",
                    "data",
                    "query",
                    "rubrics",
                    "final_response",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    SHAPES
    | st.builds(
        lambda inner: {"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": inner}]}, SHAPES
    )
)
@settings(max_examples=200, deadline=None)
def test_no_value_makes_the_reader_raise(value: Json) -> None:
    document = parse(json.dumps(value), "s.json")
    cases, findings = evalset.read(document.value, document.place)
    assert all(case.turns for case in cases)
    assert all(found.place.file == "s.json" for found in findings)
