"""What a metric says of one trial."""

from typing import Literal, TypeAlias

from gate.frozen import frozen

Cause = Literal[
    "throttled",
    "refused",
    "not_exposed",
    "not_run",
    "judge",
    "judge_changed",
    "metric",
    "crashed",
    "malformed",
]
"""Why something was not scored.

`not_run`: the run ended before the trial. `metric`: a custom metric's own code failed.
`crashed`: for measures without a worst value, such as latency.
`judge_changed`: there is a value, and comparing does not believe it: only there it is said, and never stored.
`malformed`: what the agent sent cannot be read, and the value hangs on it.
"""


@frozen
class Item:
    """One thing that was checked: `where` is `turn 2` or `case`; `value` lies in 0..1 for quality metrics."""

    where: str
    value: float
    reason: str = ""


@frozen
class Scored:
    """A measurement: the mean over `items`, and in `reason` what differed ("" where all is well)."""

    value: float
    items: tuple[Item, ...]
    reason: str = ""

    @property
    def worst(self) -> float:
        """The lowest item, which decides whether a case passes."""
        return min((item.value for item in self.items), default=self.value)


@frozen
class Unscored:
    """Nobody measured, and why."""

    cause: Cause
    reason: str


Score: TypeAlias = Scored | Unscored
