"""What a place of recorded sessions offers, and how one session is chosen of many."""

from collections.abc import Sequence
from typing import Final, Protocol

from gate.documents.messages import did_you_mean
from gate.errors import UsageError
from gate.formats.stored import Listed, Recording, moment
from gate.frozen import frozen
from gate.redact import excerpt

_SHOWN: Final = 20
_LONGEST: Final = 200


@frozen
class Wanted:
    """Which session: "" does not say; `since` in seconds since 1970 leaves out those that ended before."""

    session: str = ""
    app: str = ""
    user: str = ""
    since: float = 0.0


class Source(Protocol):
    """Recorded sessions at one place; the methods raise UsageError, and nothing is ever written there."""

    @property
    def shown(self) -> str:
        """Its name, without a password."""

    def sessions(self, wanted: Wanted, most: int) -> tuple[Listed, ...]:
        """At most so many of those that are wanted, the one with the newest event first."""

    def recording(self, listed: Listed) -> Recording:
        """One of them, with all its events."""


def choose(source: Source, wanted: Wanted) -> Listed:
    """The one session that is wanted; raises UsageError where there is none, or more than one."""
    found = source.sessions(wanted, _SHOWN + 1)
    if len(found) == 1:
        return found[0]
    if found:
        more = "more than " if len(found) > _SHOWN else ""
        what = f"{source.shown} has {more}{min(len(found), _SHOWN)} sessions{_of(wanted)}"
        raise UsageError(what, hint="Name one with --session (and --app, --user):\n" + _named(found))
    there = source.sessions(Wanted(), _SHOWN + 1)
    if not there:
        raise UsageError(f"{source.shown} holds no session")
    names = [one.id for one in there if len(one.id) <= _LONGEST]
    meant = did_you_mean(wanted.session, names) if 0 < len(wanted.session) <= _LONGEST else ""
    raise UsageError(f"{source.shown} has no session{_of(wanted)}{meant}", hint="It has:\n" + _named(there))


def counted(events: int) -> str:
    """A number of events in words."""
    return "1 event" if events == 1 else f"{events} events"


def _of(wanted: Wanted) -> str:
    given = {"session": wanted.session, "app": wanted.app, "user": wanted.user}
    said = [f"{name} {value!r}" for name, value in given.items() if value]
    said += [f"an event since {moment(wanted.since)}"] if wanted.since else []
    return f" with {', '.join(said)}" if said else ""


def _named(found: Sequence[Listed]) -> str:
    lines = [f"  {_options(one)}: {counted(one.events)}, {_when(one)}" for one in found[:_SHOWN]]
    return "\n".join([*lines, *(["  …"] if len(found) > _SHOWN else [])])


def _options(one: Listed) -> str:
    given = {"session": one.id, "app": one.app, "user": one.user}
    return " ".join(f"--{name} {excerpt(value, _LONGEST)!r}" for name, value in given.items())


def _when(one: Listed) -> str:
    return f"the last {moment(one.last) or 'at an unknown time'}"
