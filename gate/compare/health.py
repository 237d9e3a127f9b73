"""Whether a judge can be believed: by its anchors, by its settings, and by the model that the endpoint names.

A judge is *changed* where, against the newest run of the baseline that knows its metric,

* its settings are others (model, prompt, temperature, seed, samples): the key of its readings differs;
* the endpoint reports another model name under the same settings;
* more anchors are judged otherwise than an unchanged judge would: an anchor flips where its verdict (yes from
  `pass_at` on, else from 0.5) is not that of most runs of the baseline with this key, and flips are too many
  where as many or more have a probability of at most 0.02 by the binomial distribution. The rate is that at
  which the baseline's own runs differ from their majority, and at least 0.05 an anchor;
* or its scores moved by 0.05 or more on average, and the two-sided sign test over the anchors gives at most
  0.02.

It is *unfit* where it agrees with people on fewer anchors than `min_agreement` asks for, whatever those say
that could not be judged, and *down* where that hangs on them or where more than a tenth could not be judged.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Final

from gate.compare.agreement import FLIP_RATE, agreement, has_flipped, has_shifted
from gate.compare.passing import TOLERANCE
from gate.frozen import frozen
from gate.model.baseline import Baseline
from gate.model.judge import Agreement, AnchorReading, JudgeHealth, JudgeReading, JudgeState

MOST_UNJUDGED: Final = 0.1
LABEL_YES: Final = 0.5
"""From which label on people say yes."""


def health(
    readings: Sequence[JudgeReading], baseline: Baseline | None, *, renewed: bool = False
) -> tuple[JudgeHealth, ...]:
    """The health of each judge of a run. `renewed`: other settings than the baseline's are meant."""
    return tuple(_health(reading, _history(reading, baseline), renewed=renewed) for reading in readings)


@frozen
class _Pairs:
    """The anchors that both sides judged: their values now, the means before, and how noisy those were."""

    now: tuple[float, ...]
    before: tuple[float, ...]
    flipped: int
    rate: float


def _history(reading: JudgeReading, baseline: Baseline | None) -> list[JudgeReading]:
    """What earlier runs say of this metric's judge, the newest last."""
    runs = baseline.runs if baseline else ()
    return [each for run in runs for each in run.judges if each.metric == reading.metric]


def _health(reading: JudgeReading, history: Sequence[JudgeReading], *, renewed: bool) -> JudgeHealth:
    same = [each for each in history if each.key == reading.key]
    pairs = _paired(reading, same)
    now, before = _agreement(reading), _agreement(same[-1]) if same else None
    state, reason = _state(reading, history, pairs, now, renewed=renewed)
    return JudgeHealth(
        metric=reading.metric,
        judge=reading.judge,
        model=reading.model,
        state=state,
        reason=reason,
        reported=reading.reported,
        anchors=len(reading.anchors),
        now=now,
        before=before,
        paired=len(pairs.now),
        flipped=pairs.flipped,
    )


def _state(  # each is a fact of its own
    reading: JudgeReading,
    history: Sequence[JudgeReading],
    pairs: _Pairs,
    now: Agreement | None,
    *,
    renewed: bool,
) -> tuple[JudgeState, str]:
    if history and history[-1].key != reading.key and not renewed:
        return "changed", _other_settings(reading, history[-1])
    known = [each.reported for each in history if each.key == reading.key and each.reported]
    if known and reading.reported and known[-1] != reading.reported:
        names = f"{', '.join(known[-1])}, now as {', '.join(reading.reported)}"
        return "changed", f"the endpoint named its model as {names}"
    if reading.anchors and (now is None or now.judged < len(reading.anchors) * (1 - MOST_UNJUDGED)):
        judged = now.judged if now else 0
        return "down", f"it judged {judged} of {len(reading.anchors)} anchors"
    if has_flipped(pairs.flipped, len(pairs.now), pairs.rate):
        told = f"it judged {pairs.flipped} of {len(pairs.now)} anchors otherwise than in the baseline"
        return "changed", told
    if reading.kind != "rubric" and has_shifted(pairs.before, pairs.now):
        means = f"{fmean(pairs.before):.2f} to {fmean(pairs.now):.2f}"
        return "changed", f"its scores of the same {len(pairs.now)} anchors moved from {means}"
    if now and (unfit := _unfit(reading, now)):
        return unfit
    return ("steady", "") if reading.anchors else ("unknown", "it has no anchors")


def _unfit(reading: JudgeReading, now: Agreement) -> tuple[JudgeState, str] | None:
    least, total = reading.min_agreement, len(reading.anchors)
    if least is None or now.agreed / total >= least - TOLERANCE:
        return None
    told = f"it agrees with {now.agreed} of {total} anchors, and must with {least:.0%}"
    best = (now.agreed + total - now.judged) / total
    return ("unfit" if best < least - TOLERANCE else "down"), told


def _other_settings(reading: JudgeReading, last: JudgeReading) -> str:
    if last.model != reading.model:
        return f"the baseline was judged by {last.model}, this run by {reading.model}"
    return "its prompt or its settings are not those of the baseline"


def _agreement(reading: JudgeReading) -> Agreement | None:
    """With people, over the anchors that were judged; None where none was."""
    pairs = [
        (_says(each.label, LABEL_YES), _says(each.value, reading.at))
        for each in reading.anchors
        if each.value is not None
    ]
    return agreement(pairs) if pairs else None


def _says(value: float, at: float) -> bool:
    return value >= at - TOLERANCE


def _paired(reading: JudgeReading, same: Sequence[JudgeReading]) -> _Pairs:
    now, before, flipped, strays, votes = [], [], 0, 0, 0
    for anchor in reading.anchors:
        earlier = list(_earlier(anchor, same))
        if anchor.value is None or not earlier:
            continue
        yes = sum(_says(value, reading.at) for value in earlier)
        majority = yes * 2 > len(earlier) or (yes * 2 == len(earlier) and _says(earlier[-1], reading.at))
        flipped += _says(anchor.value, reading.at) != majority
        strays += len(earlier) - yes if majority else yes
        votes += len(earlier)
        now.append(anchor.value)
        before.append(fmean(earlier))
    rate = strays / votes if votes else FLIP_RATE
    return _Pairs(now=tuple(now), before=tuple(before), flipped=flipped, rate=rate)


def _earlier(anchor: AnchorReading, same: Sequence[JudgeReading]) -> Iterator[float]:
    for reading in same:
        for each in reading.anchors:
            if each.key == anchor.key and each.value is not None:
                yield each.value
