"""junit.xml: one testcase a case; failure for quality, error for what is undecided, skipped for quarantine.

A failure and an error make a reader of JUnit red. So what the policy `undecided` lets through is neither, nor
what a verdict of pass does not hang on: it is skipped, which is not green either, and says why. A change of
the bar that needs acceptance is an error of its case, or a testcase of its own.
"""

from collections.abc import Collection, Iterator, Sequence

from gate.model.bar import BarChange
from gate.model.verdict import CaseVerdict, Report, RuleVerdict, UndecidedCause
from gate.publish import bar_changes, bar_words, case_words, groups, headline, judges, junit_file, table
from gate.publish.escape import line, lines, tail
from gate.publish.junit_file import Kind, Test
from gate.publish.words import count, coverage, rule_label

_OWN = "agent-gate"

_ACCEPTANCE: UndecidedCause = "needs_acceptance"


def render(report: Report) -> str:
    """Render the JUnit file. A red or undecided run has a failure or an error unless it is let through."""
    return junit_file.render(
        list(_tests(report)),
        name=line(f"{_OWN} {report.meta.config}"),
        timestamp=line(report.meta.started_at.removesuffix("Z")),
        properties=_suite_properties(report),
    )


def _tests(report: Report) -> Iterator[Test]:
    if groups.never_ran(report):
        yield _agent(report)
        return
    tests = [_agent(report)] if report.meta.agent_down else []
    asked = bar_words.concerned(report)
    tests += [_case(report, case, asked.get(case.id, ())) for case in groups.planned(report)]
    tests += [_rule(report, verdict) for verdict in groups.failed_rules(report) if not verdict.rule.counts]
    tests += _other_changes(report, asked)
    yield from tests
    kind = _undecided_kind(report, report.comparison.cause or "coverage")
    wanted = {"pass": "", "regression": "failure", "undecided": kind}[report.comparison.verdict]
    if wanted and wanted not in {test.kind for test in tests}:
        yield _verdict(report)


def _undecided_kind(report: Report, cause: UndecidedCause) -> Kind:
    """`error`, or `skipped` where neither this cause nor the run's makes the run red."""
    verdict, own = report.comparison.verdict, report.comparison.cause
    causes = {cause, own or cause} if verdict == "undecided" else {cause}
    through = any(report.undecided.get(each, "fail") != "fail" for each in causes)
    return "skipped" if through or verdict == "pass" else "error"


def _agent(report: Report) -> Test:
    meta = report.meta
    return Test(
        name="agent",
        classname=_OWN,
        kind=_undecided_kind(report, "agent_down"),
        type="agent_down",
        message=line(meta.agent_down or report.comparison.reason, 600) or "nothing could be measured",
        detail=lines(tail(meta.log_tail)),
        seconds=meta.duration_s,
    )


def _case(report: Report, case: CaseVerdict, asked: Sequence[BarChange]) -> Test:
    kind, type_, message = _result(report, case)
    if kind == "failure" and bar_words.asks(report):
        kind, type_ = _undecided_kind(report, _ACCEPTANCE), _ACCEPTANCE
    elif asked and kind in ("", "skipped"):
        told = "; ".join(_change_words(report, change, case) for change in asked)
        kind, type_, message = _undecided_kind(report, _ACCEPTANCE), _ACCEPTANCE, f"needs acceptance: {told}"
    base = case_words.base_reasons(report, case, line)
    return Test(
        name=line(case.id),
        classname=line(case.category) or line(case.track),
        kind=kind,
        type=type_,
        message=message,
        detail="\n".join([_detail(case), *base]).strip() if kind in ("failure", "error") else "",
        output=_output(case),
        file=line(case.place.file),
        line=case.place.line,
        seconds=case.duration_ms / 1000,
        properties=_properties(case),
    )


def _result(report: Report, case: CaseVerdict) -> tuple[Kind, str, str]:
    """The kind, type and message of a case; what failed before as well passes, and a property says so."""
    if case.klass == "quarantined":
        return "skipped", "quarantined", "quarantined" + case_words.quarantine(case, line)
    if case.klass == "regressed":
        return "failure", "regression", case_words.history(report, case, line)
    if case.failing and case.klass in ("new", "changed"):
        return "failure", "expectation", case_words.history(report, case, line)
    if case.klass == "undecided" or not (case.measured or case.klass == "removed"):
        kind, told = _undecided_kind(report, case.cause or "coverage"), case_words.unmeasured(case, line)
        return kind, case.cause or "coverage", told if kind == "error" else f"does not block: {told}"
    return "", "", ""


