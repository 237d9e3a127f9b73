"""What is wrong with custom metrics: their files, functions and programs, looked at and never run."""

import ast
import os
import posixpath
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from gate.documents.messages import did_you_mean
from gate.model import Json
from gate.model.config import Config, MetricConfig
from gate.model.finding import Finding, Place
from gate.score import runs_code
from gate.score.custom_python import EVALUATE, folders_of, interpreter, source_file
from gate.work.files import Files, Origin, files_at

_INSTANCE, _INVOCATIONS = 1, 2
_AGENTEVALS = frozenset(("outputs", "reference_outputs"))
_ADK = frozenset({"actual", "actual_invocation", "actual_invocations", "invocations"})


def custom_findings(config: Config, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Findings about the code of each metric that runs some; nothing of it is imported."""
    files = files_at(Origin(root=config.root))
    for metric in filter(runs_code, config.metrics):
        if metric.type == "command":
            yield from _command(metric, files, environ)
        else:
            yield from _python(metric, files, environ)
        yield from _parts(metric, files)


def _command(metric: MetricConfig, files: Files, environ: Mapping[str, str]) -> Iterator[Finding]:
    command = metric.options.get("command")
    words = [word for word in command if isinstance(word, str)] if isinstance(command, list) else []
    if words:
        yield from _program(metric, words[0], files, environ)
    for word in words[1:]:
        name = _named(files, word)
        if "/" in word and "://" not in word and word[0] not in "-/" and name not in files.names:
            if (files.top / name).exists():
                yield _ignored(metric, word)
            elif posixpath.splitext(word)[1]:
                what = f"the command of metric '{metric.name}' names '{word}', which is not there"
                yield Finding.warn("metric-not-found", metric.place, what, why=_START)


_START = "Its paths start at the folder of agent-gate.yml."


def _python(metric: MetricConfig, files: Files, environ: Mapping[str, str]) -> Iterator[Finding]:
    yield from _program(metric, interpreter(metric.options, Path(metric.root)), files, environ)
    options = metric.options
    code, function = options.get("code"), str(options.get("function", EVALUATE))
    if isinstance(code, str):
        yield from _function(metric, code.encode("utf-8", "surrogatepass"), function, "")
        return
    name = source_file(files, options, folders_of(files, options))
    if not name:
        yield from _no_source(metric, files, options)
        return
    content = files.read([name])[name]
    shown = (Path(metric.root) / os.path.relpath(name, files.folder or ".")).as_posix()
    if isinstance(content, str):
        what = f"the code of metric '{metric.name}' cannot be read: {shown}: {content}"
        yield Finding.error("metric-not-found", metric.place, what)
    else:
        yield from _function(metric, content, function, shown)


def _no_source(metric: MetricConfig, files: Files, options: Mapping[str, Json]) -> Iterator[Finding]:
    file, module = options.get("file"), options.get("module")
    if isinstance(file, str):
        if (files.top / _named(files, file)).is_file():
            yield _ignored(metric, file)
            return
        what = f"there is no file '{file}', which metric '{metric.name}' names"
        near = did_you_mean(file, [name for name in files.names if name.endswith(".py")])
        yield Finding.error("metric-not-found", metric.place, what + near, why=_START)
    elif isinstance(module, str):
        where = options.get("in")
        inside = f" in '{where}', nor" if isinstance(where, str) else ""
        what = (
            f"there is no module '{module}'{inside} beside agent-gate.yml, which metric '{metric.name}' names"
        )
        why = "A metric's module is a file of the repository: `a.b` is a/b.py or a/b/__init__.py."
        yield Finding.error(
            "metric-not-found", metric.place, what, why=why, fix="in: the folder that it is in"
        )


def _ignored(metric: MetricConfig, file: str) -> Finding:
    what = f"git ignores '{file}', which metric '{metric.name}' names"
    why = "A metric is run from a copy of what is committed, or could be."
    return Finding.error("metric-not-found", metric.place, what, why=why, fix="Take it out of .gitignore.")


def _function(metric: MetricConfig, source: bytes, function: str, file: str) -> Iterator[Finding]:
    """Whether a module defines a function that takes what is known; what it imports is believed."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = (error.lineno or 1) if isinstance(error, SyntaxError) else 1
        place = Place(file=file, line=line) if file else metric.place
        reason = error.msg if isinstance(error, SyntaxError) else "it cannot be parsed"
        what = f"the code of metric '{metric.name}' is not Python: {reason}"
        why = "It is read by the Python of the gate, whose syntax may be older than yours."
        yield Finding.error("metric-syntax", place, what, why=why)
        return
    defined = {
        node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    where = file or "the code"
    if there := defined.get(function):
        yield from _signature(metric, there, file)
    elif function not in set(_bound(tree)):
        what = f"{where} has no function '{function}', which metric '{metric.name}' names"
        known = ", ".join(defined) or "none"
        fix = f"Functions there: {known}."
        yield Finding.error(
            "no-metric-function", metric.place, what + did_you_mean(function, defined), fix=fix
        )


def _bound(tree: ast.Module) -> Iterator[str]:
    """Names that a module may have by other ways than `def` at its top; of a star import every name."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if node not in tree.body or isinstance(node, ast.ClassDef):
                    yield name
            case ast.alias(name=name, asname=other):
                yield (other or name).partition(".")[0]
            case _:
                pass


def _signature(
    metric: MetricConfig, function: ast.FunctionDef | ast.AsyncFunctionDef, file: str
) -> Iterator[Finding]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args]
    needed = [each.arg for each in every[: len(every) - len(arguments.defaults)]]
    names = {each.arg for each in (*every, *arguments.kwonlyargs)}
    known = len(needed) in {_INSTANCE, _INVOCATIONS} or _ADK & names
    if function.decorator_list or (known and not names >= _AGENTEVALS):
        return
    place = Place(file=file, line=function.lineno, column=function.col_offset + 1) if file else metric.place
    takes = ", ".join(needed or sorted(_AGENTEVALS & names)) or "nothing"
    what = f"'{function.name}' of metric '{metric.name}' takes {takes}, and cannot be called"
    fix = "def evaluate(instance), or def evaluate(actual, expected)"
    if names >= _AGENTEVALS:
        fix += "; `trajectory_match` decides as agentevals does, which hands over messages"
    yield Finding.error("metric-signature", place, what, fix=fix)


def _program(metric: MetricConfig, word: str, files: Files, environ: Mapping[str, str]) -> Iterator[Finding]:
    if "/" in word:
        if _named(files, word) not in files.names and not (Path(metric.root) / word).is_file():
            what = f"there is no program '{word}', which runs metric '{metric.name}'"
            yield Finding.error("no-metric-program", metric.place, what, why=_START)
    elif shutil.which(word, path=environ.get("PATH", os.defpath)) is None:
        what = f"`{word}`, which runs metric '{metric.name}', is not on PATH"
        why = (
            "Metrics run with the tools that the gate finds; the Docker action has none of yours but Python."
        )
        fix = "Install it before, and use the on-runner form."
        yield Finding.error("no-metric-program", metric.place, what, why=why, fix=fix)


def _parts(metric: MetricConfig, files: Files) -> Iterator[Finding]:
    listed = metric.options.get("files")
    for text in listed if isinstance(listed, list) else ():
        name = _named(files, str(text))
        if name != "." and not any(each == name or each.startswith(f"{name}/") for each in files.names):
            what = f"`files` of metric '{metric.name}' names '{text}', which is not there"
            yield Finding.error("metric-not-found", metric.place, what, why=_START)


def _named(files: Files, text: str) -> str:
    return posixpath.normpath(posixpath.join(files.folder, text))
