"""Hold the measurements against the rules."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from math import inf
from typing import Literal

from gate.compare.aggregate import fold_of
from gate.compare.passing import TOLERANCE
from gate.compare.values import Measured, baseline_value, causes_of, gravest, join, measure, strictness
from gate.frozen import frozen
from gate.model.baseline import Baseline, BaselineFacts
from gate.model.config import Amount, Policy, Rule
from gate.model.run import AGENT, CaseEvidence, MetricFacts
from gate.model.score import Unscored
from gate.model.verdict import CaseVerdict, Coverage, RuleVerdict, UndecidedCause

Word = Literal["pass", "regression", "undecided", "not_judged"]
_SEVERITY: Mapping[Word, int] = {"regression": 0, "undecided": 1, "not_judged": 2, "pass": 3}
NAMED = 5
"""How many cases a reason names."""


@frozen
class Side:
    """What rules are held against: the cases that count, their verdicts, and the baseline with its state.

    `apart` are the quarantined cases.
    """

    cases: tuple[CaseEvidence, ...]
    verdicts: tuple[CaseVerdict, ...]
    baseline: Baseline | None
    facts: BaselineFacts
    apart: tuple[CaseEvidence, ...] = ()
    policies: Mapping[str, Policy] = field(default_factory=dict)
    renewed: bool = False


@frozen
class _Judgement:
    word: Word
    reason: str = ""
    cause: UndecidedCause | None = None


def judge(rule: Rule, metrics: Mapping[str, MetricFacts], side: Side) -> Iterator[RuleVerdict]:
    """One verdict for each scope of the rule; where no case carries the metric, one that says so."""
    if rule.metric == "cases" or rule.counts:
        yield from (_judge_count(rule, name, bound, side) for name, bound in rule.counts.items())
    elif rule.metric in metrics:
        metric = metrics[rule.metric]
        scopes, apart = _scopes(rule, metric, side.cases), _scopes(rule, metric, side.apart)
        for scope, cases in scopes.items():
            yield _judge_scope(rule, metric, scope, cases, side, len(apart.get(scope, ())))
        if not scopes:
            reason = "no case that counts has what it is held against"
            yield RuleVerdict(rule=rule, scope="suite", verdict="not_judged", reason=reason)


def _scopes(rule: Rule, metric: MetricFacts, cases: Sequence[CaseEvidence]) -> dict[str, list[CaseEvidence]]:
    """By name the cases of each scope that the metric applies to; single cases stay in the suite's order."""
    found: dict[str, list[CaseEvidence]] = {}
    for case in cases:
        for name in _names(rule, case) if metric.name in case.facts.keys else ():
            found.setdefault(name, []).append(case)
    return found if rule.by == "case" else {name: found[name] for name in sorted(found)}


def _names(rule: Rule, case: CaseEvidence) -> Sequence[str]:
    match rule.by:
        case "suite":
            return ("suite",)
        case "category":
            return (case.facts.category,)
        case "tag":
            return tuple(dict.fromkeys(case.facts.tags))
        case "case":
            return (case.facts.id,)


def _judge_scope(
    rule: Rule, metric: MetricFacts, scope: str, cases: Sequence[CaseEvidence], side: Side, quarantined: int
) -> RuleVerdict:
    fold = fold_of(rule, metric)
    now = measure(cases, metric, fold)
    joined, lines, others = join(cases, metric.name, side.baseline, fold)
    before, after = baseline_value(lines, fold), measure(joined, metric, fold)
    others += len(lines) if before is None else 0
    found = [_absolute(rule, now, side)] if rule.min is not None or rule.max is not None else []
    if rule.max_drop or rule.max_rise:
        found.append(_relative(rule, after, before, side, others))
    if rule.coverage is not None:
        found.append(_covered(rule.coverage, now, side))
    worst = min(found, key=lambda each: _gravity(each, side.policies), default=_Judgement(word="pass"))
    reasons = [each.reason for each in found if each.reason]
    if worst.word == "undecided" and "metric" in now.unscored:
        reasons += _broken(metric.name, cases)
    return RuleVerdict(
        rule=rule,
        scope=scope,
        verdict=worst.word,
        reason="; ".join(reasons),
        cause=worst.cause,
        baseline=before,
        value=now.value,
        compared=after.value,
        low=now.low,
        high=None if now.high == inf else now.high,
        not_comparable=others,
        coverage=coverage_of(now, quarantined),
    )


def _broken(name: str, cases: Sequence[CaseEvidence]) -> Iterator[str]:
    """Why a custom metric could not be computed, in the first case that shows it."""
    for case in cases:
        for record in case.exhibits:
            match record.scores.get(name):
                case Unscored(cause="metric", reason=reason):
                    yield f"the metric itself failed in {case.facts.id}: {reason}"
                    return
                case _:
                    pass


def coverage_of(found: Measured, quarantined: int) -> Coverage:
    """What a number rests on."""
    return Coverage(
        cases=found.cases,
        measured=found.measured,
        trials=found.trials,
        unscored=dict(found.unscored),
        quarantined=quarantined,
    )


def _gravity(judgement: _Judgement, policies: Mapping[str, Policy]) -> tuple[int, int]:
    return _SEVERITY[judgement.word], strictness(judgement.cause, policies) if judgement.cause else 0


