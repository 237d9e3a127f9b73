"""What custom metrics share: code of the user in a process of its own, asked about one trial after the other.

The worker gets the case with its expectations and the trace, and nothing else of the gate: no secret, no file
of the run. What it does not answer clearly is Unscored(metric). A trial that broke off is 0 without asking:
what holds only because nothing happened does not hold.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager, ExitStack, nullcontext
from dataclasses import replace
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Final, Self, cast

from gate.config.units import seconds, size
from gate.formats.metric_answer import PLAIN, Scale, answered, one_line, score_of
from gate.formats.metric_request import case_of
from gate.model import Json
from gate.model.case import Case
from gate.model.config import MetricConfig
from gate.model.finding import Finding
from gate.model.score import Item, Score, Scored, Unscored
from gate.model.trace import Trace
from gate.score.items import broken, unmeasured_by
from gate.score.metric import Metric

if TYPE_CHECKING:
    from gate.work.files import Files
    from gate.work.worker import Program, Worker
    from gate.work.workplace import Workplace

TIMEOUT_S: Final = 10.0
"""Seconds of a trial, unless `timeout` says otherwise."""
MEMORY: Final = 1 << 30
IN_A_ROW: Final = 5
"""After so many failures in a row a program is not started any more."""
_FARTHEST: Final = 1e12
_HOW: Final = frozenset({"timeout", "memory", "python"})
"""Options that say how it is run, not what it measures."""
_ANSWERS: Final = frozenset({"score", "items", "error"})


def _scale(value: Json) -> str:
    fix = "scale: [0, 5]"
    if not isinstance(value, list) or len(value) != len(PLAIN):
        return fix
    ends = [end for end in value if isinstance(end, int | float) and not isinstance(end, bool)]
    fine = len(ends) == len(PLAIN) and -_FARTHEST <= ends[0] < ends[1] <= _FARTHEST
    return "" if fine else fix


def _anything(_: Json) -> str:
    """The schema has said what may stand there."""
    return ""


class Custom(Metric):
    """A metric whose values come from a worker; a subclass says what is started and what is asked."""

    kind = "quality"
    default_pass_at = None
    reads = ("reference", "rubric")
    foreign = True
    sees: ClassVar[tuple[str, ...]] = ("turns", "expect", "extra")
    """What of a case a program is told, besides what every line's key is made of."""
    start_s: ClassVar[float]
    """Seconds that a program may take to be ready."""
    shapes: ClassVar = {
        "scale": _scale,
        "timeout": _anything,
        "memory": _anything,
        "files": _anything,
    }

    def __init__(self, config: MetricConfig) -> None:
        super().__init__(config)
        self._config = config
        self._timeout_s = seconds(self.options.get("timeout", TIMEOUT_S))
        self._memory = size(self.options.get("memory", MEMORY))
        low, high = cast("list[float]", self.options.get("scale", list(PLAIN)))
        self._scale: Scale = (low, high)
        self._stack = ExitStack()
        self._place: Workplace | None = None
        self._worker: Worker | None = None
        self._fresh = True
        self._failures = 0
        self._refused = ""
        self._turn: AbstractAsyncContextManager[object] = nullcontext()

    @cached_property
    def files(self) -> "Files":
        """The files of the side that the code is read from."""
        from gate.work.files import Origin, files_at  # only a custom metric pays for it

        config = self._config
        return files_at(Origin(root=config.root, commit=config.commit, folder=config.folder))

    @cached_property
    def parts(self) -> frozenset[str]:
        """The files that the metric is made of, by their names from the repository's top."""
        listed = self.options.get("files")
        named = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
        return self.own_files() | frozenset(_below(self.files, named))

    @cached_property
    def _fingerprint(self) -> str:
        from gate.work.files import fingerprint

        return fingerprint(self.files, self.parts)

    @property
    def code(self) -> str:
        return self._fingerprint

    def own_files(self) -> frozenset[str]:
        """Those that follow from the options."""
        raise NotImplementedError

    def program(self, place: "Workplace") -> "Program":
        """What is started; raises CannotStart."""
        raise NotImplementedError

    async def begin(self, worker: "Worker", place: "Workplace") -> str:  # noqa: ARG002 - a hook
        """Make a started program ready; why it will never be, or ""."""
        return ""

    def question(self, case: Case, trace: Trace) -> dict[str, Json]:
        """What is asked about a trial."""
        raise NotImplementedError

    def expectation(self, case: Case) -> Json:
        """All of a case that a metric may read: it is held against what its author knows of it."""
        known = case_of(case)
        held = {key: known[key] for key in self.sees if known[key]}
        options = {key: value for key, value in self.options.items() if key not in _HOW}
        return {"case": held, "options": options, "code": self.code}

    async def __aenter__(self) -> Self:
        """Copy the code and start the program, before there is an agent that could touch either."""
        import asyncio

        from gate.work.workplace import CannotStart, workplace

        self._turn = asyncio.Lock()  # beside a judge several trials are scored at once
        try:
            self._place = self._stack.enter_context(workplace(self.files.origin))
            await self._start()
        except CannotStart as error:
            self._refused = self._told(str(error))
        except BaseException:
            self._end()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._worker and kind is None:
                await self._worker.stop()
        finally:
            self._end()

    def _end(self) -> None:
        if self._worker:
            self._worker.kill()
            self._worker = None
        self._stack.close()

    async def score(self, case: Case, trace: Trace) -> Score:
        if unmeasured := unmeasured_by(trace):
            return unmeasured
        if why := broken(case, trace):
            return Scored(value=0.0, items=(Item(where="case", value=0.0, reason=why),), reason=why)
        async with self._turn:
            if self._worker is None and not self._refused:
                await self._start()
            if self._worker is None:
                return Unscored(cause="metric", reason=self._refused or "its program was not started")
            return await self._asked(self._worker, case, trace)

    async def _asked(self, worker: "Worker", case: Case, trace: Trace) -> Score:
        from gate.work.worker import WorkerFailed

        try:
            answer = await self._exchange(worker, self.question(case, trace), self._patience())
        except WorkerFailed as error:
            return Unscored(cause="metric", reason=self._failed(str(error)))
        except ValueError as error:
            self._fresh = False
            return Unscored(cause="metric", reason=self._told(f"its answer cannot be read: {error}"))
        self._fresh, self._failures = False, 0
        found = score_of(answer, self._scale, len(trace.turns))
        return _redacted(found, self)

    async def _exchange(
        self, worker: "Worker", question: dict[str, Json], within_s: float
    ) -> Mapping[str, Json]:
        nonce = os.urandom(8).hex()
        line = json.dumps({**question, "id": nonce, "metric": self.name}, separators=(",", ":")) + "\n"
        return await worker.ask(line.encode(), nonce, within_s, lambda said: _answer(said, nonce))

    def _patience(self) -> float:
        """A program says nothing of when it is up: its first answer may take as long as a start."""
        return self._timeout_s + (self.start_s if self._fresh else 0.0)

    async def _start(self) -> None:
        from gate.work.worker import Worker, WorkerFailed
        from gate.work.workplace import CannotStart

        place = self._place
        if place is None:
            return
        self._fresh = True
        try:
            program = self.program(place)
            worker = self._worker = Worker.start(replace(program, who=place.settled(program.argv)))
            if why := await self.begin(worker, place):
                self._refused = self._told(why)
                self._dismissed()
        except (CannotStart, OSError, ValueError) as error:
            self._refused = self._told(f"it cannot be started: {error}")
            self._dismissed()
        except WorkerFailed as error:
            self._refused = self._failed(str(error))

    def _dismissed(self) -> None:
        if self._worker:
            self._worker.kill()
            self._worker = None

    def _failed(self, what: str) -> str:
        """End the program, which the next trial starts anew; the reason, with its last words."""
        self._failures += 1
        reason = self._told(what)
        self._dismissed()
        if self._failures >= IN_A_ROW:
            self._refused = f"it failed {IN_A_ROW} times in a row and is not asked any more; at last {reason}"
        return reason

    def _told(self, what: str) -> str:
        from gate.work.words import inert, telling_line

        said = telling_line(self.redact.text(inert(self._worker.tail()))) if self._worker else ""
        quoted = f"; it printed `{said}`" if said and said not in what else ""
        return one_line(self.redact.text(inert(what))) + quoted


