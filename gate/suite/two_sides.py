"""A pull request's suite: what is in force of it, what it is also held against, and who accepted that."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from gate.check import Checked
from gate.dataset import select
from gate.errors import UsageError
from gate.frozen import frozen
from gate.model.bar import Acceptance, Bar, BarChange, NotAccepted
from gate.model.baseline import Baseline, BaselineFacts
from gate.model.case import Case
from gate.model.config import AcceptPolicy, Config
from gate.redact import Redactor
from gate.suite.yardstick import Yardstick, yardstick
from gate.trust import BaseSide, Weighed, metric_changes, weigh


@frozen
class HeadSide:
    """The head as it would be alone: its config as it is run, and the chosen ones of its cases."""

    checked: Checked
    config: Config
    cases: tuple[Case, ...]
    baseline: Baseline | None
    baseline_facts: BaselineFacts
    chosen: tuple[Sequence[str], Sequence[str]]


@frozen
class Held:
    """What is in force, and both yardsticks; `base` None where the head's alone decides."""

    config: Config
    head: Yardstick
    base: Yardstick | None
    apart: tuple[Case, ...]
    bar: Bar
    baseline: Baseline | None
    baseline_facts: BaselineFacts


def hold(
    base: BaseSide,
    head: HeadSide,
    ask: Callable[[AcceptPolicy], Acceptance | NotAccepted],
    redact: Redactor,
    today: date,
) -> Held:
    """Hold a head against its base; asks for acceptance where there is anything to accept."""
    weighed = weigh(base, head.checked, head.config, head.baseline, today)
    mine = yardstick(weighed.config, head.cases, redact, today)
    other = _of_base(base, head, weighed, redact, today)
    changes = (*weighed.changes, *(_metrics(other, mine, head.checked) if other else ()))
    bar = Bar(
        base=base.revision.commit,
        branch=base.revision.branch,
        behind=base.revision.behind,
        changes=tuple(_clean(change, redact) for change in changes),
        accept=_policy(base),
    )
    answer = ask(_policy(base)) if changes or _incomparable(base, mine) else NotAccepted()
    if isinstance(answer, Acceptance):
        return Held(
            config=head.config,
            head=yardstick(head.config, head.cases, redact, today),
            base=None,
            apart=(),
            bar=replace(bar, side="head", accepted=answer),
            baseline=head.baseline,
            baseline_facts=head.baseline_facts,
        )
    return Held(
        config=weighed.config,
        head=mine,
        base=other if changes else None,
        apart=tuple(case for case in weighed.apart if other and case.id in other.expected),
        bar=replace(bar, not_accepted=". ".join(filter(None, (answer.reason, answer.hint)))),
        baseline=base.baseline,
        baseline_facts=replace(base.baseline_facts, path=base.baseline_facts.path or head.config.baseline),
    )


def _policy(base: BaseSide) -> AcceptPolicy:
    return base.config.accept if base.config else AcceptPolicy()


def _of_base(
    base: BaseSide, head: HeadSide, weighed: Weighed, redact: Redactor, today: date
) -> Yardstick | None:
    """The base's yardstick over its cases of the chosen part of the suite, in as many trials as are run."""
    if base.config is None:
        return None
    try:
        cases = select(base.cases, *head.chosen)
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
