"""What the agent waits for, and whether the case has an answer to it."""

from collections.abc import Sequence

from gate.model.case import Answer, Answers, Expect, User
from gate.model.trace import Event, Pause, Result


def still_open(before: Sequence[Pause], sent: User | Answers, events: Sequence[Event]) -> tuple[Pause, ...]:
    """The pauses that are open after a turn: those of its events, and those of before that it did not answer.

    A result with a pause's id closes it. A user's message in place of an answer drops what was open.
    """
    left = [pause for pause in before if isinstance(sent, Answers) and not answered(pause, sent)]
    waiting = {pause.id: pause for pause in left}
    for event in events:
        waiting |= {pause.id: pause for pause in event.pauses}
        for part in event.parts:
            if isinstance(part, Result):
                waiting.pop(part.call_id, None)
    return tuple(waiting.values())


def still_running(
    before: Sequence[Pause], sent: User | Answers, events: Sequence[Event]
) -> tuple[Pause, ...]:
    """The jobs that may still be answered: a first result closes their pause, the last may come later."""
    left = [job for job in before if not (isinstance(sent, Answers) and answered(job, sent))]
    return (*left, *(pause for event in events for pause in event.pauses if pause.kind == "job"))


def answered(pause: Pause, sent: Answers) -> bool:
    """Whether one of the answers is meant for this pause."""
    return any(meant_for(answer, pause) for answer in sent.answers)


def meant_for(answer: Answer, pause: Pause) -> bool:
    """Whether an answer names this pause: by its id, its name, or the tool that is to be confirmed."""
    return answer.to in _names(pause)


def unexpected(pauses: Sequence[Pause], turn: Expect, case: Expect) -> tuple[Pause, ...]:
    """The open pauses that neither the last turn nor the case expects to end with."""
    expected = {*(turn.pauses or ()), *(case.pauses or ())}
    return tuple(pause for pause in pauses if expected.isdisjoint(_names(pause)))


def described(pauses: Sequence[Pause]) -> str:
    """Name pauses for a message: `'adk_request_confirmation' for 'delete_repo'`."""
    return ", ".join(
        f"{pause.name!r} for {pause.tool!r}" if pause.tool else f"{pause.name!r}" for pause in pauses
    )


def _names(pause: Pause) -> set[str]:
    return {name for name in (pause.id, pause.name, pause.tool) if name}
