"""What `extract`, `show` and `import session` share: the trace or recording that the command line names."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gate.errors import UsageError
from gate.formats import agents_cli_traces
from gate.formats.records import Malformed, load
from gate.formats.stored import NotASession, Recording
from gate.formats.strict import strict_json
from gate.model import Json
from gate.model.trace import Trace
from gate.publish import escape
from gate.recorded import Address, Source, Wanted, address, opened
from gate.recorded.file import TextFile
from gate.recorded.source import choose
from gate.redact import Redactor
from gate.results import TRACES_FILE


def find(options: argparse.Namespace, *, as_stored: bool = False) -> tuple[Trace | Recording, Address]:
    """What the options name, and where it is; secrets are taken out unless it is to be `as_stored`.

    Raises UsageError.
    """
    where, clean = _place(options, as_stored=as_stored)
    with opened(where, clean) as place:
        if isinstance(place, TextFile) and (traces := _traces(place)):
            return _choose(traces, options, place.shown), where
        return _session(place, options), where


def find_recording(options: argparse.Namespace) -> tuple[Recording, Address]:
    """The recording that the options name, as it is stored, and where it is; raises UsageError.

    What agents-cli recorded of a case counts as one, a trace of ours does not.
    """
    where, clean = _place(options, as_stored=True)
    with opened(where, clean) as place:
        if isinstance(place, TextFile):
            if (value := _agents_cli(place)) is not None:
                return _case(_recordings(value, place), options, place.shown), where
            refuse_traces(place)
        return _session(place, options), where


def refuse_traces(file: TextFile) -> None:
    """Raise UsageError where a file holds traces, which are of cases and no sessions."""
    if _traces(file):
        hint = "--case chooses one of them; `agent-gate grade` scores them again."
        raise UsageError(f"{file.shown} holds traces of cases, not a recorded session", hint=hint)


def _place(options: argparse.Namespace, *, as_stored: bool) -> tuple[Address, Callable[[str], str]]:
    source = Path(options.source)
    where = address(str(source / TRACES_FILE) if source.is_dir() else options.source)
    return where, str if as_stored else Redactor(where.secrets).text


def _session(place: Source, options: argparse.Namespace) -> Recording:
    if options.case or options.trial:
        hint = "A session is chosen with --session, --app and --user."
        raise UsageError(f"{place.shown} holds recorded sessions, not trials of cases", hint=hint)
    return place.recording(choose(place, wanted(options)))


def _recordings(value: Json, place: Source) -> tuple[Recording, ...]:
    try:
        return agents_cli_traces.recordings(value)
    except NotASession as error:
        raise UsageError(f"{place.shown} cannot be used: {error}") from error


def _case(found: Sequence[Recording], options: argparse.Namespace, shown: str) -> Recording:
    chosen = [one for one in found if options.case in (one.id, None)]
    if len(chosen) == 1:
        return chosen[0]
    names = ", ".join(dict.fromkeys(one.id for one in found[:20]))
    what = f"no case {options.case!r}" if options.case and not chosen else f"{len(chosen)} cases"
    raise UsageError(f"{shown} has {what}", hint=f"Name one with --case. It has: {names}")


def wanted(options: argparse.Namespace) -> Wanted:
    """Which session the options name."""
    return Wanted(session=options.session or "", app=options.app or "", user=options.user or "")


def note(text: str) -> None:
    """Tell what is no part of the output."""
    print(f"note: {escape.lines(text)}", file=sys.stderr)


def _traces(file: TextFile) -> tuple[Trace, ...]:
    """The traces of a traces.jsonl, or of agents-cli; none where the text is something else."""
    if (value := _agents_cli(file)) is not None:
        try:
            return agents_cli_traces.read(value, file.shown)
        except NotASession as error:
            raise UsageError(f"{file.shown} cannot be used: {error}") from error
    lines = [(number, line) for number, line in enumerate(file.text.split("\n"), start=1) if line.strip()]
    if not lines or not _is_trace(lines[0][1]):
        return ()
    return tuple(_trace(file, number, line) for number, line in lines)


def _agents_cli(file: TextFile) -> Json:
    """The value of a file of traces of agents-cli; None where it is something else."""
    if '"eval_cases"' not in file.text and '"evalCases"' not in file.text:
        return None
    try:
        value = strict_json(file.text)
    except ValueError:
        return None
    return value if agents_cli_traces.is_traces(value) else None


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
