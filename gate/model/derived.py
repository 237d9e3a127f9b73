"""What follows from a trace: the agent's calls, words, node visits and tokens, the state, the open pauses.

Stages that never import each other ask the same of a trace; here is the one answer.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from gate.model import Json
from gate.model.case import Answers, Case, User
from gate.model.trace import Call, Event, Pause, Result, Text, Trace

_INDEX = re.compile(r"[0-9]{1,9}")


def calls_of(events: Iterable[Event]) -> Iterator[Call]:
    """The tool calls among events; plumbing of the runtime is marked `not_in_trajectory` and is none."""
    for calls in calls_by_event(events):
        yield from calls


def calls_by_event(events: Iterable[Event]) -> Iterator[list[Call]]:
    """The tool calls of each event that has any: those were made side by side."""
    for event in events:
        if not event.not_in_trajectory and (
            calls := [part for part in event.parts if isinstance(part, Call)]
        ):
            yield calls


def texts_of(events: Iterable[Event]) -> Iterator[str]:
    """What the agent said, part by part: no thoughts, and nothing that the user said."""
    for event in events:
        if event.author != "user":
            yield from (part.text for part in event.parts if isinstance(part, Text))


def last_words(events: Iterable[Event]) -> str:
    """The agent's answer without what it said before: the words of its last event that has some.

    Words ahead of a call are no answer, unless the agent waits with that call.
    """
    answer = ""
    for event in events:
        tools = [n for n, part in enumerate(event.parts, 1) if isinstance(part, Call | Result)]
        said = event.parts if event.pauses or not tools else event.parts[tools[-1] :]
        answer = "\n".join(texts_of([replace(event, parts=said)])) or answer
    return answer


def visits(events: Iterable[Event]) -> tuple[str, ...]:
    """The nodes in order of their visits: events of one node in a row, within a turn, are one visit."""
    seen = groupby((event.turn, event.node) for event in events if event.node)
    return tuple(node for (_, node), _ in seen)


def tokens_of(events: Iterable[Event]) -> int | None:
    """Input and output tokens of all model calls together; None where none reported any."""
    reported = [event.usage.total for event in events if event.usage]
    return sum(reported) if reported else None


def state_after(start: Mapping[str, Json], events: Iterable[Event]) -> dict[str, Json]:
    """The state after the events: top-level keys of each delta replace what was there, or remove it."""
    state = dict(start)
    for event in events:
        state.update(event.state_delta)
        for key in event.state_removed:
            state.pop(key, None)
    return state


def found_at(value: Json, path: str) -> Iterator[Json]:
    """Yield what stands at a dotted path, in each way that it can be read: the longest key is taken first."""
    yield from _found_at(value, path.split("."))


def is_named(pause: Pause, names: Iterable[str]) -> bool:
    """Whether one of the names is the pause's id, its name, or the tool that is to be confirmed."""
    return any(name and name in (pause.id, pause.name, pause.tool) for name in names)


def left_open(
    before: Iterable[Pause], sent: User | Answers | None, events: Iterable[Event]
) -> tuple[Pause, ...]:
    """The pauses that are open after an exchange, each once: those of before, and those of its events.

    An answer closes what it names, and a user's message all of before. A result with a pause's id closes it:
    a tool that runs long and gave a first result keeps nobody waiting.
    """
    answered = [answer.to for answer in sent.answers] if isinstance(sent, Answers) else []
    left = before if isinstance(sent, Answers) else ()
    waiting = {_key(pause): pause for pause in left if not is_named(pause, answered)}
    for event in events:
        waiting |= {_key(pause): pause for pause in event.pauses}
        closed = {part.call_id for part in event.parts if isinstance(part, Result)}
        waiting = {key: pause for key, pause in waiting.items() if pause.id not in closed}
    return tuple(waiting.values())


def open_pauses(case: Case, trace: Trace, turns: int) -> tuple[Pause, ...]:
    """The pauses that are open after so many turns, each once; none where the last was answered or failed."""
    recorded = trace.turns[:turns]
    if not recorded or recorded[-1].ended != "paused":
        return ()
    waiting: tuple[Pause, ...] = ()
    for index, turn in enumerate(recorded):
        sent = case.turns[index].sent if index < len(case.turns) else None
        waiting = left_open(waiting, sent, turn.events)
    return waiting


def described(pauses: Sequence[Pause]) -> str:
    """Name pauses for a message: `'adk_request_confirmation' for 'delete_repo'`."""
    return ", ".join(
        f"{pause.name!r} for {pause.tool!r}" if pause.tool else f"{pause.name!r}" for pause in pauses
    )


def _found_at(value: Json, keys: Sequence[str]) -> Iterator[Json]:
    if not keys:
        yield value
    elif isinstance(value, Mapping):
        for length in range(len(keys), 0, -1):
            key = ".".join(keys[:length])
            if key in value:
                yield from _found_at(value[key], keys[length:])
    elif isinstance(value, list | tuple) and _INDEX.fullmatch(keys[0]):
        index = int(keys[0])
        for item in value[index : index + 1]:
            yield from _found_at(item, keys[1:])


def _key(pause: Pause) -> tuple[str, str, str]:
    return pause.id, pause.name, pause.tool
