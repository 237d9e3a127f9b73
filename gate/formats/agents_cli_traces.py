"""What `agents-cli eval generate` recorded (1.11), to traces; its results hold the same of each case.

An event has author, content, time and state delta, in snake_case; nodes and tokens are not recorded. The
prompt is not among the events.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from gate.formats.adk_fields import UnreadableEvent, field, is_mapping, items, kind, mapping, text
from gate.formats.sessions import trace_of
from gate.formats.stored import NotASession, Recording
from gate.model import Json
from gate.model.derived import calls_of, texts_of
from gate.model.trace import Completed, Crashed, Exposed, Trace

EXPOSED: tuple[Exposed, ...] = ("text", "calls", "state", "pauses")
NO_ANSWER = "agents-cli recorded neither an answer nor a tool call"


def is_traces(value: Json) -> bool:
    """Whether the value is a file of traces (or a dataset, which has none of what an agent did)."""
    return is_mapping(value) and isinstance(field(value, "evalCases"), list)


def read(value: Json, source: str) -> tuple[Trace, ...]:
    """The traces of a file, numbered where a case is there more than once; raises NotASession."""
    counts: dict[str, int] = {}
    found: list[Trace] = []
    cases = field(value, "evalCases") if is_mapping(value) else None
    if not isinstance(cases, list):
        raise NotASession("it has no list eval_cases")
    for number, case in enumerate(cases, start=1):
        try:
            trace = case_trace(case, source)
        except (UnreadableEvent, NotASession) as error:
            raise NotASession(f"case {number}: {error}") from None
        counts[trace.case] = counts.get(trace.case, 0) + 1
        found.append(replace(trace, trial=counts[trace.case], source=f"{source}: case {number}"))
    return tuple(found)


def recordings(value: Json) -> tuple[Recording, ...]:
    """What was recorded of each case of a file, as a session of ADK would have it; raises NotASession."""
    found: list[Recording] = []
    for number, case in enumerate(items(value, "evalCases") if is_mapping(value) else (), start=1):
        try:
            found.append(_recording(case))
        except (UnreadableEvent, NotASession) as error:
            raise NotASession(f"case {number}: {error}") from None
    return tuple(found)


def _recording(case: Json) -> Recording:
    if not is_mapping(case):
        raise NotASession(f"expected an object, not {kind(case)}")
    name = text(case, "evalCaseId")
    if not name:
        raise NotASession("it has no eval_case_id")
    return Recording(id=name, frames=tuple(_frames(case)), exposes=EXPOSED)


def case_trace(case: Json, source: str) -> Trace:
    """The trace of one case; raises NotASession or UnreadableEvent for what is none."""
    recorded = trace_of(_recording(case), source=source)
    silent = not list(texts_of(recorded.events)) and not list(calls_of(recorded.events))
    if silent and isinstance(recorded.outcome, Completed):
        return replace(recorded, outcome=Crashed(reason=NO_ANSWER))
    return recorded


def _frames(case: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """Events as ADK writes them, the prompt before them."""
    turns = items(mapping(case, "agentData"), "turns")
    events = [_frame(event) for turn in turns if is_mapping(turn) for event in items(turn, "events")]
    prompt = field(case, "prompt")
    if prompt is not None:
        content = {"parts": [{"text": prompt}]} if isinstance(prompt, str) else prompt
        yield {"author": "user", "content": content, "timestamp": events[0]["timestamp"] if events else 0.0}
    yield from events
    if not events:
        yield from (_answer(response) for response in items(case, "responses"))


def _answer(response: Json) -> Mapping[str, Json]:
    """An answer of which no event was recorded."""
    content = mapping(response, "response") if is_mapping(response) else {}
    return {"author": "agent", "content": dict(content), "timestamp": 0.0}


def _frame(event: Json) -> dict[str, Json]:
    if not is_mapping(event):
        raise UnreadableEvent(f"an event is an object, this is {kind(event)}")
    return {
        "author": field(event, "author"),
        "content": field(event, "content"),
        "actions": {"stateDelta": dict(mapping(event, "stateDelta"))},
        "timestamp": _seconds(field(event, "eventTime")),
    }


def _seconds(value: Json) -> float:
    """Seconds since 1970 of an ISO 8601 time; 0 where there is none."""
    try:
        return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else 0.0
    except (ValueError, OverflowError):
        return 0.0
