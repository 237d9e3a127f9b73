"""How an exchange with an ADK agent ended, by what its events say: HTTP 200 is not success."""

import re
from collections.abc import Sequence

from gate.model.derived import left_open
from gate.model.trace import Call, Completed, Crashed, Event, Outcome, Paused, Text, Throttled

_LIMIT = re.compile(
    r"RESOURCE_?EXHAUSTED|\bquota\b|rate.?limit|too many requests|\b(?:429|503)\b|\bUNAVAILABLE\b|overloaded",
    re.IGNORECASE,
)


def failure_outcome(error: str) -> Crashed | Throttled:
    """Tell a provider's limit from an agent's failure by the error's text."""
    reason = f"the agent reported {error}"
    return Throttled(reason=reason) if _LIMIT.search(error) else Crashed(reason=reason)


def outcome_of(events: Sequence[Event]) -> Outcome:
    """Judge one exchange by its events.

    A limit of the provider spoils what came after it, so it counts wherever it occurs; another failure counts
    unless the agent went on to an answer or a call.
    """
    failures = [failure_outcome(event.error) for event in events if event.error]
    for failure in failures:
        if isinstance(failure, Throttled):
            return failure
    if failures and not _went_on(events):
        return failures[-1]
    if waiting := left_open((), None, events):
        names = ", ".join(
            f"{pause.name!r} for {pause.tool!r}" if pause.tool else repr(pause.name) for pause in waiting
        )
        return Paused(reason=f"the agent waits for {names}")
    return Completed()


def _went_on(events: Sequence[Event]) -> bool:
    last = max(number for number, event in enumerate(events) if event.error)
    return any(isinstance(part, Text | Call) for event in events[last + 1 :] for part in event.parts)
