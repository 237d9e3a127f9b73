"""`eval_config.yaml` of agents-cli (1.11) to custom metrics, in both of its spellings.

A list of objects with `name` and a function (`custom_function`, `custom_function_file`), as agents-cli reads
it; or names with `module` and `function`, as it is written about. What is not in `metrics_to_run` is not run
there, and is not here.
"""

from typing import Final

from gate.formats.adk_fields import kind
from gate.formats.foreign import Fields, Notes, Path, Places, close
from gate.model import Json
from gate.model.finding import Finding

_KEYS: Final = ("metrics_to_run", "custom_metrics")
_SOURCE: Final = ("custom_function", "custom_function_file", "module")
MEASURED_HERE: Final = (
    "response_match_score",
    "tool_trajectory_avg_score",
    "trajectory_any_order_match",
    "trajectory_exact_match",
    "trajectory_in_order_match",
    "trajectory_precision",
    "trajectory_recall",
    "trajectory_single_tool_use",
)
"""Metrics of Google's and ADK's that the gate has by the same name."""
_ENTRY: Final = (
    "name", "type", "description", "module", "function", "custom_function", "custom_function_file",
    "execution", "prompt_template",
)  # fmt: skip
_JUDGED: Final = (
    "prompt_template", "judge_model", "judge_model_sampling_count", "judge_model_system_instruction",
    "judge_model_generation_config", "metric_spec_parameters", "rubric_group_name",
)  # fmt: skip


def read(value: Json, place: Places, folder: str = "") -> tuple[dict[str, Json], tuple[Finding, ...]]:
    """Give each metric's options by its name, as `metrics:` has them, and all that is wrong or left out.

    `folder` is the file's own, seen from agent-gate.yml: paths in the file start there.
    """
    named, findings = positioned(value, place, folder)
    return {name: options for name, (options, _) in named.items()}, findings


def part(value: Json, place: Places) -> tuple[dict[str, Json], tuple[Finding, ...]]:
    """The same as a part of an agent-gate.yml that lies beside the file."""
    metrics, findings = read(value, place)
    return {"metrics": metrics} if metrics else {}, findings


def positioned(
    value: Json, place: Places, folder: str = ""
) -> tuple[dict[str, tuple[dict[str, Json], Path]], tuple[Finding, ...]]:
    """The same, each with its path in the file."""
    notes = Notes(place)
    top = Fields(value, (), notes)
    chosen = _chosen(top, notes)
    found: dict[str, tuple[dict[str, Json], Path]] = {}
    defined: set[str] = set()
    for name, entry in _entries(top, notes):
        if name in defined:
            fix = "Rename one of the two."
            notes.error(entry.path, "duplicate-metric", f"there are two metrics named {name!r}", fix=fix)
        elif chosen and name not in chosen:
            what = "a metric that `metrics_to_run` does not name is left out"
            notes.left_out(entry.path, what, why="agents-cli does not run it either.")
        elif options := _options(name, entry, notes, folder):
            found[name] = (options, entry.path)
        defined.add(name)
    for name, path in chosen.items():
        if name not in defined:
            _not_here(name, path, notes)
    top.refuse_unread(_KEYS, level="warn")
    return found, notes.findings()


def _chosen(top: Fields, notes: Notes) -> dict[str, Path]:
    """The names that are run, with their places; none where all are."""
    chosen: dict[str, Path] = {}
    for index, name in enumerate(top.take("metrics_to_run", list) or ()):
        at = (*top.at("metrics_to_run"), index)
        if isinstance(name, str):
            chosen[name] = at
        else:
            notes.error(at, "wrong-type", f"the name of a metric is expected here, not {kind(name)}")
    return chosen


def _entries(top: Fields, notes: Notes) -> list[tuple[str, Fields]]:
    value, at = top.value("custom_metrics"), top.at("custom_metrics")
    top.skip("custom_metrics")
    if isinstance(value, dict):
        return [(name, Fields(entry, (*at, name), notes)) for name, entry in value.items()]
    if isinstance(value, list):
        entries = [Fields(entry, (*at, index), notes) for index, entry in enumerate(value)]
        return [(name, entry) for entry in entries if (name := entry.need("name", str))]
    if value is not None:
        what = f"`custom_metrics` is a list of metrics, or names with a metric each, not {kind(value)}"
        notes.error(at, "wrong-type", what)
    return []


def _options(name: str, entry: Fields, notes: Notes, folder: str) -> dict[str, Json]:
    entry.skip("name", "type", "description")
    given = [key for key in _SOURCE if entry.has(key)]
    if entry.has("prompt_template") or (not given and any(entry.has(key) for key in _JUDGED)):
        entry.skip(*_JUDGED)
        why = "A model judges there; write a metric of type `judge` for it."
        notes.left_out(entry.path, f"the judge {name!r} is not carried over", why=why)
        return {}
    if len(given) != 1:
        fix = "custom_function_file: metrics.py; or module: metrics, function: evaluate"
        found = f"says in {' and in '.join(given)} where its function is" if given else "names no function"
        notes.error(entry.path, "missing-key", f"the metric {name!r} {found}", fix=fix)
        return {}
    execution = entry.take("execution", str)
    if execution == "remote":
        why = "Google's service would run it there; here its own process does."
        notes.left_out(entry.at("execution"), "`execution: remote` is not carried over", why=why)
    elif execution not in (None, "local"):
        what = f"{execution!r} is no way of execution"
        notes.error(entry.at("execution"), "bad-value", what, fix="One of: local, remote.")
    options = _source(given[0], entry, folder)
    if (function := entry.take("function", str)) and options:
        options["function"] = function
    for key in entry.unread():
        looks = close(key, _ENTRY, 0.8)
        meant = f"; did you mean {looks!r}?" if looks else ""
        notes.left_out((*entry.path, key), f"`{key}` of a metric is not carried over{meant}")
    return options


def _source(key: str, entry: Fields, folder: str) -> dict[str, Json]:
    text = entry.take(key, str)
    if not text:
        return {}
    inside: dict[str, Json] = {"in": folder} if folder else {}
    match key:
        case "custom_function":
            return {"type": "python", "code": text, **inside}
        case "custom_function_file":
            return {"type": "python", "file": f"{folder}/{text}" if folder else text}
        case _:
            return {"type": "python", "module": text, **inside}


def _not_here(name: str, path: Path, notes: Notes) -> None:
    """A name that the file defines nothing for is one of Google's own metrics, or a mistake."""
    what = f"the metric {name!r} of `metrics_to_run` is not carried over"
    if name in MEASURED_HERE:
        why = "This file does not define it, and the gate has one of its own by that name."
        notes.left_out(path, what, why=why, fix=f"In agent-gate.yml: metrics: {{{name}: {{}}}}")
        return
    why = "It is one of Google's own, which a service of theirs measures, or it is misspelled."
    notes.left_out(path, what, why=why)
