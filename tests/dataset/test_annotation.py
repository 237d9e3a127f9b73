import pytest

from gate.model import Json
from tests.support.cases import lines, loaded_value

TALK: Json = [
    {"user_content": {"parts": [{"text": "hi"}]}, "intermediate_data": {"tool_uses": [{"name": "f"}]}}
]


def talk(name: str, **more: Json) -> dict[str, Json]:
    return {"eval_id": name, "conversation": TALK, **more}


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        (talk("a", status="done", annotator="ada"), ["a"]),
        ({"status": "done", "eval_case": talk("a")}, ["a"]),
        ({"status": "done", "eval_set_id": "s", "eval_cases": [talk("a"), talk("b")]}, ["a", "b"]),
        ({"eval_set_id": "s", "eval_cases": [talk("a", status="done")]}, ["a"]),
    ],
)
def test_conversations_that_are_done_are_cases(value: Json, ids: list[str]) -> None:
    got = loaded_value(value)
    assert got.findings == ()
    assert [case.id for case in got.cases] == ids


def test_only_those_that_are_done_are_run_and_the_others_are_counted() -> None:
    cases: list[Json] = [talk("a", status="done"), talk("b", status="open"), talk("c", status="review")]
    got = loaded_value({"eval_cases": cases})
    assert [case.id for case in got.cases] == ["a"]
    assert lines(got.findings) == [
        (
            "g.json:25:3 warn not-carried-over: a conversation that is not `done` is passed over "
            "(2 places, the first is here)"
        )
    ]


def test_a_set_without_any_is_passed_over_with_a_warning() -> None:
    got = loaded_value({"eval_set_id": "s", "eval_cases": [talk("a", status="open")]})
    assert got.cases == ()
    assert lines(got.findings) == [
        "g.json:1:1 warn nothing-done: no conversation of this file is `done`: it is passed over"
    ]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (talk("a", status=True), "g.json:21:12 error wrong-type: `status` must be a text such as 'done'"),
        (talk("a", status="Done"), "g.json:21:12 error bad-value: `status: Done` is not 'done'"),
        ({"eval_id": "a", "status": "done"}, "g.json:1:1 error missing-key: 'conversation' is missing"),
        ({"status": "done", "eval_cases": 3}, "g.json:3:16 error wrong-type: 'eval_cases' must be a list"),
        ({"status": "done", "eval_cases": ["x"]}, "g.json:4:3 error wrong-type: an object is expected"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(value: Json, says: str) -> None:
    got = loaded_value(value)
    assert got.cases == ()
    found = lines(got.findings)
    assert any(line.startswith(says) for line in found), found
