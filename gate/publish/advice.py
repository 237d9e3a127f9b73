"""What to do next, for every verdict."""

from collections.abc import Mapping

from gate.model.bar import Bar
from gate.model.verdict import Report, UndecidedCause
from gate.publish import bar_words, groups, judges
from gate.publish.escape import Quote


def advice(report: Report, quote: Quote) -> str:
    """What to do next; "" where there is nothing."""
    comparison = report.comparison
    match comparison.verdict:
        case "regression":
            return f"{_red(report)}{_also(report, quote)}"
        case "undecided" if bar_words.asks(report):
            who = accepting(comparison.bar, quote)
            return f"What to do: if this is meant, {who} If not, take these changes back."
        case "undecided" if comparison.cause == "judge_changed" and judges.unfit(report):
            return _UNFIT
        case "undecided":
            return f"{_ADVICE[_real_cause(report)]}{_also(report, quote)}"
        case "pass" if comparison.baseline.state == "none" and not report.meta.selection:
            return _FIRST_COMMIT if report.meta.commit.dirty else _FIRST_BASELINE
        case _:
            return ""


def _red(report: Report) -> str:
    """What a red run asks for: to change what a case expects helps nobody whose agent only crashed."""
    broke = groups.group(report).broke
    failed = {rule.rule.metric for rule in groups.failed_rules(report)}
    if failed and failed <= {track.name for track in report.meta.tracks}:
        return _TESTS
    if broke and all(case.measured and case.outcomes.get("crashed") == case.measured for case in broke):
        return _CRASHED
    return _MEANT if groups.has_baseline(report) else _FIRST_RED


def _also(report: Report, quote: Quote) -> str:
    """How what is not in force would count, where something else is to be done first."""
    if not bar_words.pending(report):
        return ""
    return (
        f" For the changes that need acceptance: if this is meant, {accepting(report.comparison.bar, quote)}"
    )


def accepting(bar: Bar | None, quote: Quote) -> str:
    """Who has to do what so that a changed bar counts, and until when it does."""
    policy = (bar or Bar(base="")).accept
    other = ", other than its author," if policy.not_author else ""
    does = (
        f"sets the label {quote(policy.label)} on this pull request"
        if policy.by == "label"
        else "approves this pull request in a review"
    )
    return f"someone with write access{other} {does}; a new push asks again."


def _real_cause(report: Report) -> UndecidedCause:
    """The cause to act on: where the agent came up and nothing was measured, what kept it from that."""
    cause = report.comparison.cause or "coverage"
    if cause != "agent_down" or report.meta.agent_down:
        return cause
    return "throttled" if groups.outcomes(report).get("throttled") else "coverage"


_MEANT = (
    "Is the change intended? Edit what the case expects. If only a metric moved, accept a new baseline: "
    '`agent-gate baseline accept --because "why"`, and commit the file.'
)
_CRASHED = "What to do: read what the agent printed, in `agent.log` beside `run.json`, and fix the crash."
_TESTS = "What to do: run the project's own tests, and read what they print; no case of the agent broke."
_FIRST_RED = "Without a baseline every case has to meet what it expects. Fix the agent, or edit the case."
_FIRST_BASELINE = "To make the first one: `agent-gate baseline accept`, then commit the file that it names."
_FIRST_COMMIT = (
    "To make the first one: commit what changed, run again, then `agent-gate baseline accept`, "
    "and commit the file that it names."
)
_UNFIT = (
    "What to do: `agent-gate judge calibrate` shows on which anchors it disagrees: change its prompt, or the "
    "judge."
)
_ADVICE: Mapping[UndecidedCause, str] = {
    "agent_down": "What to do: start the agent by itself, as `agent.boot` says, and read its log.",
    "throttled": "What to do: set `run.rate` to what the provider allows, or run again.",
    "coverage": (
        "What to do: look at what was not measured, and why (`agent-gate show CASE`); then run again."
    ),
    "too_few_trials": "What to do: raise `run.trials`.",
    "not_comparable": (
        "What to do: cases, metrics or protocol changed since the baseline was made. "
        'Accept a run of the protected branch: `agent-gate baseline accept --because "why"`.'
    ),
    "judge_changed": (
        "What to do: go back to the judge of the baseline. If this one is meant, read what it says of the "
        "anchors (`agent-gate judge calibrate`), then accept a run: "
        '`agent-gate baseline accept --because "why"`.'
    ),
    "judge_down": "What to do: run again when the judge answers.",
    "baseline_unreadable": ("What to do: restore the file; in a workflow, check out with `fetch-depth: 0`."),
    "interrupted": "What to do: run again. What was measured is kept in `run.json`.",
}
