"""The address of recorded sessions, as a user gives it, and as it may be shown: without a password."""

import os
import re
from pathlib import Path
from typing import Final, Literal
from urllib.parse import parse_qsl, unquote

from gate.documents import open_regular
from gate.errors import UsageError
from gate.frozen import frozen

_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_AUTHORITY: Final = re.compile(r"[^/?#]*")
_MAGIC: Final = b"SQLite format 3\0"
_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".db", ".sqlite", ".sqlite3")
_KNOWN: Final = "It reads a file, sqlite:///path, and postgresql://user@host:5432/database."

_ESCAPED: Final = (
    "Write %40 for @, %2F for /, %3F for ? and %23 for # within a user or password, or set PGPASSWORD."
)


@frozen
class Address:
    """`target` is a path or libpq's URL, `shown` names it to people, `secrets` are in no output."""

    kind: Literal["file", "sqlite", "postgres"]
    target: str
    shown: str
    secrets: tuple[str, ...] = ()


def looks_like_one(text: str) -> bool:
    """Whether a word of the command line means a place of sessions rather than a case's id."""
    return bool(_SCHEME.match(text)) or Path(text).suffix.lower() in _SUFFIXES


def address(text: str) -> Address:
    """Read an address; raises UsageError for what is none, without repeating a password."""
    found = _SCHEME.match(text)
    if found is None:
        return Address(kind="sqlite" if _is_sqlite(Path(text)) else "file", target=text, shown=text)
    scheme, rest = found[1].lower().partition("+")[0], text[found.end() :]
    if scheme in ("postgresql", "postgres"):
        return _postgres(rest)
    if scheme == "sqlite":
        return _sqlite(rest)
    hint = _KNOWN
    if scheme in ("http", "https"):
        hint = "Fetch the session and give its file: curl -o session.json …/apps/APP/users/USER/sessions/ID"
    raise UsageError(f"sessions are not read from {scheme}://", hint=hint)


def _is_sqlite(path: Path) -> bool:
    try:
        with open_regular(path) as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False  # whoever reads it as a file says why it cannot be read


def _sqlite(rest: str) -> Address:
    """SQLAlchemy's form: `sqlite:///relative.db`, `sqlite:////absolute.db`; options are not taken."""
    path = unquote(rest.partition("?")[0].removeprefix("/"))
    if not path or not rest.startswith("/") or path == ":memory:":
        raise UsageError("this sqlite URL names no file", hint="Write sqlite:///relative.db or a plain path.")
    return Address(kind="sqlite", target=path, shown=path)


def _postgres(rest: str) -> Address:
    authority = _AUTHORITY.match(rest)
    login, at, host = (authority[0] if authority else "").rpartition("@")
    path, _, query = rest[len(login + at + host) :].partition("?")
    user, _, password = login.partition(":")
    options = parse_qsl(query, keep_blank_values=True)
    given = [password, *(value for name, value in options if "pass" in name.lower())]
    secrets = {
        form for value in (*given, os.environ.get("PGPASSWORD", "")) for form in (value, unquote(value))
    }
    # An `@` further on may end the password: libpq would look for its rest as a host, and name it.
    odd = [part for part in query.split("&") if "@" in part.partition("=")[0]]
    if "@" in login or "@" in path or odd or (not at and "@" in query):
        raise UsageError("where the password of this postgresql:// URL ends cannot be told", hint=_ESCAPED)
    return Address(
        kind="postgres",
        target=f"postgresql://{rest}",
        shown=f"postgresql://{user}{at}{host}{path.partition('#')[0]}",
        secrets=tuple(sorted(secret for secret in secrets if secret)),
    )
