"""Whether a judge counts, by its readings in this run and in the baseline."""

from dataclasses import replace
from typing import Any

import pytest

from gate.compare.health import health
from gate.model.baseline import Baseline, BaselineRun
from gate.model.judge import AnchorReading, JudgeReading

LABELS = [float(n % 2) for n in range(20)]


def a_reading(values: list[float | None] | None = None, **fields: Any) -> JudgeReading:
    given = LABELS if values is None else values
    anchors = tuple(
        AnchorReading(anchor=f"a{n}", key=f"k{n}", label=label, value=value)
        for n, (label, value) in enumerate(zip(LABELS, given, strict=True))
    )
    known: dict[str, Any] = {
        "metric": "tone",
        "judge": "main",
        "model": "m-1",
        "key": "key",
        "at": 1.0,
        "reported": ("m-1-05",),
        "anchors": anchors,
    }
    return JudgeReading(**(known | fields))


def flipped(*numbers: int) -> list[float | None]:
    return [1 - label if n in numbers else label for n, label in enumerate(LABELS)]


def a_baseline(*readings: JudgeReading) -> Baseline:
    runs = (
        BaselineRun(run=f"r{n}", commit="c", date="2026-11-30T00:00:00Z", judges=(reading,))
        for n, reading in enumerate(readings)
    )
    return Baseline(runs=tuple(runs), lines={})


def state(reading: JudgeReading, *before: JudgeReading, renewed: bool = False) -> str:
    (found,) = health([reading], a_baseline(*before), renewed=renewed)
    return f"{found.state}: {found.reason}" if found.reason else found.state


GOOD = a_reading()


@pytest.mark.parametrize(
    ("now", "before", "expected"),
    [
        (GOOD, (), "steady"),
        (GOOD, (GOOD,), "steady"),
        (a_reading(flipped(0, 1, 2)), (GOOD,), "steady"),
        (
            a_reading(flipped(0, 1, 2, 3)),
            (GOOD,),
            "changed: it judged 4 of 20 anchors otherwise than in the baseline",
        ),
        (a_reading(anchors=()), (), "unknown: it has no anchors"),
        (a_reading([None] * 20), (GOOD,), "down: it judged 0 of 20 anchors"),
        (a_reading([None, None, *LABELS[2:]]), (GOOD,), "steady"),
        (a_reading([None, None, None, *LABELS[3:]]), (GOOD,), "down: it judged 17 of 20 anchors"),
        (
            a_reading(reported=("m-1-06",)),
            (GOOD,),
            "changed: the endpoint named its model as m-1-05, now as m-1-06",
        ),
        (a_reading(reported=()), (GOOD,), "steady"),
        (GOOD, (a_reading(reported=()),), "steady"),
        (
            a_reading(key="other", model="m-2"),
            (GOOD,),
            "changed: the baseline was judged by m-1, this run by m-2",
        ),
        (
            a_reading(key="other"),
            (GOOD,),
            "changed: its prompt or its settings are not those of the baseline",
        ),
        (a_reading(key="other"), (GOOD, a_reading(key="other")), "steady"),
        (
            a_reading(flipped(0, 1, 2), min_agreement=0.9),
            (),
            "unfit: it agrees with 17 of 20 anchors, and must with 90%",
        ),
        (a_reading(flipped(0, 1), min_agreement=0.9), (), "steady"),
        (
            a_reading([None, *flipped(1, 2)[1:]], min_agreement=0.9),
            (),
            "down: it agrees with 17 of 20 anchors, and must with 90%",
        ),
        (replace(GOOD, metric="other"), (a_reading(flipped(0, 1, 2, 3)),), "steady"),
    ],
)
def test_the_state_of_a_judge(now: JudgeReading, before: tuple[JudgeReading, ...], expected: str) -> None:
    assert state(now, *before) == expected


def test_other_settings_that_were_meant_leave_nothing_undecided() -> None:
    assert state(a_reading(key="other"), GOOD, renewed=True) == "steady"
    assert state(a_reading(flipped(*range(9))), GOOD, renewed=True).startswith("changed")


def test_an_anchor_whose_text_or_label_changed_is_not_compared() -> None:
    changed = tuple(replace(each, key=f"new {each.key}") for each in a_reading(flipped(*range(10))).anchors)
    assert state(replace(GOOD, anchors=changed), GOOD) == "steady"


def test_the_majority_of_the_baselines_runs_is_what_counts() -> None:
    odd = a_reading(flipped(0, 1, 2, 3))
    assert state(GOOD, GOOD, GOOD, odd) == "steady"
    assert state(odd, GOOD, GOOD, GOOD).startswith("changed")


def test_a_judge_whose_own_runs_differ_may_differ_as_much() -> None:
    noisy = [a_reading(flipped(*range(n, n + 5))) for n in range(0, 15, 3)]
    assert state(a_reading(flipped(0, 1, 2, 3)), *noisy) == "steady"


def test_scores_that_moved_without_a_verdict_turning_are_a_change() -> None:
    before = a_reading([0.9 * label for label in LABELS], kind="score", at=0.5)
    after = a_reading([0.6 * label + 0.2 for label in LABELS], kind="score", at=0.5)
    assert state(after, before) == "steady", "up for one half and down for the other"
    lower = a_reading([0.75 * label for label in LABELS], kind="score", at=0.5)
    found = state(lower, before)
    assert found == "changed: its scores of the same 20 anchors moved from 0.45 to 0.38"
    assert state(replace(lower, kind="rubric"), replace(before, kind="rubric")) == "steady"