def _other_changes(report: Report, asked: Collection[str]) -> Iterator[Test]:
    """A testcase for each change that awaits acceptance and is about no case of the suite."""
    if not bar_words.asks(report):
        return
    cases = bar_changes.cases(report)
    for change in bar_words.pending(report):
        about_case = change.subject in ("case", "quarantine")
        if not (about_case and change.name in asked):
            yield Test(
                name=f"{change.subject} {line(change.name)}",
                classname=f"{_OWN}.bar",
                kind=_undecided_kind(report, _ACCEPTANCE),
                type=_ACCEPTANCE,
                message=f"needs acceptance: {_change_words(report, change, cases.get(change.name))}",
                file=line(change.place.file),
                line=change.place.line,
            )


def _change_words(report: Report, change: BarChange, case: CaseVerdict | None) -> str:
    told = bar_changes.told(report, change, line, case)
    return f"{told.subject}{told.name} {told.word}{': ' if told.what else ''}{told.what}"


def _detail(case: CaseVerdict) -> str:
    return "\n".join(case_words.reason(item, line) for item in dict.fromkeys(case.reasons))


def _output(case: CaseVerdict) -> str:
    called = [f"called: {line(call)}" for call in case.calls[:50]]
    answered = ["answered:", lines(case.answer)] if case.answer.strip() else []
    return "\n".join([*called, *answered])


def _properties(case: CaseVerdict) -> dict[str, str]:
    return {
        "agent-gate.class": case.klass,
        "agent-gate.failing": str(case.failing).lower(),
        "agent-gate.passed": str(case.passed),
        "agent-gate.measured": str(case.measured),
        "agent-gate.planned": str(case.planned),
        **_by_base(case),
        **{f"metric.{line(name)}": f"{value:.6g}" for name, value in case.metrics.items()},
        **{f"unscored.{line(name)}": line(cause) for name, cause in case.unscored.items()},
    }


def _by_base(case: CaseVerdict) -> dict[str, str]:
    old = case.by_base
    if old is None:
        return {}
    return {"agent-gate.base_passed": str(old.passed), "agent-gate.base_measured": str(old.measured)}


def _rule(report: Report, verdict: RuleVerdict) -> Test:
    asks = bar_words.asks(report)  # the rules that are broken are then the base's
    label = rule_label(verdict.rule, table.rule_unit(report, verdict.rule))
    folded = "" if verdict.rule.aggregate == "mean" else f"{verdict.rule.folded} of "
    value = "nothing" if verdict.value is None else f"{verdict.value:.6g}"
    before = "" if verdict.baseline is None else f", {verdict.baseline:.6g} before"
    return Test(
        name=f"rule {folded}{line(verdict.rule.metric)} ({line(verdict.scope)})",
        classname=f"{_OWN}.rules",
        kind=_undecided_kind(report, _ACCEPTANCE) if asks else "failure",
        type=_ACCEPTANCE if asks else "regression",
        message=f"{label}: it is {value}{table.rests_on(report, verdict)}{before}",
        detail=lines(verdict.reason),
        file=line(verdict.rule.place.file),
        line=verdict.rule.place.line,
    )


def _verdict(report: Report) -> Test:
    comparison = report.comparison
    red = comparison.verdict == "regression"
    return Test(
        name="verdict",
        classname=_OWN,
        kind="failure" if red else _undecided_kind(report, comparison.cause or "coverage"),
        type="regression" if red else comparison.cause or "undecided",
        message=headline.headline(report, line),
        detail=lines(comparison.reason),
    )


def _suite_properties(report: Report) -> dict[str, str]:
    meta, comparison = report.meta, report.comparison
    bar = comparison.bar
    held = (
        {
            "agent-gate.base": line(bar.base),
            "agent-gate.side": bar.side,
            "agent-gate.needs_acceptance": str(len(bar_words.pending(report))),
            "agent-gate.accepted_by": line(bar.accepted.by) if bar.accepted else "",
        }
        if bar is not None
        else {}
    )
    removed = sum(case.klass == "removed" for case in comparison.cases)
    return {
        "agent-gate.verdict": comparison.verdict,
        "agent-gate.cause": comparison.cause or "",
        "agent-gate.exit_code": str(comparison.exit_code),
        "agent-gate.enforced": str(comparison.enforced).lower(),
        "agent-gate.run": line(meta.run),
        "agent-gate.commit": line(meta.commit.sha),
        "agent-gate.baseline": comparison.baseline.state,
        "agent-gate.selection": line(" ".join(meta.selection)),
        "agent-gate.interrupted": str(meta.interrupted).lower(),
        "agent-gate.removed": str(removed),
        **held,
        **{
            f"agent-gate.judge.{line(judge.metric)}": judges.standing(judge, line)
            for judge in comparison.judges
        },
        **dict(_numbers(report)),
    }


def _numbers(report: Report) -> Iterator[tuple[str, str]]:
    """Each metric of the whole suite, and what its number rests on."""
    for metric in report.comparison.metrics:
        if metric.scope == "suite":
            value = "nothing" if metric.value is None else f"{metric.value:.6g}"
            covered = coverage(table.coverage_of(metric)) or f"from {count(metric.cases, 'case')}"
            yield f"agent-gate.metric.{line(metric.metric)}", f"{value} {covered}"
