"""Workflow commands that show what broke at the golden case's own file and line.

The runner keeps ten of each level from a step and cuts a message at 4096 characters:
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Literal

from gate.frozen import frozen
from gate.model.finding import Finding, Place
from gate.model.verdict import CaseVerdict, Report, RuleVerdict
from gate.publish import bar_changes, bar_words, case_words, groups, headline, table
from gate.publish.advice import accepting
from gate.publish.escape import line
from gate.publish.words import amount, count, rule_label

MOST = 10
LONGEST = 4000
_TITLE = 200
_REASON = 500
_ANSWER = 300

Level = Literal["error", "warning", "notice"]
_LEVELS: tuple[Level, ...] = ("error", "warning", "notice")


@frozen
class _Note:
    level: Level
    title: str
    lines: tuple[str, ...]
    place: Place | None = None


def render(report: Report, *, folder: str = "") -> str:
    """Render one command a line: what broke as errors (warnings where it does not block), then notices.

    A change of the bar that is not in force, because it needs acceptance, is a warning where it stands.

    `folder` is where the report's paths start, seen from the repository's root.
    """
    red = report.comparison.exit_code and not bar_words.asks(report)
    level: Level = "error" if red else "warning"
    notes = [*_broken(report, level), *_waiting(report), *_undecided(report)]
    kept = (_limited([note for note in notes if note.level == one], one) for one in _LEVELS)
    return "".join(f"{_command(note, folder)}\n" for some in kept for note in some)


def render_findings(findings: Sequence[Finding], *, folder: str = "") -> str:
    """Render one command a finding about config and cases, errors first."""
    notes = [_of_finding(finding) for finding in findings]
    errors = _limited([note for note in notes if note.level == "error"], "error")
    warnings = _limited([note for note in notes if note.level == "warning"], "warning")
    return "".join(f"{_command(note, folder)}\n" for note in (*errors, *warnings))


def _of_finding(finding: Finding) -> _Note:
    return _Note(
        level="error" if finding.level == "error" else "warning",
        title=f"Agent Gate: {finding.rule}",
        lines=(finding.what, finding.why, finding.fix),
        place=finding.place,
    )


def _broken(report: Report, level: Level) -> Iterator[_Note]:
    if groups.agent_gone(report):
        told = report.meta.agent_down or report.comparison.reason
        yield _Note(level=level, title=headline.headline(report, line), lines=(told, report.meta.hint))
    for case in groups.group(report).broke:
        yield _Note(
            level=level,
            title=f"Agent Gate: {line(case.id, 120)} {'broke' if case.klass == 'regressed' else 'fails'}",
            lines=tuple(_of_case(report, case)),
            place=case.place,
        )
    for rule in groups.failed_rules(report):
        if rule.rule.metric != "cases":  # those are the cases above; tests have annotations of their own tool
            yield _Note(
                level=level,
                title=f"Agent Gate: the rule of {line(rule.rule.metric, 120)} is broken",
                lines=(_of_rule(report, rule),),
                place=rule.rule.place,
            )


def _of_case(report: Report, case: CaseVerdict) -> Iterator[str]:
    yield case_words.history(report, case, line)
    for item in dict.fromkeys(case.reasons):
        yield case_words.reason(item, lambda text: line(text, _REASON))
    yield from case_words.base_reasons(report, case, lambda text: line(text, _REASON))
    if case.answer.strip():
        yield f"it answered: {line(case.answer, _ANSWER)}"
    yield f"reproduce: {case_words.reproduce(report, case)}"


def _of_rule(report: Report, verdict: RuleVerdict) -> str:
    if verdict.rule.counts:
        return headline.counted(report, verdict, line)
    unit = table.rule_unit(report, verdict.rule)
    found = (
        ""
        if verdict.value is None
        else f", found {amount(verdict.value, unit)}{table.rests_on(report, verdict)}"
    )
    where = "" if verdict.scope == "suite" else f" in {line(verdict.scope, 80)}"
    return f"{rule_label(verdict.rule, unit)}{where}{found}. {verdict.reason}"


def _waiting(report: Report) -> Iterator[_Note]:
    cases = bar_changes.cases(report)
    who = accepting(report.comparison.bar, lambda text: f"`{line(text)}`")
    for change in bar_words.pending(report):
        told = bar_changes.told(report, change, line, cases.get(change.name))
        yield _Note(
            level="warning",
            title=f"Agent Gate: not in force until it is accepted: {told.subject}{told.name} {told.word}",
            lines=(told.what, *told.reasons, f"If this is meant, {who}"),
            place=change.place,
        )


def _undecided(report: Report) -> Iterator[_Note]:
    if groups.never_ran(report):
        return
    if report.comparison.verdict == "undecided":
        yield _Note(level="notice", title=headline.headline(report, line), lines=(report.comparison.reason,))
    for case in groups.group(report).undecided:
        title = f"Agent Gate: {line(case.id, 120)} could not be decided"
        told = case_words.unmeasured(case, line)
        yield _Note(level="notice", title=title, lines=(told,), place=case.place)


def _limited(notes: Sequence[_Note], level: Level) -> Sequence[_Note]:
    """At most MOST notes, the last of which says how many there would have been more."""
    if len(notes) <= MOST:
        return notes
    left = count(len(notes) - MOST + 1, "more finding")
    rest = _Note(level=level, title="Agent Gate", lines=(f"{left}: see the job's summary.",))
    return (*notes[: MOST - 1], rest)


def _command(note: _Note, folder: str) -> str:
    message = "\n".join(shown for text in note.lines if (shown := line(text, LONGEST)))
    capped = message if len(message) <= LONGEST else message[: LONGEST - 1] + "…"
    properties = {**_at(note.place, folder), "title": line(note.title, _TITLE)}
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{note.level} {told}::{_data(capped or note.title)}"


def _at(place: Place | None, folder: str) -> dict[str, str]:
    """The place as the runner reads it; nothing for a path that it would not find in the repository."""
    if place is None or not place.file:
        return {}
    path = PurePosixPath(line(folder), line(place.file))
    if path.is_absolute() or ".." in path.parts:
        return {}
    numbers = {"line": place.line, "col": place.column}
    return {"file": str(path), **{name: str(number) for name, number in numbers.items() if number}}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
