"""`type: command`: a program in any language that answers lines of JSON with lines of JSON."""

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, cast

from gate.formats.metric_request import request_of
from gate.model import Json
from gate.model.case import Case
from gate.model.config import MetricConfig
from gate.model.finding import Finding
from gate.model.trace import Trace
from gate.score.custom import Custom, options_of

if TYPE_CHECKING:
    from gate.work.worker import Program
    from gate.work.workplace import Workplace


def _command(value: Json) -> str:
    words = value if isinstance(value, list) else []
    fine = words and all(isinstance(word, str) and word for word in words)
    return "" if fine else "command: [node, score.mjs]"


def _is_beside(other: str, name: str, top: str) -> bool:
    """Whether a program in another language may well import the file: same ending, and near."""
    ending, folder = posixpath.splitext(name)[1], posixpath.dirname(name)
    if ending in {"", ".py"} or not other.endswith(ending):
        return False
    return posixpath.dirname(other) == folder or (folder not in {"", top} and other.startswith(f"{folder}/"))


class Command(Custom):
    """One process for many trials: a line of `metric-request` in, a line of `metric-response` out."""

    sees = (*Custom.sees, "category", "tags")
    start_s = 20.0
    shapes: ClassVar = {**Custom.shapes, "command": _command}

    @property
    def _words(self) -> list[str]:
        return cast("list[str]", self.options["command"])

    @classmethod
    def _findings(cls, config: MetricConfig) -> Iterator[Finding]:
        yield from super()._findings(config)
        if "command" not in config.options:
            yield from options_of(config, "command", "command: [node, evals/score.mjs]")

    def own_files(self) -> frozenset[str]:
        """The files that the command names, with those of the same ending beside them or below.

        Of a Python file what it imports counts instead.
        """
        from gate.work.closure import closure

        files = self.files
        named = [posixpath.normpath(posixpath.join(files.folder, word)) for word in self._words]
        there = [name for name in named if name in files.names]
        beside = {other for name in there for other in files.names if _is_beside(other, name, files.folder)}
        return closure(files, there, [files.folder]) | beside

    def program(self, place: "Workplace") -> "Program":
        from gate.work.worker import Program

        program, *rest = self._words
        place.refuse(rest)
        argv = (place.program(program), *rest)
        return Program(argv=argv, cwd=place.folder, env=place.env, memory=self._memory)

    def question(self, case: Case, trace: Trace) -> dict[str, Json]:
        return request_of(case, trace)
