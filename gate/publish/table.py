"""The table of what moved: one row a rule, and one a quality metric that moved without a rule."""

from collections.abc import Iterator

from gate.frozen import frozen
from gate.model.config import Rule
from gate.model.verdict import Coverage, MetricSummary, Report, RuleVerdict
from gate.publish.groups import has_baseline
from gate.publish.words import amount, cases_of, change, coverage, lost, rule_label

COLUMNS = ("metric", "baseline", "now", "change", "rule", "verdict")
NO_CATEGORY = "no category"
"""What a rule by category calls the cases that have none."""

_COUNTED = {
    "regressed": "cases that broke",
    "new_failing": "new or changed cases that fail",
    "removed": "cases removed",
}


@frozen
class Row:
    """One row as text. `metric` and `scope` are other people's words and must be escaped; `words` is ours.

    `lost` is what is not in the number: `2 quarantined; 3 trials not scored: 3 throttled`.
    A row has `words` or a `metric`. `loud` rows are broken, undecided or moved: a short surface shows only
    these and the suite's rules.
    """

    words: str = ""
    metric: str = ""
    scope: str = ""
    baseline: str = ""
    now: str = ""
    lost: str = ""
    change: str = ""
    rule: str = ""
    verdict: str = ""
    loud: bool = False


def rows(report: Report, *, every: bool = False) -> tuple[Row, ...]:
    """The rows of a report, the `cases` rules first; with `every`, also what passes in single categories."""
    found = [*_case_rows(report, every=every), *_rule_rows(report), *_unruled_rows(report)]
    return tuple(row for row in found if every or row.loud or not row.scope)


def _case_rows(report: Report, *, every: bool) -> Iterator[Row]:
    """One row a class that a rule counts; `scope` of such a verdict is the class."""
    usual = "regressed" if has_baseline(report) else "new_failing"
    for verdict in report.comparison.rules:
        if verdict.rule.counts:
            row = _case_row(report, verdict)
            if every or row.loud or verdict.scope == usual:
                yield row


def _case_row(report: Report, verdict: RuleVerdict) -> Row:
    limit, number = verdict.rule.counts.get(verdict.scope, 0), round(verdict.value or 0)
    words = _COUNTED.get(verdict.scope, "")
    if verdict.scope == "new_failing" and not has_baseline(report):
        words = "cases that fail"
    track = "" if verdict.rule.metric == "cases" else verdict.rule.metric
    if track:
        words = words.replace("new or changed cases", "new tests").replace("cases", "tests")
    return Row(
        words=words,
        metric="" if words else verdict.scope,
        scope=track,
        now=str(number),
        rule=f"at most {limit}",
        verdict=verdict_word(verdict),
        loud=number > 0 or verdict.verdict in ("regression", "undecided"),
    )


def _rule_rows(report: Report) -> Iterator[Row]:
    for verdict in report.comparison.rules:
        if not verdict.rule.counts:
            unit = rule_unit(report, verdict.rule)
            yield Row(
                metric=verdict.rule.metric,
                scope="" if verdict.scope == "suite" else verdict.scope or NO_CATEGORY,
                **_sides(report, verdict, unit, verdict.rule),
                rule=rule_label(verdict.rule, unit),
                verdict=verdict_word(verdict),
                loud=verdict.verdict in ("regression", "undecided"),
            )


def _unruled_rows(report: Report) -> Iterator[Row]:
    rules = [v.rule for v in report.comparison.rules if v.scope == "suite"]
    ruled = {rule.metric for rule in rules if rule.aggregate == "mean"}
    for metric in (*moved_quality(report), *_fresh_quality(report)):
        if metric.metric not in ruled:
            yield Row(metric=metric.metric, **_sides(report, metric, ""), loud=True)


def moved_quality(report: Report) -> tuple[MetricSummary, ...]:
    """Quality metrics of the whole suite whose value is not the baseline's."""
    quality = {facts.name for facts in report.metrics if facts.kind == "quality"}
    return tuple(
        m for m in report.comparison.metrics if m.scope == "suite" and m.metric in quality and _moved(m)
    )


