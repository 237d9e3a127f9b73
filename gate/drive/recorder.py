"""Writes down what one trial says and hears, without secrets, as it happens."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias, cast

from gate.http import TooBig
from gate.model import Json
from gate.model.case import Answer, Answers, BlobPart, FilePart, TextPart, User, UserPart
from gate.model.trace import Call, Event, Part, Pause, Result, Text, Thought, TurnTrace, Usage
from gate.redact import Redactor

Ended: TypeAlias = Literal["answered", "paused", "failed"]
MOST_THINGS = 100_000
"""Events, their parts, pauses and state keys that a trial records: 32 MiB can hold some millions of them."""


class Recorder:
    """The turns of one attempt, redacted as they come.

    Times are milliseconds since it began, without the waits that the gate imposes.
    """

    def __init__(self, redact: Redactor, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self._redact = redact
        self._clock = clock
        self._began = clock()
        self._seq = 0
        self._turns: list[TurnTrace] = []
        self._open: tuple[str, float] | None = None
        self._events: list[Event] = []
        self._things = 0

    @property
    def turns(self) -> tuple[TurnTrace, ...]:
        """The turns that have ended."""
        return tuple(self._turns)

    def ms(self) -> float:
        """Milliseconds since the attempt began."""
        return round((self._clock() - self._began) * 1000, 3)

    def skip(self, seconds: float) -> None:
        """Leave a wait that is not the agent's out of all times."""
        self._began += seconds

    def begin(self, sent: User | Answers) -> None:
        """A turn is about to be sent."""
        self._open = (self._redact.text(as_read(sent)), self.ms())
        self._events = []

    def hear(self, event: Event) -> None:
        """Keep one event of the turn: numbered, timed and redacted. Raises TooBig for a flood of them."""
        self._things += 1 + len(event.parts) + len(event.pauses) + len(event.state_delta)
        self._things += len(event.artifact_delta)
        if self._things > MOST_THINGS:
            raise TooBig(f"the agent's events, parts and state keys are more than {MOST_THINGS:,}")
        self._seq += 1
        self._events.append(
            _redacted(self._redact, event, seq=self._seq, turn=len(self._turns) + 1, at_ms=self.ms())
        )

    def end(self, ended: Ended) -> None:
        """The turn is over; without an open turn nothing happens."""
        if self._open is None:
            return
        sent, started_ms = self._open
        self._open = None
        self._turns.append(
            TurnTrace(
                sent=sent,
                events=tuple(self._events),
                ended=ended,
                started_ms=started_ms,
                ended_ms=self.ms(),
            )
        )
        self._events = []


def as_read(sent: User | Answers) -> str:
    """What a turn sends, as a reader sees it."""
    match sent:
        case User(parts=parts):
            return "\n".join(_part_as_read(part) for part in parts)
        case Answers(answers=answers):
            return "\n".join(f"{answer.to}: {answer_as_read(answer)}" for answer in answers)


def answer_as_read(answer: Answer) -> str:
    """An answer in words: `approve`, `reject`, or the input."""
    return str(answer.value) if answer.decision == "input" else answer.decision


def _part_as_read(part: UserPart) -> str:
    match part:
        case TextPart(text=text):
            return text
        case BlobPart(mime_type=kind, data=data):
            return f"[{kind}, {len(data) * 3 // 4} bytes]"
        case FilePart(mime_type=kind, uri=uri):
            return f"[{kind}, {uri}]"


def _redacted(redact: Redactor, event: Event, *, seq: int, turn: int, at_ms: float) -> Event:
    return replace(
        event,
        seq=seq,
        turn=turn,
        at_ms=at_ms,
        author=redact.text(event.author),
        node=redact.text(event.node),
        parts=tuple(_redacted_part(redact, part) for part in event.parts),
        usage=_redacted_usage(redact, event.usage),
        state_delta=_mapping(redact, event.state_delta) if event.state_delta else event.state_delta,
        state_removed=tuple(redact.text(key) for key in event.state_removed),
        artifact_delta=_mapping(redact, event.artifact_delta)
        if event.artifact_delta
        else event.artifact_delta,
        error=redact.text(event.error),
        pauses=tuple(_redacted_pause(redact, pause) for pause in event.pauses),
        not_in_trajectory=redact.text(event.not_in_trajectory),
    )


def _redacted_usage(redact: Redactor, usage: Usage | None) -> Usage | None:
    return replace(usage, model=redact.text(usage.model)) if usage and usage.model else usage


def _redacted_part(redact: Redactor, part: Part) -> Part:
    match part:
        case Text(text=text):
            return Text(text=redact.text(text))
        case Thought(text=text):
            return Thought(text=redact.text(text))
        case Call(args=args, args_error=error):
            return replace(
                part,
                id=redact.text(part.id),
                name=redact.text(part.name),
                args=None if args is None else _mapping(redact, args),
                args_error=redact.text(error),
            )
        case Result(value=value):
            return replace(
                part,
                call_id=redact.text(part.call_id),
                name=redact.text(part.name),
                value=redact.value(value),
            )


def _redacted_pause(redact: Redactor, pause: Pause) -> Pause:
    return replace(
        pause,
        id=redact.text(pause.id),
        name=redact.text(pause.name),
        tool=redact.text(pause.tool),
        message=redact.text(pause.message),
    )


def _mapping(redact: Redactor, value: object) -> dict[str, Json]:
    return cast("dict[str, Json]", redact.value(value))
