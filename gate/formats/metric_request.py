"""What a custom metric is told of a trial, by the line protocol (schemas/metric-request.schema.json)."""

from collections.abc import Mapping
from typing import Final, assert_never

from gate.model import Json
from gate.model.case import Answer, Answers, BlobPart, Case, Expect, FilePart, Parallel, TextPart, Turn, User
from gate.model.derived import calls_of, last_words, state_after, visits
from gate.model.trace import Call, Event, Part, Result, Text, Thought, Trace, TurnTrace

VERSION: Final = 1
"""The version of the line protocol; it grows where an older program could read a line wrongly."""


def request_of(case: Case, trace: Trace) -> dict[str, Json]:
    """The case with its expectations, and what the agent did, turn by turn and as a whole."""
    state: dict[str, Json] = dict(trace.start_state)
    turns: list[Json] = []
    for turn in trace.turns:
        state = state_after(state, turn.events)
        turns.append(_turn(turn, state))
    events = trace.events
    return {
        "version": VERSION,
        "case": case_of(case),
        "trial": trace.trial,
        "outcome": type(trace.outcome).__name__.lower(),
        "turns": turns,
        "answer": last_words(trace.turns[-1].events) if trace.turns else "",
        "calls": [_called(call) for call in calls_of(events)],
        "nodes": list(visits(events)),
        "state": state,
        "exposes": list(trace.exposes),
    }


def case_of(case: Case) -> dict[str, Json]:
    """A case as a metric sees it: all that its author wrote that is sent, expected or kept as `extra`."""
    return {
        "id": case.id,
        "category": case.category,
        "tags": list(case.tags),
        "start_state": plain(case.start_state),
        "turns": [_message(turn) for turn in case.turns],
        "expect": expected(case.expect),
        "extra": plain(case.extra),
    }


def expected(expect: Expect) -> dict[str, Json]:
    """An expectation by the keys that golden files have for it; what is not expected is left out."""
    found: dict[str, Json] = {
        "calls": None
        if expect.calls is None
        else [
            {"name": call.name} if call.args is None else {"name": call.name, "args": plain(call.args)}
            for call in expect.calls
        ],
        "nodes": None if expect.nodes is None else [_node(node) for node in expect.nodes],
        "state": None if expect.state is None else plain(expect.state),
        "state_keys": _listed(expect.state_keys),
        "contains": _listed(expect.contains),
        "excludes": _listed(expect.excludes),
        "pauses": _listed(expect.pauses),
        "reference": expect.reference,
        "rubric": expect.rubric,
    }
    return {key: value for key, value in found.items() if value is not None}


def plain(value: Json) -> Json:
    """The value made of dicts and lists alone, as a JSON writer wants it."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def _message(turn: Turn) -> Json:
    found = {**_sent(turn.sent), "expect": expected(turn.expect)}
    return {**found, "state_delta": plain(turn.state_delta)} if turn.state_delta else found


def _listed(texts: tuple[str, ...] | None) -> Json:
    return None if texts is None else list(texts)


def _node(node: str | Parallel) -> Json:
    if isinstance(node, str):
        return node
    return {"parallel": [[_node(each) for each in branch] for branch in node.branches]}


def _sent(sent: User | Answers) -> dict[str, Json]:
    match sent:
        case User(parts=(TextPart(text=text),)):
            return {"user": text}
        case User(parts=parts):
            return {"user": [_user_part(part) for part in parts]}
        case Answers(answers=answers):
            return {"answer": {answer.to: _answered(answer) for answer in answers}}
        case never:
            assert_never(never)


def _user_part(part: TextPart | BlobPart | FilePart) -> Json:
    match part:
        case TextPart(text=text):
            return {"text": text}
        case BlobPart(mime_type=mime_type, data=data):
            return {"mime_type": mime_type, "data": data}
        case FilePart(mime_type=mime_type, uri=uri):
            return {"mime_type": mime_type, "uri": uri}
        case never:
            assert_never(never)


def _answered(answer: Answer) -> Json:
    return {"input": plain(answer.value)} if answer.decision == "input" else answer.decision


def _turn(turn: TurnTrace, state: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "sent": turn.sent,
        "ended": turn.ended,
        "started_ms": turn.started_ms,
        "ended_ms": turn.ended_ms,
        "answer": last_words(turn.events),
        "calls": [_called(call) for call in calls_of(turn.events)],
        "nodes": list(visits(turn.events)),
        "state": dict(state),
        "events": [_event(event) for event in turn.events],
    }


def _called(call: Call) -> Json:
    return {"name": call.name, "args": plain(call.args)}


def _event(event: Event) -> dict[str, Json]:
    """An event as traces.jsonl has it, without what is empty."""
    found: dict[str, Json] = {
        "at_ms": event.at_ms,
        "author": event.author,
        "node": event.node,
        "parts": [_part(part) for part in event.parts],
        "state_delta": plain(event.state_delta),
        "state_removed": list(event.state_removed),
        "artifact_delta": plain(event.artifact_delta),
        "error": event.error,
        "pauses": [
            {"id": p.id, "name": p.name, "kind": p.kind, "tool": p.tool, "message": p.message}
            for p in event.pauses
        ],
        "not_in_trajectory": event.not_in_trajectory,
    }
    if event.usage:
        usage = event.usage
        found["usage"] = {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
            "model": usage.model,
        }
    return {key: value for key, value in found.items() if value not in ("", [], {})}


def _part(part: Part) -> Json:
    match part:
        case Text(text=text):
            return {"kind": "text", "text": text}
        case Thought(text=text):
            return {"kind": "thought", "text": text}
        case Call():
            return {"kind": "call", "id": part.id, "name": part.name, "args": plain(part.args)}
        case Result():
            return {
                "kind": "result",
                "call_id": part.call_id,
                "name": part.name,
                "value": plain(part.value),
                "is_error": part.is_error,
            }
        case never:
            assert_never(never)
