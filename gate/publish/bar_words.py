"""What is said of the bar that a pull request is held against: the same on every surface."""

from collections.abc import Set as AbstractSet

from gate.model.bar import Acceptance, Bar, BarChange
from gate.model.verdict import CaseVerdict, Report
from gate.publish import groups
from gate.publish.escape import Quote, line
from gate.publish.words import count, moment

_DRIVING = frozenset(("agent", "run"))
"""What such a change says decides how the agent is run, not what is made of it."""


def pending(report: Report) -> tuple[BarChange, ...]:
    """The changes that need acceptance and have none, a case among them that passes only by its new text."""
    bar = report.comparison.bar
    if bar is None or is_accepted(report):
        return ()
    cases = report.comparison.cases if asks(report) else ()
    only_new = {case.id for case in cases if _better_than_base(case)}
    return tuple(
        change for change in bar.changes if change.needs_acceptance or _changes_text(change, only_new)
    )


def quiet(report: Report) -> tuple[BarChange, ...]:
    """The changes that need no acceptance; none where somebody gave it for all of them."""
    bar = report.comparison.bar
    if bar is None or is_accepted(report):
        return ()
    waiting = set(map(id, pending(report)))
    return tuple(change for change in bar.changes if id(change) not in waiting)


def is_accepted(report: Report) -> bool:
    """Whether the bar of the pull request decided, because somebody accepted it."""
    bar = report.comparison.bar
    return bar is not None and bar.side == "head"


def _changes_text(change: BarChange, ids: AbstractSet[str]) -> bool:
    """Whether it is one of the text of these cases; one with values is of its category or tags."""
    return change.subject == "case" and change.name in ids and not (change.before or change.after)


def _better_than_base(case: CaseVerdict) -> bool:
    old = case.by_base
    return old is not None and fails_by_base(case) and case.passed * old.measured > old.passed * case.measured


def asks(report: Report) -> bool:
    """Whether acceptance is all that is missing."""
    comparison = report.comparison
    return comparison.verdict == "undecided" and comparison.cause == "needs_acceptance"


def statement(report: Report, quote: Quote) -> str:
    """What must be said beside the verdict: who accepted, or how many changes are not in force; mostly ""."""
    bar = report.comparison.bar
    if bar is None:
        return ""
    if bar.accepted is not None and is_accepted(report):
        return _acceptance(bar.accepted, len(bar.changes), quote)
    tried = line(bar.not_accepted, 600).rstrip(".")
    why = f"Not accepted yet: {quote(tried)}." if tried else ""
    if asks(report):
        return f"{_asking(report, bar, quote)} {why}".rstrip()
    return f"{_besides(report)} {why}".rstrip() if pending(report) else ""


def _acceptance(given: Acceptance, number: int, quote: Quote) -> str:
    how = "a label" if given.how == "label" else "an approving review"
    when = moment(given.at) or quote(given.at)
    included = f", {count(number, 'change')} included" if number else ""
    return (
        f"Accepted by {quote(given.by)} with {how} on {when}, for commit {quote(line(given.head)[:7])}: "
        f"the rules, cases and baseline of this pull request decided{included}."
    )


def _asking(report: Report, bar: Bar, quote: Quote) -> str:
    waiting, base = pending(report), _base(bar, quote)
    need = "needs" if len(waiting) == 1 else "need"
    if any(change.subject in _DRIVING for change in waiting):
        some = f"{count(len(waiting), 'change')} of this pull request {need} acceptance"
        return (
            f"{some}. Until then the agent is run as {base} says, so what was measured is not the last word."
        )
    whole = report.meta.measured_trials == report.meta.planned_trials
    fine = f"This pull request {'passes' if whole else 'does not fail'} by its own rules, cases and baseline"
    theirs = f"those of {base}"
    if groups.failed_rules(report):
        return (
            f"{fine}, but is a regression by {theirs}, which decide until somebody accepts what it changes."
        )
    return f"{fine}. Until somebody accepts what it changes, {theirs} decide."


