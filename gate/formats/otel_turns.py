"""A turn's spans to the events of a trace, and what they can show at all."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal

from gate.formats.adk_parts import is_pending
from gate.formats.adk_pauses import CONFIRM
from gate.formats.limits import reported_failure
from gate.formats.otel_calls import (
    ModelCall,
    Requests,
    ToolRun,
    model_calls,
    recorded,
    told_result,
    tool_runs,
)
from gate.formats.otel_facts import ADK, Facts
from gate.formats.otel_messages import says_error, turn_text
from gate.formats.otel_tree import Group
from gate.frozen import frozen
from gate.model.derived import calls_of, described, left_open, texts_of
from gate.model.trace import (
    Call,
    Completed,
    Crashed,
    Event,
    Exposed,
    Outcome,
    Part,
    Pause,
    Paused,
    Result,
    Text,
    Thought,
    TurnTrace,
)

NO_ANSWER: Final = "the spans record neither an answer nor a tool call"
NOT_SHOWN: Final = "its content was not recorded"
NO_PARTS: Final = "no content"
THOUGHT_ONLY: Final = "thought only"
PENDING: Final = "placeholder: the call waits for its confirmation"
_CUT: Final = ("length", "max_tokens", "content_filter")
_WELL: Final = ("stop", "tool_calls", "tool_call", "tool_use", "function_call", "end_turn", "stop_sequence")


@frozen
class OtelTurn:
    """One turn; `sent` is "" where the user's words were not recorded."""

    sent: str
    events: tuple[Event, ...]
    outcome: Outcome
    exposes: frozenset[Exposed]
    start_ns: int
    end_ns: int


class TurnReader:
    """Reads the turns of a conversation in order; `toolers` are the emitters known to make a span a tool.

    Times of events count from `zero_ns`.
    """

    def __init__(self, zero_ns: int, toolers: frozenset[str]) -> None:
        self._zero = zero_ns
        self._toolers = toolers
        self._called: set[str] = set()

    def read(self, group: Group) -> OtelTurn:
        """The events of one turn in order of time, as the spans' clocks have it."""
        models, runs = model_calls(group.steps), tool_runs(group.steps)
        rows = sorted(self._rows(group, models, runs), key=lambda row: row[0])
        self._close(event for _, event in rows)
        events = tuple(replace(event, at_ms=self._ms(at)) for at, event in rows)
        exposes = frozenset(self._exposed(group, models, runs))
        return OtelTurn(
            sent=_sent(group, models),
            events=events,
            outcome=_outcome(events, exposes, models),
            exposes=exposes,
            start_ns=group.start_ns,
            end_ns=max((step.facts.span.end_ns for step in group.steps), default=0),
        )

    def _rows(
        self, group: Group, models: Sequence[ModelCall], runs: Sequence[ToolRun]
    ) -> Iterator[tuple[int, Event]]:
        requests = Requests(models, runs)
        asked_ns: dict[str, int] = {}
        for step in group.steps:
            if step.facts.kind in ("agent", "node", "flow") and step.facts.name:
                name = step.facts.name
                yield step.facts.span.start_ns, Event(author=name, node=name, not_in_trajectory=NO_PARTS)
        for number, result in requests.given(models):
            agent = models[number].agent
            yield models[number].start_ns, Event(author=agent, node=agent, parts=(result,))
        for number, model in enumerate(models):
            event = _spoken(number, model, requests)
            asked_ns |= {part.id: model.end_ns for part in event.parts if isinstance(part, Call)}
            yield model.end_ns, event
        self._called |= asked_ns.keys()
        for run in runs:
            yield from self._ran(run, requests, asked_ns)
        yield from _of_top(group.top, models)

    def _ran(self, run: ToolRun, requests: Requests, asked_ns: dict[str, int]) -> Iterator[tuple[int, Event]]:
        span, agent = run.facts.span, run.agent
        why = f"inside of the tool {run.inside}" if run.inside else ""
        if why or (span.key in requests.unasked and run.call_id not in self._called):
            self._called.add(run.call_id)
            asked_ns.setdefault(run.call_id, span.start_ns)
            yield span.start_ns, Event(author=agent, node=agent, parts=(run.call(),), not_in_trajectory=why)
        if (value := told_result(run)) is None:
            return
        failed = bool(run.failure) or says_error(value)
        part = Result(call_id=run.call_id, name=run.facts.name, value=value, is_error=failed)
        # A tool's clock may be another machine's: its result never comes before its call.
        at = max(span.end_ns, asked_ns.get(run.call_id, 0))
        yield at, _answered(Event(author=agent, node=agent, parts=(part,), not_in_trajectory=why), part)

    def _close(self, events: Iterable[Event]) -> None:
        """Calls that have their result are over: some emitters use their ids again in each turn."""
        for event in events:
            if event.not_in_trajectory != PENDING:
                self._called -= {part.call_id for part in event.parts if isinstance(part, Result)}

    def _exposed(
        self, group: Group, models: Sequence[ModelCall], runs: Sequence[ToolRun]
    ) -> Iterator[Exposed]:
        own = [model for model in models if not model.inside]
        whole = bool(own) and recorded(own) and not group.lost
        if whole or (group.top is not None and group.top.outputs is not None):
            yield "text"
        emitters = {step.facts.span.scope for step in group.steps}
        if whole or runs or (emitters & self._toolers and not group.lost):
            yield "calls"
        if any(step.facts.kind in ("agent", "node", "flow") and step.facts.name for step in group.steps):
            yield "nodes"
        if any(model.facts.usage for model in models):
            yield "usage"

    def _ms(self, at_ns: int) -> float:
        return max(0.0, round((at_ns - self._zero) / 1e6, 3))


