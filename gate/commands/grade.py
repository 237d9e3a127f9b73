"""`agent-gate grade TRACES`: score recorded traces again, with this suite's cases, metrics and rules."""

import argparse
import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from gate.commands.output import claim, show_report
from gate.documents import read_bytes
from gate.errors import UsageError
from gate.formats.agents_cli_traces import EXPOSED, is_traces
from gate.formats.agents_cli_traces import read as read_foreign
from gate.formats.strict import strict_json
from gate.model.trace import Crashed, Refused, Trace
from gate.pipeline import grade
from gate.redact import Redactor
from gate.results import LARGEST, MOST_TRIALS, TRACES_FILE, read_traces
from gate.suite import Selection, Suite, prepare


def main(options: argparse.Namespace) -> int:
    """Grade and report; exits like a run does."""
    source, out = Path(options.traces), Path(options.out)
    file = source / TRACES_FILE if source.is_dir() else source
    if os.path.realpath(file) == os.path.realpath(out / TRACES_FILE):
        raise UsageError(
            f"{file} would be overwritten while it is read", hint="Choose another folder with --out."
        )
    foreign = agents_cli_traces(file)
    suite = prepare(Path(options.config), Selection(trials=_trials(file, foreign)), boots=False)
    claim(out, suite)
    report = asyncio.run(grade(suite, _known(suite, file, foreign), out))
    show_report(report, out=out, as_json=options.json)
    return report.comparison.exit_code


def agents_cli_traces(file: Path) -> tuple[Trace, ...]:
    """The traces of a file of `agents-cli eval generate`; none where it is a traces.jsonl."""
    if file.suffix != ".json":
        return ()
    try:
        value = strict_json(Redactor().text(read_bytes(file, LARGEST).decode("utf-8")))
        found = read_foreign(value, str(file)) if is_traces(value) else ()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{file} cannot be used: {error}") from error
    if not found:
        hint = "A .json file must be what `agents-cli eval generate` wrote."
        raise UsageError(f"{file} holds no traces", hint=hint)
    return found


def _trials(file: Path, foreign: Sequence[Trace]) -> int | None:
    """How many trials of a case were recorded at most: as many are graded, whatever the config would run."""
    seen: set[tuple[str, int]] = set()
    for trace in foreign or _of_head(file):
        if (trace.case, trace.trial) in seen or not 1 <= trace.trial <= MOST_TRIALS:
            what = f"{file}: trial {trace.trial} of case {trace.case!r} is there twice, or is no trial"
            raise UsageError(what, hint="A trial is graded once; remove one of the lines.")
        seen.add((trace.case, trace.trial))
    return max((trial for _, trial in seen), default=None)


def _known(suite: Suite, file: Path, foreign: Sequence[Trace]) -> Iterator[Trace]:
    """The recorded trials, then those that the suite plans and the file lacks."""
    there: set[tuple[str, int]] = set()
    for trace in foreign or _of_head(file):
        if trace.case not in suite.head.expected:
            hint = "Grade with the config whose cases these are."
            raise UsageError(f"{file}: the suite has no case {trace.case!r}", hint=hint)
        there.add((trace.case, trace.trial))
        yield trace
    if foreign:
        cases = {case for case, _ in there}
        yield from (_left_out(case, file) for case in suite.head.expected if case not in cases)
        return
    for case in suite.head.expected:
        for trial in range(1, suite.config.run.trials + 1):
            if (case, trial) not in there:
                yield _not_recorded(case, trial, file)


def _not_recorded(case: str, trial: int, file: Path) -> Trace:
    """A trial of the suite that nobody recorded: it is not measured, whatever the reason was."""
    outcome = Refused(reason=f"{file} has no trial {trial} of it")
    return Trace(case=case, trial=trial, session="", turns=(), outcome=outcome, exposes=(), source=str(file))


def _left_out(case: str, file: Path) -> Trace:
    """A case of the suite that agents-cli has no trace of."""
    reason = f"{file} has no trace of it: agents-cli leaves out a case whose run failed"
    outcome = Crashed(reason=reason)
    return Trace(case=case, trial=1, session="", turns=(), outcome=outcome, exposes=EXPOSED, source=str(file))


def _of_head(file: Path) -> Iterator[Trace]:
    """The traces without those of cases as only the base has them."""
    return (trace for trace in read_traces(file) if trace.side == "head")
