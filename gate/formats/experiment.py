"""The configuration of an experiment (`experiment_name`, `dataset`, `metrics`) to `dataset:` and `metrics:`.

Metrics are `{type: builtin, name}`, with the names of Vertex AI's evaluation service, or `{type: llm_judge}`.
"""

from typing import Final

from gate.formats.foreign import Fields, Notes, Places, close
from gate.model import Json
from gate.model.finding import Finding

_BUILT_IN: Final = (
    "trajectory_exact_match", "trajectory_in_order_match", "trajectory_any_order_match",
    "trajectory_precision", "trajectory_recall", "trajectory_single_tool_use", "rouge_1",
)  # fmt: skip
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
    metrics: dict[str, Json] = {}
    for fields in top.each("metrics"):
        metrics |= _metric(fields, notes)
    top.refuse_unread(_KEYS, level="warn")
    return {**({"dataset": dataset} if dataset else {}), **({"metrics": metrics} if metrics else {})}, (
        notes.findings()
    )


def _dataset(top: Fields, notes: Notes) -> str:
    name = top.take("dataset", str) or ""
    if "://" in name:
        what = "`dataset` is not carried over: golden files lie in the repository"
        notes.left_out(
            top.at("dataset"), what, fix="Copy it there; `agent-gate import` writes it in our format."
        )
        return ""
    return name


def _metric(fields: Fields, notes: Notes) -> dict[str, Json]:
    type_, name = fields.need("type", str), fields.need("name", str)
    if type_ is None or name is None:
        return {}
    if type_ == "llm_judge":
        fields.skip("model", "system_prompt", "prompt_template", "params")
        what = f"the judge {name!r} is not carried over"
        notes.left_out(
            fields.path, what, why="Nothing here measures the same; its cases keep their references."
        )
        return {}
    if type_ != "builtin":
        fix = "One of: builtin, llm_judge."
        notes.error(fields.at("type"), "bad-value", f"{type_!r} is no type of metric here", fix=fix)
        return {}
    if name not in _BUILT_IN:
        looks = close(name, _BUILT_IN, 0.8)
        what = f"{name!r} is no built-in metric" + (f"; did you mean {looks!r}?" if looks else "")
        notes.error(fields.at("name"), "bad-value", what, fix=f"One of: {', '.join(_BUILT_IN)}.")
        return {}
    return {name: _params(fields, name, notes)}


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
