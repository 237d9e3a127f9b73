"""What the answer of each turn says is looked for in what the tools returned up to there."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from gate.model import Json
from gate.model.case import Case
from gate.model.derived import calls_of
from gate.model.score import Item, Score, Unscored
from gate.model.trace import Completed, Paused, Result, Trace
from gate.score.every_case import CannotSay, EveryCase
from gate.score.items import Level, item_of, levels, scored, unmeasured_by

NO_RESULTS = "the protocol shows tool calls, and nothing of what the tools returned"


class Sources(Protocol):
    """What answers may rest on; it grows from turn to turn."""

    def add(self, value: Json) -> None:
        """Take in what a tool returned, or what the user sent."""


class Grounded(EveryCase):
    """One item a turn, of what its answer says; a subclass knows what of it must have a source."""

    needs = "calls"

    def sources(self) -> Sources:
        """Sources with nothing in them."""
        raise NotImplementedError

    def check(self, text: str, sources: Sources) -> tuple[float, str]:
        """The value of an answer, and why it is not 1; raises CannotSay."""
        raise NotImplementedError

    async def score(self, case: Case, trace: Trace) -> Score:
        if (
            unmeasured := unmeasured_by(trace, "text")
            or unmeasured_by(trace, "calls")
            or hidden_results(trace)
        ):
            return unmeasured
        try:
            return scored(iter([*self._items(case, trace)]))
        except CannotSay as error:
            return error.unscored

    def _items(self, case: Case, trace: Trace) -> Iterator[Item]:
        sources = self.sources()
        sources.add(case.start_state)
        for level in levels(case, trace):
            if level.where != "case":
                yield self._item(level, sources)

    def _item(self, level: Level, sources: Sources) -> Item:
        if level.missing:
            return Item(where=level.where, value=0.0, reason=level.missing)
        for turn in level.turns:
            sources.add(turn.sent)
        for event in level.events:
            for part in event.parts:
                if isinstance(part, Result):
                    sources.add(part.value)
        value, reason = self.check(level.text, sources)
        return item_of(level, 0.0 if level.broken else value, reason)


def leaves(value: Json) -> Iterator[Json]:
    """Yield the texts, numbers and keys in a value, however deep it is."""
    todo = [value]
    while todo:
        each = todo.pop()
        if isinstance(each, Mapping):
            todo.extend(each)
            todo.extend(each.values())
        elif isinstance(each, list | tuple):
            todo.extend(each)
        else:
            yield each


def hidden_results(trace: Trace) -> Unscored | None:
    """Why nobody can say what the tools returned: a trial that ended has calls, and no result."""
    if not isinstance(trace.outcome, Completed | Paused) or not any(calls_of(trace.events)):
        return None
    results = (part for event in trace.events for part in event.parts if isinstance(part, Result))
    return None if any(True for _ in results) else Unscored(cause="not_exposed", reason=NO_RESULTS)
