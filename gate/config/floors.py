"""How small a difference of a measure is none, where a rule in per cent does not say so itself.

From 2 to 3 tool calls is a rise of 50 %, and no news. A rule whose every bound is a percentage gets its
`ignore_below` from here; `ignore_below: 0` takes it away.
"""

from collections.abc import Mapping
from typing import Final

from gate.model.config import Amount

FLOORS: Final[Mapping[str, float]] = {
    "latency_ms": 100.0,
    "turns": 1.5,
    "tool_calls": 1.5,
    "tokens": 150.0,
    "cost": 0.001,
    "retries": 1.5,
    "tool_errors": 1.5,
    "loops": 1.5,
}
"""By type of metric, in its unit: one call more is ignored, two are not."""


def floor_of(type_: str, bounds: tuple[Amount | None, ...]) -> float | None:
    """The least difference that counts for a metric of a type; None where every one does."""
    written = [bound for bound in bounds if bound is not None]
    relative = bool(written) and all(bound.percent for bound in written)
    return FLOORS.get(type_) if relative else None
