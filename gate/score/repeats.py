"""`tool_errors`, `retries` and `loops`: work that a trial's tool calls did in vain.

A call that fails is a tool error; calling that tool again after it is a retry; calling a tool again with the
arguments that it already had in this turn, although it did not fail, is a loop.
"""

import json
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from gate.model import Json
from gate.model.case import Case
from gate.model.score import Score
from gate.model.trace import Call, Event, Result, Trace
from gate.score.grounding import hidden_results
from gate.score.operational import Measure
from gate.score.values import plain

Key: TypeAlias = tuple[str, str]
"""A tool's name and its arguments in one spelling."""


class _OfResults(Measure):
    """A count that hangs on what the tools returned."""

    always = False
    unit = "calls"
    needs = "calls"

    async def score(self, case: Case, trace: Trace) -> Score:
        found = await super().score(case, trace)
        return hidden_results(trace) or found


class ToolErrors(_OfResults):
    """How many tool calls failed."""

    def amount(self, trace: Trace) -> float:
        return sum(part.is_error for part in _parts(trace.events) if isinstance(part, Result))


class Retries(_OfResults):
    """How many calls are of a tool whose call before that failed."""

    def amount(self, trace: Trace) -> float:
        names: dict[str, str] = {}
        failed: set[str] = set()
        retries = 0
        for part in _parts(trace.events):
            if isinstance(part, Call):
                names[part.id] = part.name
                retries += part.name in failed
                failed.discard(part.name)
            elif part.is_error:
                failed.add(part.name or names.get(part.call_id, ""))
        return retries


class Loops(Measure):
    """How many calls repeat one of the same turn: same tool, same arguments, and that one did not fail."""

    always = False
    unit = "calls"
    needs = "calls"

    def amount(self, trace: Trace) -> float:
        return sum(_repeated(turn.events) for turn in trace.turns)


def _repeated(events: tuple[Event, ...]) -> int:
    keys: dict[str, Key] = {}
    made: set[Key] = set()
    repeated = 0
    for part in _parts(events):
        if isinstance(part, Call):
            key = _key(part)
            if key is not None:
                repeated += key in made
                made.add(key)
                keys[part.id] = key
        elif part.is_error and part.call_id in keys:
            made.discard(keys[part.call_id])
    return repeated


def _parts(events: tuple[Event, ...]) -> Iterator[Call | Result]:
    """Yield the agent's calls and the tools' results in order; plumbing of the runtime is no call."""
    for event in events:
        for part in event.parts:
            if isinstance(part, Result) or (isinstance(part, Call) and not event.not_in_trajectory):
                yield part


def _key(call: Call) -> Key | None:
    """What makes two calls the same; None where nobody can tell."""
    if call.args is None:
        return None
    try:
        return call.name, json.dumps(_one_spelling(plain(call.args)), sort_keys=True)
    except (RecursionError, ValueError):  # too deep, or more digits than Python writes
        return None


def _one_spelling(value: Json) -> Json:
    """The value with whole numbers written without a point: JSON does not know 1.0 from 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _one_spelling(held) for key, held in value.items()}
    return [_one_spelling(held) for held in value] if isinstance(value, list) else value
