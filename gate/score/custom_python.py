"""`type: python`: a function of the user, which the shipped worker calls in the user's own interpreter."""

import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from gate.formats.metric_instance import instance_of, invocations_of
from gate.model import Json
from gate.model.case import Case
from gate.model.config import MetricConfig
from gate.model.finding import Finding
from gate.model.trace import Trace
from gate.score.custom import Custom, options_of

if TYPE_CHECKING:
    from gate.work.files import Files
    from gate.work.worker import Program, Worker
    from gate.work.workplace import Workplace

EVALUATE: Final = "evaluate"
"""The function's name, as agents-cli wants it, unless `function` says otherwise."""
ENVIRONMENTS: Final = (".venv/bin/python", "venv/bin/python")
_SOURCES: Final = ("module", "file", "code")
_WORKER: Final = "agent_gate_worker.py"


def _text(value: Json) -> str:
    return "" if isinstance(value, str) and value else "a text that is not empty"


class Python(Custom):
    """A function that takes an instance of agents-cli, or ADK's invocations, and returns a score."""

    start_s = 60.0
    shapes: ClassVar = {
        **Custom.shapes,
        **dict.fromkeys((*_SOURCES, "function", "in", "python"), _text),
    }

    def __init__(self, config: MetricConfig) -> None:
        super().__init__(config)
        self._takes = "instance"

    @classmethod
    def _findings(cls, config: MetricConfig) -> Iterator[Finding]:
        yield from super()._findings(config)
        given = [name for name in _SOURCES if name in config.options]
        if not given:
            yield from options_of(config, "module", "module: evals.metrics, or file: evals/metrics.py")
        if len(given) > 1:
            what = f"metric '{config.name}' says in {' and in '.join(given)} where its function is"
            yield Finding.error("bad-option", config.place, what, fix="Keep one of them.")

    def own_files(self) -> frozenset[str]:
        from gate.work.closure import closure

        files, folders = self.files, self.folders
        name = source_file(files, self.options, folders)
        return closure(files, [name] if name else [], folders, self._text("code"))

    @property
    def folders(self) -> list[str]:
        """Where modules are looked for, by their names from the top."""
        return folders_of(self.files, self.options)

    def program(self, place: "Workplace") -> "Program":
        from gate.work import python_worker
        from gate.work.worker import Program

        place.refuse(map(self._text, ("file", "in")))
        script = place.own / _WORKER
        script.write_bytes(Path(python_worker.__file__).read_bytes())
        script.chmod(0o644)
        argv = (place.program(self._interpreter()), "-X", "utf8", str(script))
        return Program(argv=argv, cwd=place.folder, env=place.env, memory=self._memory)

    async def begin(self, worker: "Worker", place: "Workplace") -> str:
        files = place.files
        name = source_file(files, self.options, self.folders) if "file" in self.options else ""
        load: dict[str, Json] = {
            "function": self._text("function") or EVALUATE,
            "module": self._text("module"),
            "file": str(place.code / name) if name else self._text("file"),
            "code": self._text("code"),
            "paths": [str(place.code / folder) for folder in self.folders],
            "tree": str(files.top) if files.origin.commit else "",
            "copy": str(place.code),
        }
        answer = await self._exchange(worker, {"load": load}, self.start_s)
        self._fresh = False
        self._takes = str(answer.get("takes", ""))
        error = answer.get("error")
        return f"its function cannot be loaded: {error}" if error is not None else ""

    def question(self, case: Case, trace: Trace) -> dict[str, Json]:
        if self._takes == "instance":
            return {"instance": instance_of(case, trace)}
        actual, expected = invocations_of(case, trace)
        return {"actual": actual, "expected": expected}

    def _interpreter(self) -> str:
        return interpreter(self.options, Path(self._config.root))

    def _text(self, option: str) -> str:
        value = self.options.get(option)
        return value if isinstance(value, str) else ""


def interpreter(options: Mapping[str, Json], root: Path) -> str:
    """The interpreter by its name: `python`, the environment beside the config, or python3 of PATH."""
    given = options.get("python")
    if isinstance(given, str):
        return given
    return next((name for name in ENVIRONMENTS if (root / name).is_file()), "python3")


def folders_of(files: "Files", options: Mapping[str, Json]) -> list[str]:
    """Where modules are looked for, by names from the top: `in` or the file's folder, then the config's."""
    inner, file = options.get("in"), options.get("file")
    if inner is None and isinstance(file, str):
        inner = posixpath.dirname(file)
    own = posixpath.normpath(posixpath.join(files.folder, inner)) if isinstance(inner, str) else files.folder
    return list(dict.fromkeys(("" if own == "." else own, files.folder)))


def source_file(files: "Files", options: Mapping[str, Json], folders: list[str]) -> str:
    """The name from the top of the file that has the function; "" where there is none."""
    from gate.work.closure import module_file

    file, module = options.get("file"), options.get("module")
    if isinstance(file, str):
        name = posixpath.normpath(posixpath.join(files.folder, file))
        return name if name in files.names else ""
    return module_file(files, module, folders) if isinstance(module, str) else ""
