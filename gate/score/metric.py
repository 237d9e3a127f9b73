"""What a metric promises."""

from types import TracebackType
from typing import ClassVar, Literal, Self

from gate.model import Json
from gate.model.case import Case
from gate.model.config import MetricConfig
from gate.model.score import Score
from gate.model.trace import Trace


class Metric:
    """A named measurement of one trial; a subclass is one row of METRICS.

    Class facts: `version` changes whenever the same trial would get another value; `unit` is "" for a share, else
    `ms`, `tokens`, `calls`, `turns`; `kind` is `quality` for values in 0..1 that can decide whether a case passes and
    `measure` for the rest; `default_pass_at` None means that the metric decides on no case unless `pass_at` is written;
    `reads` names the keys of `expect` that it scores; `always` metrics run without being configured.
    """

    version: ClassVar[str] = "1"
    unit: ClassVar[Literal["", "ms", "tokens", "calls", "turns"]] = ""
    kind: ClassVar[Literal["quality", "measure"]] = "quality"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    default_pass_at: ClassVar[float | None] = 1.0
    reads: ClassVar[tuple[str, ...]] = ()
    always: ClassVar[bool] = False

    def __init__(self, config: MetricConfig) -> None:
        self.name = config.name
        self.pass_at = self.default_pass_at if config.pass_at is None else config.pass_at

    async def __aenter__(self) -> Self:
        """Acquire what the metric needs for a run: workers, judges, budgets."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release it."""

    def expectation(self, case: Case) -> Json:
        """What of the case the metric holds the trial against, as canonical JSON; None where it does not apply."""
        raise NotImplementedError

    async def score(self, case: Case, trace: Trace) -> Score:
        """Measure one trial of a case that the metric applies to."""
        raise NotImplementedError
