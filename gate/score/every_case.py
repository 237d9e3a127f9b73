"""Metrics that need no expectation: what they ask is asked of every case, or of those with one of `tags`."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from gate.model import Json
from gate.model.case import Case
from gate.model.score import Cause, Score, Unscored
from gate.model.trace import Exposed, Trace
from gate.score.items import Level, item_of, levels, scored, unmeasured_by
from gate.score.metric import Metric


class CannotSay(Exception):
    """A trial of which nothing can be said, with the cause and the reason."""

    def __init__(self, cause: Cause, reason: str) -> None:
        super().__init__(reason)
        self.unscored = Unscored(cause=cause, reason=reason)


def wrong_tags(value: Json) -> str:
    """What to write in place of a value of `tags`; "" where it is fine."""
    fine = isinstance(value, list | tuple) and value and all(isinstance(tag, str) and tag for tag in value)
    return "" if fine else "tags: a list of tags of cases"


class EveryCase(Metric):
    """One item for the case as a whole; a subclass measures it."""

    needs: Exposed = "text"
    shapes: ClassVar[Mapping[str, Callable[[Json], str]]] = {"tags": wrong_tags}

    def measure(self, level: Level) -> tuple[float, str]:
        """The value in 0..1, and in words what differed; raises CannotSay."""
        raise NotImplementedError

    def expectation(self, case: Case) -> Json:
        """The options; those that choose the cases make no value another one."""
        tags = self.options.get("tags")
        if isinstance(tags, list | tuple) and not {*tags} & {*case.tags}:
            return None
        asked = {name: value for name, value in self.deviations.items() if name != "tags"}
        return {"options": asked} if asked else {}

    async def score(self, case: Case, trace: Trace) -> Score:
        if unmeasured := unmeasured_by(trace, self.needs):
            return unmeasured
        *_, whole = levels(case, trace)
        try:
            value, reason = self.measure(whole)
        except CannotSay as error:
            return error.unscored
        return scored(iter([item_of(whole, value, reason)]))
