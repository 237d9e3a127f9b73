"""LangChain's messages, as LangGraph's server writes them, to the parts of a trace.

A message stands in a graph's state, in a node's update, or as a pair of role and content. State that nobody
coerced has the dicts of OpenAI instead, which are read as well.
"""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from gate.formats.adk_fields import UnreadableEvent, is_mapping, items, kind, mapping, text
from gate.formats.openai_fields import ReadArguments, usage_of, whole_object
from gate.frozen import frozen
from gate.model import Json
from gate.model.trace import Call, Part, Result, Text, Thought, Usage

AI: Final = "ai"
HUMAN: Final = "human"
TOOL: Final = "tool"

_ROLES: Final[Mapping[str, str]] = {
    "assistant": AI,
    "user": HUMAN,
    "function": TOOL,
    "developer": "system",
}
_PAIR: Final = 2
_UNNAMED: Final = "(unnamed)"


@frozen
class Message:
    """One message; `id` is "" where it has none, `kind` what LangChain calls its type."""

    id: str
    kind: str
    author: str
    parts: tuple[Part, ...]
    usage: Usage | None = None

    @property
    def fingerprint(self) -> str:
        """The same for messages that say the same."""
        return repr((self.kind, self.author, self.parts))


def messages_of(value: Json, arguments: ReadArguments) -> list[Message]:
    """The messages of a state's key: a list, one alone, or none; raises UnreadableEvent."""
    if is_mapping(value) and "__overwrite__" in value:
        value = value["__overwrite__"]
    if value is None:
        return []
    if isinstance(value, list):
        return [message_of(each, arguments) for each in value]
    return [message_of(value, arguments)]


def message_of(value: Json, arguments: ReadArguments) -> Message:
    """Read one message: an object, a pair of role and content, or a user's words; raises UnreadableEvent."""
    record = _record(value)
    name = kind_of(record)
    if not name:
        raise UnreadableEvent("a message has neither a type nor a role")
    if name == AI:
        parts = tuple(_said(record, arguments))
    elif name == TOOL:
        parts = (_result(record),)
    else:
        parts = joined(content_parts(record.get("content")))
    return Message(
        id=text(record, "id"),
        kind=name,
        author=text(record, "name") or {AI: "assistant", HUMAN: "user"}.get(name, name),
        parts=parts,
        usage=usage_in(record),
    )


def kind_of(record: Mapping[str, Json]) -> str:
    """What a message is: `ai`, `human`, `tool`, `system`, `remove`, or another word; "" for no message."""
    name = text(record, "type") or text(record, "role")
    if name == "chat":
        name = text(record, "role")
    name = name.removesuffix("Chunk").removesuffix("Message")
    return _ROLES.get(name.lower(), name.lower())


def usage_in(record: Mapping[str, Json]) -> Usage | None:
    """The tokens of a message, with the model's name where it says that; None where nothing is counted."""
    counts = mapping(record, "usage_metadata")
    read_before = mapping(counts, "input_token_details").get("cache_read")
    usage = {**counts, "input_tokens_details": {"cached_tokens": read_before}}
    return usage_of({"usage": usage, "model": model_in(record)})


def model_in(record: Mapping[str, Json]) -> str:
    """The name of the model that made a message, "" where it is not told."""
    about = mapping(record, "response_metadata")
    name = about.get("model_name") or about.get("model")
    return name if isinstance(name, str) else ""


def content_parts(content: Json) -> Iterator[Part]:
    """The words, thoughts, and tools run by a provider in a message's content: text, or a list of blocks."""
    if isinstance(content, str):
        if content:
            yield Text(text=content)
        return
    if content is not None and not isinstance(content, list):
        raise UnreadableEvent(f"content is {kind(content)}, neither text nor a list of blocks")
    for block in content or ():
        if isinstance(block, str):
            yield Text(text=block)
        else:
            yield from _block(whole_object(block, "a block of the content"))


