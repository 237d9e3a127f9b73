"""kagent's tables `event` and `session` as sessions; `app` is the agent that kagent's session names."""

from collections.abc import Callable, Collection, Iterator
from typing import Final

from gate.formats.kagent_rows import KagentRow
from gate.formats.kagent_rows import recording as of_rows
from gate.formats.stored import Listed, NotASession, Recording
from gate.recorded.database import Database, conditions, counted, seconds, text
from gate.recorded.source import Wanted

_SESSION: Final = {"id", "user_id", "name", "agent_id", "source"}


def fits(event: Collection[str]) -> bool:
    """Whether these are the columns of kagent's `event`."""
    return {"id", "user_id", "session_id", "created_at", "data"} <= set(event)


def sessions(database: Database, event: Collection[str], wanted: Wanted, most: int) -> Iterator[Listed]:
    """The sessions that are wanted, the newest first; those of sub-agents say so."""
    knows = set(database.columns("session")) >= _SESSION
    if wanted.app and not knows:
        return
    agent, name, origin = ("s.agent_id", "s.name", "s.source") if knows else ("NULL", "NULL", "NULL")
    held = {"e.session_id": wanted.session, "e.user_id": wanted.user}
    where, values = conditions({**held, **({agent: wanted.app} if knows else {})})
    alive = " e.session_id IS NOT NULL" + (" AND e.deleted_at IS NULL" if "deleted_at" in event else "")
    joined = " LEFT JOIN session s ON s.id = e.session_id AND s.user_id = e.user_id" if knows else ""
    columns = f"e.user_id, e.session_id{', s.agent_id, s.name, s.source' if knows else ''}"
    words = ", ".join(map(database.text, (agent, "e.user_id", "e.session_id", name, origin)))
    query = (
        f"SELECT {words}, count(*),"  # noqa: S608  # every name in it is ours
        f" {database.seconds('min(e.created_at)')}, {database.seconds('max(e.created_at)')}"
        f" FROM event e{joined}{where}{' AND' if where else ' WHERE'}{alive}"
        f" GROUP BY {columns} ORDER BY max(e.created_at) DESC, e.session_id LIMIT {most:d}"
    )
    for row in database.rows(query, values):
        about = [text(value, "a session's name") for value in row[3:5] if value is not None]
        yield Listed(
            store="kagent",
            app="" if row[0] is None else text(row[0], "an agent's id"),
            user=text(row[1], "a user's id"),
            id=text(row[2], "a session's id"),
            about=", ".join(filter(None, about)),
            events=counted(row[5]),
            first=seconds(row[6]),
            last=seconds(row[7]),
        )


def recording(database: Database, listed: Listed, clean: Callable[[str], str]) -> Recording:
    """One session; raises NotASession."""
    deleted = "deleted_at IS NOT NULL" if "deleted_at" in database.columns("event") else "1 = 0"
    where, values = conditions({"session_id": listed.id, "user_id": listed.user}, always=True)
    columns = f"{database.text('data')}, {database.seconds('created_at')}, {deleted}"
    query = f"SELECT {columns} FROM event{where} ORDER BY created_at, id"  # noqa: S608  # as above
    rows = (
        KagentRow(data=_data(row[0], number, clean), created=seconds(row[1]), deleted=bool(row[2]))
        for number, row in enumerate(database.rows(query, values), start=1)
    )
    return of_rows(listed.key, rows)


def _data(value: str | bytes | float | None, number: int, clean: Callable[[str], str]) -> str:
    try:
        return clean(text(value, "data"))
    except ValueError as error:
        raise NotASession(f"event {number}: {error}") from None