def _absolute(rule: Rule, mean: Measured, side: Side) -> _Judgement:
    if mean.value is None or mean.low is None or mean.high is None:
        return _unmeasured(mean, side)
    best_fails = (rule.min is not None and mean.high < rule.min - TOLERANCE) or (
        rule.max is not None and mean.low > rule.max + TOLERANCE
    )
    worst_holds = (rule.min is None or mean.low >= rule.min - TOLERANCE) and (
        rule.max is None or mean.high <= rule.max + TOLERANCE
    )
    return _ladder(mean, side, fails=best_fails, holds=worst_holds)


def _relative(rule: Rule, mean: Measured, before: float | None, side: Side, others: int) -> _Judgement:
    facts = side.facts
    if facts.state == "unreadable":
        return _Judgement(word="undecided", cause="baseline_unreadable", reason=facts.problem)
    if facts.state == "none":
        return _Judgement(word="not_judged", reason="no baseline yet")
    if before is None:
        if others and not side.renewed:
            reason = (
                "the baseline has none but of other expectations or another metric version, or not measured"
            )
            return _Judgement(word="undecided", cause="not_comparable", reason=reason)
        return _Judgement(word="not_judged", reason="new: the baseline has no value to compare with")
    if mean.value is None or mean.low is None or mean.high is None:
        return _unmeasured(mean, side)
    changes = list(_directions(rule, mean.low - before, mean.high - before))
    fails = any(_exceeds(best, amount, before, rule.ignore_below) for best, _, amount in changes)
    holds = not any(_exceeds(worst, amount, before, rule.ignore_below) for _, worst, amount in changes)
    return _ladder(mean, side, fails=fails, holds=holds)


def _covered(least: float, found: Measured, side: Side) -> _Judgement:
    """Whether enough trials were scored, whatever the rest could have been."""
    scored = found.trials - sum(found.unscored.values())
    if scored >= least * found.trials - TOLERANCE:
        return _Judgement(word="pass")
    reason = f"{scored} of {found.trials} trials were scored, and {least:.0%} must be"
    return _Judgement(
        word="undecided", cause=gravest(causes_of(found.unscored), side.policies), reason=reason
    )


def _directions(rule: Rule, low: float, high: float) -> Iterator[tuple[float, float, Amount]]:
    """Per bound: the best and the worst that the change can be in its direction, and what is allowed."""
    if rule.max_drop:
        yield -high, -low, rule.max_drop
    if rule.max_rise:
        yield low, high, rule.max_rise


def _exceeds(change: float, amount: Amount, before: float, ignore_below: float | None) -> bool:
    allowed = abs(before) * amount.value / 100 if amount.percent else amount.value
    return change > allowed + TOLERANCE and change >= (ignore_below or 0.0)


def _ladder(mean: Measured, side: Side, *, fails: bool, holds: bool) -> _Judgement:
    if fails:
        return _Judgement(word="regression")
    return _Judgement(word="pass") if holds else _unmeasured(mean, side)


def _unmeasured(found: Measured, side: Side) -> _Judgement:
    short: UndecidedCause = "too_few_trials"
    return _Judgement(
        word="undecided",
        cause=gravest([*causes_of(found.unscored), *[short] * found.short], side.policies),
        reason="; ".join(_missing(found)),
    )


def _missing(found: Measured) -> Iterator[str]:
    count = sum(found.unscored.values())
    if count or not found.short:
        causes = ", ".join(f"{number} {cause}" for cause, number in sorted(found.unscored.items()))
        yield f"hangs on {count} of {found.trials} trials that were not measured ({causes})"
    if found.short:
        yield f"{found.short} of {found.cases} cases have too few trials for it"


def _judge_count(rule: Rule, name: str, bound: int, side: Side) -> RuleVerdict:
    track = AGENT if rule.metric == "cases" else rule.metric
    counted = [verdict for verdict in side.verdicts if verdict.track == track]
    surely = [verdict for verdict in counted if _is(name, verdict)]
    maybe = [verdict for verdict in counted if _may_be(name, verdict)]
    judgement = _count(name, bound, len(surely), maybe, side)
    return RuleVerdict(
        rule=rule,
        scope=name,
        verdict=judgement.word,
        reason=judgement.reason,
        cause=judgement.cause,
        value=float(len(surely)),
        low=float(len(surely)),
        high=float(len(surely) + len(maybe)),
    )


def _count(name: str, bound: int, surely: int, maybe: Sequence[CaseVerdict], side: Side) -> _Judgement:
    facts = side.facts
    if surely > bound:
        return _Judgement(word="regression")
    if name != "new_failing" and facts.state == "unreadable":
        return _Judgement(word="undecided", cause="baseline_unreadable", reason=facts.problem)
    if name != "new_failing" and facts.state == "none":
        return _Judgement(word="not_judged", reason="no baseline yet")
    if surely + len(maybe) <= bound:
        return _Judgement(word="pass")
    names = ", ".join(verdict.id for verdict in maybe[:NAMED]) + (" and more" if len(maybe) > NAMED else "")
    cause = gravest((verdict.cause or "coverage" for verdict in maybe), side.policies)
    return _Judgement(word="undecided", cause=cause, reason=f"{len(maybe)} could not be decided: {names}")


def _is(name: str, verdict: CaseVerdict) -> bool:
    if name == "new_failing":
        return verdict.klass in {"new", "changed"} and verdict.failing
    return verdict.klass == name


def _may_be(name: str, verdict: CaseVerdict) -> bool:
    if name == "new_failing":
        open_ = verdict.measured < verdict.planned and not verdict.passed
        return verdict.klass in {"new", "changed"} and open_
    return name == "regressed" and verdict.klass == "undecided"
