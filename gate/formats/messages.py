"""Events to OpenAI-style messages, and what each event contributed to them and why not."""

import json
from collections.abc import Iterable, Iterator, Mapping

from gate.frozen import frozen
from gate.model import Json
from gate.model.trace import Call, Event, Result, Text, Thought, Trace

Message = Mapping[str, Json]

USER = "user"
ANSWER = "answer to a pause"
TOOL_ERROR = "[tool error] "
_ENVELOPES = ("result", "response", "output", "content")


@frozen
class Row:
    """What one event contributed; `number` counts from 1, one of `contributed` and `why_not` is set."""

    number: int
    author: str
    role: str
    contributed: str
    why_not: str


def conversation(trace: Trace) -> tuple[Event, ...]:
    """Return a trace's events, with what was sent before each turn as an event of the author `user`."""
    return tuple(_with_sent(trace))


def messages(events: Iterable[Event]) -> tuple[Message, ...]:
    """Convert events to messages; each is a JSON object with `role` and `content`.

    One event gives one message with its texts and calls (`tool_calls`, arguments as JSON with sorted keys),
    and one for each tool's result, a placeholder's too. Thoughts stay apart, in `reasoning_content`, and make
    no message of their own.
    """
    return tuple(message for event in events for message in _messages(event))


def summary(events: Iterable[Event]) -> tuple[Row, ...]:
    """Account for each event: who, in which role, what it contributed, or why nothing."""
    return tuple(_row(number, event) for number, event in enumerate(events, start=1))


def result_text(result: Result) -> str:
    """Return a tool's result as a model reads it: without envelopes of one key and MCP's content blocks."""
    value = _unwrapped(result.value)
    words = value if isinstance(value, str) else _canonical(value)
    return TOOL_ERROR + words if result.is_error else words


def _with_sent(trace: Trace) -> Iterator[Event]:
    paused = False
    for turn in trace.turns:
        why = ANSWER if paused else ""
        if turn.sent:
            yield Event(author=USER, parts=(Text(text=turn.sent),), not_in_trajectory=why)
        yield from turn.events
        paused = turn.ended == "paused"


def _messages(event: Event) -> Iterator[Message]:
    if event.not_in_trajectory == ANSWER:
        return
    words = "\n".join(part.text for part in event.parts if isinstance(part, Text))
    calls = [part for part in event.parts if isinstance(part, Call)]
    if event.author == USER and words:
        yield {"role": USER, "content": words}
    elif words or calls:
        yield _assistant(event, words, calls)
    for part in event.parts:
        if isinstance(part, Result):
            yield {
                "role": "tool",
                "tool_call_id": part.call_id,
                "name": part.name,
                "content": result_text(part),
            }


def _assistant(event: Event, words: str, calls: list[Call]) -> Message:
    thoughts = "\n".join(part.text for part in event.parts if isinstance(part, Thought))
    message: dict[str, Json] = {"role": "assistant", "content": words or None}
    if thoughts:
        message["reasoning_content"] = thoughts
    if calls:
        message["tool_calls"] = [_tool_call(call) for call in calls]
    return message


def _tool_call(call: Call) -> Json:
    arguments = _canonical({} if call.args is None else call.args)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _row(number: int, event: Event) -> Row:
    made = tuple(_messages(event))
    roles = dict.fromkeys(str(message["role"]) for message in made)
    contributed = ", ".join((*(_contributed(event) if made else ()), *_artifacts(event)))
    why_not = "" if contributed else event.error or event.not_in_trajectory or "nothing to show"
    return Row(
        number=number,
        author=event.author,
        role=", ".join(roles),
        contributed=contributed,
        why_not=why_not,
    )


def _artifacts(event: Event) -> Iterator[str]:
    """The files that the agent saved: no message tells of them."""
    return (f"artifact {name}" for name in event.artifact_delta)


def _contributed(event: Event) -> Iterator[str]:
    if any(isinstance(part, Text) for part in event.parts):
        yield "text"
    for part in event.parts:
        match part:
            case Call(name=name):
                yield f"call of {name}"
            case Result(name=name):
                yield f"{event.not_in_trajectory.partition(':')[0] or 'result'} of {name}"
            case Text() | Thought():
                pass


def _unwrapped(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    bare = {key: item for key, item in value.items() if key not in ("isError", "is_error")}
    blocks = _block_texts(bare.get("content"))
    if len(bare) == 1 and blocks is not None:
        return "\n".join(blocks)
    if len(value) == 1 and (key := next(iter(value))) in _ENVELOPES:
        return value[key]
    return value


def _block_texts(content: Json) -> list[str] | None:
    if not isinstance(content, list) or not content:
        return None
    texts = [
        block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text"
    ]
    return [text for text in texts if isinstance(text, str)] if len(texts) == len(content) else None


def _canonical(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
