"""How far two raters agree, and whether a judge has changed: closed forms over its anchors."""

from collections.abc import Sequence
from math import exp, fsum, lgamma, log, log1p
from typing import Final

from gate.model.judge import Agreement

FLIP_RATE: Final = 0.05
"""How often an unchanged judge is taken to judge one anchor otherwise than before, at least."""
ALPHA: Final = 0.02
"""How often an unchanged judge may be called changed, by either of the two tests."""
SHIFT: Final = 0.05
"""By how much the mean of scores must move to matter, however sure it is that it did."""


def agreement(pairs: Sequence[tuple[bool, bool]]) -> Agreement:
    """On how many pairs both say the same, and Cohen's kappa (Cohen 1960): (po - pe) / (1 - pe).

    po is the share of pairs that agree, pe the share that would by chance with each rater's own share of yes.
    """
    judged, agreed = len(pairs), sum(one == other for one, other in pairs)
    return Agreement(judged=judged, agreed=agreed, kappa=_kappa(pairs, agreed))


def _kappa(pairs: Sequence[tuple[bool, bool]], agreed: int) -> float | None:
    total = len(pairs)
    ones, others = sum(one for one, _ in pairs), sum(other for _, other in pairs)
    # In whole numbers: pe * total² is exact, and a kappa of 0 is 0.
    by_chance = ones * others + (total - ones) * (total - others)
    return (agreed * total - by_chance) / (total * total - by_chance) if by_chance < total * total else None


def at_least(successes: int, trials: int, rate: float) -> float:
    """The probability of at least so many successes in so many independent trials of this rate (binomial).

    By logarithms, so that no number of trials is too large; `rate` lies between 0 and 1, and is neither.
    """
    whole, yes, no = lgamma(trials + 1), log(rate), log1p(-rate)
    terms = (
        exp(whole - lgamma(count + 1) - lgamma(trials - count + 1) + count * yes + (trials - count) * no)
        for count in range(successes, trials + 1)
    )
    return min(1.0, fsum(terms))


def has_flipped(flipped: int, paired: int, rate: float = FLIP_RATE) -> bool:
    """Whether so many flips among so many anchors are more than an unchanged judge makes, but for ALPHA."""
    return flipped > 0 and at_least(flipped, paired, max(rate, FLIP_RATE)) <= ALPHA


def has_shifted(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether scores of the same anchors moved by SHIFT on average, and by the two-sided sign test."""
    if not before:
        return False
    moves = [now - then for then, now in zip(before, after, strict=True) if now != then]
    if abs(fsum(moves)) / len(before) < SHIFT:
        return False
    ups = sum(move > 0 for move in moves)
    return min(1.0, 2 * at_least(max(ups, len(moves) - ups), len(moves), 0.5)) <= ALPHA
