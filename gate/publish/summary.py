"""summary.md: the comment, and beside it every rule with its evidence, every metric and every case."""

from collections.abc import Iterator

from gate.model.verdict import CaseVerdict, MetricSummary, Report, RuleVerdict
from gate.publish import case_words, groups, judges, markdown, markdown_bar, table
from gate.publish.advice import advice
from gate.publish.budget import Section, fit
from gate.publish.escape import cell, code
from gate.publish.groups import Groups
from gate.publish.words import amount, change, count, coverage, duration, rule_label

BUDGET = 1_000_000
"""GitHub drops a step's summary of more than 1 MiB."""

_ANSWER = 2000
_ROOM_FOR_CHANGES = 200_000
_ELSEWHERE = "All of it is in `run.json`."
_CATEGORY = "category:"


def render(report: Report) -> str:
    """Render the job summary, at most BUDGET bytes."""
    found = groups.group(report)
    down = groups.never_ran(report)
    sections = (
        markdown.title(report),
        markdown.notices(report),
        markdown_bar.statement(report),
        markdown.agent_down(report) if groups.agent_gone(report) else markdown.why(report),
        *markdown_bar.changes(report, room=_ROOM_FOR_CHANGES, elsewhere="`run.json`"),
        *([] if down else [markdown.moved_table(report, now="this run", every=True)]),
        markdown.broken(report, found, answer_cap=_ANSWER),
        *markdown.tests(report),
        *(() if down else _everything(report, found)),
        markdown.measurement(report),
        markdown.paragraph(advice(report, code)),
        markdown.paragraph(case_words.agent(report, code)),
        markdown.footer(report),
    )
    return fit(sections, BUDGET, elsewhere=_ELSEWHERE)


def _everything(report: Report, found: Groups) -> tuple[Section, ...]:
    return (
        markdown.undecided(found, opened=True),
        markdown.folded(report, found),
        _disagreements(report),
        _judges(report),
        _rules(report),
        _metrics(report),
        _cases(report),
    )


def _disagreements(report: Report) -> Section:
    found = judges.disagreements(report, code)
    items = tuple(f"- {told}" for told in found)
    return markdown.details(judges.label(found), items, what="disagreement", between="\n")


def _judges(report: Report) -> Section:
    told = (*judges.healthy(report, code), *judges.spent(report, code))
    return Section(items=told, between="\n\n", what="judge")


def _rules(report: Report) -> Section:
    items = tuple(f"- {_rule(report, verdict)}" for verdict in report.comparison.rules)
    label = f"{count(len(items), 'rule')} with evidence"
    return markdown.details(label, items, what="rule", between="\n")


def _rule(report: Report, verdict: RuleVerdict) -> str:
    rule, unit = verdict.rule, table.rule_unit(report, verdict.rule)
    asked = rule_label(rule, unit)
    if rule.counts:
        limit = rule.counts.get(verdict.scope, 0)
        asked = f"at most {limit}"
    level = "" if rule.level == "block" else f", level {rule.level}"
    place = f", written at {code(str(rule.place), 160)}" if rule.place.line else ", the default"
    found = "; ".join(_evidence(report, verdict, unit))
    return (
        f"{code(rule.metric, 80)} ({code(verdict.scope or table.NO_CATEGORY, 80)}): {asked}{level}{place} → "
        f"**{table.verdict_word(verdict)}**{': ' + found if found else ''}"
    )


def _evidence(report: Report, verdict: RuleVerdict, unit: str) -> Iterator[str]:
    if verdict.rule.counts:
        yield str(round(verdict.value or 0))
    else:
        before, now = verdict.baseline, verdict.value
        yield f"baseline {amount(before, unit)}" if before is not None else "no value in the baseline"
        covered = table.of_rule(report, verdict)
        told = coverage(covered) if covered else ""
        value = f"now {amount(now, unit)}" if now is not None else "nothing measured now"
        yield f"{value} {told}" if told else value
    if None not in (verdict.low, verdict.high) and verdict.low != verdict.high:
        unit = "cases" if verdict.rule.counts else unit
        low, high = amount(verdict.low or 0, unit), amount(verdict.high or 0, unit)
        yield f"between {low} and {high} had the rest been measured"
    if verdict.not_comparable:
        yield f"{count(verdict.not_comparable, 'case')} not comparable"
    if verdict.reason:
        yield code(verdict.reason, 500)


def _metrics(report: Report) -> Section:
    lines = tuple(_metric(report, metric) for metric in report.comparison.metrics)
    columns = ("metric", "of", "baseline", "this run", "change", "cases", "trials", "not scored")
    section = markdown.tabular(columns, "ll-----l", lines, what="metric")
    return _folded(f"Metrics: {count(len(report.metrics), 'metric')} overall and by category", section)


def _metric(report: Report, metric: MetricSummary) -> str:
    unit = table.unit_of(report, metric.metric)
    before, now, compared = metric.baseline, metric.value, metric.compared
    category = metric.scope.removeprefix(_CATEGORY) or table.NO_CATEGORY
    scope = "all" if metric.scope == "suite" else cell(category, 80)
    missing = ", ".join(f"{number} {cell(cause, 40)}" for cause, number in metric.unscored.items())
    cells = (
        cell(metric.metric, 80),
        scope,
        "" if before is None else amount(before, unit),
        "" if now is None else amount(now, unit),
        "" if before is None or compared is None else change(before, compared, unit),
        _cases_of(metric),
        str(metric.trials),
        missing,
    )
    return f"| {' | '.join(cells)} |"


def _cases_of(metric: MetricSummary) -> str:
    """`48 of 50 (1 quarantined)`, or how many where each was measured."""
    found = table.coverage_of(metric)
    total = found.cases + found.quarantined
    aside = f" ({found.quarantined} quarantined)" if found.quarantined else ""
    return f"{found.measured} of {total}{aside}" if found.measured < total else str(total)


def _cases(report: Report) -> Section:
    lines = tuple(_case(case) for case in report.comparison.cases)
    columns = ("case", "category", "class", "passed before", "passed now", "time", "at", "not scored")
    section = markdown.tabular(columns, "lll---ll", lines, what="case")
    return _folded(count(len(lines), "case"), section)


def _case(case: CaseVerdict) -> str:
    missing = ", ".join(f"{cell(name, 40)}: {cell(cause, 40)}" for name, cause in case.unscored.items())
    cells = (
        cell(case.id, 160),
        cell(case.category, 80) if case.category else "",
        f"{case.klass}, fails" if case.failing else case.klass,
        f"{case.base_passed} of {case.base_measured}" if case.base_measured else "",
        f"{case.passed} of {case.measured}" if case.klass != "removed" else "",
        duration(case.duration_ms / 1000) if case.measured else "",
        cell(case_words.place(case), 160) if case.place.file else "",
        missing,
    )
    return f"| {' | '.join(cells)} |"


def _folded(label: str, section: Section) -> Section:
    if not section.items:
        return section
    return Section(
        items=section.items,
        head=f"<details><summary>{label}</summary>\n\n{section.head}",
        foot="</details>",
        after_head="\n",
        between="\n",
        what=section.what,
    )
