"""Recorded sessions as they are stored, to the events of each: a session service's, and rows of tables.

Read are a session object, a list of events, one event a line, rows of kagent's event table and of ADK's
(`{"data": "<event>"}`, `{"event_data": {…}}`), and the answer of kagent's REST API.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field as made
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal, get_args

from gate.formats.adk import NO_EVENT, is_event
from gate.formats.adk_fields import UnreadableEvent, field, is_mapping, items, kind, mapping, text
from gate.formats.strict import strict_json
from gate.frozen import frozen
from gate.model import Json
from gate.model.trace import Exposed

_ROW = ("data", "event_data")
LAST_SECOND = 253_402_300_799
"""The end of the year 9999, after which no calendar goes."""


class NotASession(ValueError):
    """The text is no recorded session; the message says where it stops being one."""


@frozen
class Recording:
    """A session as it was stored; `state` is how it ended, empty where only events were kept.

    `notes` says what the store has that was not read, `exposes` what can be known of the session at all.
    """

    id: str
    state: Mapping[str, Json] = made(default_factory=dict)
    frames: tuple[Mapping[str, Json], ...] = ()
    app: str = ""
    user: str = ""
    exposes: tuple[Exposed, ...] = get_args(Exposed)
    notes: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from others: an id is unique for one user of one app."""
        return self.app, self.user, self.id


@frozen
class Listed:
    """One session of a store: whose it is, how many events it has, and when (0 where that is unknown)."""

    store: Literal["file", "adk", "adk-old", "kagent"]
    id: str
    app: str = ""
    user: str = ""
    events: int = 0
    first: float = 0.0
    last: float = 0.0
    about: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """As a recording's."""
        return self.app, self.user, self.id


def moment(seconds: float) -> str:
    """A time for people, in UTC; "" where it is unknown."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S") if seconds else ""


def read_recording(content: str) -> Recording:
    """The one session of a text, whichever way it was stored; raises NotASession, for several too."""
    found = read_recordings(content)
    if len(found) > 1:
        names = ", ".join(repr(one.id) for one in found[:5])
        raise NotASession(f"it holds {len(found)} sessions ({names}{', …' * (len(found) > 5)}), not one")  # noqa: PLR2004
    return found[0]


def read_recordings(content: str) -> tuple[Recording, ...]:
    """All sessions of a text, in the order of their first events; raises NotASession where there is none."""
    parts: list[Recording] = []
    for value, where in _documents(content):
        try:
            parts += _recordings(value)
        except ValueError as error:
            raise NotASession(f"{where}{error}") from None
    found = tuple(one for one in _together(parts) if one.frames)
    if not found:
        raise NotASession("no event in it")
    for one in found:
        _check(one)
    return found


def _check(recording: Recording) -> None:
    for number, frame in enumerate(recording.frames, start=1):
        if not is_event(frame):
            raise NotASession(f"event {number}: {NO_EVENT}")


def timestamp(frame: Mapping[str, Json]) -> float:
    """Seconds since 1970 at which an event was made; 0 where it does not say, or says what is no time."""
    value = field(frame, "timestamp")
    return float(value) if isinstance(value, int | float) and 0 <= value <= LAST_SECOND else 0.0


def _documents(content: str) -> Iterator[tuple[Json, str]]:
    lines = [(number, line) for number, line in enumerate(content.split("\n"), start=1) if line.strip()]
    try:
        yield strict_json(content), ""
    except ValueError as error:
        if not _is_json_lines(lines):
            raise NotASession(f"not JSON: {error}") from None
        for number, line in lines:
            yield _line(number, line), f"line {number}: "


def _is_json_lines(lines: Sequence[tuple[int, str]]) -> bool:
    try:
        return len(lines) > 1 and is_mapping(strict_json(lines[0][1]))
    except ValueError:
        return False


def _line(number: int, line: str) -> Json:
    try:
        return strict_json(line)
    except ValueError as error:
        raise NotASession(f"line {number}: not JSON: {error}") from None


def _together(parts: Sequence[Recording]) -> Iterator[Recording]:
    """One recording a session; events that name none belong to the session that was named before them."""
    groups: dict[tuple[str, str, str], list[Recording]] = {}
    last = next((part.key for part in parts if part.id), ("", "", ""))
    for part in parts:
        last = part.key if part.id else last
        groups.setdefault(last, []).append(part)
    for (app, user, name), some in groups.items():
        state: dict[str, Json] = {}
        for part in some:
            state |= part.state
        frames = tuple(frame for part in some for frame in part.frames)
        yield Recording(id=name, state=state, frames=frames, app=app, user=user)


def _recordings(value: Json) -> list[Recording]:
    if isinstance(value, list):
        return [found for item in value for found in _recordings(item)]
    if not is_mapping(value):
        raise UnreadableEvent(f"expected an event, a session or a list of events, not {kind(value)}")
    data = value.get("data")
    if is_mapping(data) and "events" in data:
        return _session({**mapping(data, "session"), "events": data["events"]})
    if isinstance(value.get("events"), list):
        return _session(value)
    for name in _ROW:
        if isinstance(held := value.get(name), str) or is_mapping(held):
            return _row(value, strict_json(held) if isinstance(held, str) else held)
    return [Recording(id="", frames=(value,))]


def _row(row: Mapping[str, Json], event: Json) -> list[Recording]:
    owner = Recording(id=text(row, "sessionId"), app=text(row, "appName"), user=text(row, "userId"))
    return [replace(found, id=owner.id, app=owner.app, user=owner.user) for found in _recordings(event)]


def _session(value: Mapping[str, Json]) -> list[Recording]:
    inner = _recordings(list(items(value, "events")))
    return [
        Recording(
            id=text(value, "id"),
            state=mapping(value, "state"),
            frames=tuple(frame for found in inner for frame in found.frames),
            app=text(value, "appName"),
            user=text(value, "userId"),
        )
    ]
