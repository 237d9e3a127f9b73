"""How the errors that agents report, and the limits of providers behind them, read in words."""

import re
from collections.abc import Sequence

from gate.model.trace import Call, Crashed, Event, Text, Throttled

_REPORTED = re.compile(
    r"RESOURCE_?EXHAUSTED|rate.?limit|(?<!disk )\bquota\b|too many requests|overloaded|throttl"
    r"|\b(?:429|503)\b|(?-i:\bUNAVAILABLE\b)",
    re.IGNORECASE,
)
_PRINTED = re.compile(
    r"RESOURCE_EXHAUSTED|(?:error|status)(?: code)?:? *429|429 too many requests|insufficient_quota"
    r"|exceeded your current quota|(?:quota|rate.?limit)s? (?:was |has been |is )?(?:exceeded|reached)"
    r"|(?:rate_limit|overloaded)_error|model is overloaded",
    re.IGNORECASE,
)
# google.rpc.RetryInfo as JSON, as protobuf text, and as Google's message says it.
_RETRY_DELAY = re.compile(
    r"retry_?delay[\\\"']*\s*[:=]\s*[\\\"']*(\d+(?:\.\d+)?)s"
    r"|retry_?delay\s*\{\s*seconds:\s*(\d+)"
    r"|retry in (\d+(?:\.\d+)?) ?s",
    re.IGNORECASE,
)


def reported_failure(events: Sequence[Event]) -> Crashed | Throttled | None:
    """What the errors among an exchange's events mean for it; None where there are none that count.

    A limit counts wherever it occurs, for it spoils what came after. Another error counts unless the agent
    went on to an answer or a call.
    """
    for event in events:
        if event.error and _REPORTED.search(event.error):
            return Throttled(reason=f"the agent reported a limit: {event.error}")
    last = max((number for number, event in enumerate(events) if event.error), default=-1)
    if last < 0 or any(_speaks(event) for event in events[last + 1 :]):
        return None
    return Crashed(reason=f"the agent reported an error: {events[last].error}")


def prints_limit(text: str) -> bool:
    """Whether a text that need be no error, such as an answer or a body, holds the error of a limit."""
    return _PRINTED.search(text) is not None


def retry_delay_s(text: str) -> float | None:
    """The seconds to wait that a limit's error text asks for, if it does."""
    found = _RETRY_DELAY.search(text)
    return float(next(filter(None, found.groups()))) if found else None


def _speaks(event: Event) -> bool:
    return any(isinstance(part, Text | Call) for part in event.parts)
