"""What the readers of tables ask of a database, whichever it is."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, Protocol, TypeAlias

from gate.formats.stored import LAST_SECOND, NotASession

Value: TypeAlias = str | bytes | int | float | None
Row: TypeAlias = tuple[Value, ...]


_KINDS: Mapping[type, str] = {type(None): "null", int: "a number", float: "a number"}


class Database(Protocol):
    """A connection that can only read; the methods raise UsageError."""

    @property
    def dialect(self) -> Literal["sqlite", "postgres"]:
        """Which kind it is."""

    def tables(self) -> Sequence[str]:
        """The names of the tables in it, without views."""

    def columns(self, table: str) -> frozenset[str]:
        """The names of a table's columns; none where there is no such table."""

    def rows(self, query: str, values: Sequence[str | int] = ()) -> Iterator[Row]:
        """The rows of a query, whose values stand for `?`."""

    def text(self, column: str) -> str:
        """The expression that gives a column as text."""

    def seconds(self, moment: str) -> str:
        """The expression that gives a time as what `seconds` below understands."""

    def order(self, table: str) -> str:
        """What tells rows of one moment apart: the order of their coming, or their id."""


def text(value: Value, what: str) -> str:
    """A text of a row; raises NotASession for another kind of value."""
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError as error:
            raise NotASession(f"{what} is not UTF-8: {error.reason} at byte {error.start}") from None
    if isinstance(value, str):
        return value
    raise NotASession(f"{what} is {_KINDS.get(type(value), type(value).__name__)}, not text")


def seconds(value: Value) -> float:
    """Seconds since 1970 of a number or a text such as `2026-11-30 18:00:00.5`; 0 where it is no time."""
    if isinstance(value, int | float):
        return float(value) if 0 <= value <= LAST_SECOND else 0.0
    try:
        written = value.decode("ascii") if isinstance(value, bytes) else value
        found = datetime.fromisoformat(written) if written else None
        if found is None:
            return 0.0
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def counted(value: Value) -> int:
    """A number of rows."""
    return value if isinstance(value, int) else 0


def conditions(held: Mapping[str, str], *, always: bool = False) -> tuple[str, tuple[str, ...]]:
    """The WHERE of columns and their values; a value "" asks for nothing, unless `always`."""
    asked = {column: value for column, value in held.items() if value or always}
    words = " AND ".join(f"{column} = ?" for column in asked)
    return (f" WHERE {words}" if words else ""), tuple(asked.values())
