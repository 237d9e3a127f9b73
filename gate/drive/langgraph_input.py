"""What a LangGraph run is given: a user's message, or a template from the config, with ids of our own.

The thread repeats what it was given; by their ids our messages are told from those of the graph.
"""

import uuid
from collections.abc import Mapping

from gate.drive.http_template import fill, sent_values
from gate.formats.adk_fields import is_mapping
from gate.model import Json
from gate.model.case import BlobPart, FilePart, TextPart, User, UserPart

_PAIR = 2


def given_by(
    user: User, template: Json, key: str, start: Mapping[str, Json], more: Mapping[str, Json]
) -> Json:
    """The input of one turn, with `start` (the state that the case begins with) as a part of it.

    `key` is the state's key of messages; `more` holds what placeholders stand for besides the words.
    """
    filled = {key: [message(user)]} if template is None else fill(template, {**more, **sent_values(user, ())})
    if not is_mapping(filled):
        return filled
    given: dict[str, Json] = {**start, **filled}
    if key in given:
        given[key] = [_identified(each) for each in (*_listed(start.get(key)), *_listed(filled.get(key)))]
    return given


def message(user: User) -> dict[str, Json]:
    """A user's message: text where it is nothing else, else LangChain's content blocks."""
    match user.parts:
        case (TextPart(text=text),):
            return {"role": "user", "content": text}
        case parts:
            return {"role": "user", "content": [_block(part) for part in parts]}


def messages_in(given: Json, key: str) -> list[Json]:
    """The messages of an input."""
    return _listed(given.get(key)) if is_mapping(given) else []


def _block(part: UserPart) -> Json:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case BlobPart(mime_type=kind, data=data) if kind.startswith("image/"):
            return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}
        case BlobPart(mime_type=kind, data=data):
            return {"type": _type(kind), "base64": data, "mime_type": kind}
        case FilePart(mime_type=kind, uri=uri) if kind.startswith("image/"):
            return {"type": "image_url", "image_url": {"url": uri}}
        case FilePart(mime_type=kind, uri=uri):
            return {"type": _type(kind), "url": uri, "mime_type": kind}


def _type(kind: str) -> str:
    family = kind.partition("/")[0]
    return family if family in ("audio", "video") else "file"


def _listed(value: Json) -> list[Json]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _identified(value: Json) -> Json:
    if isinstance(value, str):
        value = {"role": "user", "content": value}
    elif isinstance(value, list) and len(value) == _PAIR:
        value = {"role": value[0], "content": value[1]}
    if not is_mapping(value) or value.get("id"):
        return value
    return {**value, "id": f"gate-{uuid.uuid4().hex}"}
