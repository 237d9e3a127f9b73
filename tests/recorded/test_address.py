"""What an address means, and what of it may be shown."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import UsageError
from gate.recorded import address
from gate.recorded.address import looks_like_one


@pytest.mark.parametrize(
    ("text", "kind", "target", "shown"),
    [
        ("a/b.jsonl", "file", "a/b.jsonl", "a/b.jsonl"),
        ("sqlite:///a.db", "sqlite", "a.db", "a.db"),
        ("sqlite:////var/a.db", "sqlite", "/var/a.db", "/var/a.db"),
        ("sqlite+aiosqlite:///a%20b.db?mode=rw", "sqlite", "a b.db", "a b.db"),
        ("postgresql://h/d", "postgres", "postgresql://h/d", "postgresql://h/d"),
        ("postgres://u@h:1/d", "postgres", "postgresql://u@h:1/d", "postgresql://u@h:1/d"),
        ("postgresql+asyncpg://u:p@h/d?x=1", "postgres", "postgresql://u:p@h/d?x=1", "postgresql://u@h/d"),
        ("postgresql://u:p@h/d?a=b@c", "postgres", "postgresql://u:p@h/d?a=b@c", "postgresql://u@h/d"),
        ("postgresql:///d?host=/run", "postgres", "postgresql:///d?host=/run", "postgresql:///d"),
    ],
)
def test_an_address_is_read_and_shown_without_its_password(
    text: str, kind: str, target: str, shown: str
) -> None:
    found = address(text)
    assert (found.kind, found.target, found.shown) == (kind, target, shown)


def test_a_file_that_begins_as_sqlite_does_is_a_database(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"SQLite format 3\0")
    assert address(str(tmp_path / "a.jsonl")).kind == "sqlite"


def test_every_form_of_a_password_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "from-env")
    found = address("postgresql://u:a%40b@h/d?password=c&sslpassword=d")
    assert set(found.secrets) == {"a%40b", "a@b", "c", "d", "from-env"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mysql://u:secret-word@h/d", "not read from mysql://"),
        ("http://u:secret-word@h/d", "not read from http://"),
        ("postgresql://u:p@secret-word@h/d", "password of this .* cannot be told"),
        ("postgresql://u:secret-word@q@h/d", "password of this .* cannot be told"),
        ("postgresql://u:p/secret-word@h/d", "password of this .* cannot be told"),
        ("postgresql://u:p?secret-word@h/d", "password of this .* cannot be told"),
        ("postgresql://u:p#secret-word@h/d", "password of this .* cannot be told"),
        ("postgresql://u:p@q/secret-word@h/d", "password of this .* cannot be told"),
        ("postgresql://u:p@q?secret-word@h/d", "password of this .* cannot be told"),
        ("postgresql://u:p@q?x=1&secret-word@h/d", "password of this .* cannot be told"),
        ("postgresql://u:1?x=secret-word@h/d", "password of this .* cannot be told"),
        ("sqlite://", "names no file"),
        ("sqlite:///", "names no file"),
        ("sqlite://relative.db", "names no file"),
        ("sqlite:///:memory:", "names no file"),
    ],
)
def test_what_is_not_read_is_refused_without_the_password(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as refused:
        address(text)
    assert "secret-word" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("weather_london", False),
        ("golden", False),
        ("case.with.dots", False),
        ("x.jsonl", True),
        ("x.JSON", True),
        ("dir/x.db", True),
        ("postgresql://h/d", True),
        ("http://h", True),
    ],
)
def test_a_case_is_told_from_a_source(text: str, is_one: bool) -> None:
    assert looks_like_one(text) is is_one


PASSWORDS = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"]), min_size=6, max_size=12)


@given(
    PASSWORDS,
    st.sampled_from(["u:{}@h/d", "u:{}@h", ":{}@h:5/d?x=y", "h/d?password={}", "u:{}@[::1]/d?a=b@c"]),
)
def test_no_password_is_ever_shown(password: str, form: str) -> None:
    shown = ""
    with suppress(UsageError):  # which have no words of the address, as the table above tells
        shown = address("postgresql://" + form.format(password)).shown
    assert password not in shown


@given(st.text(max_size=30), st.sampled_from(["", "sqlite://", "sqlite:///", "postgres://", "x+y://"]))
def test_any_text_is_an_address_or_is_refused(text: str, before: str) -> None:
    with suppress(UsageError):
        assert address(before + text).kind
