"""The verdict in words for somebody who never saw the tool, why it was reached, and what to do about it."""

from collections.abc import Mapping

from gate.model.case import Quarantine
from gate.model.verdict import Report, RuleVerdict, UndecidedCause
from gate.publish import bar_changes, bar_words, groups, judges, tracks
from gate.publish.escape import Quote
from gate.publish.table import NO_CATEGORY, moved_quality, of_rule, rule_unit
from gate.publish.words import amount, cases_of, change, count

_NAMED_RULES = 2


def headline(report: Report, quote: Quote) -> str:
    """`Agent Gate: regression — 2 of 48 cases broke`; of other people's words it has only metric names."""
    word, what = _headline(report, quote)
    note = {"report": " (reported only)", "policy": " (does not block)", "": ""}[_let_through(report)]
    return f"Agent Gate: {word} — {what}{note}"


def _headline(report: Report, quote: Quote) -> tuple[str, str]:
    comparison = report.comparison
    match comparison.verdict:
        case "regression":
            return "regression", _broken(report, quote)
        case "undecided":
            return _undecided(report)
        case "pass":
            return _pass(report)


def _broken(report: Report, quote: Quote) -> str:
    rules = groups.failed_rules(report)
    said = [counted(report, rule, quote) for rule in rules if rule.rule.counts]
    said += [_metric_phrase(report, rule, quote) for rule in rules if not rule.rule.counts]
    shown, more = said[:_NAMED_RULES], len(said) - _NAMED_RULES
    if more > 0:
        shown.append(f"and {count(more, 'more rule is broken', 'more rules are broken')}")
    return ", ".join(shown) or "a rule is broken"


def _test_count(report: Report, verdict: RuleVerdict, quote: Quote) -> str:
    number, track = round(verdict.value or 0), quote(verdict.rule.metric)
    of = f"{number} of {count(len(tracks.of_track(report, verdict.rule.metric)), 'test')} of {track}"
    match verdict.scope:
        case "regressed":
            return f"{of} broke"
        case "new_failing":
            new = "new " if groups.has_baseline(report) else ""
            return f"{count(number, f'{new}test')} of {track} {'fails' if number == 1 else 'fail'}"
        case _:
            return f"{count(number, 'test')} of {track} {'is' if number == 1 else 'are'} gone or skipped"


def counted(report: Report, verdict: RuleVerdict, quote: Quote) -> str:
    """`2 of 48 cases broke`, of a rule that counts cases, or tests of a track."""
    if verdict.rule.metric != "cases":
        return _test_count(report, verdict, quote)
    noun = "selected case" if report.meta.selection else "case"
    number, total = round(verdict.value or 0), len(groups.in_suite(report))
    match verdict.scope:
        case "regressed":
            return f"{number} of {count(total, noun)} broke"
        case "new_failing" if groups.has_baseline(report):
            fresh = {c.klass for c in groups.group(report).broke} - {"regressed"}
            kind = fresh.pop() if len(fresh) == 1 else "new or changed"
            return count(number, f"{kind} case fails", f"{kind} cases fail")
        case "new_failing":
            return f"{number} of {count(total, noun)} {'fails' if number == 1 else 'fail'}"
        case "removed":
            return count(number, "case was removed", "cases were removed")
        case klass:
            return f"{count(number, 'case')} {quote(klass)}"


def _metric_phrase(report: Report, verdict: RuleVerdict, quote: Quote, *, where: str | None = None) -> str:
    unit, rule, value = rule_unit(report, verdict.rule), verdict.rule, verdict.value
    somewhere = "" if rule.by == "suite" else f" in a {rule.by}"
    folded = "" if rule.aggregate == "mean" else f"{rule.folded} of "
    name = folded + quote(rule.metric) + (somewhere if where is None else where)
    if value is None:
        return f"{name} breaks its rule"
    covered = of_rule(report, verdict)
    few = f" {told}" if covered and (told := cases_of(covered)) else ""
    if rule.min is not None and value < rule.min:
        return f"{name} is {amount(value, unit, limits=(rule.min,))}{few}, below {amount(rule.min, unit)}"
    if rule.max is not None and value > rule.max:
        return f"{name} is {amount(value, unit, limits=(rule.max,))}{few}, above {amount(rule.max, unit)}"
    before, after = verdict.baseline, verdict.compared
    if before is None or after is None:
        return f"{name} breaks its rule"
    moved = "fell" if after < before else "rose"
    return f"{name} {moved} from {amount(before, unit)} to {amount(after, unit)}{few}"


def _undecided(report: Report) -> tuple[str, str]:
    meta, planned = report.meta, count(report.meta.planned_trials, "trial")
    if groups.never_ran(report):
        return "not run", "the agent did not start" if meta.agent_down else "nothing could be measured"
    throttled = groups.outcomes(report).get("throttled", 0)
    missing = meta.planned_trials - meta.measured_trials
    match report.comparison.cause:
        case "agent_down":
            return "undecided", f"the agent went down after {meta.measured_trials} of {planned}"
        case "throttled":
            return "undecided", f"the provider throttled {throttled} of {planned}"
        case "coverage" if missing > 0:
            return "undecided", f"{missing} of {planned} could not be measured"
        case "interrupted":
            return "undecided", f"the run ended after {meta.measured_trials} of {planned}"
        case "needs_acceptance":
            changed = bar_changes.label(bar_words.pending(report))
            return "needs acceptance", changed or "this pull request changes what it is judged by"
        case "judge_changed" if judges.unfit(report):
            return "undecided", "the judge cannot be relied on"
        case cause:
            return "undecided", _UNDECIDED.get(cause or "coverage", "a rule could not be decided")


