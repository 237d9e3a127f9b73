"""`agent-gate grade TRACES`: score recorded traces again, with this suite's cases, metrics and rules."""

import argparse
import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

from gate.commands.output import claim, show_report
from gate.errors import UsageError
from gate.model.trace import Trace
from gate.pipeline import grade
from gate.results import MOST_TRIALS, TRACES_FILE, read_traces
from gate.suite import Selection, Suite, prepare


def main(options: argparse.Namespace) -> int:
    """Grade and report; exits like a run does."""
    source, out = Path(options.traces), Path(options.out)
    file = source / TRACES_FILE if source.is_dir() else source
    if os.path.realpath(file) == os.path.realpath(out / TRACES_FILE):
        raise UsageError(
            f"{file} would be overwritten while it is read", hint="Choose another folder with --out."
        )
    suite = prepare(Path(options.config), Selection(trials=_trials(file)), boots=False)
    claim(out, suite)
    report = asyncio.run(grade(suite, _known(suite, file), out))
    show_report(report, out=out, as_json=options.json)
    return report.comparison.exit_code


def _trials(file: Path) -> int | None:
    """How many trials of a case were recorded at most: as many are graded, whatever the config would run."""
    seen: set[tuple[str, int]] = set()
    for trace in _of_head(file):
        if (trace.case, trace.trial) in seen or not 1 <= trace.trial <= MOST_TRIALS:
            what = f"{file}: trial {trace.trial} of case {trace.case!r} is there twice, or is no trial"
            raise UsageError(what, hint="A trial is graded once; remove one of the lines.")
        seen.add((trace.case, trace.trial))
    return max((trial for _, trial in seen), default=None)


def _known(suite: Suite, file: Path) -> Iterator[Trace]:
    for trace in _of_head(file):
        if trace.case not in suite.head.expected:
            hint = "Grade with the config whose cases these are."
            raise UsageError(f"{file}: the suite has no case {trace.case!r}", hint=hint)
        yield trace


def _of_head(file: Path) -> Iterator[Trace]:
    """The traces without those of cases as only the base has them."""
    return (trace for trace in read_traces(file) if trace.side == "head")
