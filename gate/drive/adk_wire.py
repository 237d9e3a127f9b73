"""What the adk protocol sends: messages and answers, in the dialects of adk-python and adk-go."""

import json
from collections.abc import Mapping, Sequence
from typing import Literal

from gate.model import Json
from gate.model.case import Answer, Answers, BlobPart, FilePart, TextPart, User, UserPart
from gate.model.derived import described, is_named
from gate.model.trace import Pause

Dialect = Literal["python", "go"]


class Unanswerable(Exception):
    """The case answers something that the agent does not wait for; the message names both."""


def message(parts: Sequence[Json]) -> Json:
    """Wrap parts as a user's message."""
    return {"role": "user", "parts": list(parts)}


def user_parts(user: User) -> list[Json]:
    """Write a user's message as parts."""
    return [_user_part(part) for part in user.parts]


def answer_parts(answers: Answers, waiting: Sequence[Pause], dialect: Dialect) -> list[Json]:
    """Write answers as one part for each pause that they answer; raises Unanswerable.

    A pause's id names it best, then the tool to be confirmed, then its name, which answers all of that name.
    """
    unused = [
        answer.to for answer in answers.answers if not any(is_named(pause, [answer.to]) for pause in waiting)
    ]
    if unused:
        asked = described(waiting) or "nothing"
        raise Unanswerable(f"the agent waits for {asked}; the case answers {', '.join(map(repr, unused))}")
    chosen = ((pause, answer) for pause in _distinct(waiting) if (answer := _answer_for(pause, answers)))
    return [_answer_part(pause, answer, dialect) for pause, answer in chosen]


def _distinct(pauses: Sequence[Pause]) -> list[Pause]:
    return list({pause.id: pause for pause in pauses}.values())


def _answer_for(pause: Pause, answers: Answers) -> Answer | None:
    by_name = {answer.to: answer for answer in answers.answers}
    return by_name.get(pause.id) or by_name.get(pause.tool) or by_name.get(pause.name)


def _answer_part(pause: Pause, answer: Answer, dialect: Dialect) -> Json:
    response = _response(pause, answer, dialect)
    return {"functionResponse": {"id": pause.id, "name": pause.name, "response": response}}


def _response(pause: Pause, answer: Answer, dialect: Dialect) -> Mapping[str, Json]:
    value = answer.decision if answer.value is None and answer.decision != "input" else answer.value
    if pause.kind == "confirm":
        return _confirmation(answer, value)
    if pause.kind == "input":
        return {"payload": value} if dialect == "go" else {"result": _kept_as_text(value)}
    return value if isinstance(value, dict) else {"result": value}


def _confirmation(answer: Answer, value: Json) -> Mapping[str, Json]:
    if answer.decision != "input":
        return {"confirmed": answer.decision == "approve"}
    if isinstance(value, dict) and "confirmed" in value:
        return value
    return {"confirmed": True, "payload": value}


def _kept_as_text(value: Json) -> Json:
    # adk-python parses a text that happens to be JSON: "42" would arrive as a number.
    if not isinstance(value, str):
        return value
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return value
    return json.dumps(value)


def _user_part(part: UserPart) -> Json:
    match part:
        case TextPart(text=text):
            return {"text": text}
        case BlobPart(mime_type=mime_type, data=data):
            return {"inlineData": {"mimeType": mime_type, "data": data}}
        case FilePart(mime_type=mime_type, uri=uri):
            return {"fileData": {"mimeType": mime_type, "fileUri": uri}}
