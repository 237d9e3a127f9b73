"""The tables of `extract`: events and what they contributed or why not, invocations, sessions."""

from collections.abc import Sequence

from gate.formats.accounts import Invocation
from gate.formats.messages import Row
from gate.formats.stored import Listed, moment
from gate.publish.columns import aligned
from gate.publish.escape import line

COLUMNS = ("#", "author", "role", "contributed", "why not")
_CAP = 80


def render(rows: Sequence[Row]) -> str:
    """An aligned table and the count of events that contributed."""
    table = aligned([COLUMNS, *map(_cells, rows)])
    contributed = sum(bool(row.contributed) for row in rows)
    return "\n".join([*table, f"{contributed} of {len(rows)} events contributed"])


def invocations(found: Sequence[Invocation]) -> str:
    """A row for each invocation: its events, when it began, who took part, and what was said first."""
    head = ("invocation", "events", "contributed", "began (UTC)", "authors", "said")
    grid = [
        (
            line(one.id, _CAP) or "(none)",
            str(one.events),
            str(one.contributed),
            moment(one.at),
            line(", ".join(one.authors), _CAP),
            line(one.said, _CAP),
        )
        for one in found
    ]
    return "\n".join(aligned([head, *grid], right=(1, 2)))


def sessions(found: Sequence[Listed]) -> str:
    """A row for each session of a place, as it can be named on the command line."""
    head = ("session", "app", "user", "events", "first (UTC)", "last (UTC)", "about")
    grid = [
        (
            line(one.id, _CAP) or "(none)",
            line(one.app, _CAP),
            line(one.user, _CAP),
            str(one.events),
            moment(one.first),
            moment(one.last),
            line(one.about, _CAP),
        )
        for one in found
    ]
    return "\n".join(aligned([head, *grid], right=(3,)))


def _cells(row: Row) -> tuple[str, ...]:
    return (
        str(row.number),
        *(line(text, _CAP) for text in (row.author, row.role, row.contributed, row.why_not)),
    )
