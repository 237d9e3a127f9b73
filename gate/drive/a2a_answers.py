"""How a case's answers reach a paused A2A agent: as words, or as the data that ADK and kagent wait for."""

from collections.abc import Mapping, Sequence

from gate.drive.adk_wire import Unanswerable, answer_parts
from gate.formats.a2a import INTERRUPTED
from gate.formats.a2a_message import DataPart, SentPart
from gate.formats.adk_fields import is_mapping, mapping
from gate.model import Json
from gate.model.case import Answer, Answers, TextPart
from gate.model.derived import is_named
from gate.model.trace import Pause


def answering_parts(answers: Answers, waiting: Sequence[Pause], vendor: str) -> tuple[SentPart, ...]:
    """Write answers as the parts of one message; raises Unanswerable for what nobody waits for."""
    if all(pause.name in INTERRUPTED for pause in waiting):
        asked = [answer for answer in answers.answers if any(is_named(each, [answer.to]) for each in waiting)]
        if len(asked) != len(answers.answers):
            answer_parts(answers, waiting, "python")  # which says what is wrong with them
        return tuple(_plain(answer) for answer in asked)
    of_tools = [pause for pause in waiting if pause.name not in INTERRUPTED]
    responses = [
        mapping(_object(part), "functionResponse") for part in answer_parts(answers, of_tools, "python")
    ]
    if vendor == "kagent" and (decisions := _decisions(responses)):
        return decisions
    return tuple(DataPart(data=dict(each), metadata={"adk_type": "function_response"}) for each in responses)


def _plain(answer: Answer) -> SentPart:
    if answer.value is None and answer.decision != "input":
        return TextPart(text=answer.decision)
    if isinstance(answer.value, dict | list):
        return DataPart(data=answer.value, metadata={})
    return TextPart(text=str(answer.value))


def _decisions(responses: Sequence[Mapping[str, Json]]) -> tuple[SentPart, ...]:
    """The answer as kagent has it, one decision for all confirmations; empty where they are not alike."""
    confirmed = [mapping(each, "response").get("confirmed") for each in responses]
    if not confirmed or any(each is not confirmed[0] for each in confirmed):
        return ()
    extra = [mapping(each, "response").get("payload") for each in responses]
    decision: dict[str, Json] = {"decision_type": "approve" if confirmed[0] is True else "reject"}
    if len(extra) == 1 and is_mapping(extra[0]):
        decision |= extra[0]
    return (DataPart(data=decision, metadata={}),)


def _object(part: Json) -> Mapping[str, Json]:
    return part if is_mapping(part) else {}


__all__ = ["Unanswerable", "answering_parts"]
