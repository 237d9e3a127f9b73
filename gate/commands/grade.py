"""`agent-gate grade TRACES`: score recorded traces again, with this suite's cases, metrics and rules."""

import argparse
import asyncio
from collections.abc import Iterator
from pathlib import Path

from gate.commands.output import show_report
from gate.errors import UsageError
from gate.model.trace import Trace
from gate.pipeline import grade
from gate.results import TRACES_FILE, read_traces
from gate.suite import Selection, Suite, prepare


def main(options: argparse.Namespace) -> int:
    """Grade and report; exits like a run does."""
    source, out = Path(options.traces), Path(options.out)
    file = source / TRACES_FILE if source.is_dir() else source
    if file.resolve() == (out / TRACES_FILE).resolve():
        raise UsageError(
            f"{file} would be overwritten while it is read", hint="Choose another folder with --out."
        )
    suite = prepare(Path(options.config), Selection(), boots=False)
    report = asyncio.run(grade(suite, _known(suite, file), out))
    show_report(report, out=out, as_json=options.json)
    return report.comparison.exit_code


def _known(suite: Suite, file: Path) -> Iterator[Trace]:
    for trace in read_traces(file):
        if trace.case not in suite.expected:
            hint = "Grade with the config whose cases these are."
            raise UsageError(f"{file}: the suite has no case {trace.case!r}", hint=hint)
        yield trace
