"""Runs a metric that is a Python function: in the user's interpreter, on the standard library alone.

It imports nothing of gate, and needs Python 3.8. Lines of JSON come in and go out by descriptors that the
function cannot reach by accident: what it prints goes to stderr, and what it reads is empty. The first line
names the function; the answer says what it takes, or why it cannot be loaded.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import json
import math
import os
import sys
import traceback
from typing import Any, Callable, Iterator

_EXPECTED = ("expected", "expected_invocations", "expected_invocation", "reference")
_ACTUAL = ("actual", "actual_invocations", "actual_invocation", "invocations")
_LONGEST = 2000
"""Characters of an explanation."""
_LINES = 12
"""Lines of a traceback that are printed."""


class Tolerant(dict):  # type: ignore[type-arg]  # subscripted from Python 3.9 on
    """A dict whose keys are found in any spelling: `custom_Properties` is `custom_properties`."""

    def __missing__(self, key: object) -> Any:
        wanted = _plain(key)
        for own in self:
            if _plain(own) == wanted:
                return dict.__getitem__(self, own)
        raise KeyError(key)

    def get(self, key: Any, default: Any = None) -> Any:
        """As of a dict."""
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key: object) -> bool:
        return dict.__contains__(self, key) or any(_plain(own) == _plain(key) for own in self)


class Part(dict):  # type: ignore[type-arg]  # as above
    """An object of ADK as a function reads it: by attribute; what it does not have is None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return dict.get(self, name)


def main() -> None:
    """Answer until the input ends."""
    lines = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.dont_write_bytecode = True
    loop = asyncio.new_event_loop()
    call = None
    for line in lines:
        question = json.loads(line)
        answer = {"id": question["id"]}
        if call is None:
            call = _loaded(question["load"], answer)
        else:
            _answer(call, question, loop, answer)
        sys.stdout.flush()
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _loaded(load: dict[str, Any], answer: dict[str, Any]) -> Callable[[Any], Any] | None:
    """The function, as a callable of a question; the answer says what it takes, or the error."""
    try:
        sys.path[0:1] = load["paths"]
        if load["tree"]:
            _keep_out(load["tree"], load["copy"])
        function = _function(load)
        takes = _takes(function)
    except BaseException as error:  # a module may raise anything, SystemExit too
        answer["error"] = _told(error)
        return None
    answer["takes"] = takes
    if takes == "instance":
        return lambda question: function(_tolerant(question["instance"]))
    return _of_invocations(function)


def _keep_out(tree: str, copy: str) -> None:
    """What `pip install -e` took from a pull request's work tree is imported from the base's copy."""
    kept = [os.path.realpath(each) + os.sep for each in (copy, sys.prefix, sys.base_prefix)]

    def led(path: str) -> str:
        there = os.path.realpath(path) + os.sep
        if not there.startswith(os.path.realpath(tree) + os.sep) or there.startswith(tuple(kept)):
            return path
        return os.path.join(copy, os.path.relpath(there, os.path.realpath(tree)))

    sys.path[:] = map(led, sys.path)
    for module in [each for name, each in sys.modules.items() if name.startswith("__editable__")]:
        for name, path in getattr(module, "MAPPING", {}).items():  # of setuptools
            module.MAPPING[name] = led(path)


def _function(load: dict[str, Any]) -> Callable[..., Any]:
    name = load["function"]
    if load.get("code"):
        space: dict[str, Any] = {"__name__": "metric"}
        exec(compile(load["code"], "metric", "exec"), space)
        found = space.get(name)
    elif load.get("file"):
        path = load["file"]
        spec = importlib.util.spec_from_file_location(os.path.basename(path).partition(".")[0], path)
        if spec is None or spec.loader is None:
            raise LookupError(f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(spec.name, module)
        spec.loader.exec_module(module)
        found = getattr(module, name, None)
    else:
        found = getattr(importlib.import_module(load["module"]), name, None)
    if not callable(found):
        raise LookupError(f"there is no function {name!r}")
    called: Callable[..., Any] = found
    return called


def _takes(function: Callable[..., Any]) -> str:
    """`instance`: one dict, as agents-cli hands it over. `invocations`: two lists, as ADK does."""
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.name in _ACTUAL for parameter in parameters):
        return "invocations"
    names = [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    if len(names) == 1:
        return "instance"
    if len(names) == len(("actual", "expected")):
        return "invocations"
    raise TypeError(f"it takes {', '.join(names) or 'nothing'}; what is known: instance, or actual, expected")


def _of_invocations(function: Callable[..., Any]) -> Callable[[Any], Any]:
    parameters = list(inspect.signature(function).parameters.values())

    def call(question: dict[str, Any]) -> Any:
        lists = {key: [_invocation(each) for each in question[key]] for key in ("actual", "expected")}
        order = iter(("actual", "expected"))
        given: list[Any] = []
        named: dict[str, Any] = {}
        for parameter in parameters:
            value = _argument(parameter, lists, order)
            if value is parameter.empty:
                continue
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = value
            elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                given.append(value)
        return function(*given, **named)

    return call


def _argument(parameter: inspect.Parameter, lists: dict[str, Any], order: Iterator[str]) -> Any:
    """What a parameter gets by its name; of two that have other names the first is what was done."""
    name = parameter.name
    if name in _ACTUAL:
        return lists["actual"]
    if name in _EXPECTED:
        return lists["expected"]
    if name == "eval_metric":
        return Part(metric_name="", threshold=None, criterion=None)
    if name == "conversation_scenario":
        return None
    if parameter.default is not parameter.empty or parameter.kind in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    ):
        return parameter.empty
    return lists[next(order)]


