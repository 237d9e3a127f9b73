"""ADK's tables `sessions`, `events`, `app_states` and `user_states`, of both layouts, as sessions."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final

from gate.formats import adk_rows
from gate.formats.adk_fields import UnreadableEvent
from gate.formats.stored import Listed, NotASession, Recording
from gate.model import Json
from gate.recorded.database import Database, Row, conditions, counted, seconds, text
from gate.recorded.source import Wanted

_KEY: Final = ("app_name", "user_id", "session_id")


def fits(events: Collection[str], sessions: Collection[str]) -> bool:
    """Whether these are the columns of ADK's two tables."""
    kept = "event_data" in events or "content" in events
    return kept and {*_KEY, "timestamp"} <= set(events) and {"app_name", "user_id", "id"} <= set(sessions)


def sessions(database: Database, events: Collection[str], wanted: Wanted, most: int) -> Iterator[Listed]:
    """The sessions that are wanted, the newest first."""
    where, values = conditions({"s.app_name": wanted.app, "s.user_id": wanted.user, "s.id": wanted.session})
    joined = " AND ".join(f"e.{name} = s.{name}" for name in _KEY[:2])
    query = (
        f"SELECT s.app_name, s.user_id, s.id, count(e.id),"  # noqa: S608  # every name in it is ours
        f" {database.seconds('min(e.timestamp)')}, {database.seconds('max(e.timestamp)')}"
        f" FROM sessions s LEFT JOIN events e ON {joined} AND e.session_id = s.id{where}"
        f" GROUP BY s.app_name, s.user_id, s.id"
        f" ORDER BY max(e.timestamp) IS NULL, max(e.timestamp) DESC, s.id LIMIT {most:d}"
    )
    for row in database.rows(query, values):
        yield Listed(
            store="adk" if "event_data" in events else "adk-old",
            app=text(row[0], "an app's name"),
            user=text(row[1], "a user's id"),
            id=text(row[2], "a session's id"),
            events=counted(row[3]),
            first=seconds(row[4]),
            last=seconds(row[5]),
        )


def recording(database: Database, listed: Listed, clean: Callable[[str], str]) -> Recording:
    """One session; raises NotASession or ValueError."""
    old = listed.store == "adk-old"
    frames = _old_frames(database, listed, clean) if old else _frames(database, listed, clean)
    states = [
        ("app:", "app_states", {"app_name": listed.app}),
        ("user:", "user_states", {"app_name": listed.app, "user_id": listed.user}),
        ("", "sessions", {"app_name": listed.app, "user_id": listed.user, "id": listed.id}),
    ]
    held = [
        (prefix, clean(state))
        for prefix, table, keys in states
        if "state" in database.columns(table)
        for state in _states(database, table, keys)
    ]
    return adk_rows.recording(listed.key, held, tuple(frames), old=old)


def _states(database: Database, table: str, keys: Mapping[str, str]) -> Iterator[str]:
    where, values = conditions(keys, always=True)
    query = f"SELECT {database.text('state')} FROM {table}{where}"  # noqa: S608  # as above
    for (state,) in database.rows(query, values):
        yield text(state, f"the state in {table}")


def _events(database: Database, listed: Listed, columns: Sequence[str]) -> Iterator[Row]:
    where, values = conditions(dict(zip(_KEY, listed.key, strict=True)), always=True)
    order = f" ORDER BY timestamp, {database.order('events')}"
    return database.rows(f"SELECT {', '.join(columns)} FROM events{where}{order}", values)  # noqa: S608


def _frames(database: Database, listed: Listed, clean: Callable[[str], str]) -> Iterator[Mapping[str, Json]]:
    columns = (database.text("event_data"), "id", "invocation_id", database.seconds("timestamp"))
    for number, (data, name, invocation, at) in enumerate(_events(database, listed, columns), start=1):
        identity: dict[str, Json] = {
            "id": text(name, f"the id of event {number}"),
            "invocation_id": text(invocation, f"the invocation of event {number}"),
            "timestamp": seconds(at) or None,
        }
        try:
            yield adk_rows.event(clean(text(data, "event_data")), identity)
        except ValueError as error:
            raise NotASession(f"event {number} of session {listed.id!r}: {error}") from None


def _old_frames(
    database: Database, listed: Listed, clean: Callable[[str], str]
) -> Iterator[Mapping[str, Json]]:
    there = database.columns("events")
    names = [name for name in adk_rows.OLD_COLUMNS if name in there]
    columns = [*(database.text(name) for name in names), database.seconds("timestamp")]
    for number, row in enumerate(_events(database, listed, columns), start=1):
        held: dict[str, Json] = {"timestamp": seconds(row[-1]) or None}
        try:
            held |= {name: _held(value, name, clean) for name, value in zip(names, row[:-1], strict=True)}
            yield adk_rows.old_event(held)
        except (UnreadableEvent, ValueError) as error:
            raise NotASession(f"event {number} of session {listed.id!r}: {error}") from None


def _held(value: str | bytes | float | None, name: str, clean: Callable[[str], str]) -> Json:
    return value if value is None or isinstance(value, int | float) else clean(text(value, name))