_UNDECIDED: Mapping[UndecidedCause, str] = {
    "coverage": "part of what a rule needs was not measured",
    "too_few_trials": "too few trials to tell a change from chance",
    "not_comparable": "the baseline measured something else",
    "judge_changed": "the judge changed: it cannot tell whether the agent did",
    "judge_down": "the judge did not answer",
    "baseline_unreadable": "the baseline cannot be read",
}


def _pass(report: Report) -> tuple[str, str]:
    warnings = len(groups.failed_rules(report, "warn"))
    word = f"pass with {count(warnings, 'warning')}" if warnings else "pass"
    chosen = count(len(groups.in_suite(report)), "selected case")
    return word, _pass_words(report) + (f", in {chosen} only" if report.meta.selection else "")


def _pass_words(report: Report) -> str:
    if groups.failed_rules(report, "warn"):
        return "no rule that blocks is broken"
    if not groups.has_baseline(report):
        return "nothing to compare yet"
    if got_worse(report):
        return "what got worse is within the rules"
    if groups.open_rules(report) or report.meta.interrupted:
        return "nothing that was measured got worse"
    return "nothing got worse"


def got_worse(report: Report) -> bool:
    """Whether a case or a quality metric is worse than before although no blocking rule is broken."""
    found = groups.group(report)
    fell = any((m.compared or 0) < (m.baseline or 0) for m in moved_quality(report))
    less = any(c.passed * c.base_measured < c.base_passed * c.measured for c in found.unsteady)
    return fell or less or bool(found.broke or tracks.found(report).broke)


def _let_through(report: Report) -> str:
    """Why a verdict other than pass exits with 0: `report`, `policy`, or "" where it does not."""
    if report.comparison.verdict == "pass":
        return ""
    if not report.comparison.enforced:
        return "report"
    return "policy" if report.comparison.exit_code == 0 else ""


def notices(report: Report, quote: Quote) -> tuple[str, ...]:
    """What must be said beside the verdict: reported only, partial, filtered, warnings, old quarantines."""
    return tuple(
        notice
        for notice in (
            _reported(report),
            _interrupted(report),
            _filtered(report, quote),
            *judges.doubts(report, quote),
            *(_warning(report, rule, quote) for rule in groups.failed_rules(report, "warn")),
            *_passed_over(report),
            *(
                _expired(case.id, case.quarantine, quote)
                for case in groups.expired(report)
                if case.quarantine
            ),
        )
        if notice
    )


def _reported(report: Report) -> str:
    comparison, policies = report.comparison, report.undecided
    match _let_through(report):
        case "report" if comparison.verdict == "regression":
            return "This check would have been red: `enforce: report` only says so."
        case "report" if policies.get(comparison.cause or "", "fail") == "fail":
            return "This check would have been red (undecided): `enforce: report` only says so."
        case "policy" if comparison.cause:
            return f"The check is green because `undecided: {{{comparison.cause}: warn}}` lets this through."
        case _:
            return ""


def _interrupted(report: Report) -> str:
    meta = report.meta
    if not meta.interrupted:
        return ""
    planned = count(meta.planned_trials, "trial")
    return f"The run was interrupted: {meta.measured_trials} of {planned} were measured."


def _filtered(report: Report, quote: Quote) -> str:
    if not report.meta.selection:
        return ""
    chosen = quote(" ".join(report.meta.selection))
    return f"Only part of the suite was run ({chosen}): this says nothing about the rest."


def _warning(report: Report, verdict: RuleVerdict, quote: Quote) -> str:
    where = "" if verdict.scope == "suite" else f" in {quote(verdict.scope or NO_CATEGORY)}"
    if verdict.rule.counts:
        return f"Warning: {counted(report, verdict, quote)}."
    moved = ""
    if verdict.baseline is not None and verdict.compared is not None:
        moved = f" ({change(verdict.baseline, verdict.compared, rule_unit(report, verdict.rule))})"
    return f"Warning: {_metric_phrase(report, verdict, quote, where=where)}{moved}."


def _passed_over(report: Report) -> tuple[str, ...]:
    rules = groups.open_rules(report)
    if report.comparison.verdict != "pass" or not rules:
        return ()
    causes = ", ".join(sorted({rule.cause or "coverage" for rule in rules}))
    return (f"Not decided: {count(len(rules), 'rule')} ({causes}); the policy `undecided` lets this pass.",)


def _expired(case: str, quarantine: Quarantine, quote: Quote) -> str:
    ended = f"Warning: the quarantine of {quote(case)} ended on {quarantine.until.isoformat()}"
    return f"{ended}: it counts again. Its owner is {quote(quarantine.owner)}."


def why(report: Report, quote: Quote) -> str:
    """The reason of an undecided verdict, and whether what was measured is as good as before.

    Cases that could not be decided and changes that need acceptance are listed, so that a reason which only
    names them is left out.
    """
    if report.comparison.verdict != "undecided" or groups.agent_gone(report):
        return ""
    asks = bar_words.asks(report) and report.comparison.bar
    listed = groups.group(report).undecided or asks or judges.doubts(report, quote)
    reason = f"Why: {quote(report.comparison.reason)}." if report.comparison.reason and not listed else ""
    worse = got_worse(report) or any(bar_words.fails_by_base(case) for case in report.comparison.cases)
    calm = "" if worse or not groups.has_baseline(report) else "No case that was measured got worse."
    return " ".join(part for part in (reason, calm) if part)
