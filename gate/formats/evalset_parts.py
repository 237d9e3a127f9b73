"""One invocation of an ADK EvalSet: what is sent, and which tool calls and answer are expected."""

import base64
import binascii
from typing import Final

from gate.formats.adk_pauses import CONFIRM, is_plumbing
from gate.formats.foreign import Fields, Notes
from gate.model import Json
from gate.model.case import Answer, Answers, BlobPart, ExpectedCall, FilePart, TextPart, User, UserPart

_SENDABLE: Final = ("text", "inline_data", "file_data", "function_response")
_INVOCATION_DATA: Final = ("tool_uses", "tool_responses", "intermediate_responses", "invocation_events")
_NOT_HELD_AGAINST: Final = (
    "ADK holds no run against it either; the gate expects calls, state and the final answer."
)


def sent(invocation: Fields, notes: Notes, asked: dict[str, str]) -> User | Answers | None:
    """What the user says, or answers to pauses where the parts are function responses; None after an error.

    `asked` maps the ids of confirmation requests seen so far to the tool that is to be confirmed.
    """
    invocation.need("user_content", dict)
    content = invocation.nested("user_content")
    return None if content is None else said(content, notes, asked)


def said(content: Fields, notes: Notes, asked: dict[str, str]) -> User | Answers | None:
    """As `sent`, of the content itself."""
    content.take("role", str)
    parts = content.each("parts")
    content.refuse_unread(("parts", "role"))
    if not parts:
        name = content.path[-1]
        notes.error(content.path, "no-message", f"`{name}` has no parts: nothing would be sent")
        return None
    if any(part.has("function_response") for part in parts):
        return _answers(parts, notes, asked)
    read_all = tuple(_user_part(part, notes) for part in parts)
    return User(parts=tuple(part for part in read_all if part is not None))


def _user_part(part: Fields, notes: Notes) -> UserPart | None:
    read = _data_part(part, notes)
    part.skip("thought", "thought_signature")
    for key in part.unread():
        if read is not None:
            notes.left_out((*part.path, key), f"`{key}` of a message's part is not carried over")
    if read is None and not any(part.has(name) for name in _SENDABLE):
        held = ", ".join(f"`{key}`" for key in part.unread()) or "nothing"
        what = f"this part holds {held}, which cannot be sent"
        notes.error(part.path, "unsupported-part", what, fix="Send `text`, `inline_data` or `file_data`.")
    return read


def _data_part(part: Fields, notes: Notes) -> UserPart | None:
    if part.has("text"):
        text = part.take("text", str)
        return None if text is None else TextPart(text=text)
    if (blob := part.nested("inline_data")) is not None:
        mime_type, data = blob.need("mime_type", str), _standard_base64(blob, notes)
        _name_is_left_out(blob, notes)
        return None if mime_type is None or data is None else BlobPart(mime_type=mime_type, data=data)
    if (file := part.nested("file_data")) is not None:
        mime_type, uri = file.need("mime_type", str), file.need("file_uri", str)
        _name_is_left_out(file, notes)
        return None if mime_type is None or uri is None else FilePart(mime_type=mime_type, uri=uri)
    return None


def _name_is_left_out(data: Fields, notes: Notes) -> None:
    for key in data.unread():
        notes.left_out((*data.path, key), f"`{key}` of a file is not carried over")


def _standard_base64(blob: Fields, notes: Notes) -> str | None:
    """Pydantic writes bytes in the URL-safe alphabet (RFC 4648 section 5); ours is the standard one."""
    written = blob.need("data", str)
    if written is None:
        return None
    data = written.replace("-", "+").replace("_", "/").rstrip("=")
    data += "=" * (-len(data) % 4)
    try:
        base64.b64decode(data, validate=True)
    except binascii.Error:
        notes.error(blob.at("data"), "bad-base64", "`data` is not base64")
        return None
    return data


