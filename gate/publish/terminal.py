"""What goes to a terminal or a log at the end: the report, and the exit in words.

Colour is an extra: the words carry everything. Lines of other people's text are made harmless by `escape`.
"""

from collections.abc import Sequence

from gate.model.bar import BarChange
from gate.model.verdict import CaseVerdict, Report
from gate.publish import (
    bar_changes,
    bar_words,
    case_words,
    escape,
    groups,
    headline,
    judges,
    table,
    tracks,
)
from gate.publish.advice import advice
from gate.publish.columns import aligned
from gate.publish.groups import Groups
from gate.publish.words import count, exit_line

_COLOURS = {"regression": "31", "undecided": "33", "not run": "33", "warning": "33", "pass": "32"}
_ANSWER = 200
_FEW = 10
_NUMBERS = range(1, 4)


def render(
    report: Report, *, files: Sequence[str] = (), colour: bool = False, code: int | None = None
) -> str:
    """The report for a terminal: headline, table, broken cases, measurement, files, and the exit in words.

    `code` is what the process exits with where that is not the comparison's own exit code.
    """
    found = groups.group(report)
    down = groups.never_ran(report)
    blocks = (
        [_painted(headline.headline(report, escape.line), colour=colour)],
        _agent_down(report) if groups.agent_gone(report) else [],
        [
            *headline.notices(report, escape.line),
            bar_words.statement(report, escape.line),
            headline.why(report, escape.line),
        ],
        *([] if down else _changes(report)),
        [] if down else _table(report, colour=colour),
        *(_broken(report, case) for case in found.broke),
        *_tests(report),
        _gone(report),
        *([] if down else [_undecided(found), _others(report, found), _disagreements(report)]),
        [*judges.healthy(report, escape.line), *judges.spent(report, escape.line)],
        [
            " ".join(
                part
                for part in (
                    case_words.measured(report),
                    tracks.measured(report, escape.line),
                    case_words.baseline(report, escape.line),
                )
                if part
            )
        ],
        [advice(report, _ticked)],
        [case_words.agent(report, escape.line), case_words.footer(report, escape.line)],
        ["Files: " + ", ".join(escape.line(name) for name in files)] if files else [],
        [exit_line(report.comparison.exit_code if code is None else code, report)],
    )
    shown = ["\n".join(line for line in block if line) for block in blocks]
    return escape.without_commands("\n\n".join(block for block in shown if block) + "\n")


def _agent_down(report: Report) -> list[str]:
    meta = report.meta
    told = escape.line(meta.agent_down or report.comparison.reason, 600)
    hint = [escape.line(meta.hint, 600)] if meta.hint else []
    log = _quoted(escape.tail(meta.log_tail)) if groups.log_adds(report) else []
    return [told, *log, *hint]


def _quoted(text: str) -> list[str]:
    return [f"  | {line}" for line in escape.lines(text).strip("\n").split("\n")]


def _table(report: Report, *, colour: bool) -> list[str]:
    """The table, and under it what is not in its numbers."""
    rows = table.rows(report)
    if not rows:
        return []
    cells = [(_row_name(row), row.baseline, row.now, row.change, row.rule, row.verdict) for row in rows]
    head, *lines = aligned([table.COLUMNS, *cells], right=_NUMBERS)
    painted = [_painted(line, colour=colour, row=row) for line, row in zip(lines, cells, strict=True)]
    return [head, *painted, *(f"  {_row_name(row)}: {row.lost}" for row in rows if row.lost)]


def _row_name(row: table.Row) -> str:
    name = row.words or escape.line(row.metric, 40)
    return f"{name} in {escape.line(row.scope, 40)}" if row.scope else name


def _painted(line: str, *, colour: bool, row: tuple[str, ...] | None = None) -> str:
    if not colour:
        return line
    word = row[-1] if row else line.removeprefix("Agent Gate: ")
    for start, number in _COLOURS.items():
        if word.startswith(start):
            return f"\x1b[{number}m{line}\x1b[0m"
    return line