def _redacted(score: Score, metric: Metric) -> Score:
    """The worker's words without secrets: it may have read them from a file."""
    from gate.work.words import inert

    def clean(text: str) -> str:
        return metric.redact.text(inert(text)) if text else text

    if isinstance(score, Unscored):
        return Unscored(cause=score.cause, reason=clean(score.reason))
    items = tuple(
        Item(where=clean(item.where), value=item.value, reason=clean(item.reason)) for item in score.items
    )
    return Scored(value=score.value, items=items, reason=clean(score.reason))


def _answer(line: bytes, nonce: str) -> Mapping[str, Json] | None:
    """An answer to this question; None for a line that only shows the nonce, such as the question itself.

    What is printed before it on its line is noise too.
    """
    begin = line.find(b"{")
    try:
        found = answered(line[begin:]) if begin >= 0 else {}
    except ValueError:
        if line.lstrip().startswith(b"{"):
            raise
        return None
    if found.get("id") != nonce or ("case" in found and not _ANSWERS & found.keys()):
        return None
    return found


def _below(files: "Files", named: list[str]) -> Iterator[str]:
    """The files that are named, and all in the folders that are, as seen from the config's folder."""
    import posixpath

    for text in named:
        name = posixpath.normpath(posixpath.join(files.folder, text))
        inside = "" if name == "." else f"{name}/"
        yield from (each for each in files.names if each == name or each.startswith(inside))


def options_of(config: MetricConfig, needed: str, why: str) -> Iterator[Finding]:
    """A finding where an option that must be there is not."""
    what = f"metric '{config.name}' of type '{config.type}' needs '{needed}'"
    yield Finding.error("bad-option", config.place, what, fix=why)
