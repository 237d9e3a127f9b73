"""Read a foreign file's mappings key by key, and account for all that was not taken."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final, Protocol, TypeAlias, TypeVar

from gate.formats.adk_fields import kind
from gate.model import Json
from gate.model.finding import Finding, Level, Place

_T = TypeVar("_T")

_WANTED: Final[Mapping[type, str]] = {str: "text", list: "a list", dict: "an object", bool: "true or false"}

Path: TypeAlias = tuple[str | int, ...]
"""Where in the file: keys and indices (from 0), as they are written there."""


class Places(Protocol):
    """From a path to its place in the file."""

    def __call__(self, path: Sequence[str | int] = (), *, key: bool = False) -> Place:
        """Where the value at `path` starts; with `key` where its key stands."""


class Notes:
    """What a reading found: errors and warnings in the order of reading, and what is not carried over."""

    def __init__(self, place: Places) -> None:
        self.place = place
        self.errors = 0
        self._findings: list[Finding] = []
        self._left_out: dict[str, tuple[Finding, int]] = {}

    def error(
        self, path: Path, rule: str, what: str, *, why: str = "", fix: str = "", key: bool = False
    ) -> None:
        """Note what makes its case unusable."""
        self.errors += 1
        place = self.place(path, key=key)
        self._findings.append(Finding.error(rule, place, what, why=why, fix=fix))

    def warn(
        self, path: Path, rule: str, what: str, *, why: str = "", fix: str = "", key: bool = False
    ) -> None:
        """Note what a person should know, while the case is used."""
        place = self.place(path, key=key)
        self._findings.append(Finding.warn(rule, place, what, why=why, fix=fix))

    def left_out(self, path: Path, what: str, *, why: str = "", fix: str = "") -> None:
        """Note that something is not carried over: one warning a file for each `what`, at its first place."""
        first, count = self._left_out.get(what, (None, 0))
        if first is None:
            place = self.place(path, key=True)
            first = Finding.warn("not-carried-over", place, what, why=why, fix=fix)
        self._left_out[what] = (first, count + 1)

    def findings(self) -> tuple[Finding, ...]:
        """All of it; what was left out says in how many places."""
        left_out = (
            replace(first, what=first.what + (f" ({count} places, the first is here)" if count > 1 else ""))
            for first, count in self._left_out.values()
        )
        return (*self._findings, *left_out)


class Fields:
    """A mapping whose keys may be in snake_case or camelCase. What is null counts as absent.

    Each `take` names its key in snake_case and notes an error where the value is of another kind; `unread`
    gives what nobody took.
    """

    def __init__(self, value: Json, path: Path, notes: Notes) -> None:
        self.path = path
        self._notes = notes
        self._values: dict[str, Json] = {}
        self._taken: dict[str, str] = {}
        if isinstance(value, dict):
            self._values = {key: held for key, held in value.items() if held is not None}
        else:
            notes.error(path, "wrong-type", f"an object is expected here, not {kind(value)}")

    def at(self, name: str) -> Path:
        """The path of a key, as the file spells it."""
        return (*self.path, self._spelled(name))

    def has(self, name: str) -> bool:
        """Whether the key is there with a value."""
        return self._spelled(name) in self._values

    def value(self, name: str) -> Json:
        """The key's value of any kind, not yet taken."""
        return self._values.get(self._spelled(name))

    def take(self, name: str, wanted: type[_T]) -> _T | None:
        """The key's value; None where it is absent, null or of the wrong kind."""
        spelled = self._spelled(name)
        self._taken[spelled] = name
        value = self._values.get(spelled)
        if value is None or isinstance(value, wanted):
            return value
        what = f"{spelled!r} must be {_WANTED[wanted]}, not {kind(value)}"
        self._notes.error((*self.path, spelled), "wrong-type", what)
        return None

    def need(self, name: str, wanted: type[_T]) -> _T | None:
        """As `take`, but an absent key is an error, which points at a key that looks like it."""
        if not self.has(name):
            looks = close(name, (snake(key) for key in self._values))
            meant = f"; is {looks!r} meant to be it?" if looks else ""
            self._notes.error(self.path, "missing-key", f"{name!r} is missing{meant}", fix=f"Write {name!r}.")
        return self.take(name, wanted)

    def nested(self, name: str) -> "Fields | None":
        """The mapping under a key; None where there is none."""
        value = self.take(name, dict)
        return None if value is None else Fields(value, self.at(name), self._notes)

    def each(self, name: str) -> "tuple[Fields, ...]":
        """The mappings in the list under a key."""
        return tuple(
            Fields(value, (*self.at(name), index), self._notes)
            for index, value in enumerate(self.take(name, list) or ())
        )

    def skip(self, *names: str) -> None:
        """Count keys as taken whose values carry no message and no expectation."""
        self._taken.update((self._spelled(name), name) for name in names)

    def unread(self) -> tuple[str, ...]:
        """Keys with a value that nobody took, as the file spells them."""
        return tuple(key for key in self._values if key not in self._taken)

    def refuse_unread(self, known: Iterable[str], *, level: Level = "error") -> None:
        """Note an unknown key for all that nobody took, with the known one that it looks like."""
        for key in self.unread():
            looks = close(snake(key), known)
            what = f"{key!r} is not a key that is known here" + (
                f"; did you mean {looks!r}?" if looks else ""
            )
            note = self._notes.error if level == "error" else self._notes.warn
            note((*self.path, key), "unknown-key", what, fix="Correct or remove it.", key=True)

    def _spelled(self, name: str) -> str:
        camel = _camel(name)
        return camel if camel in self._values and name not in self._values else name


def close(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """The known name that this one looks most like, or ""; they look the more alike, the higher `cutoff`."""
    import difflib  # only a mistake pays for it

    return next(iter(difflib.get_close_matches(name, sorted(known), n=1, cutoff=cutoff)), "")


def snake(name: str) -> str:
    """`finalResponse` as `final_response`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


@cache
def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