def _broken(report: Report, case: CaseVerdict) -> list[str]:
    lines = [f"  {case_words.reason(item, escape.line)}" for item in dict.fromkeys(case.reasons)]
    lines += [f"  {told}" for told in case_words.base_reasons(report, case, escape.line)]
    if case.calls:
        lines.append("  it called " + case_words.calls(case, lambda call: escape.line(call, 120)))
    if case.answer.strip():
        lines.append(f"  it answered {escape.line(case.answer, _ANSWER)}")
    lines.append("  reproduce: " + escape.line(case_words.reproduce(report, case), 600))
    return [f"{_name(case)}: {case_words.history(report, case, escape.line)}", *lines]


def _tests(report: Report) -> list[list[str]]:
    """The project's own tests that broke, each with why."""
    return [
        [f"test {escape.line(case.id, 200)}: {history}", *(f"  {reason}" for reason in reasons)]
        for case in tracks.found(report).broke
        for history, *reasons in [tracks.lines(report, case, _short)]
    ]


def _gone(report: Report) -> list[str]:
    """The project's own tests that the baseline has and this run has not."""
    gone = tracks.gone(report)
    label = count(len(gone), "test of the baseline was", "tests of the baseline were")
    names = [f"  {escape.line(case.id, _ANSWER)}" for case in gone[:_FEW]]
    more = [f"  and {len(gone) - _FEW} more"] if len(gone) > _FEW else []
    return [f"{label} not run (skipped, renamed or gone):", *names, *more] if gone else []


def _changes(report: Report) -> list[list[str]]:
    cases = bar_changes.cases(report)
    return [
        [
            f"{label}:",
            *(line for change in listed[:_FEW] for line in _change(report, change, cases.get(change.name))),
            f"  and {len(listed) - _FEW} more" if len(listed) > _FEW else "",
        ]
        for label, listed in bar_changes.lists(report)
    ]


def _change(report: Report, change: BarChange, case: CaseVerdict | None) -> list[str]:
    told = bar_changes.told(report, change, _short, case)
    place = f" at {told.place}" if told.place else ""
    what = f": {told.what}" if told.what else ""
    return [
        f"  {told.subject}{told.name} {told.word}{place}{what}",
        *(f"    {why}" for why in told.reasons[:3]),
    ]


def _name(case: CaseVerdict) -> str:
    category = f" ({escape.line(case.category, 80)})" if case.category else ""
    place = f" at {escape.line(case_words.place(case), 160)}" if case.place.file else ""
    return f"case {escape.line(case.id, 160)}{category}{place}"


def _undecided(found: Groups) -> list[str]:
    cases, more = found.undecided, len(found.undecided) - _FEW
    lines = [f"  {escape.line(c.id, 160)}: {case_words.unmeasured(c, _short)}" for c in cases[:_FEW]]
    lines += [f"  and {more} more"] if more > 0 else []
    label = count(len(cases), "case could not be decided:", "cases could not be decided:")
    return [label, *lines] if cases else []


def _disagreements(report: Report) -> list[str]:
    found = judges.disagreements(report, escape.line)
    more = [f"  and {len(found) - _FEW} more"] if len(found) > _FEW else []
    return [f"{judges.label(found)}:", *(f"  {told}" for told in found[:_FEW]), *more] if found else []


def _short(text: str) -> str:
    return escape.line(text, _ANSWER)


def _ticked(text: str) -> str:
    return f"`{escape.line(text)}`"


def _others(report: Report, found: Groups) -> list[str]:
    lines = [
        f"  {word}{escape.line(case.id, 160)}: {case_words.history(report, case, escape.line)}"
        + case_words.quarantine(case, escape.line)
        for word, case in case_words.others(found)
    ]
    label = case_words.moved_label(report, found)
    return [label + (":" if lines else ""), *lines] if label else []
