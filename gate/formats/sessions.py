"""Recorded ADK sessions to a trace, a turn for each message or answer of the user."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from gate.formats.adk import PLUMBING_ANSWER, EventReader
from gate.formats.adk_fields import UnreadableEvent, field, is_mapping, items
from gate.formats.limits import reported_failure
from gate.formats.messages import USER
from gate.formats.stored import NotASession, Recording, read_recording, timestamp
from gate.model import Json
from gate.model.case import Answer, Answers
from gate.model.derived import described, left_open
from gate.model.trace import Completed, Event, Outcome, Pause, Paused, Result, Trace, TurnTrace


def read_session(content: str, *, source: str = "session") -> Trace:
    """Read the one session of a text (gate.formats.stored says in which forms); raises NotASession."""
    return trace_of(read_recording(content), source=source)


def trace_of(recording: Recording, *, source: str) -> Trace:
    """The trace of a recording; raises NotASession.

    The start state is what the final state has and no event set. A turn that failed decides the outcome, as
    it would end a live trial.
    """
    if not recording.frames:
        raise NotASession("no event in it")
    turns, outcomes = _turns(recording.frames)
    known = recording.state if "state" in recording.exposes else {}
    touched = {key for turn in turns for event in turn.events for key in event.state_delta}
    return Trace(
        case=recording.id,
        trial=1,
        session=recording.id,
        turns=turns,
        outcome=_outcome(outcomes),
        exposes=recording.exposes,
        source=source,
        start_state={key: value for key, value in known.items() if key not in touched},
        duration_ms=turns[-1].ended_ms,
    )


Numbered = tuple[tuple[int, Mapping[str, Json]], ...]


def _turns(frames: Sequence[Mapping[str, Json]]) -> tuple[tuple[TurnTrace, ...], tuple[Outcome, ...]]:
    """The turns, and how each ended."""
    reader, start = EventReader(), timestamp(frames[0])
    turns: list[TurnTrace] = []
    outcomes: list[Outcome] = []
    waiting: tuple[Pause, ...] = ()
    seq = 0
    for number, group in enumerate(exchanges(frames), start=1):
        events = [event for event in _events(reader, group, start) if not _only_said_by_user(event)]
        stamped = tuple(replace(event, seq=seq + i, turn=number) for i, event in enumerate(events, start=1))
        waiting = left_open(waiting, _answers(group), stamped)
        outcomes.append(_outcome_of(stamped, waiting))
        turns.append(_turn(group, stamped, start, outcomes[-1]))
        seq += len(stamped)
    return tuple(turns), tuple(outcomes)


def _turn(group: Numbered, events: tuple[Event, ...], start: float, outcome: Outcome) -> TurnTrace:
    times = [_at_ms(frame, start) for _, frame in group]
    return TurnTrace(
        sent="\n".join(sent for _, frame in group if (sent := _sent(frame))),
        events=events,
        ended=_ended(outcome),
        started_ms=min(times),
        ended_ms=max(times),
    )


def _answers(group: Numbered) -> Answers | None:
    """The answers to pauses, by the pauses' ids; None where the user says something else."""
    sent = (field(frame, "content") for _, frame in group if is_sent(frame))
    parts = (part for content in sent if is_mapping(content) for part in items(content, "parts"))
    given = (field(part, "functionResponse") for part in parts if is_mapping(part))
    ids = [name for one in given if is_mapping(one) and isinstance(name := field(one, "id"), str)]
    return Answers(answers=tuple(Answer(to=name, decision="input") for name in ids)) if ids else None


def exchanges(frames: Sequence[Mapping[str, Json]]) -> list[Numbered]:
    """Group events, with their numbers from 1, by what the user sent: as many groups as a trace has turns."""
    groups: list[list[tuple[int, Mapping[str, Json]]]] = [[]]
    opened = False
    for number, frame in enumerate(frames, start=1):
        if _sent(frame):
            groups += [[]] if opened else []
            opened = True
        groups[-1].append((number, frame))
    return [tuple(group) for group in groups]


def _events(reader: EventReader, group: Numbered, start: float) -> tuple[Event, ...]:
    events: list[Event] = []
    at_ms = 0.0
    for number, frame in group:
        # ADK stamps an event when it makes it, which is not always the order in which it stores them.
        at_ms = max(at_ms, _at_ms(frame, start))
        try:
            events += (replace(event, at_ms=at_ms) for event in reader.read(frame))
        except UnreadableEvent as error:
            raise NotASession(f"event {number}: {error}") from None
    return (*events, *(replace(event, at_ms=at_ms) for event in reader.rest()))


def _only_said_by_user(event: Event) -> bool:
    # A result that the user's side gave to a long-running call is a tool's result all the same.
    said = event.parts or event.not_in_trajectory.startswith(PLUMBING_ANSWER)
    return event.author == USER and bool(said) and not any(isinstance(part, Result) for part in event.parts)


def _outcome(outcomes: Sequence[Outcome]) -> Outcome:
    failed = (outcome for outcome in outcomes if not isinstance(outcome, Completed | Paused))
    return next(failed, outcomes[-1])


def _outcome_of(events: Sequence[Event], waiting: Sequence[Pause]) -> Outcome:
    """How one exchange ended, by what its events say and what is still waited for."""
    if failure := reported_failure(events):
        return failure
    return Paused(reason=f"the agent waits for {described(waiting)}") if waiting else Completed()


def _ended(outcome: Outcome) -> Literal["answered", "paused", "failed"]:
    match outcome:
        case Completed():
            return "answered"
        case Paused():
            return "paused"
        case _:
            return "failed"


def is_sent(frame: Mapping[str, Json]) -> bool:
    """Whether the user sends something in this event."""
    return bool(_sent(frame))


def _sent(frame: Mapping[str, Json]) -> str:
    """What the user sent in this event, as a reader sees it; "" where the event is not the user's."""
    if field(frame, "author") != USER:
        return ""
    content = field(frame, "content")
    parts = field(content, "parts") if is_mapping(content) else None
    return "\n".join(_said(part) for part in parts if is_mapping(part)) if isinstance(parts, list) else ""


def _said(part: Mapping[str, Json]) -> str:
    answer = field(part, "functionResponse")
    if is_mapping(answer):
        return f"{field(answer, 'name')}: {_decision(field(answer, 'response'))}"
    words = field(part, "text")
    return words if isinstance(words, str) and words else "(a part that is not text)"


def _decision(response: Json) -> str:
    if is_mapping(response):
        if (confirmed := response.get("confirmed")) is not None and len(response) == 1:
            return "approve" if confirmed is True else "reject"
        if "payload" in response or len(response) == 1:
            response = response.get("payload", next(iter(response.values())))
    return response if isinstance(response, str) else json.dumps(response, sort_keys=True, ensure_ascii=False)


def _at_ms(frame: Mapping[str, Json], start: float) -> float:
    return max(0.0, round((timestamp(frame) - start) * 1000, 3))
