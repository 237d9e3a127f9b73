"""What a LangGraph thread waits for: interrupts with their values, and breakpoints, to pauses of a trace."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from gate.formats.adk_fields import is_mapping, items, text
from gate.formats.openai_fields import whole_object
from gate.frozen import frozen
from gate.model import Json
from gate.model.trace import Pause

_BY_ID = re.compile(r"[0-9a-f]{32}")
_WORDS = ("question", "message", "description", "prompt", "text")


@frozen
class Asked:
    """One interrupt, or one breakpoint in front of a node.

    `form` is what an answer to it looks like: `decisions` for LangChain's human-in-the-loop middleware,
    `inbox` for the older list of HumanInterrupt, any `value` else, nothing for a `breakpoint`. The first two
    ask about several calls at once, each a pause.
    """

    id: str
    form: Literal["value", "decisions", "inbox", "breakpoint"]
    pauses: tuple[Pause, ...]

    @property
    def is_addressed(self) -> bool:
        """Whether the server finds it by its id: older servers take one answer for all."""
        return _BY_ID.fullmatch(self.id) is not None


@frozen
class Task:
    """A node that a thread stopped at; `error` is its exception as Python shows it."""

    node: str
    error: str
    asked: tuple[Asked, ...]


def tasks_of(snapshot: Mapping[str, Json]) -> tuple[Task, ...]:
    """The nodes at which a thread's state says that it stands; raises UnreadableEvent."""
    return tuple(_task(whole_object(each, "a task")) for each in items(snapshot, "tasks"))


def asked_by(interrupts: Sequence[Json], node: str) -> tuple[Asked, ...]:
    """Read a list of interrupts of one node; raises UnreadableEvent."""
    return tuple(
        _asked(whole_object(each, "an interrupt"), node, number) for number, each in enumerate(interrupts, 1)
    )


def breakpoint_at(node: str) -> Asked:
    """The graph stops in front of a node until it is told to go on."""
    pause = Pause(
        id=f"breakpoint:{node}", name=node, kind="confirm", tool=node, message=f"a breakpoint at {node!r}"
    )
    return Asked(id="", form="breakpoint", pauses=(pause,))


def _task(task: Mapping[str, Json]) -> Task:
    node, error = text(task, "name"), task.get("error")
    words = error if isinstance(error, str) else "" if error is None else _json(error)
    return Task(node=node, error=words, asked=asked_by(items(task, "interrupts"), node))


def _asked(interrupt: Mapping[str, Json], node: str, number: int) -> Asked:
    own = text(interrupt, "id") or text(interrupt, "interrupt_id") or f"interrupt-{number}"
    value, name = interrupt.get("value"), node or "interrupt"
    for form, requests in (("decisions", _decisions(value)), ("inbox", _inbox(value))):
        if requests:
            ids = [own] if len(requests) == 1 else [f"{own}#{place}" for place in range(1, len(requests) + 1)]
            pauses = tuple(
                Pause(id=each, name=name, kind="confirm", tool=tool, message=message)
                for each, (tool, message) in zip(ids, requests, strict=True)
            )
            return Asked(id=own, form="decisions" if form == "decisions" else "inbox", pauses=pauses)
    pause = Pause(id=own, name=name, kind="input", message=_message(value))
    return Asked(id=own, form="value", pauses=(pause,))


def _decisions(value: Json) -> list[tuple[str, str]]:
    """The calls that human-in-the-loop middleware asks about, each with its description."""
    requests = value.get("action_requests") if is_mapping(value) else None
    return list(_requests(requests, "name", "args")) if isinstance(requests, list) else []


def _inbox(value: Json) -> list[tuple[str, str]]:
    asks = value if isinstance(value, list) else [value]
    records = [each for each in asks if is_mapping(each) and is_mapping(each.get("action_request"))]
    if len(records) != len(asks):
        return []
    requests = [
        {"description": each.get("description"), **_object(each["action_request"])} for each in records
    ]
    return list(_requests(requests, "action", "args"))


def _requests(requests: Sequence[Json], name: str, args: str) -> Iterator[tuple[str, str]]:
    for each in requests:
        record = _object(each)
        tool, said = record.get(name), record.get("description")
        words = said if isinstance(said, str) and said else f"{tool} {_json(record.get(args))}"
        yield (tool if isinstance(tool, str) else ""), words


def _message(value: Json) -> str:
    if isinstance(value, str):
        return value
    words = [value[key] for key in _WORDS if isinstance(value.get(key), str)] if is_mapping(value) else []
    return str(words[0]) if words else _json(value)


def _object(value: Json) -> Mapping[str, Json]:
    return value if is_mapping(value) else {}


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
