"""Several samples of one question become one judgement.

`rubric`: the majority; `score` and `trajectory`: the mean. A sample without a verdict leaves a majority open
unless the others decide it, and a mean always.
"""

from collections.abc import Sequence
from math import fsum

from gate.frozen import frozen
from gate.judge.endpoint import Answered
from gate.judge.templates import Prompt
from gate.model.judge import JudgeKind


@frozen
class Question:
    """One thing to be judged.

    `key` is the digest of the judge's settings; `fresh` passes earlier judgements over, `names` are what the
    endpoint calls itself in this run, where that is known.
    """

    kind: JudgeKind
    case: str
    prompt: Prompt
    key: str
    samples: int = 1
    fresh: bool = False
    names: tuple[str, ...] = ()


@frozen
class Judged:
    """`value` in 0..1; `agreement` is the share of samples in the majority, or 1 less the scores' spread."""

    value: float
    why: str
    agreement: float = 1.0
    models: tuple[str, ...] = ()
    cached: int = 0


@frozen
class Unjudged:
    """There is no judgement, and why."""

    reason: str


def fold(kind: JudgeKind, answers: Sequence[Answered | str], cached: int) -> Judged | Unjudged:
    """One judgement of all samples; a sample that is a text failed, and the text says why."""
    good = [answer for answer in answers if isinstance(answer, Answered)]
    bad = [answer for answer in answers if isinstance(answer, str)]
    values = [answer.verdict.value for answer in good]
    if kind == "rubric":
        yes = fsum(values)
        if max(yes, len(values) - yes) * 2 <= len(answers):
            return Unjudged(reason=_open(bad, len(answers)))
        value = 1.0 if yes * 2 > len(values) else 0.0
        agreement = max(yes, len(values) - yes) / len(answers)
    else:
        if bad:
            return Unjudged(reason=_open(bad, len(answers)))
        value, agreement = fsum(values) / len(values), 1 - (max(values) - min(values))
    return Judged(
        value=value,
        why=_why(kind, good, value, len(answers)),
        agreement=agreement,
        models=tuple(sorted({answer.model for answer in good if answer.model})),
        cached=cached,
    )


def _open(bad: Sequence[str], samples: int) -> str:
    why = bad[0] if bad else "as many samples say YES as NO"
    return why if samples == 1 else f"{len(bad)} of {samples} samples without a verdict: {why}"


def _why(kind: JudgeKind, good: Sequence[Answered], value: float, samples: int) -> str:
    """The explanation that stands nearest to what was decided, with how far the samples agree."""
    nearest = min(good, key=lambda answer: abs(answer.verdict.value - value)).verdict.why
    if samples == 1:
        return nearest
    if kind == "rubric":
        word = "YES" if value else "NO"
        agree = sum(answer.verdict.value == value for answer in good)
        told = f"{agree} of {samples} samples say {word}"
    else:
        values = [answer.verdict.value for answer in good]
        told = f"{samples} samples from {min(values):.2f} to {max(values):.2f}"
    return f"{told}: {nearest}" if nearest else told