def _answers(parts: tuple[Fields, ...], notes: Notes, asked: dict[str, str]) -> Answers | None:
    answers: dict[str, Answer] = {}
    for part in parts:
        response = part.nested("function_response")
        if response is None:
            what = "one message holds answers to pauses and something else"
            notes.error(part.path, "mixed-message", what, fix="Make two invocations of it.")
            return None
        answer = _answer(response, asked)
        if answer.to in answers:
            what = f"two answers to {answer.to!r} in one message cannot be told apart"
            notes.error(
                part.path, "two-answers", what, why="Ids of pauses differ from run to run, so names count."
            )
            return None
        answers[answer.to] = answer
    return Answers(answers=tuple(answers.values()))


def _answer(response: Fields, asked: dict[str, str]) -> Answer:
    name = response.need("name", str) or ""
    to = asked.get(response.take("id", str) or "", name)
    given = response.take("response", dict) or {}
    response.skip("will_continue", "scheduling", "parts")
    match given:
        case {"confirmed": bool(confirmed)} if name == CONFIRM and given.get("payload") is None:
            return Answer(to=to, decision="approve" if confirmed else "reject")
        case {"result": value} if len(given) == 1:
            return Answer(to=to, decision="input", value=value)
        case _:
            return Answer(to=to, decision="input", value=given)


def reference(invocation: Fields, notes: Notes) -> str | None:
    """The words of the final response, or None where it has none."""
    content = invocation.nested("final_response")
    return None if content is None else words(content, notes)


def words(content: Fields, notes: Notes) -> str | None:
    """The text of a content, without thoughts; None where it has none."""
    found: list[str] = []
    for part in content.each("parts"):
        if part.has("text"):
            text = part.take("text", str)
            found += [text] if text and part.take("thought", bool) is not True else []
        elif part.unread():
            what = f"parts of `{content.path[-1]}` that are not text are not carried over"
            notes.left_out(part.path, what)
    return "\n".join(found) or None


def calls(invocation: Fields, notes: Notes, asked: dict[str, str]) -> tuple[ExpectedCall, ...] | None:
    """The expected tool calls in order: maybe none of them; None where nothing is said of them at all."""
    data = invocation.nested("intermediate_data")
    if data is None:
        return None
    for name in ("tool_responses", "intermediate_responses"):
        if data.take(name, list):
            notes.left_out(data.at(name), f"`{name}` is not carried over", why=_NOT_HELD_AGAINST)
    found = [*data.each("tool_uses"), *_calls_of_events(data, notes)]
    data.refuse_unread(_INVOCATION_DATA)
    return tuple(call for fields in found if (call := _call(fields, notes, asked)) is not None)


def _calls_of_events(data: Fields, notes: Notes) -> list[Fields]:
    found: list[Fields] = []
    for event in data.each("invocation_events"):
        content = event.nested("content")
        for part in content.each("parts") if content is not None else ():
            if (call := part.nested("function_call")) is not None:
                found.append(call)
            elif part.has("function_response"):
                what = "tools' answers in `invocation_events` are not carried over"
                notes.left_out(part.at("function_response"), what, why=_NOT_HELD_AGAINST)
            elif part.has("text") and part.take("thought", bool) is not True:
                what = "texts in `invocation_events` are not carried over"
                notes.left_out(part.at("text"), what, why=_NOT_HELD_AGAINST)
    return found


def _call(fields: Fields, notes: Notes, asked: dict[str, str]) -> ExpectedCall | None:
    name, args = fields.need("name", str), fields.take("args", dict) or {}
    if name is None or not is_plumbing(name):
        return None if name is None else ExpectedCall(name=name, args=args)
    if (tool := _confirmed_tool(args)) and (call_id := fields.take("id", str)):
        asked[call_id] = tool
    notes.left_out(
        fields.at("name"),
        "calls of `adk_*` are the runtime's own and are not expected as tool calls",
        fix="To expect that the agent waits, write `pauses:` in a golden file of Agent Gate's own format.",
    )
    return None


def _confirmed_tool(args: Json) -> str:
    match args:
        case {"originalFunctionCall": {"name": str(name)}} | {"original_function_call": {"name": str(name)}}:
            return name
        case _:
            return ""
