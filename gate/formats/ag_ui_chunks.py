"""AG-UI's shorthand events (`…_CHUNK`) spelled out as the start, the content and the end that they stand for.

Each agent and subagent has one lane, in which at most one such stream is open. A chunk without an id goes on
with what is open; most other events of a lane end it.
"""

from collections.abc import Iterator
from typing import Final

from gate.formats.adk_fields import UnreadableEvent
from gate.formats.ag_ui_events import Record, owner_of, type_of
from gate.formats.ag_ui_places import newest
from gate.formats.quoting import quoted
from gate.frozen import frozen

_ENDS_ALL: Final = frozenset(("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"))
_ENDS_NONE: Final = frozenset(
    ("RAW", "ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA", "REASONING_ENCRYPTED_VALUE", "SUBAGENT_STARTED")
)


@frozen(kw_only=False)
class _Sort:
    """A kind of chunk: its id, the event names that it stands for, and what may not change on the way."""

    what: str
    id: str
    start: str
    content: str
    end: str
    fixed: tuple[str, ...] = ()
    needed: str = ""


_SORTS: Final = {
    "TEXT_MESSAGE_CHUNK": _Sort(
        "text message",
        "messageId",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        ("role", "name"),
    ),
    "TOOL_CALL_CHUNK": _Sort(
        "tool call",
        "toolCallId",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        ("toolCallName", "parentMessageId"),
        "toolCallName",
    ),
    "REASONING_MESSAGE_CHUNK": _Sort(
        "reasoning message",
        "messageId",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
    ),
}


@frozen(kw_only=False)
class _Lane:
    sort: _Sort
    id: str
    start: Record


class Chunks:
    """Spells out the events of one stream, in order. Raises UnreadableEvent for a chunk that has no place."""

    def __init__(self) -> None:
        self._lanes: dict[str | None, _Lane] = {}
        self._holders: dict[tuple[str, str], str | None] = {}
        self._owners: dict[str, dict[str | None, None]] = {sort.what: {} for sort in _SORTS.values()}

    def read(self, event: Record) -> Iterator[Record]:
        """The events that one event stands for; the end of what was open comes before it."""
        name = type_of(event)
        if name in _SORTS:
            yield from self._chunk(_SORTS[name], name, event)
            return
        if name in _ENDS_ALL:
            for owner in tuple(self._lanes):
                yield from self._close(owner)
        elif name not in _ENDS_NONE:
            yield from self._close(owner_of(event))
        yield event

    def _chunk(self, sort: _Sort, name: str, event: Record) -> Iterator[Record]:
        owner = self._lane_of(sort, name, event)
        lane, wanted = self._lanes.get(owner), event.get(sort.id)
        if lane and lane.sort is sort and wanted in (None, lane.id):
            _agree(lane, event)
        else:
            yield from self._close(owner)
            lane = self._open(sort, name, event, owner)
            yield lane.start
        delta = event.get("delta")
        if delta is not None:
            yield {"type": sort.content, sort.id: lane.id, "delta": delta, **_tag(owner)}

    def _lane_of(self, sort: _Sort, name: str, event: Record) -> str | None:
        """Where a chunk belongs: where its id is open, where its tag says, or the only lane it can mean."""
        tag, wanted = owner_of(event), event.get(sort.id)
        if isinstance(wanted, str):
            owner = self._holders.get((sort.what, wanted), tag)
            if tag is not None and owner != tag:
                raise UnreadableEvent(
                    f"{name} goes on with the {sort.what} {quoted(wanted)} of another agent"
                )
            return owner
        owners = self._owners[sort.what]
        if tag is not None or None in owners or not owners:
            return tag
        if len(owners) > 1:
            raise UnreadableEvent(f"{name} has no {sort.id}, and several {sort.what}s are open")
        return newest(owners)

    def _open(self, sort: _Sort, name: str, event: Record, owner: str | None) -> _Lane:
        for field in (sort.id, sort.needed):
            if field and event.get(field) is None:
                raise UnreadableEvent(f"the first {name} has no {field}")
        given = {field: event[field] for field in sort.fixed if event.get(field) is not None}
        lane = _Lane(
            sort,
            str(event[sort.id]),
            {"type": sort.start, sort.id: event[sort.id], **given, **_tag(owner)},
        )
        self._lanes[owner] = lane
        self._holders[sort.what, lane.id] = owner
        self._owners[sort.what][owner] = None
        return lane

    def _close(self, owner: str | None) -> Iterator[Record]:
        lane = self._lanes.pop(owner, None)
        if lane:
            del self._holders[lane.sort.what, lane.id]
            del self._owners[lane.sort.what][owner]
            yield {"type": lane.sort.end, lane.sort.id: lane.id, **_tag(owner)}


def _agree(lane: _Lane, event: Record) -> None:
    for field in lane.sort.fixed:
        was = lane.start.get(field, "assistant" if field == "role" else None)
        if event.get(field) not in (None, was):
            raise UnreadableEvent(f"{field} of the {lane.sort.what} {quoted(lane.id)} changes within it")


def _tag(owner: str | None) -> Record:
    return {} if owner is None else {"subagentRunId": owner}
