"""`agent-gate compare A B`: hold one run against another run, a baseline, or two files of another tool."""

import argparse
from dataclasses import replace
from pathlib import Path

from gate.baselines import baseline_facts, load_baseline
from gate.commands.foreign_runs import Pair, foreign_pair
from gate.commands.output import show_report
from gate.compare.baseline import pool
from gate.compare.verdict import compare
from gate.errors import UsageError
from gate.model.baseline import Baseline
from gate.model.verdict import Report
from gate.publish import SINKS
from gate.results import read_run


def main(options: argparse.Namespace) -> int:
    """Judge run B by its own rules against A; exits like a run does."""
    if pair := foreign_pair(Path(options.before), Path(options.after)):
        return _foreign(pair, options)
    if Path(options.after).suffix == ".jsonl":
        hint = f"Its order is before, after: agent-gate compare {options.after} {options.before}"
        raise UsageError(f"{options.after} is no run, and only a run is judged", hint=hint)
    after = read_run(Path(options.after))
    baseline = _before(Path(options.before))
    report = after.report
    comparison = compare(
        after.evidence,
        baseline,
        baseline_facts(baseline, options.before),
        rules=report.rules,
        undecided=report.undecided,
        enforced=report.comparison.enforced,
    )
    return _shown(replace(report, comparison=comparison), options)


def _foreign(pair: Pair, options: argparse.Namespace) -> int:
    baseline = pool(None, pair.before, "")
    comparison = compare(
        pair.after, baseline, baseline_facts(baseline, options.before), rules=pair.rules, undecided={}
    )
    report = Report(
        meta=pair.after.meta, metrics=pair.metrics, rules=pair.rules, undecided={}, comparison=comparison
    )
    return _shown(report, options)


def _shown(report: Report, options: argparse.Namespace) -> int:
    if options.markdown:
        print(SINKS["summary"].render(report), end="")
    else:
        show_report(report, as_json=options.json)
    return report.comparison.exit_code


def _before(path: Path) -> Baseline:
    if path.suffix == ".jsonl":
        baseline, facts, findings = load_baseline(path.parent, path.name)
        if baseline is None or not baseline.runs:
            problem = findings[0].what if findings else facts.problem or "it is not there or has no run"
            raise UsageError(f"{path} cannot be compared with: {problem}")
        return baseline
    return pool(None, read_run(path).evidence, "")
