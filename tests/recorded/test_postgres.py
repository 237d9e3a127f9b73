"""Sessions in a real PostgreSQL, written by ADK's own service and into kagent's own tables."""

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.sessions.session import Session

from gate import cli
from gate.errors import UsageError
from gate.formats.adk_rows import KEPT_WITHOUT_PICKLE, PICKLED
from gate.formats.sessions import read_session, trace_of
from gate.formats.stored import Recording
from gate.model.trace import Trace
from gate.recorded import Wanted, address, opened
from gate.recorded.postgres import INSTALL, connected
from gate.recorded.source import choose
from gate.redact import Redactor
from tests.support import adk_store
from tests.support.adk_store import STATE, as_json, lines
from tests.support.commands import environment, gate
from tests.support.postgres import Server

pytestmark = pytest.mark.requires("postgres")

RECORDINGS = ("hitl_14_events", "weather_grounded")
# kagent's first migration (go/core/pkg/migrations/core/000001_initial.up.sql): two tables of it
SESSION_TABLE = (
    "CREATE TABLE session (id text NOT NULL, user_id text NOT NULL, name text, created_at timestamptz,"
    " updated_at timestamptz, deleted_at timestamptz, agent_id text, source text, PRIMARY KEY (id, user_id))"
)
EVENT_TABLE = (
    "CREATE TABLE event (id text NOT NULL, user_id text NOT NULL, session_id text, created_at timestamptz,"
    " updated_at timestamptz, deleted_at timestamptz, data text NOT NULL, PRIMARY KEY (id, user_id))"
)
ADD = (
    "INSERT INTO event (id, user_id, session_id, created_at, deleted_at, data)"
    " VALUES (%s, %s, %s, %s, %s, %s)"
)


def read(url: str, *, session: str = "", app: str = "", user: str = "") -> Recording:
    wanted = Wanted(session=session, app=app, user=user)
    with opened(address(url), str) as source:
        return source.recording(choose(source, wanted))


@pytest.fixture(scope="module")
def adk(server: Server) -> tuple[str, dict[str, Session]]:
    """A database that ADK filled, and what ADK reads of it."""
    url = server.make("adk")
    service = adk_store.database(server.url("adk", scheme="postgresql+psycopg"))
    return url, adk_store.fill(service, RECORDINGS)


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_session_of_adk_is_read_as_adk_reads_it(adk: tuple[str, dict[str, Session]], name: str) -> None:
    url, stored = adk
    found = read(url, session=name)
    assert as_json(map(Event.model_validate, found.frames)) == as_json(stored[name].events)
    assert found.state == stored[name].state
    assert found.key == ("agents", "someone", name)
    assert found.notes == ()


def test_what_the_agent_did_is_the_same_from_the_database_and_from_the_fixture(
    adk: tuple[str, dict[str, Session]],
) -> None:
    for name in RECORDINGS:
        trace = trace_of(read(adk[0], session=name), source="x")
        recorded = read_session("\n".join(lines(name)))
        assert [turn.sent for turn in trace.turns] == [turn.sent for turn in recorded.turns]
        assert trace.outcome == recorded.outcome
        assert trace.start_state == STATE
        assert parts(trace) == parts(recorded)


def parts(trace: Trace) -> list[str]:
    """JSONB keeps no order of keys, and ADK none of events that share a moment."""
    found = (asdict(part) for event in trace.events for part in event.parts)
    return sorted(json.dumps(part, sort_keys=True) for part in found)


@pytest.fixture(scope="module")
def old(server: Server) -> tuple[str, dict[str, Session]]:
    """Tables of ADK's old layout, filled by ADK, with a pickle that would leave a mark."""
    url = server.make("old")
    sync = server.url("old", scheme="postgresql+psycopg")
    return url, adk_store.fill(adk_store.old_database(sync, sync), RECORDINGS)


