"""Where each emitter keeps messages, arguments and results: one list of places a question, first one wins.

The GenAI conventions since 1.37 have them in attributes, or in an event of details; before, an event a
message. ADK wrote its own JSON, OpenInference and OpenLLMetry an attribute a field, counted from 0.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from gate.formats.adk_fields import field, is_mapping
from gate.formats.otel_messages import HIDDEN, Message, Withheld, message, messages
from gate.formats.otel_spans import Moment, Span
from gate.formats.otel_values import loose, structured
from gate.model import Json

Find: TypeAlias = Callable[[Span], tuple[Message, ...] | None]
"""The messages at one place: None where there is no such place. Raises NotJson or Withheld."""

DETAILS: Final = "gen_ai.client.inference.operation.details"
CHOICE: Final = "gen_ai.choice"
_SAID: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_OPEN_INFERENCE: Final = re.compile(
    r"llm\.(input|output)_messages\.([0-9]{1,5})\.message\.(role|content|name|tool_call_id"
    r"|contents\.([0-9]{1,5})\.message_content\.text"
    r"|tool_calls\.([0-9]{1,5})\.tool_call\.(id|function\.name|function\.arguments))"
)
_TRACELOOP: Final = re.compile(
    r"gen_ai\.(prompt|completion)\.([0-9]{1,5})\.(role|content|tool_call_id|reasoning"
    r"|tool_calls\.([0-9]{1,5})\.(id|name|arguments))"
)


def inputs(span: Span) -> tuple[Message, ...] | None:
    """What the model or agent was given; None where that was not recorded. Raises NotJson or Withheld."""
    return _found(span, _INPUTS)


def outputs(span: Span) -> tuple[Message, ...] | None:
    """What the model or agent answered; None where that was not recorded. Raises NotJson or Withheld."""
    return _found(span, _OUTPUTS)


def is_counted(name: str) -> bool:
    """Whether an attribute is a field of a message, as OpenInference and OpenLLMetry write them."""
    return _OPEN_INFERENCE.fullmatch(name) is not None or _TRACELOOP.fullmatch(name) is not None


def _found(span: Span, places: Sequence[Find]) -> tuple[Message, ...] | None:
    return next((found for place in places if (found := place(span)) is not None), None)


def _attribute(name: str, role: str) -> Find:
    def find(span: Span) -> tuple[Message, ...] | None:
        value = span.attributes.get(name)
        return None if value is None or value == "" else messages(value, role)

    return find


def _details(name: str, role: str) -> Find:
    def find(span: Span) -> tuple[Message, ...] | None:
        for moment in span.moments:
            body = moment.body if is_mapping(moment.body) else {}
            value = moment.attributes.get(name, body.get(name))
            if moment.name == DETAILS and value is not None and value != "":
                return messages(value, role)
        return None

    return find


def _said(span: Span) -> tuple[Message, ...] | None:
    found = tuple(_told(moment, _SAID[moment.name]) for moment in span.moments if moment.name in _SAID)
    return found or None


def _told(moment: Moment, role: str) -> Message:
    body = _body(moment)
    content = body.get("content")
    if role == "tool":
        return message({"role": "tool", "content": content, "id": body.get("id"), "name": body.get("name")})
    if is_mapping(content) and "parts" in content:
        return message(content, role)
    return message({"role": role, "content": _loose_content(content), "tool_calls": loose(_calls_of(body))})


def _chosen(span: Span) -> tuple[Message, ...] | None:
    found = tuple(_choice(_body(moment)) for moment in span.moments if moment.name == CHOICE)
    return found or None


def _choice(body: Mapping[str, Json]) -> Message:
    held = loose(body.get("message"))
    whole = held if is_mapping(held) else body
    if not isinstance(held, str | list) and "content" not in whole and not _calls_of(whole):
        raise Withheld  # a choice without content is what an emitter writes that records none
    content = held if isinstance(held, str | list) else whole.get("content")
    if is_mapping(content) and "parts" in content:
        return message(content, "assistant")
    calls = loose(_calls_of(whole))
    return message({"role": "assistant", "content": _loose_content(content), "tool_calls": calls})


def _loose_content(value: Json) -> Json:
    """Content that may be a list of parts as JSON text; anything else in a text is words."""
    held = loose(value) if isinstance(value, str) and value.lstrip()[:1] in ("[", "{") else value
    return held if isinstance(held, list) or (is_mapping(held) and ("parts" in held)) else value


def _calls_of(body: Mapping[str, Json]) -> Json:
    """The tool calls of a message's body, under either spelling."""
    return field(body, "toolCalls")


def _body(moment: Moment) -> Mapping[str, Json]:
    body = loose(moment.body)
    if is_mapping(body):
        return {**moment.attributes, **body}
    return moment.attributes if body is None else {**moment.attributes, "content": body}


