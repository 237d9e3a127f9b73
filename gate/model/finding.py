"""Findings: one line each that a person can act on."""

from typing import Literal, Self

from gate.frozen import frozen

Level = Literal["error", "warn"]


@frozen
class Place:
    """A position in a file; `line` and `column` count from 1, 0 means the file as a whole."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return ":".join([self.file, *(str(n) for n in (self.line, self.column) if n)])


@frozen
class Finding:
    """What is wrong (`what`), where, why it matters, and what to write instead (`fix`)."""

    rule: str
    level: Level
    place: Place
    what: str
    why: str = ""
    fix: str = ""

    @property
    def order(self) -> tuple[str, int, int, str, str]:
        """By what findings are sorted: file and position, and at one place the rule."""
        return self.place.file, self.place.line, self.place.column, self.rule, self.what

    @classmethod
    def error(cls, rule: str, place: Place, what: str, *, why: str = "", fix: str = "") -> Self:
        """What makes the input unusable."""
        return cls(rule=rule, level="error", place=place, what=what, why=why, fix=fix)

    @classmethod
    def warn(cls, rule: str, place: Place, what: str, *, why: str = "", fix: str = "") -> Self:
        """What a person should know; it stops nothing unless `--strict` is set."""
        return cls(rule=rule, level="warn", place=place, what=what, why=why, fix=fix)
