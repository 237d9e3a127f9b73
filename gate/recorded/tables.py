"""The sessions in a database: which tables are there, and what each layout's reader makes of them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from gate.errors import UsageError
from gate.formats.stored import Listed, NotASession, Recording
from gate.recorded import adk_tables, kagent_tables
from gate.recorded.address import Address
from gate.recorded.database import Database
from gate.recorded.source import Wanted

_SHOWN: Final = 20


class Tables:
    """The sessions of a database; see Source. ADK's and kagent's tables may be in one."""

    def __init__(self, where: Address, database: Database, clean: Callable[[str], str]) -> None:
        self.shown = where.shown
        self._database = database
        self._clean = clean

    def sessions(self, wanted: Wanted, most: int) -> tuple[Listed, ...]:
        """See Source."""
        found: list[Listed] = []
        with self._told():
            events, event = self._database.columns("events"), self._database.columns("event")
            is_adk = adk_tables.fits(events, self._database.columns("sessions"))
            is_kagent = kagent_tables.fits(event)
            if is_adk:
                found += adk_tables.sessions(self._database, events, wanted, most)
            if is_kagent:
                found += kagent_tables.sessions(self._database, event, wanted, most)
        if not is_adk and not is_kagent:
            raise self._strange()
        fits = [one for one in found if one.last >= wanted.since]
        return tuple(sorted(fits, key=lambda one: -one.last)[:most])

    def recording(self, listed: Listed) -> Recording:
        """See Source."""
        with self._told():
            if listed.store == "kagent":
                return kagent_tables.recording(self._database, listed, self._clean)
            return adk_tables.recording(self._database, listed, self._clean)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (NotASession, ValueError) as error:
            raise UsageError(f"{self.shown} cannot be read: {error}") from error

    def _strange(self) -> UsageError:
        names = sorted(self._database.tables())
        there = f"it has {_listed(names)}" if names else "it has no table"
        hint = "ADK keeps sessions in `sessions` and `events`, kagent in `session` and `event`."
        if self._database.dialect == "postgres":
            hint += " Tables of another schema are found with ?options=-csearch_path%3DNAME at the URL's end."
        return UsageError(f"{self.shown} has no sessions of ADK or kagent: {there}", hint=hint)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
