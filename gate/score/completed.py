"""`completed`: the trial came to its end; what went wrong on the way is for other metrics to say."""

from collections.abc import Iterator
from typing import assert_never

from gate.model import Json
from gate.model.case import Case
from gate.model.derived import is_named, open_pauses
from gate.model.score import Item, Score
from gate.model.trace import Completed, Crashed, Paused, Refused, Throttled, TimedOut, Trace
from gate.score.items import scored, shortfall, unmeasured_by
from gate.score.metric import Metric


class TrialCompleted(Metric):
    """1 where every turn was answered and the agent waits for nothing, 0 where it crashed, hung or waits.

    A pause that the case expects at its very end is its end. A turn that was never sent, because the agent
    did not pause for the answer, was not answered.
    """

    always = True

    def expectation(self, case: Case) -> Json:
        expected = _ending(case)
        return {"pauses": sorted(expected)} if expected else {}

    async def score(self, case: Case, trace: Trace) -> Score:
        return unmeasured_by(trace) or scored(_items(case, trace))


def _items(case: Case, trace: Trace) -> Iterator[Item]:
    why = _incomplete(case, trace)
    yield Item(where="case", value=0.0 if why else 1.0, reason=why)


def _incomplete(case: Case, trace: Trace) -> str:
    reason = trace.outcome.reason
    match trace.outcome:
        case Completed():
            return shortfall(case, trace)
        case Crashed():
            return f"the agent crashed: {reason}"
        case TimedOut():
            return f"the trial timed out: {reason}"
        case Paused():
            return "" if _ends_as_expected(case, trace) else reason or "the agent waits for an answer"
        case Throttled() | Refused():
            return reason
        case _ as never:
            assert_never(never)


def _ends_as_expected(case: Case, trace: Trace) -> bool:
    waiting = open_pauses(case, trace, len(trace.turns))
    return (
        not shortfall(case, trace)
        and bool(waiting)
        and all(is_named(pause, _ending(case)) for pause in waiting)
    )


def _ending(case: Case) -> tuple[str, ...]:
    """The pauses that the case may end with."""
    last = case.turns[-1].expect.pauses if case.turns else None
    return (*(last or ()), *(case.expect.pauses or ()))
