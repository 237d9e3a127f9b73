"""`agent-gate show CASE`: a case's conversation in the last run, expected beside got, or a recorded one."""

import argparse
from pathlib import Path

from gate.commands.recordings import find, note
from gate.documents.messages import did_you_mean
from gate.errors import PASS, UsageError
from gate.formats.sessions import trace_of
from gate.formats.stored import NotASession, Recording
from gate.model.run import AGENT, TrialRecord
from gate.model.score import Scored
from gate.publish import conversation
from gate.publish.escape import lines
from gate.recorded.address import looks_like_one
from gate.results import StoredRun, read_run, read_traces
from gate.suite import Selection, prepare


def main(options: argparse.Namespace) -> int:
    """Print one trial of one case, or one recorded session."""
    if looks_like_one(options.what):
        return _recorded(options)
    if options.session or options.app or options.user or options.case:
        what = f"{options.what!r} is taken for a case, and --session, --app, --user, --case are of a source"
        raise UsageError(what, hint="A source ends in .json, .jsonl or .db, or is a URL.")
    out = Path(options.out)
    stored = read_run(out)
    record = _pick(stored, options.what, options.trial)
    suite = prepare(Path(options.config), Selection(), boots=False)
    if record.track != AGENT:
        print(f"{lines(record.case)}: {lines(record.scores[record.track].reason) or 'it passed'}")
        return PASS
    case = suite.head.expected.get(record.case)
    if case is None:
        raise UsageError(f"case {record.case!r} is in the run but no longer in the suite")
    for trace in read_traces(out):
        if (trace.case, trace.trial, trace.side) == (record.case, record.trial, "head"):
            print(conversation.render(case, trace, record), end="")
            return PASS
    raise UsageError(f"{out} has no trace of trial {record.trial} of {record.case!r}")


def _recorded(options: argparse.Namespace) -> int:
    options.source = options.what
    found, where = find(options)
    if isinstance(found, Recording):
        for text in found.notes:
            note(text)
        try:
            found = trace_of(found, source=where.shown)
        except NotASession as error:
            raise UsageError(f"{where.shown} cannot be read: {error}") from error
    print(conversation.render(None, found, None), end="")
    return PASS


def _pick(stored: StoredRun, case: str, trial: int | None) -> TrialRecord:
    mine = [record for record in stored.trials if record.case == case]
    if not mine:
        names = [facts.id for facts in stored.cases]
        meant = did_you_mean(case, names)
        raise UsageError(
            f"the run has no trial of a case {case!r}{meant}", hint="It has: " + ", ".join(names[:20])
        )
    if trial is None:
        return min(mine, key=lambda record: (_worst(record), record.trial))
    for record in mine:
        if record.trial == trial:
            return record
    raise UsageError(f"the run has no trial {trial} of {case!r}; it has {len(mine)}")


def _worst(record: TrialRecord) -> float:
    """The lowest item over all shares of the trial."""
    shares = [
        score.worst for score in record.scores.values() if isinstance(score, Scored) and score.worst <= 1
    ]
    return min(shares, default=1.0)
