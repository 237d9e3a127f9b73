"""What is said of a case, of how much was measured, and of the run: the same on every surface."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from gate.model.finding import Place
from gate.model.run import AGENT
from gate.model.verdict import CaseVerdict, Reason, Report
from gate.publish import bar_words, groups
from gate.publish.escape import Quote, line
from gate.publish.groups import Groups
from gate.publish.words import age, count, duration, outcomes, tokens

_PLAIN_PLACE = re.compile(r"turn \d+")
_DEFAULT_CONFIG = "agent-gate.yml"
_MOST_CALLS = 5
_NAME = 80
_NOT_MEASURED = "not measured: "
_TOLD = ("changed", "removed")


def history(report: Report, case: CaseVerdict, quote: Quote) -> str:
    """`passed 30 of 30 before, 0 of 3 now`, with the trials that did not complete."""
    now, texts = f"{case.passed} of {case.measured}", bar_words.by_text(report, case, quote)
    match case.klass:
        case "new":
            words = f"new, passed {now}"
        case "changed":
            words = f"changed, {texts or f'passed {now} now'}"
        case "removed":
            words = f"no longer in the suite; {texts}" if texts else _gone(case)
        case _ if case.base_measured:
            words = f"passed {case.base_passed} of {case.base_measured} before, {now} now"
        case _:
            words = f"passed {now}"
    ended = outcomes({name: number for name, number in case.outcomes.items() if name != "completed"})
    left = case.planned - case.measured
    notes = [ended, f"{left} not measured" if left > 0 and not texts and case.klass != "removed" else ""]
    told = ", ".join(note for note in notes if note)
    words += f" ({told})" if told else ""
    return f"{words}; {texts}" if texts and case.klass not in _TOLD else words


def _gone(case: CaseVerdict) -> str:
    if case.track != AGENT:
        return "in the baseline; skipped now, renamed, or gone"
    return "in the baseline, no longer in the suite"


def unmeasured(case: CaseVerdict, quote: Quote) -> str:
    """`1 of 3 trials measured: 2 throttled: POST /chat answered 429`, for a case that is undecided."""
    seen = outcomes({name: number for name, number in case.outcomes.items() if name != "completed"})
    told = {item.text: item.metric for item in case.reasons if not item.measured}
    whys = [quote(why) if seen else f"{quote(name)}: {quote(why)}" for why, name in told.items()]
    detail = [seen] if seen else [] if whys else [(case.cause or "").replace("_", " ")]
    words = f"{case.measured} of {count(case.planned, 'trial')} measured"
    return ": ".join(part for part in (words, *detail, "; ".join(whys)) if part)


def calls(case: CaseVerdict, quote: Quote) -> str:
    """`search {} 6 times, save {} and 3 more`: the calls of a trial, repeated ones together."""
    runs = [(call, sum(1 for _ in same)) for call, same in groupby(case.calls)][:_MOST_CALLS]
    shown = ", ".join(quote(call) + (f" {times} times" if times > 1 else "") for call, times in runs)
    more = len(case.calls) - sum(times for _, times in runs)
    return shown + (f" and {more} more" if more else "")


def place(case: CaseVerdict) -> str:
    """`golden/weather.yaml:12`, to be quoted by the surface; "" for a removed case."""
    return at(case.place)


def at(place: Place) -> str:
    """`golden/weather.yaml:12`, or the file alone."""
    return f"{place.file}:{place.line}" if place.line else place.file


def reason(item: Reason, quote: Quote) -> str:
    """`calls, turn 1: expected …`."""
    where = ""
    if item.where not in ("", "case"):
        where = f", {item.where if _PLAIN_PLACE.fullmatch(item.where) else quote(item.where)}"
    return f"{quote(item.metric)}{where}: {quote(item.text if item.measured else _NOT_MEASURED + item.text)}"


def base_reasons(report: Report, case: CaseVerdict, quote: Quote) -> tuple[str, ...]:
    """`by the text on main: calls, turn 1: …`, one a reason, where the case fails by the base's text."""
    if case.by_base is None or not bar_words.fails_by_base(case):
        return ()
    base = bar_words.by_base(report, case, quote)
    return tuple(f"{base}: {reason(item, quote)}" for item in dict.fromkeys(case.by_base.reasons))


def reproduce(report: Report, case: CaseVerdict) -> str:
    """The command that runs one case again, to be quoted by the surface."""
    config = report.meta.config
    option = f" --config {shlex.quote(config)}" if config not in ("", _DEFAULT_CONFIG) else ""
    varied = "".join(f" --env {shlex.quote(pair)}" for pair in report.meta.env)
    return f"agent-gate run{option}{varied} --case {shlex.quote(case.id)}"


