"""Cases, traces and metrics as short as a test wants them."""

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

from gate.model.case import Case, Expect, ExpectedCall, TextPart, Turn, User
from gate.model.config import MetricConfig
from gate.model.finding import Place
from gate.model.score import Score, Scored
from gate.model.trace import Call, Completed, Event, Exposed, Outcome, Pause, Text, Trace, TurnTrace
from gate.score import METRICS, build, score_trial
from gate.score.metric import Metric

T = TypeVar("T")
PLACE = Place(file="golden/cases.yaml", line=3)
ALL: tuple[Exposed, ...] = ("text", "calls", "nodes", "state", "usage", "pauses")


def config(name: str, *, pass_at: float | None = None, **options: Any) -> MetricConfig:
    return MetricConfig(name=name, type=name, options=options, pass_at=pass_at, place=PLACE)


def metric(name: str, **options: Any) -> Metric:
    return METRICS[name](config(name, **options))


def case(*turns: Expect, whole: Expect | None = None, start_state: Mapping[str, Any] | None = None) -> Case:
    sent = User(parts=(TextPart(text="hello"),))
    return Case(
        id="a_case",
        turns=tuple(Turn(sent=sent, expect=expect, place=PLACE) for expect in turns),
        expect=whole or Expect(),
        start_state=start_state or {},
        place=PLACE,
    )


def expected(*calls: str | tuple[str, Mapping[str, Any]]) -> tuple[ExpectedCall, ...]:
    made = ((call, None) if isinstance(call, str) else call for call in calls)
    return tuple(ExpectedCall(name=name, args=args) for name, args in made)


def called(*calls: str | tuple[str, Mapping[str, Any] | None]) -> Event:
    made = ((call, {}) if isinstance(call, str) else call for call in calls)
    parts = [
        Call(id=str(n), name=name, args=args, args_error="" if args is not None else "not JSON: {")
        for n, (name, args) in enumerate(made)
    ]
    return Event(author="agent", parts=tuple(parts))


def said(text: str, *, author: str = "agent") -> Event:
    return Event(author=author, parts=(Text(text=text),))


def at(*nodes: str) -> tuple[Event, ...]:
    return tuple(Event(author="agent", node=node) for node in nodes)


def delta(**changes: Any) -> Event:
    return Event(author="agent", state_delta=changes)


def waits(*pauses: Pause) -> Event:
    return Event(author="agent", pauses=pauses)


def turn(
    *events: Event, ended: Literal["answered", "paused", "failed"] = "answered", took_ms: float = 10.0
) -> TurnTrace:
    return TurnTrace(sent="hello", events=events, ended=ended, started_ms=5.0, ended_ms=5.0 + took_ms)


def trace(
    *turns: TurnTrace,
    outcome: Outcome | None = None,
    exposes: Sequence[Exposed] = ALL,
    start_state: Mapping[str, Any] | None = None,
) -> Trace:
    stamped = (
        replace(each, events=tuple(replace(event, turn=number) for event in each.events))
        for number, each in enumerate(turns)
    )
    return Trace(
        case="a_case",
        trial=2,
        session="s",
        turns=tuple(stamped),
        outcome=outcome or Completed(),
        exposes=tuple(exposes),
        start_state=start_state or {},
    )


def score(subject: Metric | str, of: Case, recorded: Trace) -> Score:
    """One metric's score of one trial; a name stands for the metric without options."""
    found = metric(subject) if isinstance(subject, str) else subject
    return _done(found.score(of, recorded))


def scored(subject: Metric | str, of: Case, recorded: Trace) -> Scored:
    found = score(subject, of, recorded)
    assert isinstance(found, Scored), found
    return found


def all_scores(of: Case, recorded: Trace, *configs: MetricConfig) -> Mapping[str, Score]:
    return _done(score_trial(build(configs), of, recorded))


def _done(work: Coroutine[Any, Any, T]) -> T:
    """The result of what never waits, without a loop: thousands of examples a second."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise AssertionError("it waited")