def _fresh_quality(report: Report) -> Iterator[MetricSummary]:
    """Quality metrics that nothing is compared with yet and that are not simply 1 everywhere."""
    quality = {facts.name for facts in report.metrics if facts.kind == "quality"}
    for found in report.comparison.metrics:
        fresh = found.scope == "suite" and found.baseline is None and found.metric in quality
        if fresh and found.cases and (found.value is None or found.value < 1):
            yield found


def _moved(metric: MetricSummary) -> bool:
    return None not in (metric.compared, metric.baseline) and metric.compared != metric.baseline


def _sides(
    report: Report, found: RuleVerdict | MetricSummary, unit: str, rule: Rule | None = None
) -> dict[str, str]:
    """Both sides as text; the change is over the cases that can be compared, the value over all of them."""
    before, after, compared = found.baseline, found.value, found.compared
    limits, steps = _limits(rule, before)
    value = "" if after is None else amount(after, unit, limits=limits)
    few, not_in_it = _rests(report, found)
    return {
        "baseline": "" if before is None else amount(before, unit),
        "now": f"{value} {few}".strip(),
        "lost": not_in_it,
        "change": "" if before is None or compared is None else change(before, compared, unit, limits=steps),
    }


def _rests(report: Report, found: RuleVerdict | MetricSummary) -> tuple[str, str]:
    """How many cases a number is from, and what is not in it; both "" where all is."""
    covered = of_rule(report, found) if isinstance(found, RuleVerdict) else coverage_of(found)
    return (cases_of(covered), lost(covered)) if covered else ("", "")


def coverage_of(found: MetricSummary) -> Coverage:
    """What the number of a metric rests on; a run of before said less of it."""
    measured = found.measured
    if measured is None:
        measured = found.cases if found.value is not None else 0
    return Coverage(
        cases=found.cases,
        measured=measured,
        trials=found.trials,
        unscored=found.unscored,
        quarantined=found.quarantined,
    )


def of_rule(report: Report, verdict: RuleVerdict) -> Coverage | None:
    """What the number of a rule rests on: as it says, else as its metric has it in that scope."""
    if verdict.coverage:
        return verdict.coverage
    scopes = {verdict.scope, f"category:{verdict.scope}"}
    metrics = (m for m in report.comparison.metrics if m.metric == verdict.rule.metric and m.scope in scopes)
    return next(map(coverage_of, metrics), None)


def rests_on(report: Report, verdict: RuleVerdict) -> str:
    """` from 48 of 50 cases (1 quarantined)`, to stand behind a rule's number; "" where that is all."""
    covered = of_rule(report, verdict)
    told = coverage(covered) if covered else ""
    return f" {told}" if told else ""


def _limits(rule: Rule | None, before: float | None) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The limits of the value and of the size of its change."""
    if rule is None:
        return (), ()
    moves = [move for move in (rule.max_drop, rule.max_rise) if move is not None]
    steps = tuple(m.value * (before or 0) / 100 if m.percent else m.value for m in moves)
    return tuple(limit for limit in (rule.min, rule.max) if limit is not None), steps


def verdict_word(verdict: RuleVerdict) -> str:
    """`pass`, `regression`, `warning`, `note`, `undecided (throttled)` or `not judged`."""
    match verdict.verdict:
        case "regression":
            return {"block": "regression", "warn": "warning", "info": "note"}[verdict.rule.level]
        case "undecided":
            return f"undecided ({verdict.cause})" if verdict.cause else "undecided"
        case "not_judged":
            return "not judged"
        case "pass":
            return "pass"


def rule_unit(report: Report, rule: Rule) -> str:
    """The unit of what a rule bounds: a share of trials that pass has none."""
    return "" if rule.counts_passes else unit_of(report, rule.metric)


def unit_of(report: Report, metric: str) -> str:
    """The unit of a metric; "" for a share."""
    return next((facts.unit for facts in report.metrics if facts.name == metric), "")
