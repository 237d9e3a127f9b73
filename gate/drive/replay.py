"""The replay protocol: trials out of a recorded traces.jsonl; there is no agent, and nothing is sent."""

from dataclasses import replace
from pathlib import Path

from gate.errors import BadInput
from gate.formats.records import Malformed, load
from gate.http import BadBody, decode_text, parse_json
from gate.model import Json
from gate.model.agent import Agent
from gate.model.case import Case
from gate.model.config import AgentConfig
from gate.model.finding import Finding, Place
from gate.model.trace import Refused, Trace
from gate.redact import Redactor


class Replay:
    """One row of PROTOCOLS; options: `replay: {traces: FILE}`. Keeps where trials stand, not the trials."""

    def __init__(self, config: AgentConfig, agent: Agent) -> None:  # noqa: ARG002 - every row takes the agent
        self._file = Path(config.root) / str(config.options.get("traces", "out/traces.jsonl"))
        self._lines: dict[tuple[str, int], tuple[int, int]] | None = None

    def trace(self, case: Case, trial: int, redact: Redactor) -> Trace:
        """The recorded trial, `source` naming file and line; Refused where there is none. Raises BadInput."""
        if self._lines is None:
            self._lines = self._index()
        found = self._lines.get((case.id, trial))
        if found is None:
            reason = redact.text(f"{self._file} has no trial {trial} of {case.id!r}")
            return Trace(
                case=case.id, trial=trial, session="", turns=(), outcome=Refused(reason=reason), exposes=()
            )
        line, offset = found
        with self._file.open("rb") as file:
            file.seek(offset)
            record = self._parsed(file.readline(), line)
        try:
            recorded = load(Trace, redact.value(record))
        except Malformed as error:
            raise self._unreadable(line, str(error)) from None
        return replace(recorded, source=f"{self._file}:{line}")

    def _index(self) -> dict[tuple[str, int], tuple[int, int]]:
        """Map case and trial to line number and offset; the last line of a trial counts."""
        found: dict[tuple[str, int], tuple[int, int]] = {}
        offset = 0
        try:
            with self._file.open("rb") as file:
                for number, line in enumerate(file, 1):
                    record = self._parsed(line, number) if line.strip() else None
                    if record is not None and not _is_of_base(record):
                        found[self._key(record, number)] = number, offset
                    offset += len(line)
        except OSError as error:
            raise self._unreadable(0, error.strerror or str(error)) from None
        return found

    def _parsed(self, line: bytes, number: int) -> Json:
        try:
            return parse_json(decode_text(line))
        except BadBody as error:
            raise self._unreadable(number, error.reason) from None

    def _key(self, record: Json, number: int) -> tuple[str, int]:
        match record:
            case {"case": str(case), "trial": int(trial)}:
                return case, trial
            case _:
                raise self._unreadable(number, "not a trace: it names no case and trial")

    def _unreadable(self, line: int, what: str) -> BadInput:
        return BadInput(
            [
                Finding.error(
                    "unreadable-traces",
                    Place(file=str(self._file), line=line),
                    what,
                    why="the replay protocol reads a `Trace` a line, as `agent-gate run` writes traces.jsonl",
                    fix="name a traces.jsonl in `replay: {traces: FILE}` of agent-gate.yml",
                )
            ]
        )


def _is_of_base(record: Json) -> bool:
    """A trial of a case as only the base of a pull request had it."""
    return isinstance(record, dict) and record.get("side") == "base"
