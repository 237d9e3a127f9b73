"""The folder of a run: traces and trials stream to disk; run.json repeats comparing and publishing."""

import fcntl
import json
import math
import os
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from gate.compare.evidence import tally
from gate.documents import canonical, open_regular, read_bytes, write_text
from gate.errors import UsageError
from gate.formats.records import Malformed, dump, load
from gate.formats.strict import strict_json
from gate.frozen import frozen
from gate.model import Json
from gate.model.run import CaseFacts, Evidence, TrialRecord
from gate.model.score import Scored
from gate.model.trace import Trace
from gate.model.verdict import Report

VERSION = 1
MOST_TRIALS = 1000
"""As many as the schema of a config allows."""
LARGEST = 1 << 30
"""Bytes of a run.json."""
RUN_FILE, TRACES_FILE, LOG_FILE = "run.json", "traces.jsonl", "agent.log"


@frozen
class StoredRun:
    """A run.json: the report, the facts of its cases, and every trial."""

    report: Report
    cases: tuple[CaseFacts, ...]
    trials: tuple[TrialRecord, ...]

    @property
    def evidence(self) -> Evidence:
        """All that comparing needs of it."""
        return tally(self.report.meta, self.report.metrics, self.cases, self.trials, self.report.judges)


class Results:
    """Writes a run's folder; nothing but an index of the trials stays in memory.

    `surfaces` are the names of files that others write at the end, from run.json; `sweep` is the last look at
    every text that is written.
    """

    def __init__(self, folder: Path, surfaces: Sequence[str] = (), sweep: Callable[[str], str] = str) -> None:
        self.folder = folder
        self._surfaces = tuple(surfaces)
        self._sweep = sweep
        self._cases: dict[str, int] = {}
        self._index = array("q")  # three numbers a trial: the case's number, the trial's, its offset

    def __enter__(self) -> Self:
        """Make the folder and start its files anew; raises UsageError where that is impossible."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._traces: TextIO = (self.folder / TRACES_FILE).open("a", encoding="utf-8", newline="\n")
            self._alone()
            self._traces.truncate(0)
            # A run that ends before its verdict must not leave the verdict of the one before.
            for name in (RUN_FILE, *self._surfaces):
                (self.folder / name).unlink(missing_ok=True)
            # Without a name: nothing is left of it, not even by SIGKILL. (tempfile costs 3 ms of a start.)
            spool = self.folder / f".trials.{os.urandom(4).hex()}"
            self._spool: TextIO = spool.open("x+", encoding="utf-8", newline="\n")
            spool.unlink()
        except OSError as error:
            raise self._unwritable(error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the files and drop the spool: run.json has what was in it."""
        for file in (self._traces, self._spool):
            with suppress(OSError):  # a full disk was told when it was written to
                file.close()

    def add(self, trace: Trace, record: TrialRecord) -> None:
        """Append one trial, whole on disk before the next one; raises UsageError where the disk is full.

        One by the base's text of a case is no trial of the pull request's suite: run.json has none of it.
        """
        self.keep(trace)
        if trace.side != "base":
            self.record(record)

    def record(self, record: TrialRecord) -> None:
        """Note one trial for run.json; raises UsageError where the disk is full."""
        try:
            number = self._cases.setdefault(record.case, len(self._cases))
            self._index.extend((number, record.trial, self._spool.tell()))
            self._spool.write(self._sweep(canonical(dump(record))))
            self._spool.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def keep(self, trace: Trace) -> None:
        """Append a trace alone; raises UsageError where the disk is full."""
        try:
            self._traces.write(self._sweep(canonical(dump(trace))))
            self._traces.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def _alone(self) -> None:
        """Refuse to write into the files of a run that goes on; where a file system has no locks, hope."""
        try:
            fcntl.flock(self._traces, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._traces.close()
            raise UsageError(
                f"another agent-gate is writing to {self.folder}",
                hint="Wait for it, or choose another folder with --out.",
            ) from None
        except OSError:
            return

    def _unwritable(self, error: OSError) -> UsageError:
        reason = f"cannot write to {self.folder}: {error.strerror}"
        return UsageError(reason, hint="Choose another folder with --out.")

    def write_run(self, report: Report, cases: Sequence[CaseFacts]) -> None:
        """Write run.json; its trials stand in the order of the cases, however they finished."""
        order = {self._cases[facts.id]: n for n, facts in enumerate(cases) if facts.id in self._cases}
        numbers = iter(self._index)
        index = sorted(
            (order[case], trial, at) for case, trial, at in zip(numbers, numbers, numbers, strict=True)
        )
        head = {"cases": dump(tuple(cases)), "report": dump(report)}
        write_text(self.folder / RUN_FILE, map(self._sweep, _assemble(head, self._spooled(index))))

    def _spooled(self, index: Sequence[tuple[int, int, int]]) -> Iterator[str]:
        for _, _, offset in index:
            self._spool.seek(offset)
            yield self._spool.readline().rstrip("\n")


def read_run(path: Path) -> StoredRun:
    """Read a run.json (or the folder that holds it); raises UsageError with what is wrong."""
    file = path if path.suffix == ".json" or path.is_file() else path / RUN_FILE
    try:
        content = read_bytes(file, LARGEST)
    except OSError as error:
        hint = "`agent-gate run` writes it; name another with the command's argument or --out."
        raise UsageError(f"cannot read {file}: {error.strerror}", hint=hint) from error
    return stored_run(content, file)


def stored_run(content: bytes, file: Path) -> StoredRun:
    """The run that `file` holds as `content`; raises UsageError with what is wrong."""
    try:
        return _stored(strict_json(content.decode("utf-8")))
    except (Malformed, ValueError) as error:
        hint = (
            f"It must be a {RUN_FILE} that this version of agent-gate wrote; `agent-gate run` writes it anew."
        )
        raise UsageError(f"{file} cannot be used: {error}", hint=hint) from error


def _stored(data: Json) -> StoredRun:
    version = data.get("version") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or type(version) is not int or version != VERSION:
        raise Malformed(f"this is no run record of version {VERSION}")
    if unknown := data.keys() - {"version", "report", "cases", "trials"}:
        raise Malformed(f"it has an unknown key {min(unknown)[:80]!r}")
    stored = StoredRun(
        report=load(Report, data.get("report")),
        cases=load(tuple[CaseFacts, ...], data.get("cases")),
        trials=load(tuple[TrialRecord, ...], data.get("trials")),
    )
    for problem in _contradictions(stored):
        raise Malformed(problem)
    return stored


def _contradictions(stored: StoredRun) -> Iterator[str]:
    """What no run of ours says: it was written by hand, and would be judged as something that never was."""
    cases = {facts.id: facts for facts in stored.cases}
    kinds = {metric.name: metric.kind for metric in stored.report.metrics}
    if len(cases) < len(stored.cases) or len(kinds) < len(stored.report.metrics):
        yield "a case or a metric is there twice"
    for facts in stored.cases:
        if not 1 <= facts.trials <= MOST_TRIALS:
            yield f"case {facts.id!r} has {facts.trials} trials"
        if unknown := facts.keys.keys() - kinds.keys():
            yield f"case {facts.id!r} has a metric {min(unknown)!r} that the run has not"
    seen: set[tuple[str, int]] = set()
    for record in stored.trials:
        planned = cases.get(record.case)
        if planned is None or not 1 <= record.trial <= planned.trials or (record.case, record.trial) in seen:
            yield f"trial {record.trial} of case {record.case!r} is there twice, or was never planned"
            return
        seen.add((record.case, record.trial))
        if record.scores.keys() != planned.keys.keys():
            yield f"trial {record.trial} of case {record.case!r} has not a score for each of its metrics"
        for name, score in record.scores.items():
            if isinstance(score, Scored) and not _is_possible(score, kinds.get(name, "")):
                yield f"trial {record.trial} of case {record.case!r} has a {name!r} that cannot be"


def _is_possible(score: Scored, kind: str) -> bool:
    most = 1.0 if kind == "quality" else math.inf
    return all(0 <= value <= most for value in (score.value, *(item.value for item in score.items)))


def read_traces(path: Path) -> Iterator[Trace]:
    """The traces of a traces.jsonl (or of the folder that holds it), one at a time; raises UsageError."""
    file = path if path.suffix == ".jsonl" or path.is_file() else path / TRACES_FILE
    try:
        with open_regular(file) as lines:
            for number, line in enumerate(lines, start=1):
                text = line.decode("utf-8")
                try:
                    yield load(Trace, strict_json(text))
                except (Malformed, ValueError) as error:
                    raise UsageError(f"{file}:{number} is not a trace: {error}") from error
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8: {error.reason} at byte {error.start}") from error


def _assemble(head: Mapping[str, Json], trials: Iterator[str]) -> Iterator[str]:
    """The text of run.json in pieces: one key a line and one trial a line, to be read and diffed."""
    yield "{\n"
    for key in sorted(head):
        yield f"{json.dumps(key)}: {canonical(head[key]).rstrip()},\n"
    yield '"trials": ['
    separator = "\n"
    for trial in trials:
        yield separator + trial
        separator = ",\n"
    yield "\n],\n"
    yield f'"version": {VERSION}\n}}\n'
