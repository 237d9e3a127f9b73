"""The verdict of a run: design section 4's ladder, first match wins."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from gate.compare.cases import case_verdicts
from gate.compare.distrust import disagreements, distrusted, undecided_by, without_values
from gate.compare.health import health
from gate.compare.rules import Side, judge
from gate.compare.values import baseline_value, join, measure
from gate.errors import PASS, REGRESSION, UNDECIDED
from gate.model.baseline import Baseline, BaselineFacts
from gate.model.config import Policy, Rule
from gate.model.run import AGENT, CaseEvidence, Evidence, MetricFacts
from gate.model.verdict import (
    CaseVerdict,
    Comparison,
    MetricSummary,
    RuleVerdict,
    UndecidedCause,
    VerdictWord,
)


def compare(  # noqa: PLR0913  # each is an input of its own
    evidence: Evidence,
    baseline: Baseline | None,
    facts: BaselineFacts,
    *,
    rules: Sequence[Rule],
    undecided: Mapping[str, Policy],
    enforced: bool = True,
    renewed: bool = False,
) -> Comparison:
    """Judge a run against the rules and the baseline. The same input gives the same verdict.

    `renewed`: what the baseline measured by another text was meant to change, and leaves nothing undecided.
    """
    whole = not evidence.meta.selection
    judges = health(evidence.judges, baseline, renewed=renewed)
    doubted = distrusted(judges)
    believed = [without_values(case, doubted) for case in evidence.cases]
    cases = case_verdicts(believed, evidence.metrics, baseline, whole=whole, policies=undecided)
    counted = tuple(case for case in evidence.cases if case.facts.quarantine is None)
    side = Side(
        cases=counted,
        verdicts=cases,
        baseline=baseline,
        facts=facts,
        apart=tuple(case for case in evidence.cases if case.facts.quarantine is not None),
        policies=undecided,
        renewed=renewed,
    )
    metrics = {metric.name: metric for metric in evidence.metrics}
    judged = tuple(undecided_by(each, doubted) for rule in rules for each in judge(rule, metrics, side))
    word, cause, reason, code = _ladder(evidence, judged, cases, undecided, facts)
    return Comparison(
        verdict=word,
        reason=reason,
        exit_code=code if enforced else PASS,
        enforced=enforced,
        cause=cause,
        rules=judged,
        metrics=tuple(_summaries(counted, side.apart, evidence.metrics, baseline)),
        cases=cases,
        baseline=facts,
        judges=judges,
        disagreements=tuple(disagreements(believed, evidence.metrics)),
    )


def _ladder(
    evidence: Evidence,
    judged: Sequence[RuleVerdict],
    cases: Sequence[CaseVerdict],
    policies: Mapping[str, Policy],
    facts: BaselineFacts,
) -> tuple[VerdictWord, UndecidedCause | None, str, int]:
    meta = evidence.meta
    if meta.agent_down:
        return "undecided", "agent_down", meta.agent_down, UNDECIDED
    blocking = [verdict for verdict in judged if verdict.rule.level == "block"]
    if not meta.measured_trials:
        return "undecided", "agent_down", _nothing_measured(cases), UNDECIDED
    broken = [verdict for verdict in blocking if verdict.verdict == "regression"]
    if broken:
        return "regression", None, "; ".join(map(_name, broken)), REGRESSION
    open_ = [(verdict.cause, verdict.reason) for verdict in blocking if verdict.cause]
    if all(case.klass in {"quarantined", "removed"} for case in cases if case.track == AGENT):
        open_.append(("coverage", "every case is quarantined: nothing was judged"))
    for policy, code in (("fail", UNDECIDED), ("warn", PASS)):
        for cause, reason in open_:
            if policies.get(cause, "fail") == policy:
                return "undecided", cause, reason, code
    reason = "nothing to compare yet" if facts.state == "none" else "nothing got worse"
    return "pass", None, reason, PASS


def _name(verdict: RuleVerdict) -> str:
    rule = verdict.rule
    name = rule.metric if rule.aggregate == "mean" else f"{rule.folded} of {rule.metric}"
    if not rule.counts and rule.metric != "cases" and rule.by == "suite":
        return name
    return f"{name} ({verdict.scope or 'no category'})"


def _nothing_measured(cases: Sequence[CaseVerdict]) -> str:
    totals = Counter[str]()
    for case in cases:
        totals.update(case.outcomes)
    counts = ", ".join(f"{number} {outcome}" for outcome, number in sorted(totals.items()))
    told = f"nothing was measured ({counts})" if counts else "nothing was measured"
    whys = Counter(case.reasons[0].text for case in cases if case.reasons)
    return ": ".join([told, *(why for why, _ in whys.most_common(1))])


def _summaries(
    cases: Sequence[CaseEvidence],
    apart: Sequence[CaseEvidence],
    metrics: Sequence[MetricFacts],
    baseline: Baseline | None,
) -> Iterator[MetricSummary]:
    """Each metric over the suite and by category; `apart` are quarantined."""
    categories = sorted({case.facts.category for case in cases})
    groups: list[tuple[str, str | None]] = [("suite", None)]
    if categories not in ([], [""]):
        groups += [(f"category:{name}", name) for name in categories]
    for metric in metrics:
        for scope, category in groups:
            if mine := _having(cases, metric, category):
                summary = _summary(metric, scope, mine, baseline)
                yield replace(summary, quarantined=len(_having(apart, metric, category)))


def _having(
    cases: Sequence[CaseEvidence], metric: MetricFacts, category: str | None
) -> Sequence[CaseEvidence]:
    """The cases of a category (None: of all) that a metric applies to."""
    return [
        case for case in cases if metric.name in case.facts.keys and category in (None, case.facts.category)
    ]


def _summary(
    metric: MetricFacts, scope: str, cases: Sequence[CaseEvidence], baseline: Baseline | None
) -> MetricSummary:
    found = measure(cases, metric)
    joined, lines, _ = join(cases, metric.name, baseline)
    return MetricSummary(
        metric=metric.name,
        scope=scope,
        cases=found.cases,
        trials=found.trials,
        value=found.value,
        baseline=baseline_value(lines),
        compared=measure(joined, metric).value,
        unscored=dict(found.unscored),
        measured=found.measured,
    )
