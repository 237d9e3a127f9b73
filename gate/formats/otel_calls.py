"""A turn's model calls and tool calls: wrappers taken together, and each tool's span beside its request."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gate.formats.otel_facts import Facts
from gate.formats.otel_messages import results_since
from gate.formats.otel_tree import Step
from gate.frozen import frozen
from gate.model import Json
from gate.model.trace import MOST_TOKENS, Call, Result, Usage

_FAILS: Final = "the tool failed"


@frozen
class ModelCall:
    """One call of a model, as its innermost span and those that wrap it say together."""

    facts: Facts
    agent: str
    inside: str
    start_ns: int
    end_ns: int


@frozen
class ToolRun:
    """One run of a tool, as its outermost span and the same tool's within it say together."""

    facts: Facts
    agent: str
    inside: str

    @property
    def call_id(self) -> str:
        """The call's id, or one of its own where none was recorded."""
        return self.facts.call_id or f"span:{self.facts.span.id}"

    @property
    def failure(self) -> str:
        """How it failed, "" where it did not."""
        return self.facts.error

    def call(self) -> Call:
        """The call as the tool's span has it."""
        facts = self.facts
        return Call(id=self.call_id, name=facts.name, args=facts.args, args_error=facts.args_error)


def model_calls(steps: Sequence[Step]) -> list[ModelCall]:
    """The model calls of a turn in order of time: the spans of one call count once."""
    below: dict[int, list[int]] = {}
    tops: list[int] = []
    for place, step in enumerate(steps):
        if step.facts.kind == "model":
            (below.setdefault(step.model, []) if step.model >= 0 else tops).append(place)
    found = [call for top in tops for call in _calls(steps, top, below)]
    return sorted(found, key=lambda call: call.start_ns)


def _calls(steps: Sequence[Step], top: int, below: Mapping[int, list[int]]) -> Iterator[ModelCall]:
    spans = list(_down(top, below))
    leaves = [place for place in spans if place not in below]
    held = [steps[place].facts.outputs for place in leaves]
    if len(leaves) == 1 or (steps[top].facts.outputs is not None and not any(o is not None for o in held)):
        yield _together(steps, spans, len(leaves))
    else:
        for leaf in leaves:
            yield _together(steps, [leaf], 1)


def _down(top: int, below: Mapping[int, list[int]]) -> Iterator[int]:
    todo = [top]
    while todo:
        place = todo.pop()
        yield place
        todo += below.get(place, ())


def _together(steps: Sequence[Step], places: Sequence[int], leaves: int) -> ModelCall:
    inner_first = [steps[place].facts for place in reversed(places)]
    outer = steps[places[0]]
    facts = replace(
        inner_first[0],
        inputs=next((each.inputs for each in inner_first if each.inputs is not None), None),
        outputs=next((each.outputs for each in inner_first if each.outputs is not None), None),
        usage=_usage(inner_first, leaves),
        error=outer.facts.error or (inner_first[0].error if leaves == 1 else ""),
        finish=next((each.finish for each in inner_first if each.finish), ()),
        problems=tuple(problem for each in inner_first for problem in each.problems),
    )
    return ModelCall(
        facts=facts,
        agent=next((steps[place].agent for place in reversed(places) if steps[place].agent), ""),
        inside=outer.inside,
        start_ns=min(each.span.start_ns for each in inner_first),
        # A wrapper's end may be after the tools that its answer called.
        end_ns=inner_first[0].span.end_ns,
    )


def _usage(inner_first: Sequence[Facts], leaves: int) -> Usage | None:
    """One span's count, not the sum of a span and its wrapper; several tries add up."""
    counted = [each.usage for each in inner_first if each.usage]
    if not counted or leaves == 1:
        return counted[0] if counted else None
    if inner_first[-1].usage:
        return inner_first[-1].usage
    return Usage(
        input_tokens=min(sum(usage.input_tokens for usage in counted), MOST_TOKENS),
        output_tokens=min(sum(usage.output_tokens for usage in counted), MOST_TOKENS),
    )


def tool_runs(steps: Sequence[Step]) -> list[ToolRun]:
    """The runs of tools in a turn in order of time; a client's and a server's span of one are one run."""
    outermost: dict[int, int] = {}
    spans: dict[int, list[int]] = {}
    for place, step in enumerate(steps):
        if step.facts.kind == "tool":
            around = outermost.get(step.tool, -1)
            same = around >= 0 and _same(steps[step.tool].facts, step.facts)
            outermost[place] = around if same else place
            spans.setdefault(outermost[place], []).append(place)
    found = [_run(steps, places) for places in spans.values()]
    return sorted(found, key=lambda run: run.facts.span.start_ns)


def _same(outer: Facts, inner: Facts) -> bool:
    return outer.name == inner.name or (bool(outer.call_id) and outer.call_id == inner.call_id)


