"""What Vertex AI Agent Engine puts around the events of an ADK agent: framing, failures, sessions, endings.

From google-cloud-aiplatform 2.7 (client), google-adk 2.13 (container) and the REST reference of
`projects.locations.reasoningEngines`.
"""

import re
from collections.abc import Mapping

from gate.formats.adk import is_event
from gate.formats.adk_fields import field, has, is_mapping, items, mapping, text, word
from gate.model import Json

_FRAMING = re.compile(r"data:|(?P<other>(?:event|id|retry)?:)")
_RAISED = re.compile(r"execution failed|error occurred during invocation", re.IGNORECASE)
_UNKNOWN_METHOD = re.compile(r"is not allowed|available methods|method\W.{0,80}not found", re.IGNORECASE)
_NOTHING_YET = "its first event"
_ENDS = ("skipSummarization", "escalate", "endOfAgent")


def payload(line: str) -> str:
    """The JSON text of one line, which stands there bare or as `data:` of server-sent events; "" for none."""
    framing = _FRAMING.match(line)
    if framing is None:
        return line.strip()
    return "" if framing["other"] else line[framing.end() :].strip()


def failure_of(frame: Json) -> str:
    """The failure that a line of a stream, or a body, reports instead of an event; "" where it is none.

    `{"code": 498, "message": …}` is the stream's own form, `{"error": {"code", "status", "message"}}` that of
    google.rpc.Status, `{"detail": …}` that of the container's web framework.
    """
    if not is_mapping(frame) or is_event(frame):
        return ""
    error = frame.get("error") or frame.get("detail")
    if error and not is_mapping(error):
        return str(error)
    status = error if is_mapping(error) else frame
    words = [word(status, name) for name in ("code", "status", "message")]
    if error or all((words[0], words[2])):
        return ": ".join(filter(None, words)) or str(error)
    return ""


def session_id(body: Json) -> str:
    """The id of the session that `create_session` answers with, "" where there is none."""
    output = body.get("output") if is_mapping(body) else None
    found = field(output, "id") if is_mapping(output) else None
    return found if isinstance(found, str) else ""


def is_unknown_method(body: str, method: str) -> bool:
    """Whether a refusal says that the agent has no such method."""
    return method in body and _UNKNOWN_METHOD.search(body) is not None


def has_raised(body: str) -> bool:
    """Whether a 400 says that the agent was called and failed: FAILED_PRECONDITION is all that it gives."""
    return _RAISED.search(body) is not None


class Ending:
    """Whether a stream ended where ADK ends a run: what the agent raises may end it in order, in a 200.

    An LLM agent goes on until there is an answer, a pause, or an action that ends it; what a tool gives while
    it waits may come after its pause.
    """

    def __init__(self) -> None:
        self._lacking = _NOTHING_YET
        self._waits = False

    def hear(self, frame: Mapping[str, Json]) -> None:
        """Note one event; raises UnreadableEvent."""
        self._lacking = self._after(frame)

    def lacking(self) -> str:
        """What should have come, "" where the run is at its end."""
        return self._lacking

    def _after(self, frame: Mapping[str, Json]) -> str:
        if field(frame, "partial") is True:
            return "the whole of an answer that it had begun"
        parts = [part for part in items(mapping(frame, "content"), "parts") if is_mapping(part)]
        actions = mapping(frame, "actions")
        self._waits = self._waits or bool(items(frame, "longRunningToolIds"))
        if self._waits or any(field(actions, name) for name in _ENDS):
            return ""
        for kind, lacking in (("functionCall", "the result of"), ("functionResponse", "what follows on")):
            if named := [text(mapping(part, kind), "name") for part in parts if has(part, kind)]:
                return f"{lacking} the call of {named[-1]!r}"
        # State, nodes and artifacts come between, without content.
        ends = parts or has(frame, "output") or has(frame, "errorCode") or self._lacking == _NOTHING_YET
        return "" if ends else self._lacking
