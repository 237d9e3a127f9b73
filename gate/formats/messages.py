"""Events to OpenAI-style messages, and what each event contributed to them and why not."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gate.frozen import frozen
from gate.model import Json
from gate.model.trace import Call, Event, Result, Text, Thought, Trace

Message = Mapping[str, Json]

USER = "user"
ANSWER = "answer to a pause"
TOOL_ERROR = "[tool error] "
_ENVELOPES = ("result", "response", "output", "content")
_FLAGS = ("isError", "is_error")
_MOST_ENVELOPES = 3


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


def row(number: int, author: str, events: Sequence[Event]) -> Row:
    """Account for one stored event by what it became: mostly one event, two where a result asks first."""
    made = tuple(message for event in events for message in _messages(event))
    roles = dict.fromkeys(str(message["role"]) for message in made)
    silent = (event.error or event.not_in_trajectory for event in events)
    gave = [what for event in events if any(_messages(event)) for what in _contributed(event)]
    gave += [what for event in events for what in _artifacts(event)]
    return Row(
        number=number,
        author=author,
        role=", ".join(roles),
        contributed=", ".join(gave),
        why_not="" if gave else next(filter(None, silent), "nothing to show"),
    )


def result_text(result: Result) -> str:
    """Return a tool's result as a model reads it: without envelopes of one key and MCP's content blocks.

    An envelope may be in another (`{"result": {"content": […], "isError": true}}`); an error of any of them
    is kept as a prefix.
    """
    value, failed = result.value, result.is_error
    for _ in range(_MOST_ENVELOPES):
        failed = failed or _says_error(value)
        value = _unwrapped(value)
    words = value if isinstance(value, str) else _canonical(value)
    return TOOL_ERROR + words if failed else words


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
    bare = {key: item for key, item in value.items() if key not in _FLAGS}
    if len(bare) != 1 or (key := next(iter(bare))) not in _ENVELOPES:
        return value
    if (blocks := _block_texts(bare.get("content"))) is not None:
        return "\n".join(blocks)
    # MCP's content with a picture among it is kept whole.
    return value if key == "content" and len(bare) < len(value) else bare[key]


def _says_error(value: Json) -> bool:
    return isinstance(value, dict) and any(value.get(flag) is True for flag in _FLAGS)


def _block_texts(content: Json) -> list[str] | None:
    if not isinstance(content, list) or not content:
        return None
    texts = [
        block.get("text") for block in content if isinstance(block, dict) and block.get("type") == "text"
    ]
    return [text for text in texts if isinstance(text, str)] if len(texts) == len(content) else None


def _canonical(value: Json) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
