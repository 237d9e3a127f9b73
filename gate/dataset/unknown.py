"""What to say of a file that no reader accepts."""

from collections.abc import Mapping
from typing import Final

from gate.documents import Document
from gate.model import Json
from gate.model.finding import Finding

_FORMS: Final = (
    "A golden file has `cases:`, or is one of another tool: `agent-gate import --help` lists them."
)
_NARROWER: Final = (
    "Let `dataset:` match golden files only, for example `golden/*.yaml` or `golden/*.evalset.json`."
)


def explain(document: Document) -> Finding:
    """Say what the file seems to be instead of a golden file."""
    what, fix = _seems(document.value)
    return Finding.error("not-a-dataset", document.place(), what, why=_FORMS, fix=fix)


def _seems(value: Json) -> tuple[str, str]:
    if not isinstance(value, Mapping):
        return "this is no golden file: at its top is neither a mapping nor a list", _NARROWER
    if "agent" in value and ("dataset" in value or "version" in value):
        return "this is a configuration of the gate, not a golden file", _NARROWER
    if "criteria" in value:
        fix = "`agent-gate import adk-criteria FILE` writes its criteria as metrics and rules."
        return "this is a configuration of `adk eval`, not a golden file", fix
    if "experiment_name" in value:
        fix = "`agent-gate import experiment FILE` writes what it measures as metrics."
        return "this is the configuration of an experiment, not a golden file", fix
    if "conversation" in value or "conversation_scenario" in value:
        return (
            "this is one EvalCase without its EvalSet",
            'Write {"eval_set_id": "…", "eval_cases": […]} around it.',
        )
    return "no format of golden files fits this file", _NARROWER
