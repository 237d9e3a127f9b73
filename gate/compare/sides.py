"""One verdict of two: by the head's own bar, and by the base's, until somebody accepts the head's."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from gate.errors import PASS, UNDECIDED
from gate.model.bar import Bar
from gate.model.config import Policy
from gate.model.verdict import ByBase, CaseVerdict, Comparison

_NAMED = 3
_DRIVING = frozenset(("agent", "run"))


def decide(
    head: Comparison, base: Comparison | None, bar: Bar, policies: Mapping[str, Policy], *, enforced: bool
) -> Comparison:
    """The verdict of a pull request; `base` None where both sides hold the same, or the head is accepted.

    What fails by the head's own bar is a regression. What passes only by that, or loosens it, needs
    acceptance. `policies` are the stricter ones of both sides.
    """
    cases = _both(head, base, bar) if base else head.cases
    together = replace(head, cases=cases, bar=bar)
    pending = [change for change in bar.changes if change.needs_acceptance]
    if bar.side == "head" or not (base or pending):
        return together
    waits = any(change.subject in _DRIVING for change in pending)
    if head.cause == "agent_down":  # perhaps for want of what it asks for
        reason = f"{head.reason}; {_why(pending_names(bar), None)}"
        return replace(together, reason=reason) if waits else together
    if head.verdict == "regression" and not waits:
        return together
    if pending or (base and base.verdict == "regression"):
        return _needs_acceptance(together, base, _why(pending_names(bar), base), policies, enforced=enforced)
    return _stricter(together, base) if base else together


def pending_names(bar: Bar) -> tuple[str, ...]:
    """What waits for acceptance, each once."""
    return tuple(dict.fromkeys(change.name for change in bar.changes if change.needs_acceptance))


def _needs_acceptance(
    head: Comparison,
    base: Comparison | None,
    reason: str,
    policies: Mapping[str, Policy],
    *,
    enforced: bool,
) -> Comparison:
    """Shown with the rules that are in force: the base's."""
    shown = base or head
    fails = enforced and policies.get("needs_acceptance", "fail") == "fail"
    return replace(
        head,
        verdict="undecided",
        cause="needs_acceptance",
        reason=reason,
        exit_code=UNDECIDED if fails else PASS,
        enforced=enforced,
        rules=shown.rules,
        metrics=shown.metrics,
    )


def _stricter(head: Comparison, base: Comparison) -> Comparison:
    """Of two that are no regression the one that lets less through, with the cases of both."""
    if (base.exit_code, base.verdict == "undecided") <= (head.exit_code, head.verdict == "undecided"):
        return head
    return replace(base, cases=head.cases, bar=head.bar)


def _why(pending: tuple[str, ...], base: Comparison | None) -> str:
    said = []
    if base and base.verdict == "regression":
        said.append(f"by the base's bar it is a regression: {base.reason}")
    if pending:
        more = len(pending) - _NAMED
        named = ", ".join(pending[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        said.append(f"not in force yet: {named}")
    return "; ".join(said)


def _both(head: Comparison, base: Comparison, bar: Bar) -> tuple[CaseVerdict, ...]:
    """The head's cases, each with how it fares by the base where that matters, and the removed ones."""
    changed = {change.name for change in bar.changes if change.subject == "case"}
    old = {case.id: case for case in base.cases if case.klass != "removed"}
    merged = [
        _beside(case, old.pop(case.id, None), told=case.id in changed)
        for case in head.cases
        if case.klass != "removed"
    ]
    told = {case.id: case for case in head.cases if case.klass == "removed"}
    merged += list(_removed(told, old))
    return tuple(merged)


def _beside(case: CaseVerdict, other: CaseVerdict | None, *, told: bool) -> CaseVerdict:
    if other is None or (not told and _fares(case) == _fares(other)):
        return case
    return replace(case, by_base=_by_base(other))


def _fares(case: CaseVerdict) -> tuple[object, ...]:
    return case.passed, case.measured, case.planned, case.klass, case.reasons


def _removed(told: Mapping[str, CaseVerdict], old: Mapping[str, CaseVerdict]) -> Iterator[CaseVerdict]:
    """Cases that the baseline knows and the suite has not, and those that only the base's files have."""
    for id_ in {**told, **old}:
        gone = told.get(id_)
        other = old.get(id_)
        if other is None:
            if gone:
                yield gone
        else:
            kept = gone or CaseVerdict(id=id_, klass="removed", place=other.place, category=other.category)
            yield replace(kept, by_base=_by_base(other), place=other.place)


def _by_base(case: CaseVerdict) -> ByBase:
    return ByBase(passed=case.passed, measured=case.measured, planned=case.planned, reasons=case.reasons)
