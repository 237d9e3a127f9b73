"""Closed forms, held against scipy and nltk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from scipy.stats import binomtest

from gate.compare.agreement import ALPHA, FLIP_RATE, agreement, at_least, has_flipped, has_shifted

PAIRS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


@given(PAIRS)
def test_kappa_is_nltks_where_that_has_one(pairs: list[tuple[bool, bool]]) -> None:
    found = agreement(pairs)
    assert (found.judged, found.agreed) == (len(pairs), sum(a == b for a, b in pairs))
    rows = [row for n, (a, b) in enumerate(pairs) for row in (("people", n, str(a)), ("judge", n, str(b)))]
    if len({a for pair in pairs for a in pair}) == 1:
        assert found.kappa is None, "nltk calls it 1, where nothing can be told from chance"
    else:
        assert found.kappa == pytest.approx(AnnotationTask(data=rows).kappa(), abs=1e-9)


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [
        ([(True, True), (False, False)], 1.0),
        ([(True, False), (False, True)], -1.0),
        ([(True, True), (True, False), (False, True), (False, False)], 0.0),
        ([(True, True)] * 3, None),
        ([(True, False)] * 3, 0.0),
    ],
)
def test_kappa_of_known_tables(pairs: list[tuple[bool, bool]], kappa: float | None) -> None:
    assert agreement(pairs).kappa == kappa


@given(st.integers(1, 60), st.integers(0, 60), st.floats(0.01, 0.99))
def test_the_tail_is_scipys(trials: int, successes: int, rate: float) -> None:
    expected = binomtest(min(successes, trials), trials, rate, alternative="greater").pvalue
    assert at_least(min(successes, trials), trials, rate) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_hundred_thousand_anchors_are_no_overflow() -> None:
    assert at_least(5_000, 100_000, 0.05) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("anchors", "fine", "too_many"), [(1, 1, None), (2, 1, 2), (5, 2, 3), (10, 2, 3), (20, 3, 4), (50, 6, 7)]
)
def test_how_many_flips_are_too_many(anchors: int, fine: int, too_many: int | None) -> None:
    assert not has_flipped(fine, anchors)
    assert too_many is None or has_flipped(too_many, anchors)


@given(st.integers(1, 200))
def test_an_unchanged_judge_is_called_changed_no_more_often_than_stated(anchors: int) -> None:
    first = next((n for n in range(1, anchors + 1) if has_flipped(n, anchors)), anchors + 1)
    assert at_least(first, anchors, FLIP_RATE) <= ALPHA


def test_a_noisy_judge_may_flip_more() -> None:
    assert has_flipped(5, 20)
    assert not has_flipped(5, 20, rate=0.2)
    assert not has_flipped(0, 0)


@pytest.mark.parametrize(
    ("before", "after", "shifted"),
    [
        ([], [], False),
        ([0.5] * 10, [0.5] * 10, False),
        ([0.5] * 10, [0.8] * 10, True),
        ([0.8] * 10, [0.5] * 10, True),
        ([0.5] * 10, [0.52] * 10, False),
        ([0.5] * 3, [0.9] * 3, False),
        ([0.5] * 10, [0.8, 0.2] * 5, False),
        ([0.5] * 10, [1.0, *[0.5] * 9], False),
    ],
)
def test_scores_have_moved_where_most_moved_one_way_and_far_enough(
    before: list[float], after: list[float], shifted: bool
) -> None:
    assert has_shifted(before, after) is shifted
