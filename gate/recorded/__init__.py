"""Where recorded sessions are kept, opened to be read only: a file, ADK's or kagent's database.

A database is SQLite (a file, or `sqlite:///path`) or PostgreSQL (`postgresql://…`, libpq's own form).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gate.recorded.address import Address, address
from gate.recorded.file import TextFile
from gate.recorded.source import Source, Wanted
from gate.recorded.tables import Tables

__all__ = ["Address", "Source", "Wanted", "address", "opened"]


@contextmanager
def opened(where: Address, clean: Callable[[str], str]) -> Iterator[Source]:
    """The sessions at an address; every text that is read goes through `clean` first. Raises UsageError."""
    match where.kind:
        case "file":
            yield TextFile(where, clean)
        case "sqlite":
            from gate.recorded.sqlite import connected as connected_file

            with connected_file(where) as database:
                yield Tables(where, database, clean)
        case "postgres":
            from gate.recorded.postgres import connected

            with connected(where) as database:
                yield Tables(where, database, clean)
