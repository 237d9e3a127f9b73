"""From a case and its trace to items: one for each level, turn or case, that carries what a metric reads.

A turn that was not reached is an item of 0. A level whose record is broken (its turn failed, or for the case:
not every turn was run) is scored on what was recorded, but what holds only because nothing happened does not
hold: a crash never improves a mean.
"""

from collections.abc import Callable, Iterator
from math import fsum
from typing import ClassVar

from gate.frozen import frozen
from gate.model import Json
from gate.model.case import Case, Expect
from gate.model.derived import calls_of, texts_of
from gate.model.score import Item, Score, Scored, Unscored
from gate.model.trace import Call, Completed, Event, Exposed, Refused, Throttled, Trace, TurnTrace
from gate.score.metric import Metric

HIDDEN: dict[Exposed, tuple[str, str]] = {
    "text": ("what the agent says", "`text`"),
    "calls": ("tool calls", "`calls`"),
    "nodes": ("graph nodes", "`nodes`"),
    "state": ("session state", "`state` or `state_delta`"),
    "usage": ("token usage", "`usage`"),
    "pauses": ("pauses", "`pauses`"),
}
"""What a protocol may not expose, in words, and the keys of the `http` mapping that expose it."""


@frozen
class Level:
    """A turn, or the case as a whole, as it was expected and recorded.

    `first` and `last` bound its turns in the trace, as a slice. `missing` says why nothing of it was run,
    `broken` why its record may be incomplete; both are "" where all is there.
    """

    where: str
    case: Case
    expect: Expect
    trace: Trace
    first: int
    last: int
    missing: str = ""
    broken: str = ""

    @property
    def turns(self) -> tuple[TurnTrace, ...]:
        """The turns that were recorded."""
        return self.trace.turns[self.first : self.last]

    @property
    def events(self) -> tuple[Event, ...]:
        """Their events, in order."""
        return tuple(event for turn in self.turns for event in turn.events)

    @property
    def calls(self) -> tuple[Call, ...]:
        """The agent's tool calls, in order."""
        return tuple(calls_of(self.events))

    @property
    def text(self) -> str:
        """What the agent said: its text parts, one a line; no thoughts, and nothing that the user said."""
        return "\n".join(texts_of(self.events))


class ExpectMetric(Metric):
    """A metric whose value is the mean over items: a subclass says what it wants and measures one level."""

    needs: ClassVar[Exposed]

    def wants(self, expect: Expect) -> Json:
        """What of a level's expectation is scored, made of dicts and lists; None where it carries nothing."""
        raise NotImplementedError

    def scores(self, expect: Expect) -> bool:
        """Whether a level's expectation carries what is scored; asked of each trial, so make it quick."""
        return self.wants(expect) is not None

    def measure(self, level: Level) -> tuple[float, str]:
        """The value in 0..1 of a level that was run, and in words what differed ("" where nothing did)."""
        raise NotImplementedError

    def expectation(self, case: Case) -> Json:
        """By level: `{turns: {"1": …}, case: …, options: …}`; options at their default are left out."""
        turns = {
            str(n): want
            for n, turn in enumerate(case.turns, 1)
            if (want := self.wants(turn.expect)) is not None
        }
        whole = self.wants(case.expect)
        if not turns and whole is None:
            return None
        found: dict[str, Json] = {"turns": turns, "case": whole, "options": self.deviations}
        return {key: value for key, value in found.items() if value not in (None, {})}

    async def score(self, case: Case, trace: Trace) -> Score:
        if unmeasured := unmeasured_by(trace, self.needs):
            return unmeasured
        return scored(map(self._item, levels(case, trace, self.scores)))

    def _item(self, level: Level) -> Item:
        if level.missing:
            return Item(where=level.where, value=0.0, reason=level.missing)
        return item_of(level, *self.measure(level))


def item_of(level: Level, value: float, reason: str) -> Item:
    """The item of a level, which says what broke where it is below 1."""
    because = "; ".join(part for part in (reason, level.broken) if part) if value < 1 else ""
    return Item(where=level.where, value=value, reason=because)


def levels(case: Case, trace: Trace, wanted: Callable[[Expect], bool] = lambda _: True) -> Iterator[Level]:
    """Yield each turn of the case and then the case itself, where what is expected of them is wanted."""
    reached = min(len(trace.turns), len(case.turns))
    for index, turn in enumerate(case.turns):
        if not wanted(turn.expect):
            continue
        failed = index < reached and trace.turns[index].ended == "failed"
        yield Level(
            where=f"turn {index + 1}",
            case=case,
            expect=turn.expect,
            trace=trace,
            first=index,
            last=index + 1,
            missing="" if index < reached else f"not reached: {shortfall(case, trace)}",
            broken=f"the turn failed: {trace.outcome.reason}" if failed else "",
        )
    if wanted(case.expect):
        yield Level(
            where="case",
            case=case,
            expect=case.expect,
            trace=trace,
            first=0,
            last=len(trace.turns),
            broken=broken(case, trace),
        )


def shortfall(case: Case, trace: Trace) -> str:
    """Why not every turn of the case was run, or "" where each was."""
    if len(trace.turns) >= len(case.turns):
        return ""
    if trace.outcome.reason:
        return trace.outcome.reason
    return f"the conversation ended after turn {len(trace.turns)} of {len(case.turns)}"


def unmeasured_by(trace: Trace, needs: Exposed | None = None) -> Unscored | None:
    """Why a trial says nothing of a metric: throttled, refused, or what the metric needs is not exposed."""
    match trace.outcome:
        case Throttled(reason=reason):
            return Unscored(cause="throttled", reason=reason)
        case Refused(reason=reason):
            return Unscored(cause="refused", reason=reason)
        case _ if needs is None or needs in trace.exposes:
            return None
        case _:
            what, key = HIDDEN[needs]
            how = f"for `protocol: http`, map {key} under `response`"
            return Unscored(cause="not_exposed", reason=f"the protocol does not expose {what} ({how})")


def scored(items: Iterator[Item]) -> Scored:
    """The mean over one item or more, with their reasons; a lone item's place goes without saying."""
    found = tuple(items)
    reasons = [(item.where, item.reason) for item in found if item.reason]
    reason = "; ".join(why if len(found) == 1 else f"{where}: {why}" for where, why in reasons)
    return Scored(value=fsum(item.value for item in found) / len(found), items=found, reason=reason)


def broken(case: Case, trace: Trace) -> str:
    """Why the record of a case may be incomplete; "" where every turn was run and answered."""
    if any(turn.ended == "failed" for turn in trace.turns):
        return f"a turn failed: {trace.outcome.reason}"
    if why := shortfall(case, trace):
        return f"not every turn was run: {why}"
    return "" if isinstance(trace.outcome, Completed) else _stopped(trace)


def _stopped(trace: Trace) -> str:
    return (
        ""
        if trace.turns and trace.turns[-1].ended == "paused"
        else f"the trial stopped: {trace.outcome.reason}"
    )
