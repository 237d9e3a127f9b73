"""What is wrong or missing in a file of spans, at its place in the file."""

import re
from bisect import bisect_left
from collections import Counter
from typing import Final

from gate.formats.otel_spans import Span
from gate.model.finding import Finding, Level, Place

_MOST_TOLD: Final = 20
_SPAN_ID: Final = re.compile(r'"(?:spanId|span_id|spanID)"\s{0,9}:\s{0,9}"([^"]{1,64})"')
_LINE_END: Final = re.compile("\n")


class Told:
    """Findings of one file; a span is found by its id, where the file spells it."""

    def __init__(self, content: str, file: str) -> None:
        self._content = content
        self._file = file
        self._at: dict[str, int] = {}
        self._lines: list[int] = []
        self._found: list[Finding] = []
        self._more: Counter[tuple[str, Level]] = Counter()
        self.failed = False

    def error(self, rule: str, what: str, *, line: int = 0, fix: str = "") -> None:
        """Tell what makes the file unusable."""
        self.failed = True
        self._add(Finding.error(rule, Place(file=self._file, line=line), what, fix=fix))

    def warn(
        self,
        rule: str,
        what: str,
        *,
        span: Span | None = None,
        at: Place | None = None,
        why: str = "",
        fix: str = "",
    ) -> None:
        """Tell what a reader of the traces has to know."""
        self._add(Finding.warn(rule, at or self.place(span), what, why=why, fix=fix))

    def place(self, span: Span | None) -> Place:
        """Where a span's id stands in the file."""
        if not self._at:
            self._at = {m[1]: m.start(1) - 1 for m in reversed(list(_SPAN_ID.finditer(self._content)))}
            self._lines = [m.start() for m in _LINE_END.finditer(self._content)]
        if span is None or span.shown not in self._at:
            return Place(file=self._file)
        at = self._at[span.shown]
        if span.line:
            start = self._lines[span.line - 2] + 1 if span.line > 1 else 0
            end = self._lines[span.line - 1] if span.line <= len(self._lines) else len(self._content)
            at = max(self._content.find(f'"{span.shown}"', start, end), start)
        line = bisect_left(self._lines, at)
        return Place(file=self._file, line=line + 1, column=at - (self._lines[line - 1] if line else -1))

    def findings(self) -> tuple[Finding, ...]:
        """All that was told; of a kind that is told too often the first ones and how many more."""
        more = [
            Finding(
                rule=rule,
                level=level,
                place=Place(file=self._file),
                what=f"{count} more of the kind {rule!r}",
            )
            for (rule, level), count in self._more.items()
        ]
        return (*self._found, *more)

    def _count(self, rule: str) -> int:
        return sum(finding.rule == rule for finding in self._found)

    def _add(self, finding: Finding) -> None:
        if self._count(finding.rule) < _MOST_TOLD:
            self._found.append(finding)
        else:
            self._more[finding.rule, finding.level] += 1
