"""How a case's answers resume a LangGraph thread: by interrupt, in the form that each one asks for."""

from collections.abc import Mapping, Sequence

from gate.drive.adk_wire import Unanswerable
from gate.formats.adk_fields import is_mapping
from gate.formats.langgraph_pauses import Asked
from gate.model import Json
from gate.model.case import Answer, Answers
from gate.model.derived import described, is_named
from gate.model.trace import Pause


def resumption(answers: Answers, asked: Sequence[Asked]) -> dict[str, Json]:
    """The part of a run's request that answers interrupts or passes breakpoints; raises Unanswerable."""
    pauses = [pause for each in asked for pause in each.pauses]
    unused = [
        answer.to for answer in answers.answers if not any(is_named(pause, [answer.to]) for pause in pauses)
    ]
    if unused:
        waits = described(pauses) or "nothing"
        raise Unanswerable(f"the agent waits for {waits}; the case answers {', '.join(map(repr, unused))}")
    chosen = [(each, given) for each in asked if (given := _given(each, answers))]
    if chosen[0][0].form == "breakpoint":
        return _passed(chosen)
    values = {each.id: _value(each, given) for each, given in chosen}
    if all(each.is_addressed for each, _ in chosen):
        return {"command": {"resume": values}}
    if len(asked) > 1:
        raise Unanswerable(
            f"the agent waits for {described(pauses)} without ids, and takes one answer at a time"
        )
    return {"command": {"resume": next(iter(values.values()))}}


def _given(asked: Asked, answers: Answers) -> list[Answer]:
    """The answers to one interrupt, a pause each; none where none is meant for it."""
    by_name = {answer.to: answer for answer in answers.answers}
    found = [_answer(pause, by_name) for pause in asked.pauses]
    given = [answer for answer in found if answer]
    if given and len(given) < len(found):
        lacking = [pause for pause, answer in zip(asked.pauses, found, strict=True) if not answer]
        raise Unanswerable(f"the agent takes all its decisions together; {described(lacking)} has no answer")
    return given


def _answer(pause: Pause, by_name: Mapping[str, Answer]) -> Answer | None:
    return by_name.get(pause.id) or by_name.get(pause.tool) or by_name.get(pause.name)


def _passed(chosen: Sequence[tuple[Asked, Sequence[Answer]]]) -> dict[str, Json]:
    for each, given in chosen:
        if any(answer.decision != "approve" for answer in given):
            raise Unanswerable(
                f"the agent stops at {described(each.pauses)}, which only `approve` lets go on"
            )
    return {"input": None}


def _value(asked: Asked, given: Sequence[Answer]) -> Json:
    if asked.form == "decisions":
        return _decisions(asked, given)
    if asked.form == "inbox":
        return [_inbox(pause, answer) for pause, answer in zip(asked.pauses, given, strict=True)]
    answer = given[0]
    return answer.decision if answer.value is None and answer.decision != "input" else answer.value


def _decisions(asked: Asked, given: Sequence[Answer]) -> Json:
    """What LangChain's middleware takes; an object without a type is edited arguments."""
    if len(given) == 1 and is_mapping(given[0].value) and "decisions" in given[0].value:
        return given[0].value
    return {"decisions": [_decision(pause, each) for pause, each in zip(asked.pauses, given, strict=True)]}


def _decision(pause: Pause, answer: Answer) -> Json:
    if answer.decision != "input":
        return {"type": answer.decision}
    if not is_mapping(answer.value):
        raise Unanswerable(
            f"the agent waits for a decision about {pause.tool!r}: `approve`, `reject`, edited arguments as "
            "an object, or the decision itself, such as {type: reject, message: …}"
        )
    if "type" in answer.value:
        return answer.value
    return {"type": "edit", "edited_action": {"name": pause.tool, "args": answer.value}}


def _inbox(pause: Pause, answer: Answer) -> Json:
    """What an agent inbox sends for one HumanInterrupt; text is a response."""
    if answer.decision != "input":
        return {"type": "accept" if answer.decision == "approve" else "ignore", "args": None}
    if not is_mapping(answer.value):
        return {"type": "response", "args": answer.value}
    if "type" in answer.value:
        return answer.value
    return {"type": "edit", "args": {"action": pause.tool, "args": answer.value}}


__all__ = ["Unanswerable", "resumption"]
