"""What `extract`, `show` and `import session` share: the trace or recording that the command line names."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from gate.errors import UsageError
from gate.formats import agents_cli_traces
from gate.formats.records import Malformed, load
from gate.formats.stored import NotASession, Recording
from gate.formats.strict import strict_json
from gate.model.trace import Trace
from gate.publish import escape
from gate.recorded import Address, Wanted, address, opened
from gate.recorded.file import TextFile
from gate.recorded.source import choose
from gate.redact import Redactor
from gate.results import TRACES_FILE


def find(options: argparse.Namespace, *, as_stored: bool = False) -> tuple[Trace | Recording, Address]:
    """What the options name, and where it is; secrets are taken out unless it is to be `as_stored`.

    Raises UsageError.
    """
    source = Path(options.source)
    where = address(str(source / TRACES_FILE) if source.is_dir() else options.source)
    clean: Callable[[str], str] = str if as_stored else Redactor(where.secrets).text
    with opened(where, clean) as place:
        if isinstance(place, TextFile) and (traces := _traces(place)):
            return _choose(traces, options, place.shown), where
        if options.case or options.trial:
            hint = "A session is chosen with --session, --app and --user."
            raise UsageError(f"{place.shown} holds recorded sessions, not trials of cases", hint=hint)
        return place.recording(choose(place, wanted(options))), where


def wanted(options: argparse.Namespace) -> Wanted:
    """Which session the options name."""
    return Wanted(session=options.session or "", app=options.app or "", user=options.user or "")


def note(text: str) -> None:
    """Tell what is no part of the output."""
    print(f"note: {escape.lines(text)}", file=sys.stderr)


def _traces(file: TextFile) -> tuple[Trace, ...]:
    """The traces of a traces.jsonl, or of agents-cli; none where the text is something else."""
    lines = [(number, line) for number, line in enumerate(file.text.split("\n"), start=1) if line.strip()]
    try:
        if not lines or not _is_trace(lines[0][1]):
            value = (
                strict_json(file.text) if '"eval_cases"' in file.text or '"evalCases"' in file.text else None
            )
            return agents_cli_traces.read(value, file.shown) if agents_cli_traces.is_traces(value) else ()
    except NotASession as error:
        raise UsageError(f"{file.shown} cannot be used: {error}") from error
    except ValueError:
        return ()
    return tuple(_trace(file, number, line) for number, line in lines)


def _is_trace(line: str) -> bool:
    try:
        load(Trace, strict_json(line))
    except (Malformed, ValueError):
        return False
    return True


def _trace(file: TextFile, number: int, line: str) -> Trace:
    try:
        return load(Trace, strict_json(line))
    except (Malformed, ValueError) as error:
        raise UsageError(f"{file.shown}:{number} is no trace: {error}") from error


def _choose(traces: tuple[Trace, ...], options: argparse.Namespace, shown: str) -> Trace:
    trial = options.trial or 1
    for trace in traces:
        fits = options.session in (trace.session, None) and options.case in (trace.case, None)
        if fits and (trace.trial == trial or (options.session and not options.trial)):
            if len(traces) > 1 and options.case is None and options.session is None:
                which = f"case {escape.line(trace.case, 160)}, trial {trace.trial}"
                said = f"{which}: the first of {len(traces)} traces; --case and --trial choose another"
                print(said, file=sys.stderr)
            return trace
    names = ", ".join(sorted({trace.case for trace in traces})[:20])
    asked = f"session {options.session!r}" if options.session else f"trial {trial} of case {options.case!r}"
    raise UsageError(f"{shown} has no {asked}", hint=f"It has: {names}")