def test_the_old_layout_is_read_without_its_pickles(old: tuple[str, dict[str, Session]]) -> None:
    url, stored = old
    found = read(url, session="hitl_14_events")
    assert found.notes == (PICKLED,)
    assert found.exposes == KEPT_WITHOUT_PICKLE
    bare = [
        event.model_copy(update={"actions": Event().actions}) for event in stored["hitl_14_events"].events
    ]
    assert without_empty(map(Event.model_validate, found.frames)) == without_empty(bare)
    trace = trace_of(found, source="x")
    assert trace.start_state == {}
    assert not any(event.state_delta for event in trace.events)
    assert [turn.ended for turn in trace.turns] == ["paused", "paused", "answered"]


def without_empty(events: Iterable[Event]) -> list[Any]:
    return [{key: held for key, held in event.items() if held != []} for event in as_json(events)]


def test_a_pickle_is_never_run(
    server: Server, old: tuple[str, dict[str, Session]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = tmp_path / "mark"
    # what pickle writes for an object whose __reduce__ is (os.system, ("touch …",))
    bomb = b"cposix\nsystem\n(S'touch " + str(mark).encode() + b"'\ntR."
    server.run("old", ("UPDATE events SET actions = %s WHERE session_id = 'weather_grounded'", (bomb,)))
    commands: Sequence[list[str]] = (
        ["extract", old[0], "--session", "weather_grounded"],
        ["extract", old[0], "--session", "weather_grounded", "--raw"],
        ["show", old[0], "--session", "weather_grounded"],
        ["import", "session", old[0], "--session", "weather_grounded"],
    )
    for command in commands:
        assert cli.main(command) == 0
        said = capsys.readouterr()
        assert "a pickle, which is never read" in said.err
        assert "get_weather" in said.out
    assert not mark.exists()


@pytest.fixture(scope="module")
def kagent(server: Server) -> str:
    url = server.make("kagent")
    statements: list[tuple[str, tuple[Any, ...]]] = [(SESSION_TABLE, ()), (EVENT_TABLE, ())]
    for session, user, agent, source in (
        ("hitl_14_events", "ann", "kagent__NS__directory", None),
        ("weather_grounded", "ann", "kagent__NS__weather", "agent"),
        ("weather_grounded", "bob", "kagent__NS__weather", None),
    ):
        row = (session, user, "Chat", agent, source)
        columns = "INSERT INTO session (id, user_id, name, agent_id, source) VALUES (%s, %s, %s, %s, %s)"
        statements.append((columns, row))
        for number, line in reversed(list(enumerate(lines(session)))):
            at = f"2026-11-30 10:00:{number // 2:02}+00"  # two events share a moment
            statements.append((ADD, (f"{session}{99 - number}", user, session, at, None, line)))
    gone = ("gone", "ann", "hitl_14_events", "2026-11-30 09:00:00+00", "2026-11-30 09:00:01+00", "{}")
    server.run("kagent", *statements, (ADD, gone))
    return url


def test_a_session_of_kagent_is_what_was_recorded(kagent: str) -> None:
    found = read(kagent, session="hitl_14_events")
    assert list(found.frames) == [json.loads(line) for line in lines("hitl_14_events")]
    assert found.key == ("kagent__NS__directory", "ann", "hitl_14_events")
    assert found.notes == ("events that kagent marked as deleted are left out: 1",)


def test_one_id_of_two_users_is_asked_about(kagent: str) -> None:
    with pytest.raises(UsageError, match="has 2 sessions with session 'weather_grounded'") as refused:
        read(kagent, session="weather_grounded")
    assert "--user 'bob'" in refused.value.hint
    assert read(kagent, session="weather_grounded", user="bob").user == "bob"
    assert read(kagent, app="kagent__NS__directory").id == "hitl_14_events"


def test_kagents_sessions_are_listed_with_their_agents(kagent: str) -> None:
    with opened(address(kagent), str) as source:
        found = source.sessions(Wanted(), 10)
        newest = source.sessions(Wanted(), 1)
        late = source.sessions(Wanted(since=found[0].last + 1), 10)
    assert [(one.id, one.user, one.events, one.about) for one in found] == [
        ("hitl_14_events", "ann", 14, "Chat"),
        ("weather_grounded", "ann", 4, "Chat, agent"),
        ("weather_grounded", "bob", 4, "Chat"),
    ]
    assert newest == found[:1]
    assert late == ()


def test_other_types_of_columns_read_the_same(server: Server) -> None:
    url = server.make("typed")
    table = EVENT_TABLE.replace("session_id text", "session_id uuid").replace("data text", "data jsonb")
    name = "6f1c0000-0000-4000-8000-000000000001"
    rows = [
        (ADD, (f"e{number}", "ann", name, f"2026-11-30 10:00:0{number}+00", None, line))
        for number, line in enumerate(lines("weather_grounded"))
    ]
    server.run("typed", (table, ()), *rows)
    found = read(url, session=name)
    assert list(found.frames) == [json.loads(line) for line in lines("weather_grounded")]
    assert found.id == name


def test_both_stores_may_be_in_one_database(server: Server) -> None:
    url = server.make("both")
    adk_store.fill(
        adk_store.database(server.url("both", scheme="postgresql+psycopg")), ["weather_wrong_city"]
    )
    row = ("e", "ann", "s", "2026-11-30 10:00:00+00", None, lines("weather_grounded")[0])
    server.run("both", (EVENT_TABLE, ()), (ADD, row))
    with opened(address(url), str) as source:
        assert [(one.store, one.id) for one in source.sessions(Wanted(), 9)] == [
            ("adk", "weather_wrong_city"),
            ("kagent", "s"),
        ]
    assert read(url, session="s").frames[0]["author"] == "user"


def test_the_connection_can_only_read(adk: tuple[str, dict[str, Session]]) -> None:
    with connected(address(adk[0])) as database:
        assert list(database.rows("SELECT current_setting('transaction_read_only')")) == [("on",)]
    with pytest.raises(UsageError, match="read-only transaction"), connected(address(adk[0])) as database:
        database._connection.execute("DELETE FROM events")


def test_a_database_without_sessions_says_what_it_has(server: Server) -> None:
    url = server.make("other")
    server.run("other", ("CREATE TABLE orders (id int)", ()), ("CREATE VIEW events AS SELECT 1", ()))
    with pytest.raises(UsageError, match="no sessions of ADK or kagent: it has orders") as refused:
        read(url)
    assert "search_path" in refused.value.hint


SPELLED = ("postgresql", "postgres", "postgresql+asyncpg", "postgresql+psycopg2", "POSTGRESQL")


@pytest.mark.parametrize("scheme", SPELLED)
def test_every_usual_spelling_of_the_url_is_read(
    server: Server, adk: tuple[str, dict[str, Session]], scheme: str
) -> None:
    del adk
    assert read(server.url("adk", scheme=scheme), session="weather_grounded").frames


def test_the_password_may_come_from_the_environment(
    server: Server, adk: tuple[str, dict[str, Session]], tmp_path: Path
) -> None:
    del adk
    url = server.url("adk", password=False)
    done = gate("extract", url, "--list-sessions", cwd=tmp_path, env={"PGPASSWORD": server.password})
    assert done.code == 0, done.err
    assert "hitl_14_events" in done.out
    refused = gate("extract", url, "--list-sessions", cwd=tmp_path)
    assert refused.code == 2
    assert "PGPASSWORD" in refused.err


@pytest.mark.parametrize(
    "password", ["ab", "wr0ng-and-long", "p@ss", "p%40ss", "with space", "sl/ash", "qu?stion", "%zz"]
)
@pytest.mark.parametrize(
    "place", ["{user}:{password}@127.0.0.1:{port}/adk", "127.0.0.1:{port}/adk?password={password}"]
)
@pytest.mark.parametrize("verb", [["extract"], ["show"], ["import", "session"]])
def test_a_password_is_never_shown(
    server: Server, password: str, place: str, verb: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    url = "postgresql://" + place.format(user="owner", password=password, port=server.port)
    assert cli.main([*verb, url]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "postgresql://" in said.err
    assert password not in said.err.replace("PGPASSWORD", "").replace("password", "").replace("pass", "")
    assert "Traceback" not in said.err


def test_a_refusal_of_raw_events_does_not_show_the_password(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    url = server.make("leaking")
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl"
    data = json.dumps({"author": "system", "actions": {"state_delta": {"authorization": token}}})
    server.run("leaking", (EVENT_TABLE, ()), (ADD, ("e", "ann", "s", "2026-11-30 10:00:00+00", None, data)))
    for command in (
        ["extract", "--raw"],
        ["extract", "--raw", "--with-secrets"],
        ["extract", "--raw", "--redact"],
    ):
        code = cli.main([*command, url])
        said = capsys.readouterr()
        assert code == (2 if command == ["extract", "--raw"] else 0)
        assert server.password not in said.out + said.err
        assert (token in said.out) == ("--with-secrets" in command)
        assert token not in said.err


def test_the_servers_password_is_taken_out_of_what_agents_said(server: Server) -> None:
    url = server.make("said")
    service = adk_store.database(server.url("said", scheme="postgresql+psycopg"))
    said = Event.model_validate(
        {"author": "bot", "content": {"parts": [{"text": f"the password is {server.password}"}]}}
    )
    adk_store.fill(service, ["weather_grounded"], more=[said])
    where = address(url)
    with opened(where, Redactor(where.secrets).text) as source:
        found = source.recording(choose(source, Wanted()))
    assert server.password not in repr(found)
    assert "the password is ***" in repr(found)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql://owner:x@127.0.0.1:1/adk", "Connection refused"),
        ("postgresql://nobody.invalid/adk?connect_timeout=3", "nobody.invalid"),
        ("postgresql://127.0.0.1:{port}/none", "cannot be read"),
        ("postgresql://owner:{password}@127.0.0.1:{port}/none", 'database "none" does not exist'),
        (
            "postgresql://owner:{password}@127.0.0.1:{port}/adk?ssl=require",
            "invalid URI query parameter",
        ),
        ("postgresql://owner@127.0.0.1:no/adk", "cannot be read"),
        ("postgresql://[", "cannot be read"),
        ("postgresql://%zz", "cannot be read"),
        ("postgresql://owner:{password}@127.0.0.1:{port}/adk?sslmode=require", "SSL"),
    ],
)
def test_a_database_that_cannot_be_reached_is_bad_input(
    server: Server, url: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["extract", url.format(port=server.port, password=server.password)]) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert server.password not in said.err


def test_without_psycopg_the_message_says_what_to_install(server: Server) -> None:
    script = (
        "import sys; sys.modules['psycopg'] = None; from gate.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", script, "extract", server.url("adk")]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert INSTALL in done.stderr
    assert server.password not in done.stderr


def test_a_file_loads_no_driver() -> None:
    script = (
        "import sys; from gate.cli import main; code = main(sys.argv[1:]);"
        "print({'psycopg', 'sqlite3'} & set(sys.modules), file=sys.stderr); sys.exit(code)"
    )
    file = adk_store.RECORDED / "weather_grounded.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", script, "extract", file],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.endswith("set()\n")


HOSTILE: dict[str, str] = {
    "not json": "{oops",
    "a number": "3",
    "deep": "[" * 5000,
    "wrong types": '{"author": 3, "content": {"parts": "x"}}',
    "parts": '{"author": "a", "content": {"parts": [3]}}',
    "twice": '{"author": "a", "author": "b"}',
    "long number": '{"author": "a", "timestamp": 1' + "0" * 500 + "}",
    "nan": '{"author": "a", "timestamp": NaN}',
    "half": '{"author": "\\ud800"}',
    "nothing": "{}",
}


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_a_hostile_row_is_bad_input_with_its_number(
    server: Server, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"hostile-{kind.replace(' ', '-')}"
    url = server.make(name)
    row = ("e", "ann", "s", "2026-11-30 10:00:00+00", None, HOSTILE[kind])
    server.run(name, (EVENT_TABLE, ()), (ADD, row))
    for command in (["extract"], ["extract", "--summary"], ["show"], ["import", "session"]):
        assert cli.main([*command, url]) == 2
        assert "event 1" in capsys.readouterr().err
