"""A parsed file: its JSON value, what is wrong with it, and where each node stands."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gate.frozen import frozen
from gate.model import Json
from gate.model.finding import Finding, Place

At: TypeAlias = int
"""A position, packed because a suite has a million of them: zero-based line << 32 | zero-based column."""


@dataclass(slots=True)
class MapSpot:
    """Where a mapping stands, and each of its keys and values."""

    at: At
    keys: dict[str, At] = field(default_factory=dict)
    values: dict[str, "Spot"] = field(default_factory=dict)


@dataclass(slots=True)
class ListSpot:
    """Where a list stands, and each of its items."""

    at: At
    items: list["Spot"] = field(default_factory=list)


Spot: TypeAlias = At | MapSpot | ListSpot


class Unreadable(Exception):
    """The text cannot be read any further; carries the one finding that says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.what)
        self.finding = finding


def pack(line: int, column: int) -> At:
    """One number for a zero-based line and column."""
    return line << 32 | column


def place_of(file: str, at: At) -> Place:
    """The position as people count it, from 1."""
    return Place(file=file, line=(at >> 32) + 1, column=(at & 0xFFFFFFFF) + 1)


def _at(spot: Spot) -> At:
    return spot if isinstance(spot, int) else spot.at


@frozen
class Document:
    """A YAML or JSON file. `value` is None and `broken` is true where nothing of it can be used.

    The value may share parts between places (YAML aliases): it is never to be changed.
    """

    file: str
    value: Json
    findings: tuple[Finding, ...] = ()
    broken: bool = False
    spot: Spot | None = None

    def place(self, path: Sequence[str | int] = (), *, key: bool = False) -> Place:
        """Where the value at `path` starts; with `key` where its key stands.

        A path that does not exist gives its nearest existing parent, an empty file the file as a whole.
        """
        if self.spot is None:
            return Place(file=self.file)
        spot, at = self.spot, _at(self.spot)
        for step in path:
            match spot:
                case MapSpot(keys=keys, values=values) if isinstance(step, str) and step in keys:
                    spot = values[step]
                    at = keys[step] if key else _at(spot)
                case ListSpot(items=items) if isinstance(step, int) and 0 <= step < len(items):
                    spot = items[step]
                    at = _at(spot)
                case _:
                    break
        return place_of(self.file, at)