def _invocation(value: Any) -> Any:
    """ADK's own class where the metric's module has loaded it, else a look-alike."""
    module = sys.modules.get("google.adk.evaluation.eval_case")
    return module.Invocation.model_validate(value) if module else _part(value)


def _part(value: Any) -> Any:
    if isinstance(value, dict):
        return Part({key: _part(held) for key, held in value.items()})
    return [_part(held) for held in value] if isinstance(value, list) else value


def _tolerant(instance: dict[str, Any]) -> Tolerant:
    properties = instance.get("custom_properties")
    if properties is not None:
        instance["custom_properties"] = Tolerant(properties)
    return Tolerant(instance)


def _answer(call: Callable[[Any], Any], question: dict[str, Any], loop: Any, answer: dict[str, Any]) -> None:
    try:
        result = call(question)
        if inspect.isawaitable(result):
            result = loop.run_until_complete(_awaited(result))
        answer.update(_scores(result))
        json.dumps(answer)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a function may raise anything, SystemExit too
        answer.clear()
        answer.update(id=question["id"], error=_told(error))


async def _awaited(result: Any) -> Any:
    return await result


def _scores(result: Any) -> dict[str, Any]:
    """A result in the form of the protocol; what is no score raises TypeError or ValueError."""
    if isinstance(result, dict):
        if "score" not in result:
            raise TypeError("it returned a dict without 'score'")
        return {"score": _number(result["score"]), "explanation": _words(result.get("explanation"))}
    if isinstance(result, (list, tuple)):
        return {"items": [_scores(item) for item in result]}
    if hasattr(result, "overall_score"):
        return _of_adk(result)
    if hasattr(result, "score") and not hasattr(result, "dtype"):
        words = getattr(result, "explanation", None) or getattr(result, "rationale", None)
        return {"score": _number(result.score), "explanation": _words(words)}
    return {"score": _number(result)}


def _of_adk(result: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"score": _number(result.overall_score)}
    each = [getattr(item, "score", None) for item in getattr(result, "per_invocation_results", None) or ()]
    if each and None not in each:
        found["items"] = [{"score": _number(score)} for score in each]
    return found


def _number(value: Any) -> Any:
    if value is None:
        raise TypeError("it returned None, which is no score")
    if not isinstance(value, (bool, int, float)):
        if hasattr(value, "item"):  # a number of numpy
            return _number(value.item())
        raise TypeError(f"it returned {type(value).__name__}, which is no score")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"it returned {value!r}, which is no score")
    return value


def _words(value: object) -> str:
    return "" if value is None else str(value)[:_LONGEST]


def _told(error: BaseException) -> str:
    """One line on an error; its traceback goes to stderr, without what is ours."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__]
    if own:
        listed = traceback.format_list(own)[-_LINES:]
        sys.stderr.write("".join(listed) + _line(error) + "\n")
        sys.stderr.flush()
        last = own[-1]
        return f"{_line(error)} (line {last.lineno} of {os.path.basename(last.filename)})"
    if isinstance(error, (TypeError, ValueError, LookupError)) and error.args:
        return str(error.args[0])
    return _line(error)


def _line(error: BaseException) -> str:
    words = " ".join(traceback.format_exception_only(type(error), error)[-1].split())
    return words[:500]


def _plain(key: object) -> str:
    return "".join(letter for letter in str(key).lower() if letter.isalnum())


if __name__ == "__main__":
    main()
