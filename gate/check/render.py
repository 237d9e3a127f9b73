"""Findings as a compiler prints them: place, level, rule and what; why and what to do below."""

from collections.abc import Collection, Iterator, Sequence

from gate.model.case import Case
from gate.model.finding import Finding
from gate.publish.escape import line
from gate.publish.words import count

_WIDEST_PLACE = 60


def render(findings: Sequence[Finding], cases: Sequence[Case], files: Sequence[str]) -> str:
    """The findings in aligned columns, and a last line that counts them; no newline at the end."""
    kinds = [(sum(finding.level == level for finding in findings), word) for level, word in _LEVELS]
    counts = ", ".join(count(number, word) for number, word in kinds if number) or "No findings"
    where = f" in {count(len(cases), 'case')} ({count(len(files), 'file')})" if files else ""
    return "\n".join([*_lines(findings), f"{counts}{where}. Nothing was run."])


def render_findings(findings: Sequence[Finding]) -> str:
    """The findings alone, in aligned columns; no newline at the end."""
    return "\n".join(_lines(findings))


_LEVELS = (("error", "error"), ("warn", "warning"))


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    places = [line(str(finding.place)) for finding in findings]
    place_width = _width(places)
    rule_width = _width([finding.rule for finding in findings])
    margin = " " * (place_width + rule_width + 11)
    for finding, place in zip(findings, places, strict=True):
        head = f"{place:<{place_width}}  {finding.level:<5}  {finding.rule:<{rule_width}}  "
        yield head + _sentence(finding)
        for text in (finding.why, finding.fix):
            if text:
                yield margin + line(text)


def _sentence(finding: Finding) -> str:
    what = line(finding.what)
    more = finding.why or finding.fix
    return f"{what}." if more and not what.endswith((".", "?", "!")) else what


def _width(texts: Collection[str]) -> int:
    return min(max(map(len, texts), default=0), _WIDEST_PLACE)
