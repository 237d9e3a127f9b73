"""What a case expects of a turn or as a whole, in words, beside what the trace has: for the `show` view only.

Nothing is judged here: whether an expectation holds is the metric's to say.
"""

import json
from collections.abc import Iterable, Iterator, Mapping

from gate.frozen import frozen
from gate.model import Json
from gate.model.case import Case, Expect, ExpectedCall, Nodes, Parallel
from gate.model.derived import calls_of, found_at, open_pauses, state_after, texts_of, visits
from gate.model.trace import Call, Event, Pause, Trace, TurnTrace

REFERENCE, RUBRIC = "reference", "rubric"
"""The keys without a metric of their own: whichever metric reads them says so under `metrics`."""


@frozen
class Check:
    """One key of `expect`, the metric that scores it by default, and the two sides, not escaped."""

    metric: str
    expected: str
    got: str


def checks(case: Case, trace: Trace, number: int) -> Iterator[Check]:
    """The checks of turn `number`, or of the whole case for 0."""
    expect = _expect(case, number)
    last = number or len(trace.turns)
    events = _events(trace.turns[number - 1 if number else 0 : last])
    if expect.calls is not None:
        yield Check(metric="calls", expected=_calls(expect.calls), got=_listed(map(_call, calls_of(events))))
    if expect.nodes is not None:
        yield Check(metric="nodes", expected=_nodes(expect.nodes), got=" → ".join(visits(events)))
    if expect.state is not None or expect.state_keys is not None:
        yield _state(expect, state_after(trace.start_state, _events(trace.turns[:last])))
    if expect.contains is not None or expect.excludes is not None:
        yield _says(expect, events)
    if expect.pauses is not None:
        waiting = open_pauses(case, trace, last)
        yield Check(metric="pauses", expected=_listed(expect.pauses), got=_listed(map(_pause, waiting)))
    if expect.reference is not None:
        yield Check(metric=REFERENCE, expected=expect.reference, got=_answer(events))
    if expect.rubric is not None:
        yield Check(metric=RUBRIC, expected=expect.rubric, got=_answer(events))


def _expect(case: Case, number: int) -> Expect:
    if number == 0:
        return case.expect
    return case.turns[number - 1].expect if number <= len(case.turns) else Expect()


def _events(turns: Iterable[TurnTrace]) -> tuple[Event, ...]:
    return tuple(event for turn in turns for event in turn.events)


def _calls(calls: Iterable[ExpectedCall]) -> str:
    return _listed(call.name if call.args is None else f"{call.name} {_json(call.args)}" for call in calls)


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


def _state(expect: Expect, state: Mapping[str, Json]) -> Check:
    wanted = expect.state or {}
    keys = expect.state_keys or ()
    parts = [
        *(f"{path} = {_json(value)}" for path, value in wanted.items()),
        *(f"{key} is set" for key in keys),
    ]
    found = [f"{path} = {next(map(_json, found_at(state, path)), 'missing')}" for path in (*wanted, *keys)]
    return Check(metric="state", expected=_listed(parts), got=_listed(found))


def _says(expect: Expect, events: Iterable[Event]) -> Check:
    parts = [*(f"contains {_json(text)}" for text in expect.contains or ())]
    parts += [f"excludes {_json(text)}" for text in expect.excludes or ()]
    return Check(metric="says", expected=_listed(parts), got=_answer(events))


def _answer(events: Iterable[Event]) -> str:
    return " ".join(texts_of(events))


def _pause(pause: Pause) -> str:
    return f"{pause.name} ({pause.tool})" if pause.tool else pause.name


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
