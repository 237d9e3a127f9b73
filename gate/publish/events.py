"""The table of `extract --summary`: each event, who it is from, what it contributed, or why nothing."""

from collections.abc import Sequence

from gate.formats.messages import Row
from gate.publish.columns import aligned
from gate.publish.escape import line

COLUMNS = ("#", "author", "role", "contributed", "why not")
_CAP = 80


def render(rows: Sequence[Row]) -> str:
    """An aligned table and the count of events that contributed."""
    table = aligned([COLUMNS, *map(_cells, rows)])
    contributed = sum(bool(row.contributed) for row in rows)
    return "\n".join([*table, f"{contributed} of {len(rows)} events contributed"])


def _cells(row: Row) -> tuple[str, ...]:
    return (
        str(row.number),
        *(line(text, _CAP) for text in (row.author, row.role, row.contributed, row.why_not)),
    )
