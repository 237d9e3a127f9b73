"""The configuration of an experiment (`experiment_name`, `dataset`, `metrics`) to a part of a config.

Metrics are `{type: builtin, name}`, with the names of Vertex AI's evaluation service, or `{type: llm_judge}`.
"""

import re
from typing import Final

from gate.formats.experiment_judge import Judged, judged, part
from gate.formats.foreign import Fields, Notes, Places, close
from gate.model import Json
from gate.model.finding import Finding

_BUILT_IN: Final = (
    "trajectory_exact_match", "trajectory_in_order_match", "trajectory_any_order_match",
    "trajectory_precision", "trajectory_recall", "trajectory_single_tool_use", "rouge_1",
)  # fmt: skip
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_KEYS: Final = ("experiment_name", "dataset", "metrics")


def read(value: Json, place: Places) -> tuple[dict[str, Json], tuple[Finding, ...]]:
    """Give the part of an agent-gate.yml, and a finding for all that is wrong or is not carried over."""
    notes = Notes(place)
    top = Fields(value, (), notes)
    if top.take("experiment_name", str):
        what = "`experiment_name` is not carried over"
        notes.left_out(top.at("experiment_name"), what, why="A run is known by its commit.")
    dataset = _dataset(top, notes)
    top.need("metrics", list)
    built_in: dict[str, Json] = {}
    asked: dict[str, Judged] = {}
    for fields in top.each("metrics"):
        _metric(fields, built_in, asked, notes)
        _unread(fields, notes)
    judges, metrics = part(asked, notes, top.at("metrics"))
    top.refuse_unread(_KEYS, level="warn")
    found: dict[str, Json] = {"dataset": dataset, "judges": judges, "metrics": built_in | metrics}
    return {key: value for key, value in found.items() if value}, notes.findings()


def _dataset(top: Fields, notes: Notes) -> str:
    name = top.take("dataset", str) or ""
    if "://" in name:
        what = "`dataset` is not carried over: golden files lie in the repository"
        notes.left_out(
            top.at("dataset"), what, fix="Copy it there; `agent-gate import` writes it in our format."
        )
        return ""
    return name


def _metric(fields: Fields, built_in: dict[str, Json], asked: dict[str, Judged], notes: Notes) -> None:
    """Put one metric to its like, by its name."""
    type_, name = fields.need("type", str), fields.need("name", str)
    if type_ is None or name is None:
        return
    if name in built_in or name in asked:
        fix = "Rename one of the two."
        notes.error(fields.at("name"), "duplicate-metric", f"there are two metrics named {name!r}", fix=fix)
    elif type_ == "llm_judge":
        _judge(fields, name, asked, notes)
    elif type_ != "builtin":
        fix = "One of: builtin, llm_judge."
        notes.error(fields.at("type"), "bad-value", f"{type_!r} is no type of metric here", fix=fix)
    elif name not in _BUILT_IN:
        looks = close(name, _BUILT_IN, 0.8)
        what = f"{name!r} is no built-in metric" + (f"; did you mean {looks!r}?" if looks else "")
        notes.error(fields.at("name"), "bad-value", what, fix=f"One of: {', '.join(_BUILT_IN)}.")
    else:
        built_in[name] = _params(fields, name, notes)


def _judge(fields: Fields, name: str, asked: dict[str, Judged], notes: Notes) -> None:
    if not _NAME.fullmatch(name) or name == "cases":
        what = f"{name!r} cannot be the name of a metric here"
        notes.error(fields.at("name"), "bad-value", what, fix="Letters, digits, `_`, `.` and `-`.")
    elif found := judged(fields, notes):
        asked[name] = found


def _unread(fields: Fields, notes: Notes) -> None:
    for key in fields.unread():
        notes.left_out((*fields.path, key), f"`{key}` of a metric is not carried over")


def _params(fields: Fields, name: str, notes: Notes) -> Json:
    params = fields.nested("params")
    options: dict[str, Json] = {}
    if params is not None and name == "trajectory_single_tool_use":
        options = {"tool": tool} if (tool := params.take("tool_name", str)) else {}
    for key in params.unread() if params is not None else ():
        notes.left_out((*fields.at("params"), key), f"`{key}` of `params` is not carried over")
    if name == "trajectory_single_tool_use" and not options:
        fix = 'Write "params": {"tool_name": "…"}.'
        notes.error(fields.path, "missing-key", "'tool_name' of `params` is missing", fix=fix)
    return options
