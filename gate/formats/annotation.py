"""Conversations that people annotate: EvalCases of ADK with a `status`, of which only those `done` count.

A file holds one conversation (an EvalCase with `status`, or an object that has it under `eval_case` or
`conversation`), or an EvalSet whose cases have a status each, or share the file's.
"""

from typing import Final

from gate.formats import evalset
from gate.formats.adk_fields import is_mapping, kind
from gate.formats.foreign import Fields, Notes, Path, Places
from gate.model import Json
from gate.model.case import Case
from gate.model.finding import Finding

DONE: Final = "done"
_INSIDE: Final = ("eval_case", "conversation", "annotation")
_ONE: Final = ("eval_id", "evalId", "conversation", *_INSIDE)


def accepts(value: Json) -> bool:
    """Whether the value is an EvalCase or EvalSet in which a status says how far its annotation is."""
    if not isinstance(value, dict):
        return False
    listed = _listed(value)
    if "status" in value:
        return listed is not None or any(key in value for key in _ONE)
    return isinstance(listed, list) and any(is_mapping(case) and "status" in case for case in listed)


def read(value: Json, place: Places) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give the cases that are done, and findings; a file without any is a warning."""
    notes = Notes(place)
    top = Fields(value, (), notes)
    own = _status(top, notes)
    wanted: list[tuple[Json, Path, str]] = []
    if _listed(value) is not None:
        listed = top.take("eval_cases", list) or []
        for index, case in enumerate(listed):
            path = (*top.at("eval_cases"), index)
            fields = Fields(case, path, notes)
            wanted.append((case, path, _status(fields, notes) if fields.has("status") else own))
    else:
        wanted.append((*_one(value), own))
    done = [(case, path) for case, path, status in wanted if status == DONE]
    _skipped(wanted, len(done), notes)
    found = (evalset.eval_case(case, path, notes, beside=_BESIDE) for case, path in done)
    return tuple(case for case in found if case is not None), notes.findings()


_BESIDE: Final = ("status", "annotator", "annotated_at", "session_id")


def _listed(value: Json) -> Json:
    return value.get("eval_cases", value.get("evalCases")) if isinstance(value, dict) else None


def _one(value: Json) -> tuple[Json, Path]:
    """The EvalCase itself: the whole file, or what stands under one of a few keys."""
    for key in _INSIDE:
        inner = value.get(key) if isinstance(value, dict) else None
        if is_mapping(inner):
            return dict(inner), (key,)
    return value, ()


def _status(fields: Fields, notes: Notes) -> str:
    if not fields.has("status"):
        return ""
    status = fields.value("status")
    if not isinstance(status, str):
        what = f"`status` must be a text such as {DONE!r}, not {kind(status)}"
        notes.error(fields.at("status"), "wrong-type", what)
        return ""
    if status != DONE and status.strip().lower() in {DONE, "doen", "don", "donne", "finished", "complete"}:
        what = f"`status: {status}` is not {DONE!r}, so the conversation would be passed over"
        notes.error(fields.at("status"), "bad-value", what, fix=f'Write "status": "{DONE}".')
    return status


def _skipped(wanted: list[tuple[Json, Path, str]], done: int, notes: Notes) -> None:
    if notes.errors:
        return
    if not done:
        what = "no conversation of this file is `done`: it is passed over"
        notes.warn((), "nothing-done", what, fix='Finish it and set "status": "done", or remove it.')
        return
    for _, path, status in wanted:
        if status != DONE:
            notes.left_out(path, "a conversation that is not `done` is passed over")
