"""`agent-gate generate`: run the cases and keep their traces; `agent-gate grade` scores them later."""

import argparse
import asyncio
import sys
from collections import Counter
from pathlib import Path

from gate.check.render import render_findings
from gate.commands.output import claim
from gate.errors import BY_SIGNAL, PASS, UNDECIDED, UsageError
from gate.formats.records import kind_of
from gate.model.trace import Refused, Throttled, Trace
from gate.pipeline import generate
from gate.publish.escape import line
from gate.publish.words import count
from gate.results import MOST_TRIALS, TRACES_FILE
from gate.suite import Selection, prepare


def main(options: argparse.Namespace) -> int:
    """Keep a trace of every trial, also of those that crashed; 3 where nothing at all could be measured."""
    out = Path(options.out)
    if options.trials and options.trials > MOST_TRIALS:
        raise UsageError(f"--trials {options.trials} is more than a run can have: {MOST_TRIALS}")
    selection = Selection(
        cases=tuple(options.case), tags=tuple(options.tag), trials=options.trials, env=tuple(options.env)
    )
    suite = prepare(Path(options.config), selection, strict=options.strict)
    claim(out, suite)
    if suite.warnings:
        print(render_findings(suite.warnings), file=sys.stderr)
    outcomes: Counter[str] = Counter()
    measured = 0

    def kept(trace: Trace) -> None:
        nonlocal measured
        outcomes[kind_of(trace.outcome)] += 1
        measured += not isinstance(trace.outcome, Throttled | Refused)
        print(_told(trace), file=sys.stderr)

    signal = asyncio.run(generate(suite, out, kept))
    planned = len(suite.cases) * suite.config.run.trials
    print(_summary(out, outcomes, planned))
    if signal:
        return BY_SIGNAL + signal
    return PASS if measured else UNDECIDED


def _told(trace: Trace) -> str:
    reason = f": {trace.outcome.reason}" if trace.outcome.reason else ""
    return line(f"{kind_of(trace.outcome):<9}  {trace.case}, trial {trace.trial}{reason}")


def _summary(out: Path, outcomes: Counter[str], planned: int) -> str:
    file = out / TRACES_FILE
    each = ", ".join(f"{number} {word}" for word, number in sorted(outcomes.items()))
    return (
        f"{outcomes.total()} of {count(planned, 'trace')} in {file}" + (f": {each}" if each else "") + "\n"
        f"Nothing was scored: `agent-gate grade {file}` does."
    )
