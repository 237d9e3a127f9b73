"""A PostgreSQL database, in one transaction that can only read; the only import of psycopg."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from gate.errors import UsageError
from gate.recorded.address import Address
from gate.recorded.database import Row
from gate.recorded.file import MAX_BYTES

if TYPE_CHECKING:
    import psycopg

_SECONDS_TO_CONNECT: Final = 10
_LONGEST_QUERY: Final = "120s"
_AT_ONCE: Final = 200
INSTALL: Final = "pip install 'agent-regression-gate[postgres]'"


@contextmanager
def connected(where: Address) -> "Iterator[PostgresDatabase]":
    """The database of a URL; raises UsageError, without a word of the password."""
    try:
        import psycopg
    except ImportError as error:
        what = f"to read {where.shown}, psycopg is needed, and cannot be loaded: {_first(str(error))}"
        raise UsageError(what, hint=f"Install it: {INSTALL}") from None
    try:
        with psycopg.connect(where.target, **_options(where)) as connection:
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            yield PostgresDatabase(connection)
    except (psycopg.Error, UnicodeError) as error:
        raise UsageError(
            f"{where.shown} cannot be read: {_reason(error, where)}", hint=_hint(error)
        ) from None


def _options(where: Address) -> dict[str, Any]:
    options: dict[str, Any] = {"application_name": "agent-gate", "client_encoding": "utf8"}
    if "connect_timeout=" not in where.target:
        options["connect_timeout"] = _SECONDS_TO_CONNECT
    return options


def _reason(error: Exception, where: Address) -> str:
    """What went wrong: libpq repeats a URL that it cannot read, and with it the password."""
    said = str(error)
    if any(secret in said for secret in (*where.secrets, where.target)):
        return "the URL is not in the form that libpq reads"
    return _first(said)


def _first(said: str) -> str:
    return " ".join(said.split())[:500]


def _hint(error: Exception) -> str:
    said = str(error)
    if "password" in said:
        return "Set PGPASSWORD or a .pgpass file, or write the password into the URL (postgresql://user:password@…)."
    if "invalid URI query parameter" in said:
        return "Options are libpq's: sslmode, sslrootcert, connect_timeout, options."
    return ""


class PostgresDatabase:
    """See Database."""

    dialect: Literal["postgres"] = "postgres"

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self._connection = connection
        connection.execute(f"SET LOCAL statement_timeout = '{_LONGEST_QUERY}'")

    def tables(self) -> Sequence[str]:
        """See Database; those that a query finds without naming a schema."""
        query = (
            "SELECT table_name::text FROM information_schema.tables"
            " WHERE table_type = 'BASE TABLE' AND table_schema = ANY (current_schemas(false))"
        )
        return [name for (name,) in self.rows(query) if isinstance(name, str)]

    def columns(self, table: str) -> frozenset[str]:
        """See Database."""
        query = (
            "SELECT column_name::text FROM information_schema.columns"
            " WHERE table_name = ? AND table_schema = ANY (current_schemas(false))"
        )
        return frozenset(name for (name,) in self.rows(query, (table,)) if isinstance(name, str))

    def rows(self, query: str, values: Sequence[str | int] = ()) -> Iterator[Row]:
        """See Database."""
        size = 0
        with self._connection.cursor(name="agent_gate") as cursor:
            cursor.itersize = _AT_ONCE
            cursor.execute(query.replace("%", "%%").replace("?", "%s").encode("ascii"), values)
            for row in cursor:
                size += sum(len(value) for value in row if isinstance(value, bytes | str))
                if size > MAX_BYTES:
                    raise UsageError(f"a session of more than {MAX_BYTES >> 20} MiB is not read")
                yield cast("Row", row)

    def text(self, column: str) -> str:
        """See Database."""
        return f"{column}::text"

    def seconds(self, moment: str) -> str:
        """See Database; a time without a zone is UTC, as ADK writes it."""
        return f"CAST(extract(epoch FROM {moment}) AS double precision)"

    def order(self, table: str) -> str:
        """See Database."""
        del table
        return "id"
