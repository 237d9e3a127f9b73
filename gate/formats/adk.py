"""ADK events, as adk-python and adk-go send or store them, to events of a trace.

What counts is in the parts, not in the roles: a call is the agent's, a result is a tool's, and only plain
text asks who the author is. Events without content are kept, because nodes and state ride on them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from gate.formats.adk_fields import UnreadableEvent, field, has, is_mapping, items, kind, mapping, text
from gate.formats.adk_parts import error_of, is_pending, joined, part_of, usage_of
from gate.formats.adk_pauses import is_plumbing, pauses_of
from gate.frozen import frozen
from gate.model import Json
from gate.model.trace import Call, Event, Part, Result, Text, Thought

NO_CONTENT = "no content"
THOUGHT_ONLY = "thought only"
OTHER_CONTENT = "no text, call or result in its content"
PENDING = "placeholder: the call waits for its confirmation"
PLUMBING_CALL = "runtime plumbing: "
PLUMBING_ANSWER = "answer to a pause: "

_MARKS = ("author", "content", "actions", "invocationId", "errorCode", "nodeInfo", "partial")
NO_EVENT = f"no ADK event: it has none of {', '.join(_MARKS)}"


def read_events(frames: Iterable[Json]) -> tuple[Event, ...]:
    """Read all events of one session; raises UnreadableEvent for what is none."""
    reader = EventReader()
    return (*(event for frame in frames for event in reader.read(frame)), *reader.rest())


def error_frame(frame: Json) -> str:
    """Return the failure that a frame of `/run_sse` reports instead of an event, or "" where it is none."""
    if not is_mapping(frame) or (error := frame.get("error")) is None or is_event(frame):
        return ""
    if is_mapping(error):
        error = error.get("message") or error
    return str(error) or "an error without a message"


def is_event(frame: Mapping[str, Json]) -> bool:
    """Tell whether an object has a mark of an event, in either spelling."""
    return any(field(frame, name) is not None for name in _MARKS)


class EventReader:
    """Reads the events of one session in order and joins what the wire splits.

    A streamed answer comes as `partial` events and then once more as a whole: the parts are skipped. Where no
    whole comes, because the stream ended or the agent failed, the parts become one event: the user saw them.
    `clean` takes secrets out of what is cut here, while they are whole. `internal` reads the runtime's own
    calls (`adk_*`) as if they were tools'.
    """

    def __init__(self, clean: Callable[[str], str] = str, *, internal: bool = False) -> None:
        self._clean = clean
        self._internal = internal
        self._partial: dict[tuple[str, str], tuple[_Raw, list[Text | Thought]]] = {}
        self._tools: dict[str, str] = {}
        self._last_id = ""

    def read(self, frame: Json) -> tuple[Event, ...]:
        """Read one event: none for a part of a streamed answer, two where one result is a placeholder."""
        raw = _raw(frame, self._clean, internal=self._internal)
        if raw.partial:
            self._keep(raw)
            return ()
        before = self._settle(raw)
        self._tools |= {part.id: part.name for part in raw.parts if isinstance(part, Call)}
        events = self._events(raw)
        self._last_id = raw.id
        return (*before, *events)

    def rest(self) -> tuple[Event, ...]:
        """Return what was streamed in parts and never as a whole."""
        left = tuple(_event(raw, joined(words)) for raw, words in self._partial.values())
        self._partial.clear()
        return left

    def _keep(self, raw: "_Raw") -> None:
        _, words = self._partial.setdefault(raw.speaker, (raw, []))
        words += (part for part in raw.parts if isinstance(part, Text | Thought))

    def _settle(self, raw: "_Raw") -> tuple[Event, ...]:
        first, words = self._partial.get(raw.speaker, (None, []))
        if first is None or not (raw.has_content or raw.error or raw.id == first.id):
            return ()
        del self._partial[raw.speaker]
        return () if raw.has_content or not words else (_event(first, joined(words)),)

    def _events(self, raw: "_Raw") -> tuple[Event, ...]:
        pauses = pauses_of(raw.record, raw.plumbing, raw.parts, self._tools)
        # An event with an artifact is sent twice under one id, the second time without its content.
        again = bool(raw.id) and raw.id == self._last_id and not raw.has_content
        rest = tuple(part for part in raw.parts if not is_pending(part, raw.pending))
        pending = tuple(
            replace(part, is_error=False)
            for part in raw.parts
            if isinstance(part, Result) and is_pending(part, raw.pending)
        )
        actions = mapping(raw.record, "actions")
        event = replace(
            _event(raw, rest or pending),
            state_delta=mapping(actions, "stateDelta"),
            artifact_delta=mapping(actions, "artifactDelta"),
            usage=None if again else usage_of(raw.record),
            error="" if again and not field(raw.record, "errorCode") else raw.error,
            pauses=pauses,
        )
        if not pending:
            return (event,)
        if not rest:
            return (replace(event, not_in_trajectory=PENDING),)
        return (event, replace(_event(raw, pending), not_in_trajectory=PENDING))


@frozen
class _Raw:
    record: Mapping[str, Json]
    id: str
    author: str
    branch: str
    node: str
    partial: bool
    error: str
    has_content: bool
    parts: tuple[Part, ...]
    plumbing: tuple[Mapping[str, Json], ...] = ()
    answered: tuple[str, ...] = ()
    pending: frozenset[str] = frozenset()

    @property
    def speaker(self) -> tuple[str, str]:
        # Old servers give each part of a streamed answer an id of its own; its speaker stays the same.
        return self.author, self.branch


def _raw(frame: Json, clean: Callable[[str], str], *, internal: bool = False) -> _Raw:
    if not is_mapping(frame):
        raise UnreadableEvent(f"an event is an object, this is {kind(frame)}")
    if not is_event(frame):
        raise UnreadableEvent(NO_EVENT)
    contents = [_object(part, "a part") for part in items(mapping(frame, "content"), "parts")]
    parts = (part_of(content, internal=internal) for content in contents)
    calls = [mapping(part, "functionCall") for part in contents if has(part, "functionCall")]
    results = [mapping(part, "functionResponse") for part in contents if has(part, "functionResponse")]
    actions = mapping(frame, "actions")
    waiting = (*mapping(actions, "requestedToolConfirmations"), *mapping(actions, "requestedAuthConfigs"))
    return _Raw(
        record=frame,
        id=text(frame, "id"),
        author=text(frame, "author"),
        branch=text(frame, "branch"),
        node=_node(clean(text(mapping(frame, "nodeInfo"), "path"))),
        partial=field(frame, "partial") is True,
        error=error_of(frame, has_content=bool(contents)),
        has_content=bool(contents),
        parts=tuple(part for part in parts if part is not None),
        plumbing=tuple(call for call in calls if is_plumbing(text(call, "name"))),
        answered=tuple(name for result in results if is_plumbing(name := text(result, "name"))),
        pending=frozenset(waiting),
    )


def _event(raw: _Raw, parts: tuple[Part, ...]) -> Event:
    return Event(author=raw.author, node=raw.node, parts=parts, not_in_trajectory=_why_silent(raw, parts))


def _why_silent(raw: _Raw, parts: tuple[Part, ...]) -> str:
    if any(not isinstance(part, Thought) for part in parts):
        return ""
    if raw.plumbing:
        return PLUMBING_CALL + ", ".join(text(call, "name") for call in raw.plumbing)
    if raw.answered:
        return PLUMBING_ANSWER + ", ".join(raw.answered)
    if parts:
        return THOUGHT_ONLY
    return OTHER_CONTENT if raw.has_content else NO_CONTENT


def _node(path: str) -> str:
    return path.rsplit("/", 1)[-1].rsplit("@", 1)[0]


def _object(value: Json, what: str) -> Mapping[str, Json]:
    if not is_mapping(value):
        raise UnreadableEvent(f"{what} is {kind(value)}, not an object")
    return value
