"""Rows of ADK's session tables to a recording, after google-adk 2.13 (sessions/schemas/v0.py and v1.py).

The layout of today keeps an event as JSON (`event_data`); `adk api_server` without a URL keeps the same in
SQLite. The old layout has a column for each field, and `actions` as a pickle: to read that would be to run
it, so it is never read, and what stands in it (state changes, requested confirmations) is told to be unknown.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gate.formats.adk_fields import is_mapping, kind
from gate.formats.stored import NotASession, Recording
from gate.formats.strict import strict_json
from gate.model import Json
from gate.model.trace import Exposed

PICKLED: Final = (
    "the tables have ADK's old layout, whose column `actions` is a pickle, which is never read: "
    "state changes are unknown. `adk migrate session` writes the layout of today."
)
KEPT_WITHOUT_PICKLE: Final[tuple[Exposed, ...]] = ("text", "calls", "usage", "pauses")

JSON_COLUMNS: Final = ("content", "usage_metadata", "custom_metadata", "grounding_metadata")
TEXT_COLUMNS: Final = ("id", "invocation_id", "author", "branch", "error_code", "error_message")
OLD_COLUMNS: Final = (*TEXT_COLUMNS, "partial", "long_running_tool_ids_json", *JSON_COLUMNS)
"""The columns that are read of the old layout, which may lack some; `timestamp` comes besides."""


def event(data: str, identity: Mapping[str, Json]) -> Mapping[str, Json]:
    """An event of today's layout; `identity` has id, invocation and time of the row, where the JSON has none.

    Raises NotASession.
    """
    frame = strict_json(data)
    if not is_mapping(frame):
        raise NotASession(f"an event is an object, this is {kind(frame)}")
    missing = {name: held for name, held in identity.items() if held is not None and frame.get(name) is None}
    return {**frame, **missing}


def old_event(columns: Mapping[str, Json]) -> Mapping[str, Json]:
    """An event of the old layout, by the names of its columns; raises NotASession or ValueError."""
    frame: dict[str, Json] = {name: columns.get(name) for name in TEXT_COLUMNS}
    for name in JSON_COLUMNS:
        held = columns.get(name)
        frame[name] = strict_json(held) if isinstance(held, str) else held
    running = columns.get("long_running_tool_ids_json")
    frame["long_running_tool_ids"] = strict_json(running) if isinstance(running, str) and running else None
    frame["partial"] = True if columns.get("partial") in (True, 1, "true", "t") else None
    frame["timestamp"] = columns.get("timestamp")
    return frame


def recording(
    key: tuple[str, str, str],
    states: Sequence[tuple[str, str]],
    frames: Iterable[Mapping[str, Json]],
    *,
    old: bool,
) -> Recording:
    """The session `(app, user, id)`; `states` pairs a prefix (`app:`, `user:` or none) with JSON.

    Raises NotASession.
    """
    app, user, name = key
    state: dict[str, Json] = {}
    for prefix, text in states:
        held = strict_json(text)
        if not is_mapping(held):
            raise NotASession(f"the state of the session is {kind(held)}, not an object")
        state |= {prefix + word: value for word, value in held.items()}
    found = Recording(id=name, state=state, frames=tuple(frames), app=app, user=user)
    if not old:
        return found
    return Recording(
        id=name,
        state=state,
        frames=found.frames,
        app=app,
        user=user,
        exposes=KEPT_WITHOUT_PICKLE,
        notes=(PICKLED,),
    )
