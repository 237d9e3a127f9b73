"""What AG-UI's client sends with a run: the user's words, and answers to what the last run waits for."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gate.drive.adk_wire import answer_parts
from gate.drive.waiting import Given
from gate.formats.adk_fields import is_mapping, mapping
from gate.formats.adk_pauses import is_plumbing
from gate.formats.ag_ui_ends import Asked
from gate.model import Json
from gate.model.case import Answers, BlobPart, FilePart, TextPart, User, UserPart

_MEDIA = ("image", "audio", "video")


def content_of(user: User) -> Json:
    """The content of a user's message: text where it is nothing else."""
    match user.parts:
        case (TextPart(text=text),):
            return text
        case _:
            return [_part(part) for part in user.parts]


def resume_of(given: Sequence[Given], asked: Mapping[str, Asked]) -> list[Json]:
    """The entries that answer the interrupts among the pauses; an input of null abandons one."""
    return [_entry(each, asked[each.pause.id]) for each in _of("interrupt", given, asked)]


def results_of(given: Sequence[Given], asked: Mapping[str, Asked]) -> Iterator[tuple[str, str]]:
    """The id and the result of each call that the client ran."""
    for each in _of("call", given, asked):
        yield each.pause.id, _of_runtime(each) if is_plumbing(each.pause.name) else each.text


def command_of(given: Sequence[Given], asked: Mapping[str, Asked]) -> Mapping[str, Json]:
    """The forwarded props by which LangGraph's clients answered before there was `resume`; empty without."""
    legacy = _of("legacy", given, asked)
    if not legacy:
        return {}
    values = {each.pause.id: each.value for each in legacy}
    return {"command": {"resume": values if len(legacy) > 1 else legacy[0].value}}


def _of_runtime(given: Given) -> str:
    """The answer to a call of ADK's runtime, which its AG-UI server passes on as it is."""
    (part,) = answer_parts(
        Answers(answers=(replace(given.answer, to=given.pause.id),)), [given.pause], "python"
    )
    response = mapping(mapping(part, "functionResponse"), "response") if is_mapping(part) else {}
    return json.dumps(response, ensure_ascii=False)


def _of(way: str, given: Sequence[Given], asked: Mapping[str, Asked]) -> list[Given]:
    return [each for each in given if each.pause.id in asked and asked[each.pause.id].way == way]


def _entry(given: Given, asked: Asked) -> Json:
    answer, entry = given.answer, {"interruptId": given.pause.id, "status": "resolved"}
    if answer.decision == "input":
        return (
            {**entry, "status": "cancelled"} if answer.value is None else {**entry, "payload": answer.value}
        )
    if answer.value is not None:
        return {**entry, "payload": answer.value}
    return {**entry, "payload": _decision(asked, approved=answer.decision == "approve")}


def _decision(asked: Asked, *, approved: bool) -> Json:
    """A yes or no in the form that the interrupt asks for: a refusal is an answer too."""
    if asked.schema.get("type") == "boolean" or (asked.reason == "confirmation" and not asked.schema):
        return approved
    fields = asked.schema.get("properties")
    switches = [
        name
        for name, field in (fields.items() if is_mapping(fields) else ())
        if is_mapping(field) and field.get("type") == "boolean"
    ]
    name = switches[0] if len(switches) == 1 else "approved"
    return {name: approved}


def _part(part: UserPart) -> Json:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case BlobPart(mime_type=mime_type, data=data):
            return _medium(mime_type, {"type": "data", "value": data, "mimeType": mime_type})
        case FilePart(mime_type=mime_type, uri=uri):
            return _medium(mime_type, {"type": "url", "value": uri, "mimeType": mime_type})


def _medium(mime_type: str, source: Json) -> Json:
    kind = mime_type.partition("/")[0]
    return {"type": kind if kind in _MEDIA else "document", "source": source}
