"""Answers as ADK wants them, by the kind of the pause and the dialect."""

from typing import Any

import pytest

from gate.drive.adk_wire import Unanswerable, answer_parts
from gate.model.case import Answer, Answers
from gate.model.trace import Pause


def pause(kind: Any, pause_id: str = "p1", tool: str = "") -> Pause:
    return Pause(id=pause_id, name=f"adk_{kind}", kind=kind, tool=tool)


def responses(waiting: list[Pause], *answers: Answer, dialect: Any = "python") -> dict[str, Any]:
    parts: Any = answer_parts(Answers(answers=answers), waiting, dialect)
    return {part["functionResponse"]["id"]: part["functionResponse"]["response"] for part in parts}


@pytest.mark.parametrize(
    ("kind", "decision", "value", "python", "go"),
    [
        ("confirm", "approve", "approve", {"confirmed": True}, None),
        ("confirm", "reject", None, {"confirmed": False}, None),
        ("confirm", "input", {"answer": "x"}, {"confirmed": True, "payload": {"answer": "x"}}, None),
        ("confirm", "input", {"confirmed": False, "payload": 1}, {"confirmed": False, "payload": 1}, None),
        ("input", "approve", None, {"result": "approve"}, {"payload": "approve"}),
        ("input", "input", "yes", {"result": "yes"}, {"payload": "yes"}),
        ("input", "input", "true", {"result": '"true"'}, {"payload": "true"}),
        ("input", "input", None, {"result": None}, {"payload": None}),
        ("credential", "input", {"authScheme": {}}, {"authScheme": {}}, None),
        ("job", "input", "done", {"result": "done"}, None),
        ("job", "approve", None, {"result": "approve"}, None),
    ],
)
def test_an_answer_has_the_form_that_its_pause_wants(
    kind: str, decision: Any, value: Any, python: Any, go: Any
) -> None:
    answer = Answer(to="p1", decision=decision, value=value)
    assert responses([pause(kind)], answer) == {"p1": python}
    assert responses([pause(kind)], answer, dialect="go") == {"p1": python if go is None else go}


def test_an_id_names_a_pause_better_than_a_tool_and_a_tool_better_than_a_name() -> None:
    waiting = [
        pause("confirm", "p1", "delete"),
        pause("confirm", "p2", "delete"),
        pause("confirm", "p3", "send"),
    ]
    by = {"adk_confirm": "approve", "delete": "reject", "p2": "approve"}
    answers = [Answer(to=to, decision=decision) for to, decision in by.items()]  # type: ignore[arg-type]
    assert {key: one["confirmed"] for key, one in responses(waiting, *answers).items()} == {
        "p1": False,
        "p2": True,
        "p3": True,
    }


def test_a_pause_that_nobody_answers_stays_open() -> None:
    waiting = [pause("confirm", "p1", "delete"), pause("input", "p2")]
    assert list(responses(waiting, Answer(to="delete", decision="approve"))) == ["p1"]


def test_a_pause_without_a_tool_is_not_named_by_an_empty_key() -> None:
    with pytest.raises(Unanswerable, match="the agent waits for 'adk_input'; the case answers ''"):
        responses([pause("input")], Answer(to="", decision="approve"))
