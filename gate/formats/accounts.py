"""Account for each stored event of a session: what it became, by invocation, author and time."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field as made
from dataclasses import replace

from gate.formats.adk import EventReader
from gate.formats.adk_fields import UnreadableEvent, field
from gate.formats.messages import USER, Row, row
from gate.formats.stored import NotASession, Recording, timestamp
from gate.frozen import frozen
from gate.model import Json
from gate.model.trace import Call, Event, Result, Text, Thought

STREAMED = "part of a streamed answer"
DROPPED = "dropped as asked: "


@frozen
class Entry:
    """One stored event, counted from 1, and what it became in a trace; `at` in seconds since 1970."""

    number: int
    author: str
    events: tuple[Event, ...]
    invocation: str = ""
    at: float = 0.0
    frame: Mapping[str, Json] = made(default_factory=dict)


@frozen
class Invocation:
    """One invocation: how many events, how many contributed, when it began, and what was said first."""

    id: str
    events: int
    contributed: int
    at: float
    authors: tuple[str, ...]
    said: str


def entries(recording: Recording, *, internal: bool = False) -> tuple[Entry, ...]:
    """Account for a recording's events; `internal` takes the runtime's own calls for tool calls.

    Raises NotASession.
    """
    reader = EventReader(internal=internal)
    found = [_entry(reader, number, frame) for number, frame in enumerate(recording.frames, start=1)]
    if found and (rest := reader.rest()):
        found[-1] = replace(found[-1], events=(*_whole(found[-1]), *rest))
    return tuple(found)


def entries_of(events: Iterable[Event]) -> tuple[Entry, ...]:
    """Account for events that were read before, of a trace."""
    return tuple(
        Entry(number=number, author=event.author, events=(event,)) for number, event in enumerate(events, 1)
    )


def without_tools(found: Iterable[Entry], names: Collection[str]) -> tuple[Entry, ...]:
    """The entries without calls and results of these tools; one that loses all it had says so."""
    return tuple(
        replace(entry, events=tuple(_without(event, names) for event in entry.events)) for entry in found
    )


def rows(found: Iterable[Entry]) -> tuple[Row, ...]:
    """A row for each stored event."""
    return tuple(row(entry.number, entry.author, entry.events) for entry in found)


def invocations(found: Iterable[Entry]) -> tuple[Invocation, ...]:
    """The invocations in the order of their first events."""
    groups: dict[str, list[Entry]] = {}
    for entry in found:
        groups.setdefault(entry.invocation, []).append(entry)
    return tuple(_invocation(name, group) for name, group in groups.items())


def _entry(reader: EventReader, number: int, frame: Mapping[str, Json]) -> Entry:
    try:
        events = reader.read(frame)
    except UnreadableEvent as error:
        raise NotASession(f"event {number}: {error}") from None
    author, invocation = field(frame, "author"), field(frame, "invocationId")
    author = author if isinstance(author, str) else ""
    return Entry(
        number=number,
        author=author,
        events=events or (Event(author=author, not_in_trajectory=STREAMED),),
        invocation=invocation if isinstance(invocation, str) else "",
        at=timestamp(frame),
        frame=frame,
    )


def _whole(entry: Entry) -> tuple[Event, ...]:
    return tuple(event for event in entry.events if event.not_in_trajectory != STREAMED)


def _without(event: Event, names: Collection[str]) -> Event:
    kept = tuple(part for part in event.parts if not (isinstance(part, Call | Result) and part.name in names))
    if len(kept) == len(event.parts):
        return event
    if any(not isinstance(part, Thought) for part in kept):
        return replace(event, parts=kept)
    gone = dict.fromkeys(
        part.name for part in event.parts if isinstance(part, Call | Result) and part.name in names
    )
    return replace(event, parts=kept, not_in_trajectory=DROPPED + ", ".join(gone))


def _invocation(name: str, group: list[Entry]) -> Invocation:
    times = [entry.at for entry in group if entry.at]
    return Invocation(
        id=name,
        events=len(group),
        contributed=sum(bool(made.contributed) for made in rows(group)),
        at=min(times, default=0.0),
        authors=tuple(dict.fromkeys(entry.author for entry in group)),
        said=next(_texts(group), ""),
    )


def _texts(group: Iterable[Entry]) -> Iterator[str]:
    for entry in group:
        if entry.author == USER:
            yield from (part.text for event in entry.events for part in event.parts if isinstance(part, Text))