def broken_label(report: Report, found: Groups) -> str:
    """`2 cases broke, 1 new case fails`."""
    regressed = sum(case.klass == "regressed" for case in found.broke)
    parts = [count(regressed, "case") + " broke"] if regressed else []
    if not groups.has_baseline(report):
        fresh = sum(case.klass != "regressed" for case in found.broke)
        return ", ".join([*parts, count(fresh, "case fails", "cases fail")] if fresh else parts)
    for klass, number in Counter(case.klass for case in found.broke if case.klass != "regressed").items():
        parts += [count(number, f"{klass} case fails", f"{klass} cases fail")]
    return ", ".join(parts)


def others(found: Groups) -> Iterator[tuple[str, CaseVerdict]]:
    """Every case that is neither opened nor simply unchanged, with a word for it."""
    for word, cases in (
        ("fixed: ", found.fixed),
        ("", found.new),
        ("", found.changed),
        ("removed: ", found.removed),
        ("quarantined: ", found.quarantined),
        ("fails as before: ", found.failing),
        ("passes sometimes: ", found.unsteady),
    ):
        yield from ((word, case) for case in cases)


def quarantine(case: CaseVerdict, quote: Quote) -> str:
    """`; until 2027-01-31, owner ann: why`; "" for a case that is not quarantined."""
    if case.quarantine is None or case.klass != "quarantined":
        return ""
    rest = f"owner {quote(case.quarantine.owner)}: {quote(case.quarantine.reason)}"
    return f"; until {case.quarantine.until.isoformat()}, {rest}"


def moved_label(report: Report, found: Groups) -> str:
    """`1 fixed, 1 new, 44 unchanged`: every case that is not opened."""
    steady = "unchanged" if groups.has_baseline(report) else "as expected"
    parts = [
        f"{len(found.undecided)} undecided" if found.undecided else "",
        f"{len(found.fixed)} fixed" if found.fixed else "",
        f"{len(found.new)} new" if found.new else "",
        f"{len(found.changed)} changed" if found.changed else "",
        f"{len(found.removed)} removed" if found.removed else "",
        f"{len(found.quarantined)} quarantined" if found.quarantined else "",
        count(len(found.failing), "fails as before", "fail as before") if found.failing else "",
        count(len(found.unsteady), "passes sometimes", "pass sometimes") if found.unsteady else "",
        f"{len(found.unchanged)} {steady}" if found.unchanged else "",
    ]
    return ", ".join(part for part in parts if part)


def measured(report: Report) -> str:
    """`Measured 48 of 48 cases, 144 trials, in 3 min 12 s, 412k tokens.`."""
    meta, cases = report.meta, groups.in_suite(report)
    spent = f", {tokens(meta.tokens)}" if meta.tokens else ""
    again = f", {count(meta.retries, 'retry', 'retries')}" if meta.retries else ""
    return (
        f"Measured {len(groups.measured(report))} of {count(len(cases), 'case')}, {trials(report)}, "
        f"in {duration(meta.duration_s)}{spent}{again}."
    )


def trials(report: Report) -> str:
    """`144 trials`, or `113 of 144 trials` where some were not measured."""
    meta = report.meta
    whole = meta.measured_trials == meta.planned_trials
    return ("" if whole else f"{meta.measured_trials} of ") + count(meta.planned_trials, "trial")


def baseline(report: Report, quote: Quote) -> str:
    """`Baseline: 10 runs up to a1b2c3d, 2 days old.`."""
    facts = report.comparison.baseline
    match facts.state:
        case "none":
            return "No baseline yet."
        case "unreadable":
            problem = f": {quote(facts.problem)}" if facts.problem else ""
            return f"Baseline {quote(facts.path)} could not be read{problem}."
        case "compared":
            upto = f" up to {quote(line(facts.commit)[:7])}" if facts.commit else ""
            old = age(facts.date, report.meta.started_at)
            branch = f" of {quote(line(facts.branch))}" if facts.branch else ""
            return f"Baseline: {count(facts.runs, 'run')}{branch}{upto}{', ' + old if old else ''}."


def agent(report: Report, quote: Quote) -> str:
    """`agent: root_agent, 4 agents, 3 tools, adk-python 2.13.0`, as its server says it."""
    facts = report.meta.agent
    if facts is None:
        return ""
    several = count(len(facts.agents), "agent") if len(facts.agents) > 1 else ""
    tools = count(facts.tools, "tool") if facts.agents else ""
    more = f"{facts.left_out} more are not told" if facts.left_out else ""
    name, server = (quote(line(text, _NAME)) if text else "" for text in (facts.name, facts.server))
    return "agent: " + ", ".join(filter(None, (name, several, tools, more, server)))


def footer(report: Report, quote: Quote) -> str:
    """`run 4711, commit e4f5a6b against main at a1b2c3d`."""
    commit = report.meta.commit
    dirty = " with uncommitted changes" if commit.dirty else ""
    tested = f", commit {quote(line(commit.sha)[:7])}{dirty}" if commit.sha else ""
    return f"run {quote(report.meta.run)}{tested}{bar_words.against(report, quote)}"
