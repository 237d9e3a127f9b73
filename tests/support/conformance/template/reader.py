"""One line of an answer as an event; becomes gate/formats/NAME.py. Pure, so recorded bytes test it."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from gate.formats.adk_fields import UnreadableEvent, count, is_mapping, kind, mapping, text
from gate.model import Json
from gate.model.trace import Call, Event, Pause, Result, Text, Usage

Arguments: TypeAlias = Callable[[Json], tuple[Mapping[str, Json] | None, str]]
"""Reads a call's arguments: an object, or None and why there is none (gate/drive/arguments.py)."""


def is_end(line: Json) -> bool:
    """Whether the line says that the answer is complete."""
    return is_mapping(line) and line.get("done") is True


def event_of(line: Json, arguments: Arguments) -> Event:
    """Read a line. Raises UnreadableEvent for what is none of this protocol; unknown kinds stay empty."""
    if not is_mapping(line):
        raise UnreadableEvent(f"a line is {kind(line)}, not an object")
    if "call" in line:
        call = mapping(line, "call")
        args, error = arguments(call.get("args"))
        part = Call(id=text(call, "id"), name=text(call, "name"), args=args, args_error=error)
        return Event(parts=(part,))
    if "result" in line:
        found = mapping(line, "result")
        done = Result(call_id=text(found, "id"), name=text(found, "name"), value=found.get("value"))
        return Event(parts=(done,))
    if "ask" in line:
        ask = mapping(line, "ask")
        pause = Pause(id=text(ask, "id"), name="confirm", kind="confirm", tool=text(ask, "tool"))
        return Event(pauses=(pause,))
    if "usage" in line:
        used = mapping(line, "usage")
        return Event(usage=Usage(input_tokens=count(used, "in") or 0, output_tokens=count(used, "out") or 0))
    said = text(line, "say")
    return Event(parts=(Text(text=said),) if said else (), error=text(line, "error"))
