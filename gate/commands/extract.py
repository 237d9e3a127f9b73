"""`agent-gate extract FILE`: account for every event of a trace or of a recorded session."""

import argparse
import json
from pathlib import Path

from gate.errors import PASS, UsageError
from gate.formats.messages import messages, summary
from gate.formats.records import Malformed, load
from gate.formats.sessions import read_session
from gate.model.trace import Trace
from gate.publish import events_table
from gate.redact import Redactor


def main(options: argparse.Namespace) -> int:
    """Print the messages, or with --summary a row for each event with what it gave or why nothing."""
    trace = _read(Path(options.trace), options.case, options.trial)
    if options.summary:
        print(events_table(summary(trace)))
    else:
        print(json.dumps(messages(trace), indent=2, ensure_ascii=False))
    return PASS


def _read(path: Path, case: str | None, trial: int) -> Trace:
    try:
        text = Redactor().text(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error
    traces = _traces(text)
    if traces:
        return _choose(traces, path, case, trial)
    try:
        return read_session(text)
    except ValueError as error:
        hint = "It reads traces.jsonl, ADK session JSON, a list of events, and JSON lines of events."
        raise UsageError(f"{path} holds no session that this command knows: {error}", hint=hint) from error


def _traces(text: str) -> list[Trace]:
    """The traces of a traces.jsonl; none where the text is something else."""
    try:
        return [load(Trace, json.loads(line)) for line in text.splitlines() if line.strip()]
    except (Malformed, ValueError):
        return []


def _choose(traces: list[Trace], path: Path, case: str | None, trial: int) -> Trace:
    for trace in traces:
        if trace.trial == trial and case in {trace.case, None}:
            return trace
    names = ", ".join(sorted({trace.case for trace in traces})[:20])
    raise UsageError(f"{path} has no trial {trial} of case {case!r}", hint=f"It has: {names}")
