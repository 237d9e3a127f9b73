"""`agent-gate import otel FILE`: recorded spans as a traces.jsonl, which `agent-gate grade` scores."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from gate.check.render import render_findings
from gate.documents import canonical, read_bytes, write_text
from gate.errors import PASS, BadInput, UsageError
from gate.formats.otel import read
from gate.formats.otel_cases import asked, assign
from gate.formats.records import dump
from gate.model.finding import Finding, Place
from gate.model.trace import Trace
from gate.publish.words import count
from gate.redact import Redactor
from gate.results import LARGEST, MOST_TRIALS, TRACES_FILE
from gate.suite import Selection, prepare


def main(options: argparse.Namespace) -> int:
    """Write the traces, and tell what the file does not hold; with an error nothing is written."""
    target = _target(options.to)
    suite = prepare(Path(options.config), Selection(), boots=False) if options.config else None
    redact = suite.redact if suite else Redactor()
    reading = read(redact.text(_content(Path(options.file))), options.file)
    cases = asked(suite.cases, redact.text) if suite else None
    made = assign(reading.conversations, options.file, cases, options.case_from or "")
    found = (*reading.findings, *made.findings, *_too_many(made.traces, options.file))
    if any(finding.level == "error" for finding in found):
        raise BadInput(found)
    if found:
        print(render_findings(found), file=sys.stderr)
    lines = (redact.text(canonical(dump(trace))) for trace in made.traces)
    if target is None:
        sys.stdout.writelines(lines)
        return PASS
    _write(target, lines)
    print(_written(target, made.traces, known=suite is not None), file=sys.stderr)
    return PASS


def _target(name: str | None) -> Path | None:
    """The file to write, in the folder that was named where no file was; raises UsageError if it is there."""
    if not name:
        return None
    target = Path(name) if name.endswith(".jsonl") else Path(name) / TRACES_FILE
    if os.path.lexists(target):
        raise UsageError(f"{target} is there already", hint="Choose another name with --to, or remove it.")
    return target


def _write(target: Path, lines: Iterable[str]) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_text(target, lines)
    except OSError as error:
        hint = "Choose another name with --to."
        raise UsageError(f"cannot write {target}: {error.strerror}", hint=hint) from error


def _content(path: Path) -> str:
    try:
        return read_bytes(path, LARGEST).decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error


def _too_many(traces: tuple[Trace, ...], file: str) -> tuple[Finding, ...]:
    counts = Counter(trace.case for trace in traces)
    return tuple(
        Finding.error(
            "too-many-trials",
            Place(file=file),
            f"the case {name[:80]!r} has {number} trials, and {MOST_TRIALS} is the most",
            fix="Import a shorter time, or tell cases apart with --case-from.",
        )
        for name, number in counts.items()
        if number > MOST_TRIALS
    )


def _written(target: Path, traces: tuple[Trace, ...], *, known: bool) -> str:
    cases = len({trace.case for trace in traces})
    told = f"{target} is written: {count(len(traces), 'trace')} of {count(cases, 'case')}."
    if known:
        return f"{told}\n`agent-gate grade {target}` scores them."
    return (
        f"{told}\nTheir cases are named as the conversations are; --config FILE gives them the suite's cases."
    )
