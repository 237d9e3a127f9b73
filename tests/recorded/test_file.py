"""Sessions in text files."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gate.errors import UsageError
from gate.recorded import Wanted, address, opened
from gate.recorded.source import choose


def frame(text: str, at: float = 1.0) -> dict[str, Any]:
    return {"author": "user", "timestamp": at, "content": {"parts": [{"text": text}]}}


SESSIONS = [
    {"id": "one", "appName": "a", "userId": "ann", "events": [frame("1", 10), frame("2", 20)]},
    {"id": "two", "appName": "a", "userId": "bob", "events": [frame("3", 30)]},
    {"id": "two", "appName": "b", "userId": "bob", "events": [frame("4", 40)]},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sessions.json"
    path.write_text("\ufeff" + json.dumps(SESSIONS), encoding="utf-8")
    return path


def test_sessions_are_listed_the_newest_first(file: Path) -> None:
    with opened(address(str(file)), str) as source:
        found = source.sessions(Wanted(), 9)
        assert [(one.app, one.user, one.id, one.events, one.first, one.last) for one in found] == [
            ("b", "bob", "two", 1, 40, 40),
            ("a", "bob", "two", 1, 30, 30),
            ("a", "ann", "one", 2, 10, 20),
        ]
        assert source.sessions(Wanted(since=25), 1) == found[:1]
        assert source.sessions(Wanted(since=35), 9) == found[:1]
        assert source.sessions(Wanted(user="ann"), 9) == found[2:]


def test_one_session_is_chosen_by_what_tells_it_apart(file: Path) -> None:
    with opened(address(str(file)), str) as source:
        assert len(source.recording(choose(source, Wanted(session="one"))).frames) == 2
        assert source.recording(choose(source, Wanted(session="two", app="b"))).app == "b"
        with pytest.raises(UsageError, match="has 2 sessions with session 'two'") as refused:
            choose(source, Wanted(session="two"))
        assert (
            "--session 'two' --app 'b' --user 'bob': 1 event, the last 1970-01-01 00:00:40"
            in refused.value.hint
        )
        with pytest.raises(UsageError, match=r"no session with session 'on'; did you mean 'one'"):
            choose(source, Wanted(session="on"))
        with pytest.raises(UsageError, match="has 3 sessions"):
            choose(source, Wanted())
        with pytest.raises(UsageError, match="no session with app 'z', user 'ann'"):
            choose(source, Wanted(app="z", user="ann"))


def test_a_crowd_is_not_listed_whole(tmp_path: Path) -> None:
    path = tmp_path / "many.json"
    path.write_text(
        json.dumps([{"id": f"s{n}", "events": [frame("x")]} for n in range(30)]), encoding="utf-8"
    )
    with (
        opened(address(str(path)), str) as source,
        pytest.raises(UsageError, match="more than 20") as refused,
    ):
        choose(source, Wanted())
    assert refused.value.hint.count("--session 's") == 20
    assert refused.value.hint.endswith("…")


@pytest.mark.parametrize("kind", ["pipe", "device", "missing", "latin"])
def test_what_cannot_be_read_is_named(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.jsonl"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "latin":
        path.write_bytes(b'{"author": "\xe9"}')
    with opened(address(str(path)), str) as source, pytest.raises(UsageError, match=r"x\.jsonl"):
        source.sessions(Wanted(), 9)
