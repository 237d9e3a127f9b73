"""What Python metrics of other tools take: the instance of agents-cli (1.11), and invocations of ADK (2.13).

Both are as those tools make them of the same conversation, in snake_case. An event's time counts from 1970,
which stands for the start of the trial.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from gate.formats.metric_request import plain
from gate.model import Json
from gate.model.case import Answers, BlobPart, Case, Expect, FilePart, Nodes, Parallel, TextPart, Turn, User
from gate.model.derived import calls_of, last_words
from gate.model.trace import Call, Event, Part, Result, Text, Thought, Trace, TurnTrace

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def instance_of(case: Case, trace: Trace) -> dict[str, Json]:
    """The dict that agents-cli hands to a function: prompt, reference, agent_data, response, properties.

    Of one message it is the `prompt`, and no event; of several each begins its turn, as in a dataset.
    """
    several = len(case.turns) > 1
    answer = next((words for turn in reversed(trace.turns) if (words := last_words(turn.events))), "")
    found: dict[str, Json] = dict(plain_extra(case))
    found |= {
        "eval_case_id": case.id,
        "prompt": _content("user", _said(case.turns[0])) if case.turns else None,
        "agent_data": {
            "agents": {},
            "turns": [
                {
                    "turn_index": index,
                    "turn_id": f"turn_{index}",
                    "events": [*(_asked(case, turn, index) if several else ()), *map(_event, turn.events)],
                }
                for index, turn in enumerate(trace.turns)
            ],
        },
        "custom_properties": _properties(case),
        "response": _content("model", [{"text": answer}]),
    }
    references = [turn.expect.reference for turn in case.turns if turn.expect.reference is not None]
    if references or case.expect.reference is not None:
        text = case.expect.reference if case.expect.reference is not None else references[-1]
        found["reference"] = {"response": _content("model", [{"text": text}])}
    return found


def invocations_of(case: Case, trace: Trace) -> tuple[list[Json], list[Json]]:
    """What the agent did and what is expected of it, an invocation of ADK's for each turn that was run."""
    pairs = list(zip(case.turns, trace.turns, strict=False))
    actual: list[Json] = [
        {
            "invocation_id": f"turn-{number}",
            "user_content": _content("user", _said(turn)),
            "final_response": _content("model", [{"text": last_words(recorded.events)}]),
            "intermediate_data": _intermediate(recorded),
        }
        for number, (turn, recorded) in enumerate(pairs, 1)
    ]
    expected: list[Json] = [_expected(turn, number) for number, (turn, _) in enumerate(pairs, 1)]
    return actual, expected


def plain_extra(case: Case) -> dict[str, Json]:
    """What else is known of the case, as plain JSON."""
    return {str(key): plain(value) for key, value in case.extra.items()}


def _properties(case: Case) -> dict[str, Json]:
    """The keys that agents-cli's users write for what is expected (custom_properties.py reads them)."""
    every = case.expects
    state = {path: plain(value) for expect in every for path, value in (expect.state or {}).items()}
    keys = [key for expect in every for key in expect.state_keys or ()]
    listed: dict[str, Json] = {
        "expected_nodes": [node for expect in every for node in _nodes(expect.nodes or ())],
        "expected_state": state,
        "expected_state_keys": [*keys, *state] if keys else state,
        "expected_response_substrings": [text for expect in every for text in expect.contains or ()],
        "forbidden_substrings": [text for expect in every for text in expect.excludes or ()],
        "expected_tools": [call.name for expect in every for call in expect.calls or ()],
    }
    return {key: value for key, value in listed.items() if value}


def _nodes(nodes: Nodes) -> Iterator[Json]:
    """Names; branches that run in parallel are a list among them."""
    for node in nodes:
        if isinstance(node, Parallel):
            branches = [list(_nodes(branch)) for branch in node.branches]
            yield [branch[0] if len(branch) == 1 else branch for branch in branches]
        else:
            yield node


def _asked(case: Case, turn: TurnTrace, index: int) -> Iterator[Json]:
    parts = _said(case.turns[index]) if index < len(case.turns) else [{"text": turn.sent}]
    yield {"author": "user", "content": _content("user", parts), "event_time": _time(turn.started_ms)}


def _event(event: Event) -> Json:
    found: dict[str, Json] = {"author": event.author, "event_time": _time(event.at_ms)}
    if parts := [_part(part) for part in event.parts]:
        only_results = all(isinstance(part, Result) for part in event.parts)
        found["content"] = _content("user" if only_results or event.author == "user" else "model", parts)
    if event.state_delta:
        found["state_delta"] = plain(event.state_delta)
    if event.node:
        found["node"] = event.node
    return found


def _time(ms: float) -> str:
    try:
        return (_EPOCH + timedelta(milliseconds=ms)).isoformat().replace("+00:00", "Z")
    except OverflowError:
        return _EPOCH.isoformat().replace("+00:00", "Z")


def _content(role: str, parts: Iterable[Json]) -> dict[str, Json]:
    return {"role": role, "parts": list(parts)}


def _said(turn: Turn) -> list[Json]:
    match turn.sent:
        case User(parts=parts):
            return [_user_part(part) for part in parts]
        case Answers(answers=answers):
            return [
                {
                    "function_response": {
                        "name": answer.to,
                        "response": {"decision": answer.decision, "result": plain(answer.value)},
                    }
                }
                for answer in answers
            ]


def _user_part(part: TextPart | BlobPart | FilePart) -> Json:
    match part:
        case TextPart(text=text):
            return {"text": text}
        case BlobPart(mime_type=mime_type, data=data):
            return {"inline_data": {"mime_type": mime_type, "data": data}}
        case FilePart(mime_type=mime_type, uri=uri):
            return {"file_data": {"mime_type": mime_type, "file_uri": uri}}


def _part(part: Part) -> Json:
    match part:
        case Text(text=text):
            return {"text": text}
        case Thought(text=text):
            return {"text": text, "thought": True}
        case Call():
            return {"function_call": _called(part)}
        case Result():
            return {"function_response": _resulted(part)}


def _called(call: Call) -> dict[str, Json]:
    return {"id": call.id, "name": call.name, "args": plain(call.args) or {}}


def _resulted(result: Result) -> dict[str, Json]:
    value = plain(result.value)
    response = value if isinstance(value, dict) else {"error" if result.is_error else "result": value}
    return {"id": result.call_id, "name": result.name, "response": response}


def _intermediate(turn: TurnTrace) -> Json:
    shown = [event for event in turn.events if not event.not_in_trajectory]
    results = [part for event in shown for part in event.parts if isinstance(part, Result)]
    words: list[Json] = [
        [event.author, [{"text": part.text} for part in event.parts if isinstance(part, Text)]]
        for event in turn.events
        if event.author != "user" and any(isinstance(part, Text) for part in event.parts)
    ]
    return {
        "tool_uses": [_called(call) for call in calls_of(turn.events)],
        "tool_responses": [_resulted(result) for result in results],
        "intermediate_responses": words[:-1],
    }


def _expected(turn: Turn, number: int) -> Json:
    expect: Expect = turn.expect
    found: dict[str, Json] = {
        "invocation_id": f"turn-{number}",
        "user_content": _content("user", _said(turn)),
    }
    if expect.reference is not None:
        found["final_response"] = _content("model", [{"text": expect.reference}])
    if expect.calls is not None:
        uses: list[Json] = [{"name": call.name, "args": plain(call.args) or {}} for call in expect.calls]
        found["intermediate_data"] = {
            "tool_uses": uses,
            "tool_responses": [],
            "intermediate_responses": [],
        }
    return found
