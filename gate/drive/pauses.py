"""What the agent waits for, and whether the case has an answer to it."""

from collections.abc import Sequence

from gate.model.case import Answers, Expect, User
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
    return is_named(pause, [answer.to for answer in sent.answers])


def unexpected(pauses: Sequence[Pause], turn: Expect, case: Expect) -> tuple[Pause, ...]:
    """The open pauses that neither the last turn nor the case expects to end with."""
    expected = (*(turn.pauses or ()), *(case.pauses or ()))
    return tuple(pause for pause in pauses if not is_named(pause, expected))
