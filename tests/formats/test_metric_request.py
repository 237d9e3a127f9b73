"""What a custom metric is told of a trial."""

import json
from dataclasses import fields

from hypothesis import given
from jsonschema import Draft202012Validator

from gate.documents import schema_text
from gate.formats.metric_instance import instance_of, invocations_of
from gate.formats.metric_request import VERSION, request_of
from gate.formats.records import dump
from gate.model import Json
from gate.model.case import Answer, Answers, BlobPart, Case, Expect, FilePart, Parallel, TextPart, Turn, User
from gate.model.finding import Place
from gate.model.trace import Completed, Event, Pause, Paused, Result, Thought, Trace, Usage
from tests.score.made import called, case, delta, expected, said, trace, turn
from tests.support.traces import traces

REQUEST = Draft202012Validator(json.loads(schema_text("metric-request")))
WHOLE = {"id": "x", "metric": "m"}


def test_a_question_has_the_case_and_each_turn_with_what_follows_from_it() -> None:
    of = case(
        Expect(calls=expected("a", ("b", {"x": 1})), nodes=("R", Parallel(branches=(("A",), ("B", "C"))))),
        Expect(calls=(), pauses=(), state={"k": [1]}),
        start_state={"k": 0},
    )
    trial = trace(
        turn(called(("b", {"x": 1})), delta(k=1), said("one")),
        turn(delta(k=2), said("two")),
        start_state={"k": 0},
    )
    found = request_of(of, trial)
    assert [turn["state"] for turn in _list(found["turns"])] == [{"k": 1}, {"k": 2}]
    assert (found["version"], found["answer"], found["state"]) == (VERSION, "two", {"k": 2})
    assert found["calls"] == [{"name": "b", "args": {"x": 1}}]
    assert found["case"] == {
        "id": "a_case",
        "category": "",
        "tags": [],
        "start_state": {"k": 0},
        "turns": [
            {
                "user": "hello",
                "expect": {
                    "calls": [{"name": "a"}, {"name": "b", "args": {"x": 1}}],
                    "nodes": ["R", {"parallel": [["A"], ["B", "C"]]}],
                },
            },
            {"user": "hello", "expect": {"calls": [], "pauses": [], "state": {"k": [1]}}},
        ],
        "expect": {},
        "extra": {},
    }


def _list(value: Json) -> list[dict[str, Json]]:
    assert isinstance(value, list)
    return value


def test_every_kind_of_message_has_a_form() -> None:
    place = Place(file="x")
    parts = (
        TextPart(text="a"),
        BlobPart(mime_type="image/png", data="AA=="),
        FilePart(mime_type="t", uri="u"),
    )
    answers = Answers(
        answers=(Answer(to="p", decision="approve"), Answer(to="q", decision="input", value={"a": (1,)}))
    )
    of = Case(
        id="c",
        turns=(Turn(sent=User(parts=parts), place=place), Turn(sent=answers, place=place)),
        place=place,
    )
    sent = _list(request_of(of, trace())["case"]["turns"])  # type: ignore[index]
    assert sent[0]["user"] == [
        {"text": "a"},
        {"mime_type": "image/png", "data": "AA=="},
        {"mime_type": "t", "uri": "u"},
    ]
    assert sent[1]["answer"] == {"p": "approve", "q": {"input": {"a": [1]}}}
    instance = json.dumps([instance_of(of, trace(turn(), turn())), invocations_of(of, trace(turn(), turn()))])
    assert "inline_data" in instance
    assert "function_response" in instance


def test_events_are_as_traces_jsonl_has_them() -> None:
    event = Event(
        at_ms=1.5,
        author="bot",
        node="N",
        parts=(Thought(text="hm"), Result(call_id="1", name="t", value=[1], is_error=True)),
        state_delta={"a": 1},
        state_removed=("b",),
        usage=Usage(input_tokens=1, output_tokens=2),
        error="e",
        not_in_trajectory="r",
        pauses=(Pause(id="p", name="n", kind="input", tool="t", message="m"),),
        artifact_delta={"a.txt": 1},
    )
    told = {"seq", "turn"}  # where it stands says that
    (found,) = _list(_list(request_of(case(Expect()), trace(turn(event)))["turns"])[0]["events"])
    stored = dump(event)
    assert isinstance(stored, dict)
    assert {key: value for key, value in found.items() if key != "usage"} == {
        key: value for key, value in stored.items() if key not in {"usage", "seq", "turn"}
    }
    assert set(found) == {each.name for each in fields(Event)} - told
    assert found["usage"] == {"input_tokens": 1, "output_tokens": 2, "cached_tokens": 0, "model": ""}


@given(traces)
def test_every_trace_becomes_a_question_an_instance_and_invocations(trial: Trace) -> None:
    of = case(*(Expect() for _ in trial.turns or [1]))
    question = {**request_of(of, trial), **WHOLE, "trial": 1}
    text = json.dumps(question)
    if isinstance(trial.outcome, Completed | Paused):
        assert not list(REQUEST.iter_errors(json.loads(text)))
    json.dumps([instance_of(of, trial), invocations_of(of, trial)])
