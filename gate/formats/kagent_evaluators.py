"""The evaluators of a kagent-agentevals case: expected calls and rubric, and what is left to metrics."""

from typing import Final

from gate.formats.foreign import Fields, Notes
from gate.formats.kagent_reference import Told, told
from gate.formats.texts import texts
from gate.frozen import frozen
from gate.model.case import ExpectedCall

_KEYS: Final = (
    "type", "name", "mode", "tool_args_match_mode", "reference", "expected", "model", "continuous", "prompt",
    "threshold",
)  # fmt: skip
_MODES: Final = ("strict", "unordered", "subset", "superset")
_USED: Final = ("superset", "subset", "both", "unordered")
_ARGS: Final = ("exact", "ignore", "subset", "superset")
_METRIC: Final = {
    "strict": "metrics: {trajectory_match: {mode: strict}}",
    "unordered": "metrics: {calls: {mode: exactly}}",
    "both": "metrics: {calls: {mode: exactly, args: ignore}}",
    "subset": "metrics: {calls: {mode: at_most}}",
}


@frozen
class Found:
    """What all evaluators of a case expect together."""

    told: tuple[Told, ...] = ()
    calls: tuple[ExpectedCall, ...] | None = None
    rubric: str | None = None


def evaluators(listed: tuple[Fields, ...], args: str, notes: Notes) -> Found:
    """Read the evaluators of one case; `args` is the suite's way of comparing arguments."""
    turns: tuple[Told, ...] = ()
    calls: tuple[ExpectedCall, ...] | None = None
    rubric: str | None = None
    for fields in listed:
        fields.skip("name")
        match kind := fields.need("type", str):
            case "trajectory_match":
                turns = turns or _trajectory(fields, args, notes)
            case "tools_used":
                calls = _used(fields, notes) if calls is None else calls
            case "llm_judge":
                rubric = rubric or _judged(fields, notes)
            case str():
                fix = "One of: trajectory_match, tools_used, llm_judge."
                notes.error(fields.at("type"), "bad-value", f"{kind!r} is no type of evaluator", fix=fix)
                continue
            case None:
                continue
        _unread(fields, notes)
    return Found(told=turns, calls=calls, rubric=rubric)


def _unread(fields: Fields, notes: Notes) -> None:
    """A known key at a type that has no use for it, such as a second evaluator of one type, is told."""
    for key in fields.unread():
        if key in _KEYS:
            what = f"`{key}` of an evaluator is not carried over"
            notes.left_out((*fields.path, key), what, why="A case has one expectation of a kind.")
    fields.skip(*_KEYS)
    fields.refuse_unread(_KEYS)


def _chosen(fields: Fields, name: str, choices: tuple[str, ...], default: str, notes: Notes) -> str:
    chosen = fields.take(name, str) or default
    if chosen not in choices:
        what = f"{chosen!r} is no {name} here"
        notes.error(fields.at(name), "bad-value", what, fix=f"One of: {', '.join(choices)}.")
    return chosen


def _trajectory(fields: Fields, args: str, notes: Notes) -> tuple[Told, ...]:
    mode = _chosen(fields, "mode", _MODES, "strict", notes)
    compared = _chosen(fields, "tool_args_match_mode", _ARGS, args or "exact", notes)
    if not fields.has("reference"):
        notes.error(fields.path, "missing-key", "'reference' is missing", fix="Write the expected messages.")
        return ()
    if fields.value("reference") == []:
        fields.skip("reference")
        notes.left_out(fields.at("reference"), "an empty `reference` expects nothing", fix="Write messages.")
        return ()
    turns = told(fields, notes, args=compared != "ignore")
    _says_metric(fields, mode, notes)
    if compared == "subset":
        what = "`tool_args_match_mode: subset` is the metric's here"
        fix = "metrics: {calls: {args: ignore}, trajectory_match: {mode: superset, args: subset}}"
        notes.left_out(fields.path, what, fix=fix)
    elif compared == "superset":
        what = "`tool_args_match_mode: superset` is the metric's here"
        notes.left_out(fields.path, what, fix="metrics: {calls: {args: subset}}")
    return turns


def _says_metric(fields: Fields, mode: str, notes: Notes) -> None:
    if fix := _METRIC.get(mode):
        what = f"`mode: {mode}` is the metric's here, not the case's"
        why = "Without it every expected call must be made, and more may be."
        notes.left_out(fields.path, what, why=why, fix=fix)


def _used(fields: Fields, notes: Notes) -> tuple[ExpectedCall, ...] | None:
    mode = _chosen(fields, "mode", _USED, "superset", notes)
    if not fields.has("expected"):
        notes.error(fields.path, "missing-key", "'expected' is missing", fix="expected: [get_weather]")
    names = texts(fields, "expected", notes)
    fields.skip("tool_args_match_mode")
    if fields.value("expected") == []:
        return _nothing(fields, mode, notes)
    if mode == "subset":
        what = "`tools_used` of mode subset, a list of what may be called, is not carried over"
        why = "An agent that calls nothing passes it; `calls` of a case must be made."
        notes.left_out(fields.path, what, why=why, fix=_METRIC["subset"])
        return None
    _says_metric(fields, "both" if mode == "unordered" else mode, notes)
    return tuple(ExpectedCall(name=name) for name in names) or None


def _nothing(fields: Fields, mode: str, notes: Notes) -> tuple[ExpectedCall, ...] | None:
    """No tool may be called, which is an expectation; or, of mode superset, none has to be."""
    if mode != "superset":
        return ()
    what = "an empty `expected` of mode superset expects nothing"
    fix = "mode: both, where no tool may be called"
    notes.left_out(fields.at("expected"), what, why="It asks for tools that must be called.", fix=fix)
    return None


def _judged(fields: Fields, notes: Notes) -> str | None:
    for key in ("model", "continuous", "threshold", "reference"):
        if fields.has(key):
            fields.skip(key)
            notes.left_out(
                fields.at(key), f"`{key}` of a judge is not carried over", why="It is the metric's."
            )
    prompt = fields.take("prompt", str)
    if prompt is None or "{" in prompt:
        what = "a judge without a text of its own has no rubric that could be carried over"
        notes.left_out(fields.path, what, fix="Write what a good answer does as `rubric`.")
        return None
    return prompt
