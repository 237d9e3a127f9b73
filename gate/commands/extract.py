"""`agent-gate extract FILE`: account for every event of a trace or of a recorded session."""

import argparse
import sys
from pathlib import Path

from gate.commands.output import printed
from gate.documents import read_bytes
from gate.errors import PASS, UsageError
from gate.formats.messages import conversation, messages, summary
from gate.formats.records import Malformed, load
from gate.formats.sessions import session_events
from gate.formats.stored import NotASession
from gate.formats.strict import strict_json
from gate.model.trace import Event, Trace
from gate.publish import escape, events
from gate.redact import Redactor
from gate.results import TRACES_FILE

MAX_BYTES = 1 << 30


def main(options: argparse.Namespace) -> int:
    """Print the messages as JSON, or with --summary a row for each event."""
    found = _read(Path(options.trace), options.case, options.trial)
    if options.summary:
        print(events.render(summary(found)))
    else:
        print(printed(messages(found)))
    return PASS


def _read(path: Path, case: str | None, trial: int) -> tuple[Event, ...]:
    path = path / TRACES_FILE if path.is_dir() else path
    try:
        text = Redactor().text(read_bytes(path, MAX_BYTES).decode("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from error
    traces = _traces(text)
    if traces:
        return conversation(_choose(traces, path, case, trial))
    try:
        return session_events(text)
    except NotASession as error:
        hint = "It reads traces.jsonl, ADK session JSON, a list of events, and JSON lines of events."
        raise UsageError(f"{path} holds no session that this command knows: {error}", hint=hint) from error


def _traces(text: str) -> list[Trace]:
    """The traces of a traces.jsonl; none where the text is something else."""
    try:
        return [load(Trace, strict_json(line)) for line in text.split("\n") if line.strip()]
    except (Malformed, ValueError):
        return []


def _choose(traces: list[Trace], path: Path, case: str | None, trial: int) -> Trace:
    for trace in traces:
        if trace.trial == trial and case in {trace.case, None}:
            if len(traces) > 1 and case is None:
                _say_which(trace, len(traces))
            return trace
    names = ", ".join(sorted({trace.case for trace in traces})[:20])
    raise UsageError(f"{path} has no trial {trial} of case {case!r}", hint=f"It has: {names}")


def _say_which(trace: Trace, number: int) -> None:
    which = f"case {escape.line(trace.case, 160)}, trial {trace.trial}"
    print(f"{which}: the first of {number} traces; --case and --trial choose another", file=sys.stderr)
