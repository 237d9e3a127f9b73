"""What a trial cost: `latency_ms`, `turns`, `tool_calls`, `tokens`.

Fewer is better, so a trial that ended early would look good: it is not measured.
"""

from typing import ClassVar

from gate.model import Json
from gate.model.case import Case
from gate.model.derived import calls_of, tokens_of
from gate.model.score import Score, Scored, Unscored
from gate.model.trace import Crashed, Exposed, TimedOut, Trace
from gate.score.items import HIDDEN, shortfall, unmeasured_by
from gate.score.metric import Metric


class Measure(Metric):
    """One number of a whole trial, without items."""

    kind = "measure"
    better = "lower"
    default_pass_at = None
    always = True
    needs: ClassVar[Exposed | None] = None

    def amount(self, trace: Trace) -> float | None:
        """The number, in the metric's unit; None where the trace does not hold it."""
        raise NotImplementedError

    def expectation(self, case: Case) -> Json:  # noqa: ARG002 - it applies to every case
        return {}

    async def score(self, case: Case, trace: Trace) -> Score:
        if unmeasured := unmeasured_by(trace, self.needs) or _cut_short(case, trace):
            return unmeasured
        amount = self.amount(trace)
        if amount is None:
            what = HIDDEN[self.needs][0] if self.needs else self.name
            return Unscored(cause="not_exposed", reason=f"no event of this trial carries {what}")
        return Scored(value=float(amount), items=())


class Latency(Measure):
    """How long the agent took to answer: the sum over turns, in milliseconds."""

    unit = "ms"

    def amount(self, trace: Trace) -> float:
        return round(sum(turn.ended_ms - turn.started_ms for turn in trace.turns), 3)


class TurnCount(Measure):
    """How many messages were sent to the agent."""

    unit = "turns"

    def amount(self, trace: Trace) -> float:
        return len(trace.turns)


class ToolCalls(Measure):
    """How many tools the agent called."""

    unit = "calls"
    needs = "calls"

    def amount(self, trace: Trace) -> float:
        return sum(1 for _ in calls_of(trace.events))


class Tokens(Measure):
    """Input and output tokens of all model calls that report them."""

    unit = "tokens"
    needs = "usage"

    def amount(self, trace: Trace) -> float | None:
        return tokens_of(trace.events)


def _cut_short(case: Case, trace: Trace) -> Unscored | None:
    match trace.outcome:
        case Crashed(reason=reason) | TimedOut(reason=reason):
            return Unscored(cause="crashed", reason=reason)
        case _ if why := shortfall(case, trace):
            return Unscored(cause="crashed", reason=f"not every turn was run: {why}")
        case _:
            return None
