"""The table of `extract --summary`: each event, who it is from, what it contributed, or why nothing."""

from collections.abc import Sequence

from gate.formats.messages import Row
from gate.publish.escape import line
from gate.publish.terminal import width

COLUMNS = ("#", "author", "role", "contributed", "why not")
_CAP = 80


def render(rows: Sequence[Row]) -> str:
    """An aligned table and the count of events that contributed."""
    grid = [COLUMNS, *(_cells(row) for row in rows)]
    widths = [max(width(cells[column]) for cells in grid) for column in range(len(COLUMNS))]
    table = [
        "  ".join(_padded(text, size) for text, size in zip(cells, widths, strict=True)) for cells in grid
    ]
    contributed = sum(bool(row.contributed) for row in rows)
    return "\n".join([*(text.rstrip() for text in table), f"{contributed} of {len(rows)} events contributed"])


def _cells(row: Row) -> tuple[str, ...]:
    return (
        str(row.number),
        *(line(text, _CAP) for text in (row.author, row.role, row.contributed, row.why_not)),
    )


def _padded(text: str, size: int) -> str:
    return text + " " * (size - width(text))
