"""Sessions in SQLite files, written by ADK's own services; the files and their folders stay as they are."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.sessions.session import Session

from gate import cli
from gate.errors import UsageError
from gate.formats.adk_rows import PICKLED
from gate.formats.sessions import read_session, trace_of
from gate.formats.stored import Recording
from gate.recorded import Wanted, address, opened
from gate.recorded import sqlite as subject
from gate.recorded.source import choose
from tests.support import adk_store
from tests.support.adk_store import as_json, lines

NAMES = ("hitl_14_events", "weather_grounded")
MAKE: dict[str, Callable[[Path], Any]] = {
    "database service": lambda path: adk_store.database(f"sqlite+aiosqlite:///{path}"),
    "api_server": adk_store.sqlite_of_the_server,
}


def read(where: str | Path, session: str = "") -> Recording:
    with opened(address(str(where)), str) as source:
        return source.recording(choose(source, Wanted(session=session)))


@pytest.fixture(scope="module", params=sorted(MAKE))
def filled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Session]]:
    path = tmp_path_factory.mktemp("store") / "sessions.db"
    return path, adk_store.fill(MAKE[request.param](path), NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_session_is_read_as_adk_reads_it(filled: tuple[Path, dict[str, Session]], name: str) -> None:
    path, stored = filled
    found = read(path, name)
    mine = sorted(as_json(map(Event.model_validate, found.frames)), key=str)
    assert mine == sorted(as_json(stored[name].events), key=str)
    assert found.state == stored[name].state
    assert found.key == ("agents", "someone", name)


def test_events_come_by_their_time_and_then_as_they_were_stored(
    filled: tuple[Path, dict[str, Session]],
) -> None:
    ids = [Event.model_validate_json(line).id for line in lines("hitl_14_events")]
    moments = [Event.model_validate_json(line).timestamp for line in lines("hitl_14_events")]
    wanted = [name for _, name in sorted(zip(moments, ids, strict=True), key=lambda one: one[0])]
    assert [frame["id"] for frame in read(filled[0], "hitl_14_events").frames] == wanted


def test_relative_and_absolute_urls_and_plain_paths_are_one_file(
    filled: tuple[Path, dict[str, Session]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = filled[0]
    monkeypatch.chdir(path.parent)
    urls = (path, f"sqlite:///{path}", "sqlite:///sessions.db", "sqlite+aiosqlite:///sessions.db?x=1")
    found = [read(url, "weather_grounded") for url in urls]
    assert all(one == found[0] for one in found)


def test_the_old_layout_is_read_without_its_pickles(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    service = adk_store.old_database(f"sqlite+aiosqlite:///{path}", f"sqlite:///{path}")
    adk_store.fill(service, NAMES)
    found = read(path, "hitl_14_events")
    assert found.notes == (PICKLED,)
    recorded = read_session("\n".join(lines("hitl_14_events")))
    trace = trace_of(found, source="x")
    assert [turn.sent for turn in trace.turns] == [turn.sent for turn in recorded.turns]
    assert [turn.ended for turn in trace.turns] == [turn.ended for turn in recorded.turns]
    assert "state" not in trace.exposes


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("mode", ["delete", "wal at rest", "wal in use", "wal left behind"])
def test_nothing_is_written_beside_the_file_or_into_it(
    filled: tuple[Path, dict[str, Session]], tmp_path: Path, mode: str
) -> None:
    path = tmp_path / "sessions.db"
    shutil.copy(filled[0], path)
    connection = sqlite3.connect(path)
    if mode != "delete":
        connection.execute("PRAGMA journal_mode = wal")
    if mode in ("wal in use", "wal left behind"):
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("UPDATE sessions SET state = '{\"late\": 1}'")
        connection.commit()
    if mode == "wal left behind":
        (tmp_path / "left").mkdir()
        for name in ("sessions.db", "sessions.db-wal"):
            shutil.copy(tmp_path / name, tmp_path / "left" / name)
        path = tmp_path / "left/sessions.db"
    if mode == "wal at rest":
        connection.close()
    before = snapshot(path.parent)
    found = read(path, "weather_grounded")
    assert snapshot(path.parent) == before
    assert ("late" in found.state) == (mode in ("wal in use", "wal left behind"))
    connection.close()


def test_a_file_that_cannot_be_written_can_be_read(
    filled: tuple[Path, dict[str, Session]], tmp_path: Path
) -> None:
    path = tmp_path / "sessions.db"
    shutil.copy(filled[0], path)
    path.chmod(0o444)
    assert read(path, "weather_grounded").frames


TABLES = """
CREATE TABLE sessions (app_name TEXT, user_id TEXT, id TEXT, state, create_time, update_time);
CREATE TABLE events (id, app_name TEXT, user_id TEXT, session_id TEXT, invocation_id, timestamp, event_data);
"""


def crafted(path: Path, *rows: tuple[Any, ...], state: Any = "{}", tables: str = TABLES) -> Path:
    """A database with one session `s` and rows of (id, invocation, timestamp, data)."""
    connection = sqlite3.connect(path)
    connection.executescript(tables)
    connection.execute("INSERT INTO sessions VALUES ('a', 'u', 's', ?, 0, 0)", (state,))
    for name, invocation, at, data in rows:
        connection.execute(
            "INSERT INTO events VALUES (?, 'a', 'u', 's', ?, ?, ?)", (name, invocation, at, data)
        )
    connection.commit()
    connection.close()
    return path


GOOD = ("e1", "i", 1.0, '{"author": "user", "content": {"parts": [{"text": "hi"}]}}')
HOSTILE: dict[str, tuple[tuple[Any, ...], str]] = {
    "null": (("e", "i", 1.0, None), "event_data is null, not text"),
    "number": (("e", "i", 1.0, 3), "event_data is a number, not text"),
    "blob": (("e", "i", 1.0, b"\xff\xfe"), "event_data is not UTF-8"),
    "list": (("e", "i", 1.0, "[]"), "an event is an object, this is a list"),
    "cut": (("e", "i", 1.0, '{"author": "a"'), "Expecting"),
    "deep": (("e", "i", 1.0, "[" * 100_000), "nested deeper than 200 levels"),
    "id": ((7, "i", 1.0, "{}"), "the id of event 2 is a number"),
    "invocation": (("e", None, 1.0, "{}"), "the invocation of event 2 is null"),
    "kinds": (("e", "i", 1.0, '{"author": 5}'), "event 2: author is a number"),
}


def test_events_of_one_moment_stay_in_the_order_of_their_coming(tmp_path: Path) -> None:
    rows = [(name, "i", 1.0, GOOD[3]) for name in ("c", "a", "b")]
    found = read(crafted(tmp_path / "x.db", *rows))
    assert [frame["id"] for frame in found.frames] == ["c", "a", "b"]


@pytest.mark.parametrize("kind", sorted(HOSTILE))
@pytest.mark.parametrize("verb", [["extract", "--summary"], ["show"], ["import", "session"]])
def test_a_hostile_row_is_bad_input_that_names_it(
    tmp_path: Path, kind: str, verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    row, says = HOSTILE[kind]
    path = crafted(tmp_path / "x.db", GOOD, row)
    assert cli.main([*verb, str(path)]) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert "x.db" in said.err


@pytest.mark.parametrize("at", [None, "", "yesterday", b"\xff", 1e300, float("inf"), -5, "9999-99-99", "1e9"])
def test_a_time_that_is_none_is_unknown(tmp_path: Path, at: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = crafted(tmp_path / "x.db", ("e1", "i", at, GOOD[3]))
    for verb in (["extract", "--list-sessions"], ["extract", "--list-invocations"], ["show"]):
        assert cli.main([*verb, str(path)]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("[]", "the state of the session is a list"),
        (None, "the state in sessions is null"),
        ("{", "Expecting"),
    ],
)
def test_a_state_that_is_none_is_bad_input(tmp_path: Path, state: Any, says: str) -> None:
    path = crafted(tmp_path / "x.db", GOOD, state=state)
    with pytest.raises(UsageError, match=says):
        read(path)


VIEWS = {
    "events": (
        "CREATE VIEW events AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
        " SELECT x AS id, x AS app_name, x AS user_id, x AS session_id, x AS timestamp,"
        " x AS event_data FROM n;"
    ),
    "sessions": (
        "CREATE TABLE events (id, app_name, user_id, session_id, invocation_id, timestamp, event_data);"
        "CREATE VIEW sessions AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
        " SELECT x AS id, x AS app_name, x AS user_id, x AS state FROM n;"
    ),
}


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_a_view_is_no_table(tmp_path: Path, name: str) -> None:
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.executescript(VIEWS[name])
    connection.close()
    with pytest.raises(UsageError, match="has no sessions of ADK or kagent"):
        read(tmp_path / "x.db")


def test_a_file_that_keeps_us_busy_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "_STEPS", 100)
    monkeypatch.setattr(subject, "_MOST_STEPS", 3)
    path = crafted(tmp_path / "x.db", *([GOOD] * 500))
    with pytest.raises(UsageError, match="interrupted"):
        read(path)


def test_a_session_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "MAX_BYTES", 1 << 20)
    path = crafted(tmp_path / "x.db", ("e1", "i", 1.0, '{"author": "' + "x" * (1 << 20) + '"}'))
    with pytest.raises(UsageError, match="more than 1 MiB is not read"):
        read(path)


def test_a_file_without_sessions_says_what_it_has(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE orders (id)")
    connection.commit()
    connection.close()
    with pytest.raises(UsageError, match="has no sessions of ADK or kagent: it has orders"):
        read(tmp_path / "x.db")


def test_a_store_without_a_session_says_so(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.executescript(TABLES)
    connection.close()
    with pytest.raises(UsageError, match="holds no session"):
        read(tmp_path / "x.db")


@pytest.mark.parametrize(
    "content",
    [b"SQLite format 3\0", b"SQLite format 3\0" + b"\xff" * 5000, b"SQLite format 3\0" + bytes(5000)],
)
def test_a_broken_database_is_bad_input(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.db").write_bytes(content)
    assert cli.main(["extract", str(tmp_path / "x.db")]) == 2
    assert "x.db" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["pipe", "device", "missing", "folder", "circle"])
def test_what_is_no_file_is_not_opened(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.db"
    make: dict[str, Callable[[], object]] = {
        "pipe": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "missing": lambda: path.symlink_to("nowhere"),
        "folder": path.mkdir,
        "circle": lambda: path.symlink_to("x.db"),
    }
    make[kind]()
    for where in (str(path), f"sqlite:///{path}"):
        assert cli.main(["show", where]) == 2
        assert "x.db" in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["x.db"]


def test_kagents_rows_may_be_in_a_file_too(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE event (id, user_id, session_id, created_at, data)")
    for number, line in enumerate(lines("weather_grounded")):
        row = (f"e{9 - number}", "ann", "s", "2026-11-30 10:00:00+00:00", line)
        connection.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", row)
    connection.commit()
    connection.close()
    found = read(tmp_path / "x.db")
    assert [frame["id"] for frame in found.frames] == [
        Event.model_validate_json(x).id for x in lines("weather_grounded")
    ]
    with opened(address(str(tmp_path / "x.db")), str) as source:
        assert source.sessions(Wanted(app="any"), 5) == ()
