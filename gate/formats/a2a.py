"""Messages, tasks and updates of an A2A agent, of 1.0 or 0.3, to events of a trace.

An answer may come as a message, as a task or as a stream, and the same words often come twice: as a status
and as an artifact, or once more in the history. Each is told once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gate.formats.a2a_artifacts import Artifacts, Untold
from gate.formats.a2a_parts import (
    Content,
    canonical,
    contents_of,
    metadata_of,
    tells_all,
    vendor_field,
    vendor_of,
)
from gate.formats.a2a_said import Said, Source
from gate.formats.adk import NO_CONTENT, EventReader
from gate.formats.adk_fields import UnreadableEvent, field, is_mapping, items, kind, mapping, text, word
from gate.model import Json
from gate.model.trace import Event, Exposed, Pause

FAILED = frozenset({"failed", "canceled", "rejected"})
INTERRUPTED: Mapping[str, str] = {"input-required": "input", "auth-required": "credential"}
WORKING = frozenset({"submitted", "working"})
OVER = frozenset({"completed", *FAILED, *INTERRUPTED})

_KINDS = {
    "task": "task",
    "message": "message",
    "status-update": "statusUpdate",
    "artifact-update": "artifactUpdate",
}
_NOTHING: Mapping[str, Json] = {}


class UpdateReader:
    """Reads one conversation; `begin` a turn, `read` what comes, and take the `rest` when it has ended.

    `context` and `task` are what the agent calls them, `state` is the task's ("" where the turn has none).
    `clean` takes secrets out of what is cut, while they are whole.
    """

    def __init__(self, clean: Callable[[str], str] = str) -> None:
        self.context = ""
        self.task = ""
        self.state = ""
        self.vendor = ""
        self.exposed: set[Exposed] = set()
        self._clean = clean
        self._messages: set[str] = set()
        self._said = Said()
        self._artifacts = Artifacts()
        self._counted: set[str] = set()
        self.begin("")

    def begin(self, sent: str) -> None:
        """A turn begins: the message of this id is sent."""
        self.state = ""
        self._sent = sent
        self._ended = False
        self._final = False
        self._question = ""
        self._paused = False
        self._said.begin()
        self._events = EventReader(self._clean)

    @property
    def over(self) -> bool:
        """Whether the turn has come to its end: a message came, or the task waits or works no more."""
        return self._ended or self._final or self.state in OVER

    @property
    def finished(self) -> bool:
        """Whether that end is one of the work too: a last update may say that the task still works."""
        return self.over and (self._ended or self.state not in WORKING)

    def read(self, frame: Json) -> tuple[Event, ...]:
        """Read a message, task or update, wrapped (1.0) or by its kind (0.3); raises UnreadableEvent."""
        sort, record = _sort(frame)
        self._learn(record, task="id" if sort == "task" else "taskId")
        match sort:
            case "task":
                events = tuple(self._read_task(record))
            case "message":
                events = self._told(record, _NOTHING)
                self._ended = True
            case "statusUpdate":
                self._final = self._final or field(record, "final") is True
                events = tuple(self._read_status(mapping(record, "status"), self._live(record)))
            case _:
                events = self._read_artifact(record)
        return self._heard(events)

    def rest(self) -> tuple[Event, ...]:
        """What is left when the turn has ended: words in parts, artifacts, and what the agent waits for."""
        events = self._heard((*self._open_artifacts(), *self._events.rest()))
        if self.state not in INTERRUPTED or self._paused:
            return events
        pause = Pause(
            id=self.task or self.state,
            name=self.state,
            kind="credential" if INTERRUPTED[self.state] == "credential" else "input",
            message=self._question,
        )
        return (*events, Event(author="agent", pauses=(pause,), not_in_trajectory=NO_CONTENT))

    def _learn(self, record: Mapping[str, Json], *, task: str) -> None:
        self.context = text(record, "contextId") or self.context
        self.task = text(record, task) or self.task
        metadata = metadata_of(record)
        self._is_of(vendor_of(metadata))
        if tells_all(metadata):
            self.exposed |= {"usage", "state"}

    def _is_of(self, vendor: str) -> None:
        if vendor:
            # kagent's agents are ADK's too, and speak of both.
            self.vendor = "kagent" if "kagent" in (vendor, self.vendor) else vendor
            self.exposed.add("calls")

    def _live(self, update: Mapping[str, Json]) -> Mapping[str, Json]:
        """The metadata of an update: those of one event, where a task's are a mixture of all."""
        metadata = metadata_of(update)
        if vendor_of(metadata):
            self.exposed.add("usage")
        return metadata

    def _read_task(self, task: Mapping[str, Json]) -> Iterator[Event]:
        for message in self._news(items(task, "history")):
            yield from self._told(message, _NOTHING)
        for artifact in items(task, "artifacts"):
            self._artifacts.put(self.task, _object(artifact, "an artifact"), _NOTHING, append=False)
        yield from self._read_status(mapping(task, "status"), _NOTHING)

    def _news(self, history: Sequence[Json]) -> Sequence[Mapping[str, Json]]:
        """The messages after the one that was sent; all of them where the agent does not repeat it."""
        messages = [_object(message, "a message of the history") for message in history]
        ids = [field(message, "messageId") for message in messages]
        return messages[ids.index(self._sent) + 1 :] if self._sent in ids else messages

    def _read_status(self, status: Mapping[str, Json], metadata: Mapping[str, Json]) -> Iterator[Event]:
        self.state = _state(text(status, "state")) or self.state
        message = mapping(status, "message")
        if self.state in OVER:
            yield from self._open_artifacts()
        if self.state in FAILED:
            self._messages.add(_key(message))
            yield self._failure(message, {**metadata, **metadata_of(message)})
            return
        if self.state in INTERRUPTED:
            self._question = _words_of(message)
        yield from self._told(message, metadata)

    def _failure(self, message: Mapping[str, Json], metadata: Mapping[str, Json]) -> Event:
        code = word({"code": vendor_field(metadata, "error_code")}, "code")
        said = ": ".join(filter(None, (code, _words_of(message))))
        what = "the task failed" if self.state == "failed" else f"the task was {self.state}"
        return Event(author=_author(metadata), error=f"{what}: {said}" if said else what)

    def _read_artifact(self, update: Mapping[str, Json]) -> tuple[Event, ...]:
        artifact = mapping(update, "artifact")
        append = field(update, "append") is True
        self._is_of(vendor_of(metadata_of(artifact)))
        self._artifacts.put(self.task, artifact, self._live(update), append=append)
        if field(update, "lastChunk") is not True:
            return ()
        return self._told_of(self._artifacts.untold((self.task, word(artifact, "artifactId"))))

    def _open_artifacts(self) -> tuple[Event, ...]:
        return self._told_of(self._artifacts.untold())

    def _told_of(self, artifacts: Iterable[Untold]) -> tuple[Event, ...]:
        return tuple(
            event for contents, metadata in artifacts for event in self._event(contents, metadata, "artifact")
        )

    def _told(self, message: Mapping[str, Json], metadata: Mapping[str, Json]) -> tuple[Event, ...]:
        """A message's events; none where it was told before. A user's has no words of the agent."""
        if message and (key := _key(message)) in self._messages:
            return ()
        if message:
            self._messages.add(key)
        own = metadata_of(message)
        self._is_of(vendor_of(own))
        contents = contents_of(items(message, "parts") or items(message, "content"))
        if text(message, "role").lower() in ("user", "role_user"):
            contents = (content for content in contents if not content.words)
        return self._event(contents, {**metadata, **own}, "message")

    def _event(
        self, contents: Iterable[Content], metadata: Mapping[str, Json], source: Source
    ) -> tuple[Event, ...]:
        partial = vendor_field(metadata, "partial") is True
        read = list(contents)
        # The parts of a streamed status come one by one; those of an artifact are put together by now.
        in_parts = partial and source == "message"
        for content in read:
            self._is_of(content.vendor)
        repeats = partial or (source == "message" and self.state == "completed")
        new = read if in_parts else self._said.news(read, source, repeats=repeats)
        frame = self._frame(new, metadata, partial=in_parts)
        return self._events.read(frame) if frame else ()

    def _frame(
        self, contents: Sequence[Content], metadata: Mapping[str, Json], *, partial: bool
    ) -> Mapping[str, Json]:
        """An ADK event of the contents, empty where there is nothing in it."""
        frame: dict[str, Json] = {}
        if error := word({"code": vendor_field(metadata, "error_code")}, "code"):
            frame |= {"errorCode": error, "errorMessage": _joined(contents)}
            contents = [content for content in contents if not content.words]
        if contents:
            frame["content"] = {"parts": [content.part for content in contents]}
            frame["longRunningToolIds"] = [content.running for content in contents if content.running]
        event_id = word({"id": vendor_field(metadata, "event_id")}, "id")
        if not partial and event_id not in self._counted:
            frame |= _carried(metadata)
            self._counted |= {event_id} - {""}
        return {"author": _author(metadata), "id": event_id, "partial": partial, **frame} if frame else {}

    def _heard(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        self._paused = self._paused or any(event.pauses for event in events)
        return events


def _sort(frame: Json) -> tuple[str, Mapping[str, Json]]:
    if not is_mapping(frame):
        raise UnreadableEvent(f"an answer is an object, this is {kind(frame)}")
    named = field(frame, "kind")
    if isinstance(named, str) and named in _KINDS:
        return _KINDS[named], frame
    for name in _KINDS.values():
        if is_mapping(record := field(frame, name)):
            return name, record
    if is_mapping(field(frame, "status")):
        return "task" if "id" in frame else "statusUpdate", frame
    if field(frame, "role") is not None:
        return "message", frame
    if is_mapping(field(frame, "artifact")):
        return "artifactUpdate", frame
    raise UnreadableEvent("it is no message, no task and no update of one")


def _state(name: str) -> str:
    state = name.lower().removeprefix("task_state_").replace("_", "-")
    return "canceled" if state == "cancelled" else state


def _author(metadata: Mapping[str, Json]) -> str:
    author = vendor_field(metadata, "author")
    return author if isinstance(author, str) and author else "agent"


def _carried(metadata: Mapping[str, Json]) -> dict[str, Json]:
    """What of an event's own metadata ADK's reader knows."""
    frame: dict[str, Json] = {}
    for name, key in (("actions", "actions"), ("usage_metadata", "usageMetadata")):
        value = vendor_field(metadata, name)
        if is_mapping(value) and any(value.values()):
            frame[key] = value
    return frame


def _key(message: Mapping[str, Json]) -> str:
    return text(message, "messageId") or canonical(message)


def _words_of(message: Mapping[str, Json]) -> str:
    return _joined(contents_of(items(message, "parts") or items(message, "content")))


def _joined(contents: Iterable[Content]) -> str:
    return "\n".join(content.words for content in contents if content.words)


def _object(value: Json, what: str) -> Mapping[str, Json]:
    if not is_mapping(value):
        raise UnreadableEvent(f"{what} is {kind(value)}, not an object")
    return value
