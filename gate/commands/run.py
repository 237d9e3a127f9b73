"""`agent-gate run`: from golden cases to a verdict."""

import argparse
import asyncio
import glob
import sys
from pathlib import Path

from gate.commands.output import Progress, claim, show_report
from gate.errors import BY_SIGNAL, UsageError
from gate.git import commit_named, head_of, merge_base
from gate.model.bar import Revision
from gate.pipeline import run
from gate.publish import groups
from gate.results import MOST_TRIALS, read_run
from gate.suite import Selection, Sides, prepare


def main(options: argparse.Namespace) -> int:
    """Run the suite, print the report, and exit with its verdict (or with the signal that ended it)."""
    out = Path(options.out)
    if options.trials and options.trials > MOST_TRIALS:
        raise UsageError(f"--trials {options.trials} is more than a run can have: {MOST_TRIALS}")
    config = Path(options.config)
    sides = _sides(config.parent, options.base) if options.base else None
    suite = prepare(config, _selection(options, out), strict=options.strict, sides=sides)
    claim(out, suite)
    report, signal = asyncio.run(run(suite, out, Progress(sys.stderr)))
    code = BY_SIGNAL + signal if signal else report.comparison.exit_code
    show_report(report, out=out, as_json=options.json, code=code)
    return code


def _sides(root: Path, name: str) -> Sides:
    """The base of a pull request into `name`: where the work tree's commit left it."""
    other, head = commit_named(root, name), head_of(root)
    if not other:
        raise UsageError(f"--base {name}: there is no such commit here", hint="`git fetch` brings branches.")
    common = merge_base(root, other, head) if head else ""
    if not common:
        raise UsageError(f"--base {name}: what is checked out has no commit in common with it")
    return Sides(base=Revision(commit=common, branch=name), commit=head)


def _selection(options: argparse.Namespace, out: Path) -> Selection:
    env = tuple(options.env)
    if not options.last_failed:
        return Selection(cases=tuple(options.case), tags=tuple(options.tag), trials=options.trials, env=env)
    if options.case or options.tag:
        raise UsageError("--last-failed cannot be combined with --case or --tag")
    report = read_run(out).report
    failed = [case.id for case in groups.in_suite(report) if case.passed < case.planned]
    if not failed:
        raise UsageError(
            f"every case passed in the last run ({out}); there is nothing to run again",
            hint="`agent-gate run` runs the whole suite.",
        )
    ids = tuple(map(glob.escape, failed))
    return Selection(cases=ids, trials=options.trials, env=env, note="--last-failed")
