"""An SQLite file, read and never written: not the file, not beside it, and no code in it is run."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote

from gate.documents import open_regular
from gate.errors import UsageError
from gate.recorded.address import Address
from gate.recorded.database import Row, text
from gate.recorded.file import MAX_BYTES

_WAL_BYTE: Final = 18
_WAL: Final = 2
"""Which version a reader needs (https://sqlite.org/fileformat2.html, section 1.3.3): 2 has a log."""
_STEPS: Final = 1_000_000
_MOST_STEPS: Final = 20_000
"""Of a million instructions each: about ten minutes of a file that is made to keep us busy."""


@contextmanager
def connected(where: Address) -> "Iterator[SqliteFile]":
    """The database in a file; raises UsageError."""
    try:
        with _uri(Path(where.target)) as uri, closing(sqlite3.connect(uri, uri=True)) as connection:
            connection.text_factory = bytes
            yield SqliteFile(connection)
    except OSError as error:
        raise UsageError(f"cannot read {where.shown}: {error.strerror}") from error
    except sqlite3.Error as error:
        raise UsageError(f"{where.shown} cannot be read: {error}") from error


@contextmanager
def _uri(path: Path) -> Iterator[str]:
    """How to open it without writing.

    A database in WAL mode makes files beside itself even when it is only read. Without a log that is waiting
    it is opened as one that nobody changes; with one, both are copied first.
    """
    with open_regular(path) as file:
        head = file.read(_WAL_BYTE + 1)
    log = Path(f"{path}-wal")
    if head[_WAL_BYTE:] != bytes([_WAL]):
        yield _named(path, "mode=ro")
    elif not log.is_file() or log.stat().st_size == 0:
        yield _named(path, "mode=ro&immutable=1")
    else:
        with tempfile.TemporaryDirectory(prefix="agent-gate-") as folder:
            for one in (path, log):
                _copy(one, Path(folder) / one.name)
            yield _named(Path(folder) / path.name, "mode=ro")


def _copy(source: Path, target: Path) -> None:
    with open_regular(source) as file, target.open("xb") as to:
        shutil.copyfileobj(file, to)


def _named(path: Path, options: str) -> str:
    return f"file:{quote(str(path.resolve()))}?{options}"


class SqliteFile:
    """See Database."""

    dialect: Literal["sqlite"] = "sqlite"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._left = _MOST_STEPS
        connection.set_progress_handler(self._count, _STEPS)
        for setting in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {setting}")

    def tables(self) -> Sequence[str]:
        """See Database; a view or a virtual table could run what its author likes, and is none."""
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        return [text(name, "a table's name") for (name,) in self.rows(query)]

    def columns(self, table: str) -> frozenset[str]:
        """See Database."""
        if table not in self.tables():
            return frozenset()
        found = self.rows("SELECT name FROM pragma_table_info(?)", (table,))
        return frozenset(text(name, "a column's name") for (name,) in found)

    def rows(self, query: str, values: Sequence[str | int] = ()) -> Iterator[Row]:
        """See Database."""
        size = 0
        for row in self._connection.execute(query, values):
            size += sum(len(value) for value in row if isinstance(value, bytes | str))
            if size > MAX_BYTES:
                raise UsageError(f"a session of more than {MAX_BYTES >> 20} MiB is not read")
            yield row

    def text(self, column: str) -> str:
        """See Database."""
        return column

    def seconds(self, moment: str) -> str:
        """See Database."""
        return moment

    def order(self, table: str) -> str:
        """See Database."""
        del table
        return "rowid"

    def _count(self) -> int:
        self._left -= 1
        return self._left <= 0