def toolers(facts: Sequence[Facts]) -> frozenset[str]:
    """The emitters whose spans show each call of a tool: ADK's, and those that made such a span here."""
    return frozenset({ADK} | {each.span.scope for each in facts if each.kind == "tool" and each.span.scope})


def _sent(group: Group, models: Sequence[ModelCall]) -> str:
    top = turn_text(group.top.inputs or ()) if group.top else ""
    asked = (turn_text(model.facts.inputs or ()) for model in models if not model.inside)
    return top or next((words for words in asked if words), "")


def _spoken(number: int, model: ModelCall, requests: Requests) -> Event:
    """What one model call answered; what it said inside of a tool is no answer of the agent."""
    facts = model.facts
    event = Event(author=model.agent or "agent", node=model.agent, usage=facts.usage)
    if model.inside:
        return replace(event, not_in_trajectory=f"inside of the tool {model.inside}")
    parts = tuple(_parts(number, facts, requests))
    shown = any(not isinstance(part, Thought) for part in parts)
    why = "" if shown else THOUGHT_ONLY if parts else NO_PARTS if facts.outputs is not None else NOT_SHOWN
    return replace(event, parts=parts, error=_failure(facts, spoken=shown), not_in_trajectory=why)


def _parts(number: int, facts: Facts, requests: Requests) -> Iterator[Part]:
    for row, message in enumerate(facts.outputs or ()):
        for column, part in enumerate(message.parts):
            if isinstance(part, Call):
                yield requests.call_at((number, row, column))
            elif isinstance(part, Text | Thought):
                yield part


def _failure(facts: Facts, *, spoken: bool) -> str:
    """Why a model's answer is none: its span failed, it was cut off, or it stopped without a word."""
    if facts.error:
        return facts.error
    cut = next((reason for reason in facts.finish if reason in _CUT), "")
    if cut:
        return f"{cut}: the model's answer was cut off"
    if spoken or facts.outputs is None:
        return ""
    odd = next((reason for reason in facts.finish if reason not in _WELL), "")
    return f"{odd}: the model stopped without an answer" if odd else ""


def _answered(event: Event, part: Result) -> Event:
    """The event of a tool's result; ADK's placeholder while a call waits to be confirmed is none."""
    if not is_pending(part, frozenset()):
        return event
    pause = Pause(id=f"confirm:{part.call_id}", name=CONFIRM, kind="confirm", tool=part.name)
    return replace(event, parts=(replace(part, is_error=False),), pauses=(pause,), not_in_trajectory=PENDING)


def _of_top(top: Facts | None, models: Sequence[ModelCall]) -> Iterator[tuple[int, Event]]:
    """The agent's own answer where no model call has it, and how its span failed."""
    if top is None:
        return
    known = any(model.facts.outputs is not None for model in models if not model.inside)
    said = tuple(
        replace(part, id=f"call:{number}") if isinstance(part, Call) and not part.id else part
        for message in top.outputs or ()
        for number, part in enumerate(message.parts)
        if isinstance(part, Text | Call)
    )
    parts = () if known else said
    told = models and models[-1].facts.error
    error = "" if told else top.error
    if parts or error:
        why = "" if parts else NO_PARTS
        yield (
            top.span.end_ns,
            Event(author=top.name or "agent", node=top.name, parts=parts, error=error, not_in_trajectory=why),
        )


def _outcome(events: Sequence[Event], exposes: frozenset[Exposed], models: Sequence[ModelCall]) -> Outcome:
    if failure := reported_failure(events):
        return failure
    if waiting := left_open((), None, events):
        return Paused(reason=f"the agent waits for {described(waiting)}")
    silent = not any(texts_of(events)) and not any(calls_of(events))
    if silent and models and {"text", "calls"} <= exposes:
        return Crashed(reason=NO_ANSWER)
    if "text" not in exposes:
        return Completed(reason="no span says that it failed; what it answered was not recorded")
    return Completed()


def turn_trace(turn: OtelTurn, number: int, before: int, zero_ns: int) -> TurnTrace:
    """The turn as a trace has it: `before` events came earlier, `number` counts from 1."""
    ended: Literal["answered", "paused", "failed"] = "answered"
    if not isinstance(turn.outcome, Completed):
        ended = "paused" if isinstance(turn.outcome, Paused) else "failed"
    return TurnTrace(
        sent=turn.sent,
        events=tuple(
            replace(event, seq=before + place, turn=number)
            for place, event in enumerate(turn.events, start=1)
        ),
        ended=ended,
        started_ms=max(0.0, round((turn.start_ns - zero_ns) / 1e6, 3)),
        ended_ms=max(0.0, round((turn.end_ns - zero_ns) / 1e6, 3)),
    )
