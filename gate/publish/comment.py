"""comment.md: the verdict, what moved, how well it was measured, what to do. A pass is two lines."""

from collections.abc import Mapping
from typing import Final

from gate.model.verdict import Report
from gate.publish import bar_words, case_words, groups, headline, markdown, markdown_bar, table, tracks
from gate.publish.advice import advice
from gate.publish.budget import Section, fit
from gate.publish.escape import code
from gate.publish.groups import Groups
from gate.publish.words import count, duration

BUDGET = 60_000
"""GitHub refuses a comment of more than 65,536 characters."""

SEVERITIES: Final[Mapping[str, int]] = {"pass": 0, "undecided": 1, "regression": 2, "": 3}
"""Of the jobs of one run that share a comment the worst stays; no verdict at all is worst."""

_ANSWER = 300
_FEW = 10
_MOST_CHANGES, _ROOM_FOR_CHANGES = 20, 12_000
_ELSEWHERE = "All of it is in `summary.md` and `run.json` beside this comment."


def marker(id_: str = "default") -> str:
    """The hidden first line by which a comment is found again; of `id_` it keeps letters, digits, `._-`."""
    safe = "".join(c for c in id_ if c.isascii() and (c.isalnum() or c in "._-"))
    return f"<!-- agent-gate:{safe or 'default'} -->"


def render(report: Report, *, id_: str = "default", budget: int = BUDGET) -> str:
    """Render the body of the pull-request comment, at most `budget` bytes but for what must stay."""
    found = groups.group(report)
    if groups.never_ran(report):
        sections = _not_run(report)
    elif report.comparison.verdict == "pass":
        sections = _pass(report, found)
    else:
        sections = _full(report, found)
    top = Section(items=(marker(id_),), must=True)
    return fit((top, *sections), budget, elsewhere=_ELSEWHERE)


def is_notable(report: Report) -> bool:
    """Whether anything moved; where nothing is compared, whether it is no pass."""
    found = groups.group(report)
    moved = found.broke or found.undecided or found.fixed or found.new or found.changed or found.removed
    bar = report.comparison.bar
    moves_it = bool(bar and bar.changes)
    return bool(moved) or moves_it or report.comparison.verdict != "pass" or headline.got_worse(report)


def _not_run(report: Report) -> tuple[Section, ...]:
    return (
        markdown.title(report),
        markdown.agent_down(report),
        markdown.notices(report),
        markdown.paragraph(advice(report, code)),
        markdown.footer(report),
    )


def _pass(report: Report, found: Groups) -> tuple[Section, ...]:
    worse = groups.failed_rules(report, "warn") or headline.got_worse(report)
    show = worse and any(row.metric for row in table.rows(report))
    return (
        markdown.title(report),
        markdown.paragraph(_in_one_line(report)),
        markdown.notices(report),
        markdown_bar.statement(report),
        *_changes(report),
        *([markdown.moved_table(report, now="this PR")] if show else []),
        markdown.broken(report, found, answer_cap=_ANSWER),
        *markdown.tests(report),
        markdown.undecided(found, opened=False),
        markdown.folded(report, found),
    )


def _in_one_line(report: Report) -> str:
    """The second line of a pass: cases, trials, time, what it was held against, and which run it was."""
    total, seen = len(groups.in_suite(report)), len(groups.measured(report))
    spent = f"{case_words.trials(report)}, {duration(report.meta.duration_s)}"
    run = " ".join(part for part in (tracks.measured(report, code), case_words.footer(report, code)) if part)
    if groups.has_baseline(report):
        runs = count(report.comparison.baseline.runs, "run")
        return f"{seen} of {count(total, 'case')}, {spent}, against {runs} of the baseline; {run}."
    met = sum(case.passed == case.planned for case in groups.in_suite(report))
    verb = "meets its expectations" if total == 1 else "meet their expectations"
    line = f"{met} of {count(total, 'case')} {verb} ({spent}); {run}."
    return f"{line} {case_words.baseline(report, code)} {advice(report, code)}".rstrip()


def _full(report: Report, found: Groups) -> tuple[Section, ...]:
    undecided, asks = report.comparison.verdict == "undecided", bar_words.asks(report)
    todo = markdown.paragraph(advice(report, code))
    return (
        markdown.title(report),
        markdown.notices(report),
        markdown_bar.statement(report),
        *([todo] if asks else []),
        markdown.agent_down(report) if groups.agent_gone(report) else markdown.why(report),
        *_changes(report),
        markdown.moved_table(report, now="this PR"),
        markdown.broken(report, found, answer_cap=_ANSWER),
        *markdown.tests(report),
        markdown.undecided(found, opened=undecided and len(found.undecided) <= _FEW),
        markdown.folded(report, found),
        markdown.measurement(report),
        *([] if asks else [todo]),
        markdown.footer(report),
    )


def _changes(report: Report) -> tuple[Section, ...]:
    """What changes of the bar, before the cases: it is cut after them, and leaves them most of the room."""
    return markdown_bar.changes(
        report, most=_MOST_CHANGES, room=_ROOM_FOR_CHANGES, elsewhere="the job's summary"
    )
