"""`agent-gate extract SOURCE`: account for every event of a trace or of a recorded session."""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gate.commands.output import deliver, printed
from gate.commands.recordings import find, note, refuse_traces, wanted
from gate.documents.messages import did_you_mean
from gate.errors import PASS, BadInput, UsageError
from gate.formats.accounts import Entry, entries, entries_of, invocations, rows, without_tools
from gate.formats.messages import conversation, messages
from gate.formats.stored import NotASession, moment
from gate.model.trace import Trace
from gate.publish import events
from gate.recorded import Address, address, opened
from gate.recorded.file import TextFile
from gate.recorded.secrets import MOST, leaks, suspects
from gate.redact import Redactor

_RAW = (
    "events are written as they were stored. Before you commit or send them, look for request headers and "
    "cookies in `actions.state_delta`, tokens and keys in arguments and results of tools, names and "
    "addresses of people in what they wrote, and inline files."
)
_MOST_NAMES, _LONGEST = 1000, 200


def main(options: argparse.Namespace) -> int:
    """Print the messages as JSON, or what one of the options asks for instead."""
    _combine(options)
    if options.list_sessions:
        deliver(_sessions(options), options.to)
        return PASS
    found, place = _chosen(options)
    if options.raw:
        deliver(_raw(found, place, options), options.to)
    elif options.summary:
        deliver(events.render(rows(found)), options.to)
    elif options.list_invocations:
        deliver(events.invocations(invocations(found)), options.to)
    else:
        said = messages(event for entry in found for event in entry.events)
        deliver(printed(list(said)), options.to)
    return PASS


def _combine(options: argparse.Namespace) -> None:
    if not options.raw and (options.with_secrets or options.redact):
        raise UsageError("--with-secrets and --redact are for --raw: all else is written without secrets")
    chosen = options.invocation or options.author or options.drop_tool or options.include_internal
    if options.list_sessions and (chosen or options.case or options.trial):
        hint = "--session, --app, --user, --since and --limit choose sessions."
        raise UsageError("--list-sessions looks at no event: leave out what chooses among them", hint=hint)
    if options.raw and (options.drop_tool or options.include_internal):
        raise UsageError(
            "--raw writes events as they were stored: --drop-tool and --include-internal change none"
        )


def _sessions(options: argparse.Namespace) -> str:
    if Path(options.source).is_dir():
        raise UsageError(f"{options.source} is a folder", hint="Name a file or a database.")
    where = address(options.source)
    with opened(where, Redactor(where.secrets).text) as place:
        if isinstance(place, TextFile):
            refuse_traces(place)
        asked = replace(wanted(options), since=options.since)
        found = place.sessions(asked, options.limit + 1)
        if not found:
            raise UsageError(f"{place.shown} has no such session")
    if len(found) > options.limit:
        note(f"there are more than {options.limit} sessions; --limit shows more of them")
    return events.sessions(found[: options.limit])


def _chosen(options: argparse.Namespace) -> tuple[tuple[Entry, ...], Address]:
    found, where = find(options, as_stored=options.raw)
    shown = where.shown
    if isinstance(found, Trace):
        if options.raw or options.invocation or options.since or options.list_invocations:
            what = f"{shown} holds traces, which have no invocations, no dates and no raw events"
            raise UsageError(what, hint="--summary, --author and --drop-tool work on traces too.")
        accounts = entries_of(conversation(found))
    else:
        for text in found.notes:
            note(text)
        try:
            accounts = entries(found, internal=options.include_internal)
        except NotASession as error:
            raise UsageError(f"{shown} cannot be read: {error}") from error
    kept = without_tools(_filtered(accounts, options, shown), frozenset(options.drop_tool))
    if len(kept) < len(accounts):
        note(f"{len(kept)} of {len(accounts)} events are chosen")
    return kept, where


def _filtered(found: Sequence[Entry], options: argparse.Namespace, shown: str) -> tuple[Entry, ...]:
    _known("invocation", options.invocation, [entry.invocation for entry in found], shown)
    _known("author", options.author, [entry.author for entry in found], shown)
    kept = tuple(
        entry
        for entry in found
        if (not options.invocation or entry.invocation in options.invocation)
        and (not options.author or entry.author in options.author)
        and entry.at >= options.since
    )
    if not kept:
        since = f" since {moment(options.since)}" if options.since else ""
        raise UsageError(
            f"{shown} has no event like that{since}", hint="--summary without filters shows all."
        )
    return kept


def _known(what: str, asked: Sequence[str], there: Sequence[str], shown: str) -> None:
    known = dict.fromkeys(there)
    for name in asked:
        if name not in known:
            names = [there[:_LONGEST] for there in list(known)[:_MOST_NAMES]]
            hint = f"It has: {', '.join(map(repr, names[:20]))}"
            raise UsageError(f"{shown} has no {what} {name!r}{did_you_mean(name, names)}", hint=hint)


def _raw(found: Sequence[Entry], where: Address, options: argparse.Namespace) -> str:
    """The events as JSON lines, which is a recording again; refused where they hold secrets, unless told."""
    frames = [(f"event {entry.number}", dict(entry.frame)) for entry in found]
    if options.redact:
        redactor = Redactor(where.secrets)
        frames = [
            (place, {key: redactor.value(held) for key, held in frame.items()}) for place, frame in frames
        ]
    elif not options.with_secrets and (findings := leaks(frames, where)):
        raise BadInput(findings)
    note(_RAW)
    if named := suspects(frames):
        note("by their names these may be secrets: " + ", ".join(named[:MOST]))
    return "\n".join(_line(frame) for _, frame in frames)


def _line(frame: object) -> str:
    # As in `printed`: no character of a line does anything to a terminal or to a runner.
    return json.dumps(frame, ensure_ascii=True, allow_nan=False).replace("##", "#\\u0023")
