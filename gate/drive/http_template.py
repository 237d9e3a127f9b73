"""What the `http` protocol sends: a template from the config, filled with the turn's values."""

import json
import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from gate.drive.recorder import answer_as_read
from gate.model import Json
from gate.model.case import Answer, Answers, BlobPart, FilePart, TextPart, User, UserPart
from gate.model.config import PLACEHOLDERS
from gate.model.trace import Pause

_PLACE = re.compile("{(" + "|".join(PLACEHOLDERS) + ")}")


def fill(template: Json, values: Mapping[str, Json]) -> Json:
    """Replace `{name}` in every string: by the value where the string is nothing else, else by its text.

    Braces around any other word stay as they are.
    """
    if isinstance(template, str):
        whole = _PLACE.fullmatch(template)
        return values[whole[1]] if whole else fill_text(template, values)
    if isinstance(template, dict):
        return {key: fill(item, values) for key, item in template.items()}
    if isinstance(template, list | tuple):
        return [fill(item, values) for item in template]
    return template


def fill_text(template: str, values: Mapping[str, Json]) -> str:
    """Replace `{name}` by its value's text; values that are no strings become JSON."""
    return _PLACE.sub(lambda place: as_text(values[place[1]]), template)


def fill_path(template: str, values: Mapping[str, Json]) -> str:
    """Replace `{name}` in a URL's path, percent-encoded."""
    return _PLACE.sub(lambda place: quote(as_text(values[place[1]]), safe=""), template)


def as_text(value: Json) -> str:
    """A string as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def sent_values(sent: User | Answers, pauses: Sequence[Pause]) -> dict[str, Json]:
    """The values of `{text}`, `{parts}` and `{answers}`; the text of answers is what a person would type."""
    match sent:
        case User(parts=parts):
            return {"text": sent.text, "parts": [_part(part) for part in parts], "answers": []}
        case Answers(answers=answers):
            text = "\n".join(answer_as_read(answer) for answer in answers)
            return {"text": text, "parts": [{"text": text}], "answers": [_answer(a, pauses) for a in answers]}


def _part(part: UserPart) -> Json:
    match part:
        case TextPart(text=text):
            return {"text": text}
        case BlobPart(mime_type=kind, data=data):
            return {"mime_type": kind, "data": data}
        case FilePart(mime_type=kind, uri=uri):
            return {"mime_type": kind, "uri": uri}


def _answer(answer: Answer, pauses: Sequence[Pause]) -> Json:
    pause = next((p for p in pauses if answer.to in (p.id, p.name, p.tool)), None)
    return {
        "id": pause.id if pause else answer.to,
        "name": pause.name if pause else "",
        "tool": pause.tool if pause else "",
        "decision": answer.decision,
        "value": answer.value,
    }
