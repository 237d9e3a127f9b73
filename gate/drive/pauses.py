"""What the agent waits for, and whether the case has an answer to it."""

from collections.abc import Sequence

from gate.model.case import Answer, Answers, Expect, User
from gate.model.derived import is_named
from gate.model.trace import Event, Pause


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
    return is_named(pause, [answer.to])


def unexpected(pauses: Sequence[Pause], turn: Expect, case: Expect) -> tuple[Pause, ...]:
    """The open pauses that neither the last turn nor the case expects to end with."""
    expected = (*(turn.pauses or ()), *(case.pauses or ()))
    return tuple(pause for pause in pauses if not is_named(pause, expected))


def described(pauses: Sequence[Pause]) -> str:
    """Name pauses for a message: `'adk_request_confirmation' for 'delete_repo'`."""
    return ", ".join(
        f"{pause.name!r} for {pause.tool!r}" if pause.tool else f"{pause.name!r}" for pause in pauses
    )
