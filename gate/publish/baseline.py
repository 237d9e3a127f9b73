"""The pull request that brings evidence: which runs, and what becomes of each metric's mean."""

from collections.abc import Iterator
from dataclasses import field
from statistics import fmean

from gate.frozen import frozen
from gate.model.baseline import Baseline, BaselineRun, Value
from gate.model.config import AcceptPolicy
from gate.model.verdict import Report
from gate.publish import case_words, headline
from gate.publish.escape import cell, code, line
from gate.publish.words import amount, change, count

_MOST_METRICS = 40
_CHECKS = (
    "Where the job's own token opened this, its checks wait: a person with write access starts them with"
    " **Approve workflows to run** below; on GitHub Enterprise Server, by closing and reopening it. They"
    " start by themselves where the step's `github-token` is that of an app or a person. Where the"
    " baseline has a branch of its own (`baseline: {branch: agent-gate/baseline}` in the config,"
    " `baseline: branch` in the workflow) there is no pull request at all."
)
_ENDING = (
    "Merge this to accept them, close it to turn them down. The next run adds to it and writes the branch"
    " anew: what else is pushed there is lost."
)


@frozen
class Step:
    """What is accepted, what it becomes with the new evidence, the file's place, and how it is accepted."""

    before: Baseline | None
    after: Baseline
    path: str
    accept: AcceptPolicy = field(default_factory=AcceptPolicy)

    @property
    def added(self) -> tuple[BaselineRun, ...]:
        """The runs that are not accepted yet, oldest first."""
        known = {run.run for run in self.before.runs} if self.before else set[str]()
        return tuple(run for run in self.after.runs if run.run not in known)


def title(step: Step) -> str:
    """`Agent Gate: 2 runs for the baseline golden/baseline.jsonl`."""
    return f"Agent Gate: {count(len(step.added), 'run')} for the baseline {line(step.path, 160)}"


def message(report: Report, run_url: str) -> str:
    """The commit's message, without anything that GitHub would act on."""
    commit = report.meta.commit.sha[:12]
    of = f" of {line(commit)}" if commit else ""
    trials = f"{report.meta.measured_trials} of {count(report.meta.planned_trials, 'trial')} were measured"
    what = f"Baseline: run {line(report.meta.run)}{of}"
    return f"{what}\n\nVerdict: {report.comparison.verdict}; {trials}.\n{run_url}\n"


def body(report: Report, step: Step, run_url: str) -> str:
    """The pull request's text, in Markdown."""
    runs, all_runs = count(len(step.added), "run"), count(len(step.after.runs), "run")
    holds = f"{code(step.path, 160)}, which then holds {all_runs}"
    verdict = headline.headline(report, code).removeprefix("Agent Gate: ")
    newest = f"The newest: **{verdict}**; {case_words.footer(report, code)} ([summary and files]({run_url}))."
    parts = (
        f"Evidence of {runs} of the agent as it is here, for {holds}. Later pull requests are held to it.",
        "\n".join(_runs(step)),
        newest,
        "\n".join(_moved(report, step)),
        f"{_ENDING} {_acceptance(step)}".rstrip(),
        _CHECKS,
    )
    return "\n\n".join(parts) + "\n"


def _acceptance(step: Step) -> str:
    """What the check of this very pull request takes: it replaces what it is held against."""
    if step.before is None:
        return ""
    by_label = (
        f"the label {code(step.accept.label, 60)}, set by somebody with write access after the last commit"
    )
    how = by_label if step.accept.by == "label" else "an approving review of the last commit"
    return f"A required check of the gate takes {how}: a baseline counts once a person has accepted it."


def _runs(step: Step) -> Iterator[str]:
    yield "| run | commit | measured |"
    yield "|---|---|---|"
    for run in step.added:
        yield f"| {cell(run.run, 60)} | {cell(run.commit[:12], 60)} | {cell(run.date, 60)} |"


def _moved(report: Report, step: Step) -> Iterator[str]:
    """Each metric's mean over all of its trials, as accepted and with the new runs."""
    before = f"accepted, {count(len(step.before.runs), 'run')}" if step.before else "accepted: none"
    yield f"| metric | {before} | with {count(len(step.added), 'more run', 'more runs')} | change |"
    yield "|---|---:|---:|---:|"
    for metric in report.metrics[:_MOST_METRICS]:
        old, new = _mean(step.before, metric.name), _mean(step.after, metric.name)
        moved = "" if old is None or new is None else change(old, new, metric.unit)
        if old is not None or new is not None:
            shown = (_number(old, metric.unit), _number(new, metric.unit))
            yield f"| {cell(metric.name, 80)} | {shown[0]} | {shown[1]} | {moved} |"


def _number(value: float | None, unit: str) -> str:
    return "" if value is None else amount(value, unit)


def _mean(baseline: Baseline | None, metric: str) -> float | None:
    values = [
        sample.mean
        for entry in (baseline.lines.values() if baseline else ())
        if entry.metric == metric
        for samples in entry.runs.values()
        for sample in samples
        if isinstance(sample, Value)
    ]
    return fmean(values) if values else None
