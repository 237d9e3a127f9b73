"""Messages as spans carry them: the GenAI conventions' parts, Google's contents, OpenAI's chat messages.

https://github.com/open-telemetry/semantic-conventions/blob/main/docs/gen-ai/gen-ai-input-messages.json
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gate.formats.adk_fields import field, is_mapping, kind
from gate.formats.adk_pauses import is_plumbing
from gate.formats.otel_values import NotJson, loose, structured
from gate.frozen import frozen
from gate.model import Json
from gate.model.trace import Call, Part, Result, Text, Thought

HIDDEN: Final = ("<REDACTED>", "<elided>", "<not serializable>", "<not specified>", "__REDACTED__")
"""What emitters write where they were told not to record content."""
NOT_RECORDED: Final = "the arguments were not recorded"

_ROLES: Final = {"model": "assistant", "ai": "assistant", "human": "user", "developer": "system"}
_THOUGHTS: Final = ("reasoning", "thinking")


@frozen
class Message:
    """One message: `role` is user, assistant, system or tool, or what the emitter calls it."""

    role: str
    parts: tuple[Part, ...]


class Withheld(Exception):
    """The emitter left a placeholder where content would be."""


def messages(value: Json, role: str = "user") -> tuple[Message, ...]:
    """The messages of an attribute, as JSON text or structured; raises NotJson or Withheld."""
    if isinstance(value, str) and value.strip() in HIDDEN:
        raise Withheld
    value = structured(value)
    listed = value if isinstance(value, list) else [value]
    return tuple(message(each, role) for each in listed if each is not None)


def message(value: Json, role: str = "user") -> Message:
    """One message in any of its shapes; a bare text is one of `role`. Raises NotJson or Withheld."""
    if isinstance(value, str):
        return Message(role=role, parts=tuple(_words(value)))
    if not is_mapping(value):
        raise NotJson(f"a message is {kind(value)}, not an object")
    said = value.get("role")
    said = said.lower() if isinstance(said, str) and said else role
    parts = tuple(_parts_of(value))
    if parts and all(isinstance(part, Result) for part in parts):
        said = "tool"
    return Message(role=_ROLES.get(said, said), parts=parts)


def arguments(value: Json) -> tuple[Mapping[str, Json] | None, str]:
    """A call's arguments as an object, or None and why they are none; null is no argument."""
    try:
        held = structured(value) if value != "" else None
    except NotJson as error:
        return None, str(error)
    if held is None:
        return {}, ""
    return (held, "") if is_mapping(held) else (None, f"{kind(held)}, not an object")


def turn_text(found: Iterable[Message]) -> str:
    """What the user said last, also where the agent has called tools since."""
    run: list[str] = []
    last = ""
    for each in found:
        if each.role == "user":
            run += (part.text for part in each.parts if isinstance(part, Text))
            last = "\n".join(run) or last
        elif each.role == "assistant":
            run = []
    return last


def results_since(found: Iterable[Message]) -> tuple[Result, ...]:
    """The tools' results that follow the agent's last message."""
    held: list[Result] = []
    for each in found:
        if each.role == "assistant":
            held = []
        held += (part for part in each.parts if isinstance(part, Result))
    return tuple(held)


def _parts_of(value: Mapping[str, Json]) -> Iterator[Part]:
    if isinstance(listed := value.get("parts"), list):
        for part in listed:
            yield from _part(part)
    elif value.get("role") in ("tool", "function") or field(value, "toolCallId"):
        call_id = field(value, "toolCallId") or value.get("id")
        yield _result(call_id, value.get("name"), value.get("content"))
        return
    else:
        yield from _content(value.get("content"))
    calls = field(value, "toolCalls")
    for call in calls if isinstance(calls, list) else ():
        if is_mapping(call):
            function = call.get("function")
            held = function if is_mapping(function) else call
            # Emitters that leave content out keep the name of a call.
            yield from _call(
                call.get("id"), held.get("name"), held.get("arguments", held.get("args", HIDDEN[0]))
            )


def _content(value: Json) -> Iterator[Part]:
    if isinstance(value, str):
        yield from _words(value)
    elif is_mapping(value):
        yield from _parts_of(value) if "parts" in value or "content" in value else _part(value)
    elif isinstance(value, list):
        for part in value:
            yield from _part(part)


def _words(value: Json, made: type[Text | Thought] = Text) -> Iterator[Part]:
    if isinstance(value, str) and value.strip() in HIDDEN:
        raise Withheld
    if isinstance(value, str) and value:
        yield made(text=value)


def _part(part: Json) -> Iterator[Part]:
    if isinstance(part, str):
        yield from _words(part)
    if not is_mapping(part):
        return
    match part.get("type"):
        case "tool_call" | "tool_use" | "function_call":
            given = next((part[key] for key in ("arguments", "input", "args") if key in part), None)
            yield from _call(part.get("id") or part.get("call_id"), part.get("name"), given)
        case "tool_call_response" | "tool_result":
            given = next((part[key] for key in ("response", "result", "content") if key in part), None)
            yield _result(part.get("id") or part.get("tool_use_id"), part.get("name"), given)
        case "server_tool_call":
            yield from _call(part.get("id"), part.get("name"), part.get("server_tool_call"))
        case "reasoning" | "thinking":
            yield from _words(part.get("content") or part.get("thinking") or part.get("text"), Thought)
        case _:
            yield from _untyped(part)


def _untyped(part: Mapping[str, Json]) -> Iterator[Part]:
    """A part of Google's content, or words by any name."""
    if is_mapping(call := field(part, "functionCall")):
        yield from _call(call.get("id"), call.get("name"), call.get("args"))
    elif is_mapping(answer := field(part, "functionResponse")):
        yield _result(answer.get("id"), answer.get("name"), answer.get("response"))
    else:
        words = part.get("text") if "text" in part else part.get("content")
        yield from _words(words, Thought if part.get("thought") is True else Text)


def _call(call_id: Json, name: Json, given: Json) -> Iterator[Part]:
    if not isinstance(name, str) or not name or is_plumbing(name):
        return
    if isinstance(given, str) and given.strip() in HIDDEN:
        args, error = None, NOT_RECORDED
    else:
        args, error = arguments(given)
    yield Call(id=call_id if isinstance(call_id, str) else "", name=name, args=args, args_error=error)


def _result(call_id: Json, name: Json, given: Json) -> Result:
    value = loose(given)
    return Result(
        call_id=call_id if isinstance(call_id, str) else "",
        name=name if isinstance(name, str) else "",
        value={} if value is None else value,
        is_error=says_error(value),
    )


def says_error(value: Json) -> bool:
    """Whether a tool's result says that the tool failed, as MCP and ADK write it."""
    return is_mapping(value) and (field(value, "isError") is True or bool(value.get("error")))
