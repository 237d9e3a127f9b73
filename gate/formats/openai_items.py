"""Items of an OpenAI response's output, each to one event: messages, thoughts, calls, results."""

from collections.abc import Iterator, Mapping
from typing import Final

from gate.formats.adk_fields import UnreadableEvent, items, mapping, text
from gate.formats.openai_fields import AUTHOR, ReadArguments, error_of, parts_of, whole_object, why_silent
from gate.model import Json
from gate.model.trace import Call, Event, Part, Pause, Result, Text, Thought

APPROVAL: Final = "mcp_approval_request"
CLIENT_RUNS: Final = frozenset(
    (
        "function_call",
        "custom_tool_call",
        "computer_call",
        "shell_call",
        "local_shell_call",
        "apply_patch_call",
    )
)
"""Calls that wait for the client, unless the same response has their output."""

_CALL, _OUTPUT = "_call", "_output"
_IMAGES: Final = "image_generation_call"
_NO_ARGUMENT: Final = frozenset(
    (
        *("id", "type", "status", "call_id", "name", "namespace", "execution", "environment", "caller"),
        *("output", "outputs", "results", "result", "error", "server_label", "container_id", "created_by"),
        *("approval_request_id", "pending_safety_checks", "background", "output_format", "quality", "size"),
        *("svg_usage", "arguments", "action", "operation"),
    )
)
_VALUES: Final = ("output", "outputs", "results")


def event_of(item: Mapping[str, Json], arguments: ReadArguments, *, waits: bool) -> Event:
    """Read one item; `waits`: a call that the client is to run is a pause. Raises UnreadableEvent."""
    kind = kind_of(item)
    if kind == APPROVAL:
        return _approval(item)
    parts = tuple(_parts(item, kind, arguments))
    pauses = tuple(_pauses(item, parts)) if waits and kind in CLIENT_RUNS else ()
    silent = why_silent(parts) if parts or kind in ("message", "reasoning") else f"an item of type {kind!r}"
    author = text(item, "role") if kind == "message" else ""
    return Event(author=author or AUTHOR, parts=parts, pauses=pauses, not_in_trajectory=silent)


def kind_of(item: Mapping[str, Json]) -> str:
    """The item's type; some servers leave it out of messages."""
    return text(item, "type") or "message"


def id_of(item: Mapping[str, Json]) -> str:
    """What an item is answered by, and what its results name."""
    return text(item, "call_id") or text(item, "id")


def _parts(item: Mapping[str, Json], kind: str, arguments: ReadArguments) -> Iterator[Part]:
    if kind == "message":
        yield from parts_of(item.get("content"))
    elif kind == "reasoning":
        yield from _thoughts(item)
    elif kind.endswith(_OUTPUT) and text(item, "call_id"):
        value = next((item[key] for key in (*_VALUES, "result") if item.get(key) is not None), "")
        yield Result(call_id=id_of(item), name=text(item, "name"), value=_as_text(value))
    elif kind.endswith(_CALL):
        call = _call(item, kind, arguments)
        yield call
        yield from _own_result(item, kind, call)


def _thoughts(item: Mapping[str, Json]) -> Iterator[Part]:
    for name in ("summary", "content"):
        words = [text(whole_object(part, "a part of a thought"), "text") for part in items(item, name)]
        if any(words):
            yield Thought(text="\n".join(filter(None, words)))


def _call(item: Mapping[str, Json], kind: str, arguments: ReadArguments) -> Call:
    name = text(item, "name")
    if not name:
        if "arguments" in item and kind in ("function_call", "mcp_call"):
            raise UnreadableEvent("a tool call has no name")
        name = kind.removesuffix(_CALL)
    if item.get("arguments") is not None:
        args, why = arguments(item["arguments"])
        return Call(id=id_of(item), name=name, args=args, args_error=why)
    given: dict[str, Json] = {**mapping(item, "action"), **mapping(item, "operation")}
    given |= {key: value for key, value in item.items() if key not in _NO_ARGUMENT and value is not None}
    return Call(id=id_of(item), name=name, args=given)


def _own_result(item: Mapping[str, Json], kind: str, call: Call) -> Iterator[Result]:
    """What a tool of the server gave back: it stands in the call itself."""
    failed = text(item, "status") == "failed" or bool(item.get("error"))
    value = next((item[key] for key in _VALUES if item.get(key) is not None), None)
    if kind == _IMAGES and isinstance(image := item.get("result"), str):
        value = f"[an image, {len(image) * 3 // 4} bytes]"
    if failed and value is None:
        value = error_of(item) or "failed"
    if value is not None:
        yield Result(call_id=call.id, name=call.name, value=value, is_error=failed)


def _pauses(item: Mapping[str, Json], parts: tuple[Part, ...]) -> Iterator[Pause]:
    checks = items(item, "pending_safety_checks")
    message = "\n".join(text(whole_object(check, "a safety check"), "message") for check in checks)
    for part in parts:
        if isinstance(part, Call):
            yield Pause(id=part.id, name=part.name, kind="job", tool=part.name, message=message)


def _approval(item: Mapping[str, Json]) -> Event:
    tool = text(item, "name")
    message = " ".join(filter(None, (text(item, "server_label"), text(item, "arguments"))))
    pause = Pause(id=text(item, "id"), name=APPROVAL, kind="confirm", tool=tool, message=message)
    return Event(author=AUTHOR, pauses=(pause,), not_in_trajectory=f"asks for approval of {tool!r}")


def _as_text(value: Json) -> Json:
    """A list of nothing but text parts is the text that it stands for."""
    if not isinstance(value, list) or not value:
        return value
    try:
        parts = [part for each in value for part in parts_of([each])]
    except UnreadableEvent:
        return value
    words = [part.text for part in parts if isinstance(part, Text)]
    return "\n".join(words) if len(words) == len(value) else value
