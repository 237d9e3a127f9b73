"""Which rules of the head ask less than those of the base."""

from collections.abc import Iterator, Sequence
from typing import Final

from gate.model.bar import BarChange
from gate.model.config import Amount, Rule
from gate.trust import words

_LEVELS: Final = ("info", "warn", "block")


def rule_changes(base: Sequence[Rule], head: Sequence[Rule]) -> Iterator[BarChange]:
    """Each rule that no rule of the other side implies, beside the one that took its place."""
    loosened = [rule for rule in base if not any(implies(other, rule) for other in head)]
    tightened = [rule for rule in head if not any(implies(other, rule) for other in base)]
    for rule in loosened:
        yield _loosened(rule, _successor(rule, head), head)
    replaced = {id(_successor(rule, head)) for rule in loosened}
    for rule in tightened:
        if id(rule) not in replaced:
            yield _tightened(rule, _successor(rule, base))


def implies(strict: Rule, rule: Rule) -> bool:
    """Whether whatever satisfies `strict` satisfies `rule` as well, and fails no later."""
    if _subject(strict) != _subject(rule):
        return False
    if _LEVELS.index(strict.level) < _LEVELS.index(rule.level):
        return False
    counts = all(name in strict.counts and strict.counts[name] <= most for name, most in rule.counts.items())
    ignored = (strict.ignore_below or 0.0) <= (rule.ignore_below or 0.0)
    moves = rule.max_drop is None and rule.max_rise is None
    return (
        counts
        and _at_least(strict.min, rule.min)
        and _at_least(strict.coverage, rule.coverage)
        and _at_most(strict.max, rule.max)
        and _within(strict.max_drop, rule.max_drop)
        and _within(strict.max_rise, rule.max_rise)
        and (moves or ignored)
    )


def _subject(rule: Rule) -> tuple[object, ...]:
    """What a rule bounds: of two aggregates neither says anything of the other."""
    return rule.metric, rule.by, rule.aggregate, rule.number, rule.at


def _at_least(strict: float | None, bound: float | None) -> bool:
    return bound is None or (strict is not None and strict >= bound)


def _at_most(strict: float | None, bound: float | None) -> bool:
    return bound is None or (strict is not None and strict <= bound)


def _within(strict: Amount | None, bound: Amount | None) -> bool:
    """Nothing may move: that is within every bound; a share of the baseline is no absolute amount."""
    if bound is None or strict is None:
        return bound is None
    return strict.value == 0 or (strict.percent == bound.percent and strict.value <= bound.value)


def _successor(rule: Rule, others: Sequence[Rule]) -> Rule | None:
    """The other side's rule that stands for this one: of the same metric, best over the same scope."""
    same = [other for other in others if other.metric == rule.metric]
    over = [other for other in same if other.by == rule.by]
    alike = [other for other in over if other.folded == rule.folded]
    return next(iter((*alike, *over, *same)), None)


def _loosened(rule: Rule, after: Rule | None, head: Sequence[Rule]) -> BarChange:
    return BarChange(
        subject="rule",
        kind="loosened" if after else "removed",
        name=f"rules.{rule.metric}",
        before=words.rule(rule),
        after=words.rule(after) if after else "",
        needs_acceptance=True,
        place=after.place if after else head[0].place if head else rule.place,
    )


def _tightened(rule: Rule, before: Rule | None) -> BarChange:
    return BarChange(
        subject="rule",
        kind="tightened" if before else "added",
        name=f"rules.{rule.metric}",
        before=words.rule(before) if before else "",
        after=words.rule(rule),
        place=rule.place,
    )
