"""Criteria of `adk eval` (`test_config.json`), after google-adk 2.13, to `metrics:` and `rules:`.

A criterion is held against the mean of each case, so its rule is one `by: case`.
"""

from typing import Final

from gate.formats.adk_fields import kind
from gate.formats.foreign import Fields, Notes, Places, close
from gate.model import Json
from gate.model.finding import Finding

_MATCH: Final = ("EXACT", "IN_ORDER", "ANY_ORDER")
_TRAJECTORY, _ANSWER = "tool_trajectory_avg_score", "response_match_score"
_JUDGED: Final = (
    "response_evaluation_score", "safety_v1", "final_response_match_v2",
    "rubric_based_final_response_quality_v1", "rubric_based_tool_use_quality_v1", "hallucinations_v1",
    "per_turn_user_simulator_quality_v1", "multi_turn_task_success_v1", "multi_turn_trajectory_quality_v1",
    "multi_turn_tool_use_quality_v1", "rubric_based_multi_turn_trajectory_quality_v1",
)  # fmt: skip
_MEASURED: Final = {
    "tool_call_count_v1": "tool_calls",
    "inference_call_count_v1": "",
    "token_usage_v1": "tokens",
    "invocation_duration_v1": "latency_ms",
}


def read(value: Json, place: Places) -> tuple[dict[str, Json], tuple[Finding, ...]]:
    """Give the part of an agent-gate.yml, and a finding for all that is wrong or is not carried over."""
    notes = Notes(place)
    top = Fields(value, (), notes)
    metrics: dict[str, Json] = {}
    rules: dict[str, Json] = {}
    top.need("criteria", dict)
    criteria = top.nested("criteria")
    for name in criteria.unread() if criteria is not None else ():
        if criteria is None or not _is_known(name, criteria, notes):
            continue
        threshold, options = _criterion(name, criteria, notes)
        if threshold is not None:
            metrics[name] = options
            rules[name] = {"min": threshold, "by": "case"}
    for key in top.unread():
        what = f"`{key}` is not carried over"
        notes.left_out((key,), what, why="It configures how `adk eval` measures, which the gate does itself.")
    return _part(metrics, rules), notes.findings()


def _part(metrics: dict[str, Json], rules: dict[str, Json]) -> dict[str, Json]:
    return {"metrics": metrics, "rules": rules} if metrics else {}


def _is_known(name: str, criteria: Fields, notes: Notes) -> bool:
    """Whether the criterion has a metric here; else it is told what becomes of it."""
    path = criteria.at(name)
    if name in {_TRAJECTORY, _ANSWER}:
        return True
    if name in _JUDGED:
        what = f"`{name}` is not carried over"
        notes.left_out(
            path, what, why="A model judges there. Here one of yours does, by a metric of type `judge`."
        )
    elif name in _MEASURED:
        same = _MEASURED[name]
        why = f"`{same}` is measured in every run." if same else "Nothing here measures the same."
        notes.left_out(path, f"`{name}` is not carried over", why=why)
    else:
        looks = close(name, (_TRAJECTORY, _ANSWER, *_JUDGED, *_MEASURED), 0.8)
        what = f"{name!r} is no criterion of `adk eval`" + (f"; did you mean {looks!r}?" if looks else "")
        fix = "Correct it; a function of your own is not carried over."
        notes.error(path, "unknown-key", what, fix=fix, key=True)
    return False


def _criterion(name: str, criteria: Fields, notes: Notes) -> tuple[float | None, dict[str, Json]]:
    """The threshold of a criterion and the options of the metric of its name."""
    value = criteria.value(name)
    fields = criteria.nested(name) if isinstance(value, dict) else None
    if fields is None:
        threshold, options = _threshold(value, criteria.at(name), notes), {}
    elif not fields.has("threshold"):
        notes.error(fields.path, "missing-key", "'threshold' is missing", fix="threshold: 1.0")
        return None, {}
    else:
        threshold = _threshold(fields.value("threshold"), fields.at("threshold"), notes)
        fields.skip("threshold")
        options = _options(fields, notes) if name == _TRAJECTORY else {}
        for key in fields.unread():
            notes.left_out((*fields.path, key), f"`{key}` of a criterion is not carried over")
    # Words are shared in part, so there is no value at which a case passes but the threshold.
    passes: dict[str, Json] = {"pass_at": threshold} if name == _ANSWER and threshold else {}
    return threshold, options | passes


def _threshold(value: Json, path: tuple[str | int, ...], notes: Notes) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        found = value if isinstance(value, int | float) and not isinstance(value, bool) else kind(value)
        notes.error(path, "bad-value", f"a threshold is a number from 0 to 1, not {found}", fix="Write 0.8.")
        return None
    return float(value)


def _options(fields: Fields, notes: Notes) -> dict[str, Json]:
    options: dict[str, Json] = {}
    if fields.has("match_type"):
        options["match_type"] = _match_type(fields, notes)
    if fields.take("ignore_args", bool):
        options["ignore_args"] = True
    return options


def _match_type(fields: Fields, notes: Notes) -> str:
    """A match type by its name, or by the number that pydantic writes for it."""
    value = fields.value("match_type")
    fields.skip("match_type")
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(_MATCH):
        return _MATCH[value]
    if isinstance(value, str) and (name := value.upper().replace("-", "_")) in _MATCH:
        return name
    fix = f"One of: {', '.join(_MATCH)}."
    notes.error(fields.at("match_type"), "bad-value", "this is no match type", fix=fix)
    return _MATCH[0]
