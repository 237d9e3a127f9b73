"""Answers to the calls and requests of a response, as items of the next request's input."""

from collections.abc import Mapping

from gate.drive.waiting import Given
from gate.formats.adk_fields import text
from gate.formats.openai_items import APPROVAL, kind_of
from gate.model import Json


def output_item(given: Given, asked: Mapping[str, Json]) -> Json:
    """The item that answers `asked`, in the form that its kind takes."""
    call_id = given.pause.id
    match kind_of(asked):
        case kind if kind == APPROVAL:
            return _approval(given)
        case "computer_call":
            checks = asked.get("pending_safety_checks") or []
            item: dict[str, Json] = {
                "type": "computer_call_output",
                "call_id": call_id,
                "output": given.value,
            }
            return {**item, "acknowledged_safety_checks": checks} if checks else item
        case "shell_call":
            return {"type": "shell_call_output", "call_id": call_id, "output": _shell(given)}
        case "local_shell_call":
            return {"type": "local_shell_call_output", "id": call_id, "output": given.text}
        case "apply_patch_call":
            status = "failed" if given.answer.decision == "reject" else "completed"
            return {
                "type": "apply_patch_call_output",
                "call_id": call_id,
                "status": status,
                "output": given.text,
            }
        case kind:
            return {
                "type": f"{kind}_output",
                "call_id": text(asked, "call_id") or call_id,
                "output": given.text,
            }


def _approval(given: Given) -> Json:
    answer: dict[str, Json] = {
        "type": "mcp_approval_response",
        "approval_request_id": given.pause.id,
        "approve": given.answer.decision != "reject",
    }
    if given.answer.decision == "input":
        answer["reason"] = given.text
    return answer


def _shell(given: Given) -> Json:
    if isinstance(given.value, list):
        return given.value
    return [{"stdout": given.text, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]
