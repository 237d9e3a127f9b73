"""`agent-gate baseline accept|show`: add a run to the pooled evidence, or print what is there."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from gate.baselines import bytes_of, load_baseline
from gate.compare.baseline import UNCOMMITTED, accepted_by, must_not, pool, refusals
from gate.compare.values import scored
from gate.config import load
from gate.documents import write_text
from gate.errors import PASS, BadInput, UsageError
from gate.git.branches import commit_file
from gate.model.baseline import Baseline, BaselineLine
from gate.model.config import Config
from gate.publish.columns import aligned
from gate.publish.escape import line
from gate.publish.words import count
from gate.results import StoredRun, read_run


def main(options: argparse.Namespace) -> int:
    """Accept a run or show the baseline of the config."""
    config = _config(Path(options.config))
    if options.act == "show":
        print("\n".join(_show(config, _current(config))))
        return PASS
    stored = read_run(Path(options.run))
    _refuse(stored, options.because)
    reason = options.because or accepted_by(stored.report)
    pooled = pool(_current(config, unpushed=True), stored.evidence, reason)
    next_step = _keep(config, pooled, stored.report.meta.run)
    trials = sum(case.trials for case in stored.cases)
    runs, of = count(len(pooled.runs), "run"), count(trials, "trial")
    print(f"{_name(config)}: {runs}, now with {line(stored.report.meta.run)} ({of}). {next_step}")
    return PASS


def _keep(config: Config, pooled: Baseline, run: str) -> str:
    """Write the file, or a commit on the branch that has it; returns what is left to do."""
    root, data = Path(config.root), bytes_of(pooled)
    if not config.baseline_branch:
        write_text(root / config.baseline, data.decode())
        return "Commit it."
    message = f"Baseline: run {run}\n\n{pooled.runs[-1].reason}".rstrip()
    commit = commit_file(root, config.baseline_branch, config.baseline, data, message)
    return f"It is commit {commit[:12]} of that branch here: git push origin {config.baseline_branch}"


def _name(config: Config) -> str:
    return f"{config.baseline_branch}:{config.baseline}" if config.baseline_branch else config.baseline


def _config(path: Path) -> Config:
    loaded = load(path)
    if loaded.config is None:
        raise BadInput(loaded.findings)
    return loaded.config


def _current(config: Config, *, unpushed: bool = False) -> Baseline | None:
    baseline, facts, findings = load_baseline(
        Path(config.root), config.baseline, config.baseline_branch, unpushed=unpushed
    )
    if findings:
        raise BadInput(findings)
    if facts.state == "unreadable":
        raise UsageError(facts.problem)
    return baseline


def _refuse(stored: StoredRun, because: str) -> None:
    never = must_not(stored.report)
    if never:
        raise UsageError(never)
    reasons = list(refusals(stored.report))
    if reasons and not because:
        hint = 'If it is what you want, say why: agent-gate baseline accept --because "REASON"'
        if reasons == [UNCOMMITTED]:
            hint = f"Commit them, and run again. {hint}"
        raise UsageError("this run is not accepted: " + "; ".join(reasons), hint=hint)


def _show(config: Config, baseline: Baseline | None) -> Iterator[str]:
    if baseline is None:
        yield f"There is no baseline at {_name(config)}. Run the suite, then: agent-gate baseline accept"
        return
    yield f"{_name(config)}: {count(len(baseline.runs), 'run')}"
    runs = [(line(r.date), line(r.commit)[:12] or "-", line(r.run), line(r.reason)) for r in baseline.runs]
    yield from aligned([("date", "commit", "run", "because"), *runs])
    yield ""
    head = ("case", "metric", "mean", "trials")
    yield from aligned([head, *(_row(baseline.lines[key]) for key in sorted(baseline.lines))], right=[2])


def _row(entry: BaselineLine) -> tuple[str, ...]:
    values = [value for samples in entry.runs.values() for value in scored(samples)]
    trials = sum(map(len, entry.runs.values()))
    mean = f"{fmean(values):.2f}" if values else "-"
    return line(entry.case), line(entry.metric), mean, f"{len(values)} of {trials}"
