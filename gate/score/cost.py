"""`cost`: what the model calls of a trial cost by the config's `prices`, in the currency of those.

A price is for a million tokens. Input that the provider had cached costs `cached`, or as other input where no
such price is written. A model without a price is unknown, and its trial unscored: nothing is free by mistake.
"""

from collections.abc import Callable, Iterator, Mapping
from math import fsum
from typing import ClassVar, cast

from gate.model import Json
from gate.model.case import Case
from gate.model.config import MetricConfig
from gate.model.finding import Finding
from gate.model.score import Score, Unscored
from gate.model.trace import Trace, Usage
from gate.score.operational import Measure
from gate.score.values import line, names

MILLION = 1_000_000


def wrong_model(value: Json) -> str:
    """What to write in place of a value of `model`; "" where it is fine."""
    return "" if isinstance(value, str) and value else "model: the name of a model in `prices`"


class Cost(Measure):
    """The sum over model calls; `model` names the one that is meant where the trace names none."""

    always = False
    unit = "cost"
    needs = "usage"
    shapes: ClassVar[Mapping[str, Callable[[Json], str]]] = {"prices": lambda _: "", "model": wrong_model}

    def __init__(self, config: MetricConfig) -> None:
        super().__init__(config)
        self._prices = cast("Mapping[str, Mapping[str, float]]", self.options["prices"])
        self._model = str(self.options.get("model", ""))

    @classmethod
    def _findings(cls, config: MetricConfig) -> Iterator[Finding]:
        yield from super()._findings(config)
        subject, prices = f"metric '{config.name}' of type 'cost'", config.options.get("prices")
        if not prices:
            fix = "prices: {MODEL: {input: 0.3, output: 2.5}}"
            yield Finding.error("bad-option", config.place, f"{subject} needs `prices`", fix=fix)
        elif (model := config.options.get("model")) and model not in cast("Mapping[str, Json]", prices):
            what = f"{subject} takes the model '{model}' for granted, which has no price"
            fix = f"prices: {{{model}: {{input: 0.3, output: 2.5}}}}"
            yield Finding.error("bad-option", config.place, what, fix=fix)

    def expectation(self, case: Case) -> Json:  # noqa: ARG002 - it applies to every case
        """The prices: amounts at others are not comparable."""
        return {"options": self.deviations}

    async def score(self, case: Case, trace: Trace) -> Score:
        found = await super().score(case, trace)
        spent = [event.usage for event in trace.events if event.usage and event.usage.total]
        if isinstance(found, Unscored) or not (unknown := self._unknown(spent)):
            return found
        named = [name for name in unknown if name]
        if not named:
            how = "write it under `metrics: {cost: {model: NAME}}`"
            return Unscored(cause="not_exposed", reason=f"no event names the model: {how}")
        fix = f"prices: {{{line(named[0])}: {{input: …, output: …}}}}"
        return Unscored(cause="not_exposed", reason=f"{names(named)} has no price: {fix}")

    def amount(self, trace: Trace) -> float | None:
        usages = [event.usage for event in trace.events if event.usage]
        return fsum(map(self._price, usages)) if usages else None

    def _unknown(self, usages: list[Usage]) -> list[str]:
        models = dict.fromkeys(usage.model or self._model for usage in usages)
        return [model for model in models if model not in self._prices]

    def _price(self, usage: Usage) -> float:
        price = self._prices.get(usage.model or self._model)
        if price is None:
            return 0.0  # told as unscored, or without a token
        fresh = usage.input_tokens - usage.cached_tokens
        if fresh < 0:  # such a provider counts what was cached beside the input
            fresh = usage.input_tokens
        cached = price.get("cached", price["input"])
        spent = fresh * price["input"] + usage.cached_tokens * cached + usage.output_tokens * price["output"]
        return spent / MILLION