def joined(parts: Iterator[Part]) -> tuple[Part, ...]:
    """Neighbouring words as one text: a provider that cites its sources splits sentences into blocks."""
    made: list[Part] = []
    for part_type, group in groupby(parts, key=type):
        if part_type in (Text, Thought):
            words = "".join(part.text for part in group if isinstance(part, Text | Thought))
            made += [Text(text=words) if part_type is Text else Thought(text=words)] if words else []
        else:
            made += group
    return tuple(made)


def _record(value: Json) -> Mapping[str, Json]:
    if isinstance(value, str):
        return {"type": HUMAN, "content": value}
    if isinstance(value, list) and len(value) == _PAIR and isinstance(value[0], str):
        return {"role": value[0], "content": value[1]}
    record = whole_object(value, "a message")
    path = record.get("id")
    if "lc" in record and isinstance(path, list) and path:  # as LangChain's `dumps` writes objects
        return {"type": str(path[-1]), **mapping(record, "kwargs")}
    return record


def _said(record: Mapping[str, Json], arguments: ReadArguments) -> Iterator[Part]:
    more = mapping(record, "additional_kwargs")
    thought = more.get("reasoning_content")
    parts = content_parts(record.get("content"))
    if isinstance(thought, str) and thought:
        yield Thought(text=thought)
    yield from joined(parts)
    prefix = text(record, "id") or "call"
    calls = items(record, "tool_calls") or items(more, "tool_calls")
    for number, each in enumerate(calls, 1):
        yield _call(whole_object(each, "a tool call"), f"{prefix}-{number}", arguments)
    for number, each in enumerate(items(record, "invalid_tool_calls"), len(calls) + 1):
        yield _invalid(whole_object(each, "an invalid tool call"), f"{prefix}-{number}", arguments)


def _call(call: Mapping[str, Json], otherwise: str, arguments: ReadArguments) -> Call:
    function = mapping(call, "function")
    name = text(call, "name") or text(function, "name")
    args, why = arguments(call.get("args", function.get("arguments")))
    return Call(id=text(call, "id") or otherwise, name=name or _UNNAMED, args=args, args_error=why)


def _invalid(call: Mapping[str, Json], otherwise: str, arguments: ReadArguments) -> Call:
    _, why = arguments(call.get("args"))
    error = call.get("error")
    why = why or (error if isinstance(error, str) and error else "LangChain could not read them")
    name = text(call, "name") or _UNNAMED
    return Call(id=text(call, "id") or otherwise, name=name, args=None, args_error=why)


def _result(record: Mapping[str, Json]) -> Result:
    return Result(
        call_id=text(record, "tool_call_id"),
        name=text(record, "name"),
        value=_value(record.get("content")),
        is_error=record.get("status") == "error",
    )


def _value(content: Json) -> Json:
    """A list of nothing but words is the text that it stands for."""
    if not isinstance(content, list) or not content:
        return content
    words = [each.get("text") if is_mapping(each) else each for each in content]
    return "\n".join(map(str, words)) if all(isinstance(each, str) for each in words) else content


def _block(block: Mapping[str, Json]) -> Iterator[Part]:
    match text(block, "type"):
        case "reasoning" | "thinking":
            yield from _thoughts(block)
        case "refusal":
            yield Text(text=text(block, "refusal"))
        case "server_tool_call":
            args = block.get("args")
            given = args if is_mapping(args) else {}
            yield Call(id=text(block, "id"), name=text(block, "name") or _UNNAMED, args=given)
        case "server_tool_result":
            failed = block.get("status") == "error"
            yield Result(
                call_id=text(block, "tool_call_id"), name="", value=block.get("output"), is_error=failed
            )
        case "text" | "text_delta" | "output_text" | "":
            yield Text(text=text(block, "text"))
        case _:  # a call, which `tool_calls` has too, or what is no words: an image, a file
            return


def _thoughts(block: Mapping[str, Json]) -> Iterator[Part]:
    for name in ("reasoning", "thinking", "text"):
        if isinstance(words := block.get(name), str):
            yield Thought(text=words)
            return
    for each in items(block, "summary"):
        yield Thought(text=text(whole_object(each, "a part of a thought"), "text"))
