"""From which score on a judge should say yes, by what people say of its anchors."""

from collections.abc import Sequence
from typing import Final

from gate.compare.agreement import agreement
from gate.compare.health import LABEL_YES
from gate.frozen import frozen
from gate.model.judge import Agreement, AnchorReading

_DIGITS: Final = 2


@frozen
class Threshold:
    """How far judge and people agree where it says yes from `at` on."""

    at: float
    agreement: Agreement


def thresholds(readings: Sequence[AnchorReading]) -> tuple[Threshold, ...]:
    """Each score that the judge gave, as a threshold, the lowest first."""
    judged = [(each.label >= LABEL_YES, each.value) for each in readings if each.value is not None]
    return tuple(
        Threshold(at=at, agreement=agreement([(label, value >= at) for label, value in judged]))
        for at in sorted({value for _, value in judged})
    )


def suggested(found: Sequence[Threshold]) -> float | None:
    """A `pass_at` of the highest kappa, then of most agreement: between the two scores that it lies between.

    None where no threshold tells yes from no any better than chance.
    """
    best = max(found, key=lambda each: (each.agreement.kappa or 0.0, each.agreement.agreed), default=None)
    if best is None or not best.agreement.kappa or best.agreement.kappa <= 0:
        return None
    below = max((each.at for each in found if each.at < best.at), default=0.0)
    between = round((below + best.at) / 2, _DIGITS)
    return between if below < between <= best.at and between > 0 else best.at
