"""Events of AG-UI (docs.ag-ui.com/spec/1.0): the fields that each has, and what older servers call them."""

from collections.abc import Iterator, Mapping
from typing import Final

from gate.formats.adk_fields import UnreadableEvent, is_mapping, kind
from gate.formats.quoting import quoted
from gate.model import Json

Record = Mapping[str, Json]

SHAPES: Final[Mapping[str, str]] = {
    "RUN_STARTED": "threadId runId protocolVersion? parentRunId? input?{}",
    "RUN_FINISHED": "threadId runId outcome?{} usage?[]",
    "RUN_ERROR": "message usage?[]",
    "STEP_STARTED": "stepName",
    "STEP_FINISHED": "stepName",
    "TEXT_MESSAGE_START": "messageId role? name?",
    "TEXT_MESSAGE_CONTENT": "messageId delta",
    "TEXT_MESSAGE_END": "messageId",
    "TEXT_MESSAGE_CHUNK": "messageId? role? delta? name?",
    "TOOL_CALL_START": "toolCallId toolCallName parentMessageId?",
    "TOOL_CALL_ARGS": "toolCallId delta",
    "TOOL_CALL_END": "toolCallId",
    "TOOL_CALL_CHUNK": "toolCallId? toolCallName? parentMessageId? delta?",
    "TOOL_CALL_RESULT": "messageId toolCallId content* role?",
    "STATE_SNAPSHOT": "snapshot*",
    "STATE_DELTA": "delta[]",
    "MESSAGES_SNAPSHOT": "messages[]",
    "ACTIVITY_SNAPSHOT": "messageId activityType content{}",
    "ACTIVITY_DELTA": "messageId activityType patch[]",
    "REASONING_START": "messageId",
    "REASONING_MESSAGE_START": "messageId",
    "REASONING_MESSAGE_CONTENT": "messageId delta",
    "REASONING_MESSAGE_END": "messageId",
    "REASONING_MESSAGE_CHUNK": "messageId? delta?",
    "REASONING_END": "messageId",
    "REASONING_ENCRYPTED_VALUE": "subtype entityId encryptedValue",
    "SUBAGENT_STARTED": "subagentRunId name parentSubagentRunId? parentToolCallId? parentMessageId?",
    "SUBAGENT_FINISHED": "subagentRunId outcome?{}",
    "SUBAGENT_ERROR": "subagentRunId message code?",
    "RAW": "event*",
    "CUSTOM": "name value*",
}
"""The fields of each type: text, a list `[]`, an object `{}` or anything `*`; `?` may be left out or null."""
RUN_SCOPED: Final = frozenset(("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"))
ROLES: Final = frozenset(("developer", "system", "assistant", "user"))

_KINDS: Final[Mapping[str, tuple[type, str]]] = {"[": (list, "a list"), "{": (dict, "an object")}
OUTCOMES: Final = ("success", "interrupt", "cancelled")
_THINKING: Final[Mapping[str, tuple[str, str]]] = {
    "THINKING_START": ("REASONING_START", "span"),
    "THINKING_END": ("REASONING_END", "span"),
    "THINKING_TEXT_MESSAGE_START": ("REASONING_MESSAGE_START", "message"),
    "THINKING_TEXT_MESSAGE_CONTENT": ("REASONING_MESSAGE_CONTENT", "message"),
    "THINKING_TEXT_MESSAGE_END": ("REASONING_MESSAGE_END", "message"),
}
"""What 0.x called reasoning. Its events name nothing: one span and one message can be open at a time."""
THINKING: Final = "0.x thinking "
"""How the ids begin that such events get here; no server knows them."""


def type_of(record: Json) -> str:
    """The type of an event; raises UnreadableEvent for what is no event at all."""
    if not is_mapping(record):
        raise UnreadableEvent(f"an event is an object, this is {kind(record)}")
    name = record.get("type")
    if not isinstance(name, str) or not name:
        raise UnreadableEvent(f"an event has a type, in this it is {kind(name)}")
    return name


def is_known(name: str) -> bool:
    """Whether the protocol has events of this type."""
    return name in SHAPES


def checked(record: Record) -> Record:
    """A known event whose fields are as the protocol describes them; raises UnreadableEvent."""
    name = type_of(record)
    for field, shape, needed in _FIELDS[name]:
        value = record.get(field)
        if shape == "*":
            if field not in record:
                raise UnreadableEvent(f"{name} has no {field}")
        elif value is None:
            if needed:
                raise UnreadableEvent(f"{name} has no {field}")
        elif not isinstance(value, _KINDS[shape][0] if shape else str):
            wanted = _KINDS[shape][1] if shape else "text"
            raise UnreadableEvent(f"{field} of {name} is {kind(value)}, not {wanted}")
    _check_role(name, record)
    return record


def modern(record: Record) -> Record:
    """An event of 0.x under the name that it has in 1.0."""
    name, sort = _THINKING.get(type_of(record), ("", ""))
    return {**record, "type": name, "messageId": THINKING + sort} if name else record


def owner_of(record: Record) -> str | None:
    """The invocation of a subagent that the event belongs to; None for the agent itself."""
    if type_of(record) in RUN_SCOPED:
        return None
    owner = record.get("subagentRunId")
    if owner is not None and not isinstance(owner, str):
        raise UnreadableEvent(f"subagentRunId is {kind(owner)}, not text")
    return owner


def outcome_of(record: Record) -> str:
    """How a RUN_FINISHED ends its run: `success` where it says nothing that 1.0 knows."""
    outcome = record.get("outcome")
    name = outcome.get("type") if is_mapping(outcome) else None
    return str(name) if name in OUTCOMES else "success"


def _check_role(name: str, record: Record) -> None:
    role = record.get("role")
    if not name.startswith("TEXT_MESSAGE") or role is None:
        return
    if not isinstance(role, str) or role not in ROLES:
        said = quoted(role) if isinstance(role, str) else kind(role)
        raise UnreadableEvent(f"role of {name} is {said}, none of {', '.join(sorted(ROLES))}")


def _fields(shapes: str) -> Iterator[tuple[str, str, bool]]:
    for word in shapes.split():
        name = word.rstrip("[]{}*?")
        shape = next((mark for mark in "[{*" if mark in word), "")
        yield name, shape, "?" not in word


_FIELDS: Final = {name: tuple(_fields(shapes)) for name, shapes in SHAPES.items()}
