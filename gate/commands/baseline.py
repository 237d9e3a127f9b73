"""`agent-gate baseline accept|show`: add a run to the pooled evidence, or print what is there."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from gate.compare.baseline import must_not, pool, refusals, to_lines
from gate.compare.values import scored
from gate.config import load
from gate.documents import canonical, write_text
from gate.errors import PASS, BadInput, UsageError
from gate.model.config import Config
from gate.model.run import Baseline
from gate.results import StoredRun, load_baseline, read_run


def main(options: argparse.Namespace) -> int:
    """Accept a run or show the baseline of the config."""
    config = _config(Path(options.config))
    baseline = _current(config)
    if options.act == "show":
        print("\n".join(_show(config, baseline)))
        return PASS
    stored = read_run(Path(options.run))
    _refuse(stored, options.because)
    pooled = pool(baseline, stored.evidence, options.because)
    path = Path(config.root) / config.baseline
    write_text(path, map(canonical, to_lines(pooled)))
    trials = sum(case.trials for case in stored.cases)
    runs = "1 run" if len(pooled.runs) == 1 else f"{len(pooled.runs)} runs"
    print(f"{config.baseline}: {runs}, now with {stored.report.meta.run} ({trials} trials). Commit it.")
    return PASS


def _config(path: Path) -> Config:
    loaded = load(path)
    if loaded.config is None:
        raise BadInput(loaded.findings)
    return loaded.config


def _current(config: Config) -> Baseline | None:
    baseline, facts, findings = load_baseline(Path(config.root), config.baseline)
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
        raise UsageError(
            "this run is not accepted: " + "; ".join(reasons),
            hint='If it is what you want, say why: agent-gate baseline accept --because "REASON"',
        )


def _show(config: Config, baseline: Baseline | None) -> Iterator[str]:
    if baseline is None:
        yield f"There is no baseline at {config.baseline}. Run the suite, then: agent-gate baseline accept"
        return
    yield f"{config.baseline}: {len(baseline.runs)} run{'s' * (len(baseline.runs) != 1)}"
    for run in baseline.runs:
        yield f"  {run.date}  {run.commit[:12] or '-':12}  run {run.run}  {run.reason}".rstrip()
    yield ""
    yield f"{'case':32} {'metric':24} {'mean':>9}  trials"
    for (case, metric), entry in sorted(baseline.lines.items()):
        values = [value for samples in entry.runs.values() for value in scored(samples)]
        trials = sum(map(len, entry.runs.values()))
        mean = f"{fmean(values):9.2f}" if values else "        -"
        yield f"{case:32} {metric:24} {mean}  {len(values)} of {trials}"
