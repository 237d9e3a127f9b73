"""A recorded session as a golden case: it is passed by the very session that it was made of."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate import session_options
from gate.dataset import own
from gate.dataset.yaml_dump import as_text
from gate.documents import parse
from gate.formats.session_case import DEFAULT, KEYS, case_of
from gate.formats.sessions import trace_of
from gate.formats.stored import NotASession, Recording, read_recording
from gate.model.case import Answer, Answers, BlobPart, Case, Expect, ExpectedCall, FilePart, TextPart, User
from gate.model.finding import Finding
from gate.model.score import Scored
from gate.score import build, score_trial
from tests.support.cases import bare
from tests.support.commands import ROOT

FIXTURES = ROOT / "tests/fixtures"
RECORDED = (
    "sessions/hitl_14_events.jsonl",
    "sessions/weather_grounded.jsonl",
    "sessions/weather_ungrounded.jsonl",
    "sessions/weather_wrong_city.jsonl",
    "adk/cards_session.json",
)


def read(name: str) -> Recording:
    return read_recording((FIXTURES / name).read_text(encoding="utf-8"))


def user(*parts: Any, **more: Any) -> dict[str, Any]:
    held = [{"text": part} if isinstance(part, str) else part for part in parts]
    return {"author": "user", "content": {"parts": held}, **more}


def bot(*parts: Any, **more: Any) -> dict[str, Any]:
    return {**user(*parts, **more), "author": "bot"}


def call(name: str, args: Any = None, call_id: str = "c", **more: Any) -> dict[str, Any]:
    return bot({"function_call": {"id": call_id, "name": name, "args": args or {}}}, **more)


def answer(name: str, response: Any, call_id: str = "c") -> dict[str, Any]:
    return user({"function_response": {"id": call_id, "name": name, "response": response}})


def made(*frames: dict[str, Any], **more: Any) -> tuple[Case | None, tuple[Finding, ...]]:
    return case_of(Recording(id="s", frames=frames), "s", "x.json", **more)


def a_case(*frames: dict[str, Any], **more: Any) -> Case:
    case, findings = made(*frames, **more)
    assert case, findings
    return case


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("keys", [DEFAULT, KEYS])
async def test_a_session_passes_the_case_that_was_made_of_it(name: str, keys: tuple[str, ...]) -> None:
    recording = read(name)
    case, _ = case_of(recording, "case", name, keys=keys)
    assert case is not None
    trace = replace(trace_of(recording, source=name), case="case")
    scores = await score_trial(build([]), case, trace)
    expected = {key for key in keys if key != "reference" for turn in case.turns if getattr(turn.expect, key)}
    expected |= {"calls"} if "calls" in keys else set()
    assert expected <= {"state" if key == "state" else key for key in scores}
    for metric in expected:
        score = scores[metric]
        assert isinstance(score, Scored), score
        assert score.value == 1.0, score.reason
        assert len(score.items) == sum(getattr(turn.expect, metric) is not None for turn in case.turns)


def test_what_the_user_sent_and_what_came_back_are_the_case() -> None:
    case, findings = case_of(read("sessions/hitl_14_events.jsonl"), "grace", "x.jsonl")
    assert case is not None
    assert case.id == "grace"
    first, second, third = case.turns
    assert first.sent == User(parts=(TextPart(text="Find Grace's address."),))
    assert first.expect.calls == (
        ExpectedCall(name="ask_user", args={"question": "Which Grace do you mean?"}),
    )
    assert first.expect.pauses == ("ask_user",)
    assert first.expect.reference is None
    payload = {"confirmed": True, "payload": {"answer": "The one in Platform."}}
    assert second.sent == Answers(answers=(Answer(to="ask_user", decision="input", value=payload),))
    assert third.sent == Answers(answers=(Answer(to="search_users", decision="approve"),))
    assert third.expect.calls == ()
    assert third.expect.reference == "Grace Wu works in Platform: grace.wu@example.com."
    (finding,) = findings
    assert finding.rule == "not-carried-over"
    assert "`system` wrote is not carried over: headers (2 places" in finding.what
    assert case.extra == {"recorded": {"at": "2027-01-15 08:00:00"}}


def test_the_options_name_what_can_be_expected() -> None:
    assert session_options.EXPECTED == KEYS


def of_input(value: Any) -> Answer:
    return Answer(to="adk_request_input", decision="input", value=value)


@pytest.mark.parametrize(
    ("name", "response", "wanted"),
    [
        ("input", {"result": "yes"}, of_input("yes")),
        ("input", {"payload": {"a": 1}}, of_input({"a": 1})),
        ("input", {"result": "42"}, of_input(42)),
        ("input", {"result": '"42"'}, of_input("42")),
        ("input", {"result": "{oops"}, of_input("{oops")),
        ("confirmation", {"confirmed": False}, Answer(to="drop", decision="reject")),
        ("confirmation", {"response": '{"confirmed": true}'}, Answer(to="drop", decision="approve")),
        ("confirmation", {"response": "no"}, Answer(to="drop", decision="input", value={"response": "no"})),
    ],
)
def test_an_answer_is_carried_in_every_form_that_a_client_sends(
    name: str, response: Any, wanted: Answer
) -> None:
    name = f"adk_request_{name}"
    args = {"originalFunctionCall": {"name": "drop"}} if "confirmation" in name else {"interruptId": "c"}
    case = a_case(
        user("go"), call(name, args, long_running_tool_ids=["c"]), answer(name, response), bot("done")
    )
    assert case.turns[1].sent == Answers(answers=(wanted,))
    assert case.turns[0].expect.pauses == (wanted.to,)


def test_a_question_that_stays_open_is_still_waited_for() -> None:
    def asked(tool: str, number: str) -> dict[str, Any]:
        args = {"originalFunctionCall": {"name": tool}}
        return call("adk_request_confirmation", args, number, long_running_tool_ids=[number])

    yes = {"confirmed": True}
    case = a_case(
        user("go"),
        asked("one", "1"),
        asked("two", "2"),
        answer("adk_request_confirmation", yes, "1"),
        bot("one is done"),
        answer("adk_request_confirmation", yes, "2"),
        bot("both are done"),
    )
    assert [turn.expect.pauses for turn in case.turns] == [("one", "two"), ("two",), None]
    dropped = a_case(user("go"), asked("one", "1"), user("never mind"), bot("fine"))
    assert [turn.expect.pauses for turn in dropped.turns] == [("one",), None]


def test_a_job_is_answered_by_its_tools_name() -> None:
    started = call("train", {}, "j", long_running_tool_ids=["j"])
    case = a_case(user("go"), started, answer("train", {"result": {"ok": 1}}, "j"), bot("trained"))
    assert case.turns[0].expect.pauses == ("train",)
    assert case.turns[1].sent == Answers(answers=(Answer(to="train", decision="input", value={"ok": 1}),))


def test_files_are_sent_again() -> None:
    blob = {"inline_data": {"mime_type": "image/png", "data": "-_8="}}
    file = {"file_data": {"mime_type": "text/plain", "file_uri": "gs://b/x"}}
    (turn,) = a_case(user("look", blob, file), bot("nice")).turns
    assert turn.sent == User(parts=(
        TextPart(text="look"),
        BlobPart(mime_type="image/png", data="+/8="),
        FilePart(mime_type="text/plain", uri="gs://b/x"),
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("frames", "rule", "place"),
    [
        ([user({"video_metadata": {}}), bot("x")], "unsupported-part", "x.json, event 1"),
        ([user("a", {"executable_code": {}}), bot("x")], "unsupported-part", "x.json, event 1"),
        (
            [user("a"), bot("x"), user("b", {"function_response": {"name": "t"}})],
            "mixed-message",
            "x.json, event 3",
        ),
        ([bot("hello")], "nothing-to-import", "x.json"),
        ([user("a"), answer("", {"result": 1})], "nameless-answer", "x.json, event 2"),
        (
            [user("a"), answer("adk_request_credential", {"token": "x"})],
            "holds-credential",
            "x.json, event 2",
        ),
    ],
)
def test_what_cannot_be_sent_is_an_error_at_its_event(frames: list[Any], rule: str, place: str) -> None:
    case, findings = made(*frames)
    assert case is None
    errors = [finding for finding in findings if finding.level == "error"]
    assert errors[0].rule == rule
    assert str(errors[0].place) == place
    if len(frames) > 2 or rule == "holds-credential":
        kept = a_case(*frames, most=1)
        assert len(kept.turns) == 1


@pytest.mark.parametrize(
    ("frames", "rule"),
    [
        ([bot("welcome"), user("a"), bot("x")], "not-carried-over"),
        ([user("a"), {"author": "bot", "error_code": "500"}, user("b"), bot("x")], "recorded-failure"),
        ([user("a"), {"author": "bot", "error_code": "RESOURCE_EXHAUSTED"}], "recorded-failure"),
        ([user("a"), bot({"function_call": {"name": "t", "args": [1]}})], "unreadable-arguments"),
        ([user("a", actions={"state_delta": {"k": 1}}), bot("x")], "not-carried-over"),
    ],
)
def test_what_is_not_carried_over_is_told(frames: list[Any], rule: str) -> None:
    case, findings = made(*frames)
    assert case is not None
    assert [finding.rule for finding in findings if finding.level == "warn"] == [rule]
    assert not any(finding.level == "error" for finding in findings)


def test_a_turn_that_failed_expects_nothing_and_an_answer_without_calls_expects_none() -> None:
    case = a_case(user("a"), {"author": "bot", "error_code": "500"}, user("b"), bot("x"))
    failed, answered = case.turns
    assert failed.expect == Expect()
    assert answered.expect.calls == ()
    assert answered.expect.reference == "x"


def test_the_state_is_what_was_there_at_the_start_and_what_the_agent_changed() -> None:
    frames = (
        user("a", actions={"state_delta": {"mine": 1}}),
        bot("x", actions={"state_delta": {"seen": 1}}),
        {"author": "system", "actions": {"state_delta": {"headers": {}}}},
    )
    recording = Recording(id="s", frames=frames, state={"unit": "C", "seen": 1, "headers": {}})
    case, _ = case_of(recording, "s", "x", keys=("state",))
    assert case is not None
    assert case.start_state == {"unit": "C"}
    assert case.turns[0].expect.state == {"seen": 1}
    assert case.turns[0].expect.calls is None


def test_fewer_turns_than_asked_for_are_told() -> None:
    case, findings = made(user("a"), bot("x"), most=3)
    assert case is not None
    assert [(one.rule, one.what) for one in findings] == [
        ("fewer-turns", "the session has only 1 of 3 turns")
    ]
    _, findings = made(user("a"), bot("x"), keys=("nodes",))
    assert [one.rule for one in findings] == ["recorded-order"]


NAMES = st.sampled_from(["t", "adk_request_input", "adk_request_confirmation", ""]) | st.text(max_size=3)
ODD: tuple[Any, ...] = (None, 3, [], {}, "x")
ASKED = st.fixed_dictionaries({"originalFunctionCall": st.fixed_dictionaries({"name": NAMES})})
RESPONSE = st.dictionaries(
    st.sampled_from(["result", "payload", "response", "confirmed"]),
    st.text(max_size=4) | st.booleans(),
    max_size=2,
)


def frames(ids: st.SearchStrategy[Any], odd: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Sessions of events whose ids are of one kind, and some of whose parts are odd."""
    call_made = st.fixed_dictionaries({"name": NAMES, "id": ids, "args": st.none() | ASKED})
    given_back = st.fixed_dictionaries({"name": NAMES, "id": ids, "response": st.none() | RESPONSE})
    parts = st.one_of(
        st.fixed_dictionaries({"text": st.text(max_size=5)}, optional={"thought": st.booleans()}),
        st.fixed_dictionaries({"function_call": call_made}),
        st.fixed_dictionaries({"function_response": given_back}),
        odd,
    )
    delta = st.dictionaries(st.text(max_size=3), st.none() | st.integers() | st.text(max_size=3), max_size=2)
    frame = st.fixed_dictionaries(
        {
            "author": st.sampled_from(["user", "user", "bot", "bot", "bot", "system"]),
            "content": st.fixed_dictionaries({"parts": st.lists(parts, max_size=2)}),
        },
        optional={
            "long_running_tool_ids": st.just(["a"]),
            "error_code": st.just("x"),
            "node_info": st.fixed_dictionaries({"path": st.text(max_size=5)}),
            "actions": st.fixed_dictionaries({"state_delta": delta}),
        },
    )
    return st.lists(frame, min_size=1, max_size=8)


TEXTS = st.fixed_dictionaries({"text": st.text(min_size=1, max_size=5)})
STRANGE = st.sampled_from([3, {}, {"inline_data": {"mime_type": "x", "data": "!"}}, {"text": 3}])
SESSIONS = frames(st.sampled_from("ab"), TEXTS) | frames(st.sampled_from(("a", *ODD)), TEXTS | STRANGE)


@given(SESSIONS, st.sets(st.sampled_from(KEYS)))
def test_any_session_is_a_case_that_reads_back_or_has_an_error_that_says_why(
    events: list[Any], keys: set[str]
) -> None:
    try:
        case, findings = made(*json.loads(json.dumps(events)), keys=keys)
    except NotASession:
        return
    assert (case is None) == any(finding.level == "error" for finding in findings)
    if case:
        assert case.turns
        found, wrong = own.read(parse(as_text([case]), "golden.yaml"))
        assert wrong == ()
        assert [bare(one) for one in found] == [bare(case)]
