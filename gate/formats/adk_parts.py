"""Parts of ADK content, and what else an event says of the model's answer: usage and failure."""

from collections.abc import Iterable, Mapping
from itertools import groupby

from gate.formats.adk_fields import count, field, has, is_mapping, kind, mapping, text, word
from gate.formats.adk_pauses import is_plumbing
from gate.model import Json
from gate.model.trace import Call, Part, Result, Text, Thought, Usage

_ENDED_WELL = frozenset(("", "STOP", "FINISH_REASON_UNSPECIFIED"))
_ASKS_FIRST = "This tool call requires confirmation"


def part_of(content: Mapping[str, Json], *, internal: bool = False) -> Part | None:
    """Read one part; None where it holds no text, call or result of a tool (`internal`: or the runtime's)."""
    if has(content, "functionResponse"):
        return _result(mapping(content, "functionResponse"), internal=internal)
    if has(content, "functionCall"):
        return _call(mapping(content, "functionCall"), internal=internal)
    words = text(content, "text")
    if not words:
        return None
    return Thought(text=words) if field(content, "thought") is True else Text(text=words)


def _call(call: Mapping[str, Json], *, internal: bool) -> Call | None:
    if is_plumbing(name := text(call, "name")) and not internal:
        return None
    args = field(call, "args")
    if args is None or is_mapping(args):
        return Call(id=text(call, "id"), name=name, args=args or {})
    return Call(id=text(call, "id"), name=name, args=None, args_error=f"{kind(args)}, not an object")


def _result(result: Mapping[str, Json], *, internal: bool) -> Result | None:
    if is_plumbing(name := text(result, "name")) and not internal:
        return None
    value = field(result, "response")
    failed = is_mapping(value) and (field(value, "isError") is True or bool(value.get("error")))
    return Result(
        call_id=text(result, "id"), name=name, value={} if value is None else value, is_error=failed
    )


def is_pending(part: Part, pending: frozenset[str]) -> bool:
    """Tell whether a part is no result yet: its call is among `pending`, or it says that it asks first."""
    if not isinstance(part, Result):
        return False
    error = part.value.get("error") if is_mapping(part.value) else None
    return part.call_id in pending or (isinstance(error, str) and error.startswith(_ASKS_FIRST))


def error_of(frame: Mapping[str, Json], *, has_content: bool) -> str:
    """Return the failure that an event reports, or the reason why the model gave no answer at all."""
    code, message = word(frame, "errorCode"), word(frame, "errorMessage")
    if code or message:
        return ": ".join(filter(None, (code, message)))
    ended = word(frame, "finishReason")
    blocked = not has_content and ended not in _ENDED_WELL and field(frame, "partial") is not True
    return f"{ended}: the model stopped without an answer" if blocked else ""


def usage_of(record: Mapping[str, Json]) -> Usage | None:
    """Read an event's token counts and model: tools' prompts count as input, thoughts as output.

    None where nothing is counted.
    """
    usage = mapping(record, "usageMetadata")
    sent = [count(usage, name) for name in ("promptTokenCount", "toolUsePromptTokenCount")]
    made = [count(usage, name) for name in ("candidatesTokenCount", "thoughtsTokenCount")]
    if all(number is None for number in sent + made):
        return None
    read, cached = sum(filter(None, sent)), count(usage, "cachedContentTokenCount") or 0
    return Usage(
        input_tokens=read,
        output_tokens=sum(filter(None, made)),
        cached_tokens=min(cached, read),
        model=word(record, "modelVersion"),
    )


def joined(parts: Iterable[Text | Thought]) -> tuple[Part, ...]:
    """Join neighbours of one kind: the parts of a streamed answer, in time that grows with their number."""
    return tuple(made(text="".join(part.text for part in some)) for made, some in groupby(parts, key=type))
