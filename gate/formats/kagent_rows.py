"""Rows of kagent's `event` table to a recording, after its first migration (go/core/pkg/migrations/core).

`data` is what ADK's `Event.model_dump_json()` gave. A row that kagent deleted keeps its place with
`deleted_at` set. Rows are ordered by `created_at`, and those of one moment by the event's own time.
"""

from collections.abc import Iterable, Mapping

from gate.formats.adk_fields import is_mapping, kind
from gate.formats.stored import NotASession, Recording, timestamp
from gate.formats.strict import strict_json
from gate.frozen import frozen
from gate.model import Json


@frozen
class KagentRow:
    """One row; `created` in seconds since 1970."""

    data: str
    created: float
    deleted: bool


def recording(key: tuple[str, str, str], rows: Iterable[KagentRow]) -> Recording:
    """The session `(agent, user, id)` without its deleted rows, which a note counts; raises NotASession."""
    kept: list[tuple[float, float, int, Mapping[str, Json]]] = []
    deleted = 0
    for number, row in enumerate(rows, start=1):
        if row.deleted:
            deleted += 1
            continue
        frame = _frame(row.data, number)
        kept.append((row.created, timestamp(frame), number, frame))
    app, user, name = key
    note = f"events that kagent marked as deleted are left out: {deleted}"
    return Recording(
        id=name,
        frames=tuple(frame for *_, frame in sorted(kept, key=lambda one: one[:3])),
        app=app,
        user=user,
        notes=(note,) if deleted else (),
    )


def _frame(data: str, number: int) -> Mapping[str, Json]:
    try:
        frame = strict_json(data)
    except ValueError as error:
        raise NotASession(f"event {number}: not JSON: {error}") from None
    if not is_mapping(frame):
        raise NotASession(f"event {number}: an event is an object, this is {kind(frame)}")
    return frame
