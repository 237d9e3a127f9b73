"""google-adk's own evaluators are the oracles."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from google.adk.evaluation.eval_case import IntermediateData, Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
from google.adk.evaluation.evaluation_generator import EvaluationGenerator
from google.adk.evaluation.final_response_match_v1 import RougeEvaluator
from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
from google.adk.events.event import Event as AdkEvent
from google.genai.types import Content, FunctionCall, FunctionResponse, Part
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.adk import read_events
from gate.formats.evalset import read
from gate.model.case import Case, Expect
from gate.model.derived import last_words
from gate.model.finding import Place
from gate.model.score import Unscored
from gate.model.trace import Call, Crashed, Event, Pause, Result, Text, Thought
from tests.score.made import (
    all_scores,
    called,
    case,
    config,
    delta,
    expected,
    metric,
    said,
    score,
    scored,
    trace,
    turn,
)

CRITERION, RESPONSE = "tool_trajectory_avg_score", "response_match_score"
TYPES = ("EXACT", "IN_ORDER", "ANY_ORDER")
Calls = Sequence[tuple[str, Mapping[str, Any]]]


def of(calls: Calls) -> Case:
    return case(Expect(calls=expected(*calls)))


def invocation(calls: Calls = (), text: str = "") -> Invocation:
    uses = [FunctionCall(name=name, args=dict(args)) for name, args in calls]
    return Invocation(
        user_content=Content(parts=[Part(text="hi")], role="user"),
        final_response=Content(parts=[Part(text=text)], role="model"),
        intermediate_data=IntermediateData(tool_uses=uses),
    )


def theirs(match_type: str, made: Calls, wanted: Calls, *, ignore_args: bool) -> float | None:
    kind = ToolTrajectoryCriterion.MatchType[match_type]
    criterion = ToolTrajectoryCriterion(threshold=1.0, match_type=kind, ignore_args=ignore_args)
    evaluator = TrajectoryEvaluator(eval_metric=EvalMetric(metric_name=CRITERION, criterion=criterion))
    return evaluator.evaluate_invocations([invocation(made)], [invocation(wanted)]).overall_score


VALUE = st.sampled_from([1, 1.0, 2, "1", None, [1], {"n": 1}])
CALLS = st.lists(
    st.tuples(st.sampled_from("fg"), st.dictionaries(st.sampled_from("ab"), VALUE, max_size=1)), max_size=3
)


@given(CALLS, CALLS, st.sampled_from(TYPES), st.booleans())
def test_trajectories_have_the_score_that_adk_gives_them(
    wanted: Calls, made: Calls, match_type: str, ignore_args: bool
) -> None:
    subject = metric(CRITERION, match_type=match_type, ignore_args=ignore_args)
    found = scored(subject, of(wanted), trace(turn(called(*made))))
    assert found.value == theirs(match_type, made, wanted, ignore_args=ignore_args)
    assert bool(found.reason) == (found.value == 0)


def test_the_score_is_the_mean_over_the_turns_that_expect_calls() -> None:
    three = case(Expect(calls=expected("f")), Expect(calls=()), Expect(contains=("x",)))
    found = scored(CRITERION, three, trace(turn(called("f")), turn(called("g")), turn(called("g"))))
    assert (found.value, [item.value for item in found.items]) == (0.5, [1, 0])
    assert found.reason == "turn 2: called beyond the reference: `g`"


@pytest.mark.parametrize(
    ("match_type", "reason"),
    [
        ("EXACT", "call 1: expected a call of `f`; the agent called `g`"),
        ("IN_ORDER", "after `f`, expected a call of `g`; the agent called nothing more"),
        ("ANY_ORDER", ""),
    ],
)
def test_a_reason_says_what_differs(match_type: str, reason: str) -> None:
    subject = metric(CRITERION, match_type=match_type)
    found = scored(subject, case(Expect(calls=expected("f", "g"))), trace(turn(called("g", "f"))))
    assert (found.value, found.reason) == (not reason, reason)


@pytest.mark.parametrize(("match_type", "value"), [("EXACT", 0), ("IN_ORDER", 1), ("ANY_ORDER", 1)])
def test_of_a_record_that_broke_off_only_what_was_called_counts(match_type: str, value: float) -> None:
    recorded = trace(turn(called("f"), ended="failed"), outcome=Crashed(reason="exit 1"))
    assert scored(metric(CRITERION, match_type=match_type), of([("f", {})]), recorded).value == value


def adk_event(**fields: Any) -> dict[str, Any]:
    return {"author": "agent", "invocationId": "i", **fields}


def call_part(name: str, args: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"functionCall": {"id": name, "name": name} | ({} if args is None else {"args": dict(args)})}


def the_case(**fields: Any) -> Case:
    """A case of an EvalSet with one invocation."""
    invocation = {"user_content": {"parts": [{"text": "hi"}]}, **fields.pop("invocation", {})}
    evalset = {"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [invocation], **fields}]}
    cases, findings = read(evalset, lambda *_, **__: Place(file="s.json"))
    assert not [finding for finding in findings if finding.level == "error"], findings
    return cases[0]


@pytest.mark.parametrize("golden", [{"name": "refresh", "args": {}}, {"name": "refresh"}])
@pytest.mark.parametrize("args", [None, {}])
def test_no_arguments_are_no_arguments_however_they_are_written(
    golden: dict[str, Any], args: dict[str, Any] | None
) -> None:
    wanted = the_case(invocation={"intermediate_data": {"tool_uses": [golden]}})
    events = read_events([adk_event(content={"parts": [call_part("refresh", args)]})])
    assert scored(CRITERION, wanted, trace(turn(*events))).value == 1
    assert scored(CRITERION, wanted, trace(turn(called(("refresh", {"all": True}))))).value == 0


def test_a_request_for_confirmation_is_no_tool_call() -> None:
    uses = [{"name": "delete", "args": {"n": 1}}, {"name": "adk_request_confirmation", "args": {}}]
    wanted = the_case(invocation={"intermediate_data": {"tool_uses": uses}})
    events = read_events(
        [
            adk_event(content={"parts": [call_part("delete", {"n": 1})]}),
            adk_event(content={"parts": [call_part("adk_request_confirmation", {})]}),
        ]
    )
    assert scored(CRITERION, wanted, trace(turn(*events))).value == 1


def test_a_final_session_state_is_held_against_the_state() -> None:
    wanted = the_case(final_session_state={"card.phone": "1"})
    good, bad = (trace(turn(delta(card={"phone": phone}))) for phone in ("1", "2"))
    assert scored("state", wanted, good).value == 1
    assert scored("state", wanted, bad).value == 0


def test_a_case_without_a_final_response_is_not_held_against_one() -> None:
    configured = config(RESPONSE)
    assert RESPONSE not in all_scores(the_case(), trace(turn(said("anything"))), configured)
    answered = the_case(invocation={"final_response": {"parts": [{"text": "hello"}]}})
    assert RESPONSE in all_scores(answered, trace(turn(said("anything"))), configured)


WORDS = st.lists(
    st.sampled_from(["run", "running", "Runs", "the", "café", "東京", "สวัสดี", "10%", "_", "flies,"])
).map(" ".join)


@given(st.text(max_size=20) | WORDS, st.text(max_size=20) | WORDS)
def test_answers_have_the_score_that_adk_gives_them(reference: str, answer: str) -> None:
    evaluator = RougeEvaluator(EvalMetric(metric_name=RESPONSE, threshold=0.8))
    score_there = evaluator.evaluate_invocations([invocation(text=answer)], [invocation(text=reference)])
    found = scored(RESPONSE, case(Expect(reference=reference)), trace(turn(said(answer))))
    assert found.value == pytest.approx(score_there.overall_score)
    assert bool(found.reason) == (found.value < 1)


CALL, RESULT = Call(id="1", name="f", args={}), Result(call_id="1", name="f", value={})
WAITS = Pause(id="1", name="f", kind="job")


@pytest.mark.parametrize(
    ("events", "answer"),
    [
        ([], ""),
        ([said("hello")], "hello"),
        ([said("let me see"), called("f"), said("done")], "done"),
        ([Event(author="a", parts=(Text(text="let me see"), CALL)), Event(author="f", parts=(RESULT,))], ""),
        ([Event(author="a", parts=(CALL, RESULT, Text(text="all in one body")))], "all in one body"),
        ([Event(author="a", parts=(Text(text="I started it"), CALL), pauses=(WAITS,))], "I started it"),
        ([said("one"), said("two"), Event(author="b", node="n")], "two"),
        ([said("hello"), said("not mine", author="user")], "hello"),
        ([Event(author="a", parts=(Thought(text="hm"), Text(text="a"), Text(text="b")))], "a\nb"),
        ([said("hello"), Event(author="a", parts=(Thought(text="hm"),))], "hello"),
    ],
)
def test_the_answer_is_what_was_said_last(events: list[Event], answer: str) -> None:
    assert last_words(events) == answer


PARTS = st.sampled_from(
    [
        [Part(text="one")],
        [Part(text="two"), Part(text="three")],
        [Part(text="wait"), Part(function_call=FunctionCall(id="1", name="f", args={}))],
        [Part(function_call=FunctionCall(id="1", name="f", args={}))],
        [Part(function_response=FunctionResponse(id="1", name="f", response={"x": 1}))],
    ]
)


@given(st.lists(st.tuples(PARTS, st.sampled_from(["agent", "other"]), st.booleans()), max_size=5))
def test_the_answer_is_the_final_response_that_adk_takes(
    recorded: list[tuple[list[Part], str, bool]],
) -> None:
    events = [
        AdkEvent(
            invocation_id="i",
            author=author,
            content=Content(parts=parts, role="model"),
            long_running_tool_ids={"1"} if runs_long and any(part.function_call for part in parts) else None,
        )
        for parts, author, runs_long in recorded
    ]
    user = AdkEvent(invocation_id="i", author="user", content=Content(parts=[Part(text="hi")], role="user"))
    (there,) = EvaluationGenerator.convert_events_to_eval_invocations([user, *events])
    parts = (there.final_response.parts if there.final_response else None) or []
    sent = [event.model_dump(mode="json", by_alias=True, exclude_none=True) for event in events]
    assert last_words(read_events(sent)) == "\n".join(part.text for part in parts if part.text)


def test_thoughts_are_no_answer() -> None:
    event = adk_event(content={"parts": [{"text": "hm", "thought": True}, {"text": "hello"}]})
    found = scored(RESPONSE, case(Expect(reference="hello")), trace(turn(*read_events([event]))))
    assert found.value == 1


def test_an_answer_that_broke_off_is_none_and_text_that_is_not_exposed_is_unscored() -> None:
    wanted = case(Expect(reference="hello"))
    broken = trace(turn(said("hello"), ended="failed"), outcome=Crashed(reason="exit 1"))
    assert scored(RESPONSE, wanted, broken).value == 0
    assert isinstance(score(RESPONSE, wanted, trace(turn(), exposes=("calls",))), Unscored)


def test_it_decides_on_no_case_unless_asked_to() -> None:
    assert metric(RESPONSE).pass_at is None
    assert metric(CRITERION).pass_at == 1
