"""What an answer is held against `reference` by: the part that such metrics share."""

from typing import ClassVar

from gate.model import Json
from gate.model.case import Expect
from gate.model.derived import last_words
from gate.model.trace import Exposed
from gate.score.items import ExpectMetric, Level


class ToReference(ExpectMetric):
    """An answer held against `reference`; one that broke off is none and scores 0."""

    reads = ("reference",)
    needs: ClassVar[Exposed] = "text"

    def wants(self, expect: Expect) -> Json:
        return expect.reference

    def measure(self, level: Level) -> tuple[float, str]:
        if level.broken:
            return 0.0, ""
        return self.compare(level.expect.reference or "", self.answer(level))

    def answer(self, level: Level) -> str:
        """What the agent said last, without what it said ahead of a tool call."""
        return last_words(level.events)

    def compare(self, reference: str, answer: str) -> tuple[float, str]:
        """The value, and why it is not 1."""
        raise NotImplementedError
