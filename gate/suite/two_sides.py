"""A pull request's suite: what is in force of it, what it is also held against, and who accepted that."""

from dataclasses import replace
from datetime import date

from gate.check import Checked
from gate.dataset import select
from gate.errors import UsageError
from gate.model.bar import Acceptance, Bar, BarChange, NotAccepted
from gate.model.config import AcceptPolicy
from gate.redact import Redactor
from gate.suite.suite import Selection, Sides, Suite
from gate.suite.yardstick import Yardstick, yardstick
from gate.trust import BaseSide, Weighed, metric_changes, weigh


def hold(  # the head alone, the base, and what was asked for
    head: Suite, checked: Checked, base: BaseSide, sides: Sides, selection: Selection, today: date
) -> Suite:
    """Hold a head, as it would be alone, against its base; asks for acceptance where there is any to give."""
    weighed = weigh(base, checked, head.config, head.baseline, today)
    mine = yardstick(weighed.config, head.cases, head.redact, today)
    other = _of_base(base, weighed, selection, head.redact, today)
    changes = (*weighed.changes, *(_metrics(other, mine, checked) if other else ()))
    bar = Bar(
        base=base.revision.commit,
        branch=base.revision.branch,
        behind=base.revision.behind,
        changes=tuple(_clean(change, head.redact) for change in changes),
        accept=_policy(base),
    )
    answer = sides.ask(_policy(base)) if changes or _incomparable(base, mine) else NotAccepted()
    if isinstance(answer, Acceptance):
        accepted = replace(bar, side="head", accepted=answer)
        return replace(head, commit=sides.commit, bar=accepted, judged=base.judged)
    judging = other if changes and other and _counts(other) else None
    why_not = ". ".join(filter(None, (answer.reason, answer.hint)))
    return replace(
        head,
        config=weighed.config,
        head=mine,
        base=judging,
        apart=tuple(case for case in weighed.apart if judging and case.id in judging.expected),
        bar=replace(bar, not_accepted=head.redact.text(why_not)),
        commit=sides.commit,
        judged=base.judged,
        baseline=base.baseline,
        baseline_facts=replace(base.baseline_facts, path=base.baseline_facts.path or head.config.baseline),
    )


def _counts(side: Yardstick) -> bool:
    """Whether anything hangs on the side: where all is new, or quarantined, it has nothing to judge by."""
    return any(facts.quarantine is None for facts in side.case_facts)


def _policy(base: BaseSide) -> AcceptPolicy:
    return base.config.accept if base.config else AcceptPolicy()


def _of_base(
    base: BaseSide, weighed: Weighed, selection: Selection, redact: Redactor, today: date
) -> Yardstick | None:
    """The base's yardstick over its cases of the chosen part of the suite, in as many trials as are run."""
    if base.config is None:
        return None
    try:
        cases = select(base.cases, selection.cases, selection.tags)
    except UsageError:  # what is chosen is new
        cases = ()
    config = replace(base.config, run=weighed.config.run, agent=weighed.config.agent)
    return yardstick(config, cases, redact, today)


def _metrics(base: Yardstick, head: Yardstick, checked: Checked) -> tuple[BarChange, ...]:
    named = {metric.name: checked.place("metrics", metric.name) for metric in (*base.metrics, *head.metrics)}
    places = {**named, "": checked.place("metrics")}
    return tuple(
        metric_changes(base.metrics, head.metrics, base.named(), places, base.by_default() - head.decisive())
    )


def _clean(change: BarChange, redact: Redactor) -> BarChange:
    return replace(
        change,
        name=redact.text(change.name),
        before=redact.text(change.before),
        after=redact.text(change.after),
        note=redact.text(change.note),
    )


def _incomparable(base: BaseSide, head: Yardstick) -> bool:
    """Whether a line of the baseline was measured by other means, as after an upgrade of the gate."""
    lines = base.baseline.lines if base.baseline else {}
    return any(
        (line := lines.get((facts.id, metric))) is not None and line.key != key
        for facts in head.case_facts
        for metric, key in facts.keys.items()
    )
