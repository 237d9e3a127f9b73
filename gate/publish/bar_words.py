"""What is said of the bar that a pull request is held against: the same on every surface."""

from gate.model.bar import Acceptance, Bar, BarChange
from gate.model.run import CaseVerdict, Report
from gate.publish import groups
from gate.publish.escape import Quote, line
from gate.publish.words import count, moment


def pending(report: Report) -> tuple[BarChange, ...]:
    """The changes that need acceptance and have none: they are not in force."""
    bar = report.comparison.bar
    return _asking(bar) if bar is not None and bar.side == "base" else ()


def accepted(report: Report) -> tuple[BarChange, ...]:
    """The changes that needed acceptance and are in force because somebody gave it."""
    bar = report.comparison.bar
    return _asking(bar) if bar is not None and is_accepted(report) else ()


def is_accepted(report: Report) -> bool:
    """Whether the bar of the pull request decided, because somebody accepted it."""
    bar = report.comparison.bar
    return bar is not None and bar.side == "head"


def quiet(report: Report) -> tuple[BarChange, ...]:
    """The changes that need no acceptance."""
    bar = report.comparison.bar
    return tuple(change for change in bar.changes if not change.needs_acceptance) if bar is not None else ()


def _asking(bar: Bar) -> tuple[BarChange, ...]:
    return tuple(change for change in bar.changes if change.needs_acceptance)


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
        return _acceptance(bar.accepted, len(accepted(report)), quote)
    waiting = len(pending(report))
    tried = f"Not accepted yet: {quote(bar.not_accepted)}." if line(bar.not_accepted) else ""
    if not waiting:
        return tried if asks(report) else ""
    words = _asking_words(bar, waiting, quote) if asks(report) else _not_in_force(report, bar, waiting, quote)
    return f"{words} {tried}".rstrip()


def _acceptance(given: Acceptance, number: int, quote: Quote) -> str:
    how = "a label" if given.how == "label" else "an approving review"
    when = moment(given.at) or quote(given.at)
    included = f", {count(number, 'accepted change')} included" if number else ""
    return (
        f"Accepted by {quote(given.by)} with {how} on {when}, for commit {quote(line(given.head)[:7])}: "
        f"the rules, cases and baseline of this pull request decided{included}."
    )


def _asking_words(bar: Bar, number: int, quote: Quote) -> str:
    needs = "needs" if number == 1 else "need"
    return (
        "By its own rules, cases and baseline this pull request passes. But it changes them, and "
        f"{number} of its changes {needs} acceptance: until then those of {_base(bar, quote)} stay in force."
    )


def _not_in_force(report: Report, bar: Bar, number: int, quote: Quote) -> str:
    needs = "needs acceptance and was" if number == 1 else "need acceptance and were"
    words = (
        f"{count(number, 'change')} to the rules, cases or baseline that judge this pull request {needs} "
        f"not in force: those of {_base(bar, quote)} decided."
    )
    passed = " The policy `undecided: {needs_acceptance: pass}` lets this pass."
    return words + (passed if report.comparison.verdict == "pass" else "")


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
    """`passes by its new text (3 of 3) and fails by the text on main (0 of 3)`; "" without two texts."""
    old = case.by_base
    if old is None:
        return ""
    text = text_of_base(report.comparison.bar, quote)
    if case.klass == "removed" or not case.planned:
        if not old.measured:
            return f"by {text} it could not be measured"
        left = f" ({old.planned - old.measured} not measured)" if old.planned > old.measured else ""
        return f"by {text} it passes {old.passed} of {old.measured}{left}"
    now, then = _verb(case.passed, case.measured), _verb(old.passed, old.measured)
    first = f"{now} by its new text{_share(case.passed, case.measured, case.planned)}"
    second = f"by {text}{_share(old.passed, old.measured, old.planned)}"
    return f"{first} and {second}" if now == then else f"{first} and {then} {second}"


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