def _event_content(event: str, attribute: str, role: str) -> Find:
    """Conventions before 1.28: `gen_ai.content.prompt` with `gen_ai.prompt`, and so for the completion."""

    def find(span: Span) -> tuple[Message, ...] | None:
        for moment in span.moments:
            if moment.name == event and (value := moment.attributes.get(attribute)):
                return messages(loose(value) if isinstance(value, str) else value, role)
        return None

    return find


def _adk(attribute: str, key: str, role: str) -> Find:
    """ADK's own: a request's `contents` or a response's `content`; `{}` where it records no content."""

    def find(span: Span) -> tuple[Message, ...] | None:
        value = span.attributes.get(attribute)
        if value is None:
            return None
        if value in HIDDEN:
            raise Withheld
        held = structured(value)
        content = held.get(key) if is_mapping(held) else None
        return None if content is None else messages(content, role)

    return find


def _numbered(pattern: re.Pattern[str], side: str, role: str) -> Find:
    """Messages whose fields are attributes of their own."""

    def find(span: Span) -> tuple[Message, ...] | None:
        rows: dict[int, dict[str, Json]] = {}
        for name, value in span.attributes.items():
            if (match := pattern.fullmatch(name)) and match[1] == side:
                rows.setdefault(int(match[2]), {})[match[3]] = value
        return tuple(_row(rows[number], role) for number in sorted(rows)) or None

    return find


def _row(row: Mapping[str, Json], role: str) -> Message:
    calls: dict[int, dict[str, Json]] = {}
    contents: dict[int, Json] = {}
    for name, value in row.items():
        kind, _, rest = name.partition(".")
        number, _, inner = rest.partition(".")
        if kind == "tool_calls":
            calls.setdefault(int(number), {})[inner.rpartition(".")[2]] = value
        elif kind == "contents":
            contents[int(number)] = {"text": value}
    texts: Json = [contents[number] for number in sorted(contents)] or None
    content = row.get("content", texts)
    told: dict[str, Json] = {
        "role": row.get("role", role),
        "content": content if row.get("role") == "tool" else _loose_content(content),
        "tool_calls": [calls[number] for number in sorted(calls)],
    }
    return message(told | {key: row[key] for key in ("tool_call_id", "name") if key in row}, role)


def _io_value(name: str, role: str) -> Find:
    """OpenInference's `input.value` of a step: the words themselves, or JSON that holds messages."""

    def find(span: Span) -> tuple[Message, ...] | None:
        value = span.attributes.get(name)
        if value is None or value == "" or span.attributes.get("openinference.span.kind") is None:
            return None
        return tuple(_from_step(value, role))

    return find


def _entity(name: str, role: str) -> Find:
    """OpenLLMetry's input or output of a workflow, agent or task: JSON around arguments or messages."""

    def find(span: Span) -> tuple[Message, ...] | None:
        value = span.attributes.get(name)
        return None if value is None or value == "" else tuple(_from_step(value, role))

    return find


def _from_step(value: Json, role: str) -> Iterator[Message]:
    held = loose(value)
    for key in ("inputs", "outputs", "input", "output", "new_message", "messages"):
        if is_mapping(held) and held.get(key):
            held = held[key]
    if isinstance(held, str):
        yield message(held, role)
    elif isinstance(held, list) and all(is_mapping(each) and _is_message(each) for each in held):
        yield from (message(each, role) for each in held)
    elif is_mapping(held) and _is_message(held):
        yield message(held, role)


def _is_message(value: Mapping[str, Json]) -> bool:
    return "role" in value or "parts" in value


_INPUTS: Final[tuple[Find, ...]] = (
    _attribute("gen_ai.input.messages", "user"),
    _details("gen_ai.input.messages", "user"),
    _said,
    _event_content("gen_ai.content.prompt", "gen_ai.prompt", "user"),
    _adk("gcp.vertex.agent.llm_request", "contents", "user"),
    _numbered(_OPEN_INFERENCE, "input", "user"),
    _numbered(_TRACELOOP, "prompt", "user"),
    _io_value("input.value", "user"),
    _entity("traceloop.entity.input", "user"),
)
_OUTPUTS: Final[tuple[Find, ...]] = (
    _attribute("gen_ai.output.messages", "assistant"),
    _details("gen_ai.output.messages", "assistant"),
    _chosen,
    _event_content("gen_ai.content.completion", "gen_ai.completion", "assistant"),
    _adk("gcp.vertex.agent.llm_response", "content", "assistant"),
    _numbered(_OPEN_INFERENCE, "output", "assistant"),
    _numbered(_TRACELOOP, "completion", "assistant"),
    _io_value("output.value", "assistant"),
    _entity("traceloop.entity.output", "assistant"),
)