def _besides(report: Report) -> str:
    number = len(pending(report))
    needs = "needs" if number == 1 else "need"
    if report.comparison.verdict == "regression":
        return (
            "This pull request fails by its own rules, cases and baseline. "
            f"{number} of its changes to them {needs} acceptance besides."
        )
    return f"{count(number, 'change')} to what judges this pull request {needs} acceptance first."


def against(report: Report, quote: Quote) -> str:
    """` against main at a1b2c3d, 3 commits behind`, for the line that says which run this was."""
    bar = report.comparison.bar
    if bar is None or not (line(bar.base) or line(bar.branch)):
        return ""
    behind = f", {count(bar.behind, 'commit')} behind" if bar.behind > 0 else ""
    return f" against {_base(bar, quote)}{behind}"


def _base(bar: Bar, quote: Quote) -> str:
    branch, sha = line(bar.branch), line(bar.base)[:7]
    named = " at ".join(quote(part) for part in (branch, sha) if part)
    return named or "the base"


def text_of_base(bar: Bar | None, quote: Quote) -> str:
    """`the text on main`, or at its commit where the branch has no name."""
    if bar is not None and line(bar.branch):
        return f"the text on {quote(bar.branch)}"
    sha = line(bar.base)[:7] if bar is not None else ""
    return f"the text at {quote(sha)}" if sha else "the text of the base"


def by_text(report: Report, case: CaseVerdict, quote: Quote) -> str:
    """`passes by its new text (3 of 3) and fails by the text on main (0 of 3)`.

    It is "" without two sides, and where neither the case's text nor how it fares differs.
    """
    old = case.by_base
    if old is None:
        return ""
    changed, theirs = _has_new_text(report, case), by_base(report, case, quote)
    if case.klass == "removed" or not case.planned:
        if not old.measured:
            return f"{theirs} it could not be measured"
        left = f" ({old.planned - old.measured} not measured)" if old.planned > old.measured else ""
        return f"{theirs} it passes {old.passed} of {old.measured}{left}"
    if not changed and (case.passed, case.measured) == (old.passed, old.measured):
        return ""
    now, then = _verb(case.passed, case.measured), _verb(old.passed, old.measured)
    mine = "by its new text" if changed else "by the metrics of this pull request"
    first = f"{now} {mine}{_share(case.passed, case.measured, case.planned)}"
    second = f"{theirs}{_share(old.passed, old.measured, old.planned)}"
    return f"{first} and {second}" if now == then else f"{first} and {then} {second}"


def by_base(report: Report, case: CaseVerdict, quote: Quote) -> str:
    """`by the text on main`, or where the case's text is the same, `by those on main`: its metrics."""
    bar = report.comparison.bar
    if case.klass == "removed" or _has_new_text(report, case):
        return f"by {text_of_base(bar, quote)}"
    return f"by the metrics of {_base(bar, quote) if bar else 'the base'}"


def _has_new_text(report: Report, case: CaseVerdict) -> bool:
    bar = report.comparison.bar
    changes = bar.changes if bar is not None else ()
    return any(_changes_text(change, {case.id}) for change in changes)


def fails_by_base(case: CaseVerdict) -> bool:
    """Whether a case that the pull request changes or removes fails a trial by the base's text."""
    return case.by_base is not None and case.by_base.passed < case.by_base.measured


def _verb(passed: int, measured: int) -> str:
    if not measured:
        return "could not be measured"
    return "passes" if passed == measured else "passes sometimes" if passed else "fails"


def _share(passed: int, measured: int, planned: int) -> str:
    left = f", {planned - measured} not measured" if planned > measured else ""
    return f" ({passed} of {measured}{left})" if measured else ""


def concerned(report: Report) -> dict[str, tuple[BarChange, ...]]:
    """By id of a case of the suite, its changes that await acceptance; nothing where the verdict does not."""
    if not asks(report):
        return {}
    known = {case.id for case in groups.in_suite(report)}
    found: dict[str, tuple[BarChange, ...]] = {}
    for change in pending(report):
        if change.subject in ("case", "quarantine") and change.name in known:
            found[change.name] = (*found.get(change.name, ()), change)
    return found