def _run(steps: Sequence[Step], places: Sequence[int]) -> ToolRun:
    all_of_it = [steps[place].facts for place in places]
    outer = steps[places[0]]
    argued = next((each for each in all_of_it if each.args is not None), all_of_it[0])
    facts = replace(
        all_of_it[0],
        args=argued.args,
        args_error=argued.args_error,
        call_id=next((each.call_id for each in all_of_it if each.call_id), ""),
        result=next((each.result for each in all_of_it if each.result is not None), None),
        error=next((each.error for each in all_of_it if each.error), ""),
    )
    return ToolRun(facts=facts, agent=outer.agent, inside=outer.inside)


class Requests:
    """The calls that a turn's models asked for, each given to the run of a tool that answered it."""

    def __init__(self, models: Sequence[ModelCall], runs: Sequence[ToolRun]) -> None:
        self.asked: dict[tuple[int, int, int], Call] = {}
        """Calls by model call, message and part."""
        self.ran: dict[tuple[int, int, int], ToolRun] = {}
        self.unasked: set[tuple[str, str]] = set()
        """The spans of runs that no model's answer shows."""
        for number, model in enumerate(models):
            if not model.inside:
                self.asked |= {(number, *at): call for at, call in _requested(model.facts)}
        self._give([run for run in runs if not run.inside])

    def call_at(self, at: tuple[int, int, int]) -> Call:
        """The call as it is told: with its run's id, and its run's arguments where its own are unknown."""
        call, run = self.asked[at], self.ran.get(at)
        if run is None:
            return call if call.id else replace(call, id="call:" + "-".join(map(str, at)))
        args = call if call.args is not None or run.facts.args is None else run.call()
        return Call(id=run.call_id, name=call.name, args=args.args, args_error=args.args_error)

    def given(self, models: Sequence[ModelCall]) -> Iterator[tuple[int, Result]]:
        """Results that no tool's span tells, by the model call that was given them.

        ADK's ids of a call and of its result differ where it made both up: those go by order.
        """
        waiting = _Waiting()
        calls: dict[int, list[tuple[int, int, int]]] = {}
        for at in self.asked:
            calls.setdefault(at[0], []).append(at)
        known = {call.id for call in self.asked.values() if call.id}
        for number, model in enumerate(models):
            for result in results_since(model.facts.inputs or ()):
                key = result.call_id if result.call_id in known else waiting.first(result.name)
                if (found := waiting.take(key)) is not None:
                    yield number, replace(result, call_id=found.id, name=found.name)
            for at in calls.get(number, ()):
                if at not in self.ran or told_result(self.ran[at]) is None:
                    waiting.add(self.asked[at].id or self.call_at(at).id, self.call_at(at))

    def _give(self, runs: Sequence[ToolRun]) -> None:
        """By the call's id where both sides have it, else by name in order: ADK's two ids differ."""
        by_id = {call.id: at for at, call in self.asked.items() if call.id}
        left: list[ToolRun] = []
        for run in runs:
            at = by_id.pop(run.facts.call_id, None) if run.facts.call_id else None
            if at is None:
                left.append(run)
            else:
                self.ran[at] = run
        by_name: dict[str, list[tuple[int, int, int]]] = {}
        for at, call in reversed(self.asked.items()):
            if at not in self.ran:
                by_name.setdefault(call.name, []).append(at)
        for run in left:
            if open_calls := by_name.get(run.facts.name):
                self.ran[open_calls.pop()] = run
            else:
                self.unasked.add(run.facts.span.key)


class _Waiting:
    """Calls that have no result yet, by their ids; the first of a name, or of all, is found in no time."""

    def __init__(self) -> None:
        self._calls: dict[str, tuple[int, Call]] = {}
        self._lines: dict[str, deque[tuple[int, str]]] = {}
        self._count = 0

    def add(self, key: str, call: Call) -> None:
        """A call begins to wait."""
        self._count += 1
        self._calls[key] = self._count, call
        for name in {"", call.name}:
            self._lines.setdefault(name, deque()).append((self._count, key))

    def first(self, name: str) -> str:
        """The id of the first call of this name that waits, of any where it is "", and "" for none."""
        line = self._lines.get(name, deque())
        while line:
            number, key = line[0]
            if key in self._calls and self._calls[key][0] == number:
                return key
            line.popleft()
        return ""

    def take(self, key: str) -> Call | None:
        """The call of this id, which waits no longer; None where it does not."""
        _, call = self._calls.pop(key, (0, None))
        return call


def _requested(facts: Facts) -> Iterator[tuple[tuple[int, int], Call]]:
    for row, message in enumerate(facts.outputs or ()):
        for column, part in enumerate(message.parts):
            if isinstance(part, Call):
                yield (row, column), part


def told_result(run: ToolRun) -> Json:
    """What a run gave, None where that was not recorded; a failure is told although its text was not."""
    if run.facts.result is not None:
        return run.facts.result
    return {"error": run.failure or _FAILS} if run.failure else None


def recorded(models: Iterable[ModelCall]) -> bool:
    """Whether the answers of all these model calls are known; one that failed has none."""
    return all(model.facts.outputs is not None or model.facts.error for model in models)
