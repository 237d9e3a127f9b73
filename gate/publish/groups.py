"""Cases by what became of them, and how many trials were measured: what every surface counts."""

from collections import Counter
from collections.abc import Mapping

from gate.frozen import frozen
from gate.model.run import AGENT
from gate.model.verdict import CaseVerdict, Report, RuleVerdict


@frozen
class Groups:
    """Every case of a report in exactly one group, each in the report's order.

    `broke`: regressed, and new or changed ones that passed no trial. `failing` failed before as well,
    `unsteady` pass in some trials only. What could still pass if it were measured is `undecided`. Without a
    baseline no case is new: what passes is `unchanged`.
    """

    broke: tuple[CaseVerdict, ...]
    undecided: tuple[CaseVerdict, ...]
    fixed: tuple[CaseVerdict, ...]
    new: tuple[CaseVerdict, ...]
    changed: tuple[CaseVerdict, ...]
    removed: tuple[CaseVerdict, ...]
    quarantined: tuple[CaseVerdict, ...]
    failing: tuple[CaseVerdict, ...]
    unsteady: tuple[CaseVerdict, ...]
    unchanged: tuple[CaseVerdict, ...]


def group(report: Report, *, tests: bool = False) -> Groups:
    """Sort the cases of a report into groups; or the project's own `tests`, which are no cases."""
    found: dict[str, list[CaseVerdict]] = {name: [] for name in Groups.__dataclass_fields__}
    compared = report.comparison.baseline.state != "none"
    for case in report.comparison.cases:
        if (case.track != AGENT) is tests:
            found[_group_of(case, compared=compared)].append(case)
    return Groups(**{name: tuple(cases) for name, cases in found.items()})


def _group_of(case: CaseVerdict, *, compared: bool) -> str:
    match case.klass:
        case "regressed":
            return "broke"
        case "new" | "changed" if case.failing:
            return "broke"
        case "new" | "changed" | "unchanged" if not (case.failing or case.passed):
            return "undecided"
        case "unchanged" if case.failing:
            return "failing"
        case "unchanged" if case.passed < case.measured:
            return "unsteady"
        case "new" if not compared:
            return "unsteady" if case.passed < case.measured else "unchanged"
        case klass:
            return klass


def planned(report: Report) -> tuple[CaseVerdict, ...]:
    """All that this run had: every case and every test but the removed ones."""
    return tuple(case for case in report.comparison.cases if case.klass != "removed")


def in_suite(report: Report) -> tuple[CaseVerdict, ...]:
    """The cases that this run planned, without the project's own tests."""
    return tuple(case for case in planned(report) if case.track == AGENT)


def measured(report: Report) -> tuple[CaseVerdict, ...]:
    """The cases of which at least one trial was measured."""
    return tuple(case for case in in_suite(report) if case.measured)


def outcomes(report: Report) -> Mapping[str, int]:
    """How many trials ended in which outcome, over all cases."""
    total: Counter[str] = Counter()
    for case in report.comparison.cases:
        total.update(case.outcomes)
    return total


def expired(report: Report) -> tuple[CaseVerdict, ...]:
    """Cases whose quarantine is over: they count again."""
    return tuple(c for c in in_suite(report) if c.quarantine is not None and c.klass != "quarantined")


def failed_rules(report: Report, level: str = "block") -> tuple[RuleVerdict, ...]:
    """The rules of one level that are broken."""
    rules = report.comparison.rules
    return tuple(r for r in rules if r.verdict == "regression" and r.rule.level == level)


def open_rules(report: Report) -> tuple[RuleVerdict, ...]:
    """The blocking rules that could not be decided."""
    rules = report.comparison.rules
    return tuple(r for r in rules if r.verdict == "undecided" and r.rule.level == "block")


def has_baseline(report: Report) -> bool:
    """Whether there was something to compare with."""
    return report.comparison.baseline.state == "compared"


def agent_gone(report: Report) -> bool:
    """Whether the agent explains the run: it did not start, went down, or answered nothing."""
    return never_ran(report) or bool(report.meta.agent_down)


def never_ran(report: Report) -> bool:
    """Whether no trial was measured at all."""
    return report.comparison.verdict == "undecided" and not report.meta.measured_trials


def log_adds(report: Report) -> bool:
    """Whether the end of the agent's log says more than the reason, which quotes its last line."""
    log = report.meta.log_tail.strip()
    return bool(log) and log not in report.meta.agent_down
