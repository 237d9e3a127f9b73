"""What a case expects of a turn or as a whole, in words, beside what the trace has: for the `show` view only.

Nothing is judged here: whether an expectation holds is the metric's to say.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gate.model import Json
from gate.model.case import Case, Expect, ExpectedCall, Nodes, Parallel
from gate.model.trace import Call, Event, Text, Trace, TurnTrace

REFERENCE = "reference"
"""The one key without a metric of its own: whichever metric reads it says so under `metrics`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One key of `expect`, the metric that scores it by default, and the two sides, not escaped."""

    metric: str
    expected: str
    got: str


def checks(case: Case, trace: Trace, number: int) -> Iterator[Check]:
    """The checks of turn `number`, or of the whole case for 0."""
    expect = _expect(case, number)
    turns = trace.turns if number == 0 else trace.turns[number - 1 : number]
    events = tuple(event for turn in turns for event in turn.events)
    if expect.calls is not None:
        yield Check(metric="calls", expected=_calls(expect.calls), got=_listed(_called(events)))
    if expect.nodes is not None:
        yield Check(metric="nodes", expected=_nodes(expect.nodes), got=" → ".join(_visited(events)))
    if expect.state is not None or expect.state_keys is not None:
        yield _state(expect, _state_after(trace, number))
    if expect.contains is not None or expect.excludes is not None:
        yield _says(expect, turns)
    if expect.pauses is not None:
        yield Check(metric="pauses", expected=_listed(expect.pauses), got=_listed(_paused(events)))
    if expect.reference is not None:
        yield Check(metric=REFERENCE, expected=expect.reference, got=_answer(turns))


def _expect(case: Case, number: int) -> Expect:
    if number == 0:
        return case.expect
    return case.turns[number - 1].expect if number <= len(case.turns) else Expect()


def _calls(calls: Iterable[ExpectedCall]) -> str:
    return _listed(call.name if call.args is None else f"{call.name} {_json(call.args)}" for call in calls)


def _called(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        if not event.not_in_trajectory:
            yield from (_call(part) for part in event.parts if isinstance(part, Call))


def _call(call: Call) -> str:
    return (
        f"{call.name} {_json(call.args)}" if call.args is not None else f"{call.name} (arguments unreadable)"
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _nodes(nodes: Nodes) -> str:
    return " → ".join(_node(node) for node in nodes) or "none"


def _node(node: str | Parallel) -> str:
    if isinstance(node, str):
        return node
    return "{" + " | ".join(" → ".join(_node(step) for step in branch) for branch in node.branches) + "}"


def _visited(events: Iterable[Event]) -> Iterator[str]:
    last = ""
    for event in events:
        if event.node and event.node != last:
            yield event.node
            last = event.node


def _state_after(trace: Trace, number: int) -> dict[str, Json]:
    state = dict(trace.start_state)
    for turn in trace.turns[: number or None]:
        for event in turn.events:
            state.update(event.state_delta)
            for key in event.state_removed:
                state.pop(key, None)
    return state


def _state(expect: Expect, state: Mapping[str, Json]) -> Check:
    wanted = expect.state or {}
    keys = expect.state_keys or ()
    parts = [
        *(f"{path} = {_json(value)}" for path, value in wanted.items()),
        *(f"{key} is set" for key in keys),
    ]
    found = [
        f"{path} = {_json(value) if there else 'missing'}"
        for path in (*wanted, *keys)
        for there, value in [_at(state, path)]
    ]
    return Check(metric="state", expected=_listed(parts), got=_listed(found))


def _at(state: Mapping[str, Json], path: str) -> tuple[bool, Json]:
    """The value at a literal key, else at a dotted path."""
    if path in state:
        return True, state[path]
    value: Json = state
    for key in path.split("."):
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return False, None
    return True, value


def _says(expect: Expect, turns: Iterable[TurnTrace]) -> Check:
    parts = [*(f"contains {_json(text)}" for text in expect.contains or ())]
    parts += [f"excludes {_json(text)}" for text in expect.excludes or ()]
    return Check(metric="says", expected=_listed(parts), got=_answer(turns))


def _answer(turns: Iterable[TurnTrace]) -> str:
    return " ".join(
        p.text for turn in turns for event in turn.events for p in event.parts if isinstance(p, Text)
    )


def _paused(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        for pause in event.pauses:
            yield f"{pause.name} ({pause.tool})" if pause.tool else pause.name


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
