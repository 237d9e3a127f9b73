"""Each aggregate against an oracle: numpy, scipy, or every way to choose."""

from itertools import combinations
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

from gate.compare.aggregate import Fold, fold_of, pass_k, percentile
from gate.compare.values import baseline_value, measure
from gate.model.baseline import BaselineLine, Value
from gate.model.config import Aggregate
from tests.support.runs import LATENCY, a_case, a_metric, a_rule, value

numbers = st.floats(0, 1000, allow_nan=False)
column = st.lists(numbers, min_size=1, max_size=6)
columns = st.lists(column, min_size=1, max_size=6)
CALLS = a_metric()


@given(columns)
def test_the_mean_is_that_of_numpy_over_cases_of_each_over_trials(given_: list[list[float]]) -> None:
    assert Fold().of(given_) == pytest.approx(np.mean([np.mean(one) for one in given_]))


@given(columns)
def test_the_least_and_the_greatest_are_those_of_all_trials(given_: list[list[float]]) -> None:
    flat = np.concatenate(given_)
    assert (Fold(kind="min").of(given_), Fold(kind="max").of(given_)) == (flat.min(), flat.max())


@given(
    st.lists(
        st.sampled_from([1, 2, 4]).flatmap(lambda n: st.lists(numbers, min_size=n, max_size=n)), min_size=1
    ),
    st.sampled_from([25, 50, 75]),
)
def test_a_percentile_is_numpys_inverted_cdf_with_equal_weights_for_cases(
    given_: list[list[float]], q: int
) -> None:
    weights = np.concatenate([np.full(len(one), 1 / len(one)) for one in given_])
    theirs = np.percentile(np.concatenate(given_), q, weights=weights, method="inverted_cdf")
    assert percentile(given_, q) == theirs


@pytest.mark.parametrize(
    ("values", "q", "expected"),
    [
        (range(1, 101), 95, 95),
        (range(1, 101), 50, 50),
        (range(1, 21), 95, 19),
        (range(1, 11), 95, 10),
        ([5], 1, 5),
        ([5, 7], 50, 5),
        ([5, 7], 51, 7),
        ([1, 2, 3], 99, 3),
        ([1, inf], 99, inf),
    ],
)
def test_a_percentile_is_a_value_that_was_measured(values: Any, q: int, expected: float) -> None:
    assert percentile([[float(one)] for one in values], q) == expected
    assert percentile([[float(one) for one in values]], q) == expected


def test_a_case_weighs_the_same_in_a_percentile_however_many_trials_it_has() -> None:
    assert percentile([[1.0] * 30, [9.0]], 50) == 1
    assert percentile([[1.0] * 30, [9.0]], 51) == 9


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_k_is_the_share_of_choices_of_k_trials_that_all_pass(drawn: tuple[int, int, int]) -> None:
    trials, passed, k = drawn
    results = [1.0] * passed + [0.0] * (trials - passed)
    chosen = [all(choice) for choice in combinations(results, k)]
    assert pass_k(results, k) == pytest.approx(sum(chosen) / len(chosen))
    assert pass_k(results, k) == pytest.approx(hypergeom(trials, passed, k).pmf(k))


# scipy's pmf overflows for the least floats that there are
@given(st.integers(1, 10), st.just(0.0) | st.floats(1e-12, 1), st.data())
def test_pass_k_has_no_bias(trials: int, p: float, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, trials))
    estimates = [pass_k([1.0] * c + [0.0] * (trials - c), k) or 0.0 for c in range(trials + 1)]
    expected = sum(binom.pmf(c, trials, p) * estimate for c, estimate in enumerate(estimates))
    assert expected == pytest.approx(p**k, abs=1e-9)


def test_a_case_of_too_few_trials_has_no_pass_k() -> None:
    fold = Fold(kind="pass_k", number=3)
    assert fold.of([[1.0, 1.0]]) is None
    assert fold.of([[1.0, 1.0], [1.0, 1.0, 0.0, 1.0]]) == pytest.approx(1 / 4)
    assert fold.of([[1.0, 1.0], [1.0, 1.0, 1.0]], short=0.0) == 0.5


@pytest.mark.parametrize("kind", ["mean", "min", "max", "percentile", "pass_rate", "pass_k"])
def test_of_nothing_there_is_no_number(kind: Aggregate) -> None:
    assert Fold(kind=kind, number=2).of([]) is None


@pytest.mark.parametrize(
    ("metric", "rule", "sample", "number"),
    [
        (CALLS, {"aggregate": "pass_rate"}, value(1.0), 1),
        (CALLS, {"aggregate": "pass_rate"}, value(0.9, 0.5), 0),
        (CALLS, {"aggregate": "pass_rate", "at": 0.5}, value(0.9, 0.5), 1),
        (CALLS, {"aggregate": "pass_rate", "at": 0.6}, value(0.9, 0.5), 0),
        (a_metric(pass_at=0.3), {"aggregate": "pass_k", "number": 2}, value(0.3), 1),
        (a_metric(pass_at=None), {"aggregate": "pass_rate"}, value(0.99), 0),
        (LATENCY, {"aggregate": "pass_rate", "at": 200}, value(200), 1),
        (LATENCY, {"aggregate": "pass_rate", "at": 200}, value(201), 0),
        (LATENCY, {"aggregate": "pass_rate"}, value(1), 0),
        (CALLS, {}, value(0.9, 0.5), 0.9),
        (CALLS, {"aggregate": "min"}, value(0.9, 0.5), 0.9),
    ],
)
def test_a_trial_passes_where_its_worst_item_does_or_its_measure_is_low_enough(
    metric: Any, rule: dict[str, Any], sample: Value, number: float
) -> None:
    assert fold_of(a_rule(metric.name, **rule), metric).number_of(sample) == number


KINDS = [
    Fold(),
    Fold(kind="min"),
    Fold(kind="max"),
    Fold(kind="percentile", number=50),
    Fold(kind="percentile", number=95),
    Fold(kind="pass_rate", at=1.0),
    Fold(kind="pass_k", number=2, at=1.0),
]
tri = st.lists(st.sampled_from([0.0, 1.0, "throttled"]), min_size=1, max_size=4)


@given(st.lists(tri, min_size=1, max_size=4), st.sampled_from(KINDS), st.data())
def test_the_bounds_hold_whatever_the_unmeasured_trials_would_have_been(
    given_: list[list[float | str]], fold: Fold, data: st.DataObject
) -> None:
    cases = [a_case(f"c{number}", calls=one) for number, one in enumerate(given_)]
    found = measure(cases, CALLS, fold)
    filled = [
        [float(one) if not isinstance(one, str) else data.draw(st.sampled_from([0.0, 1.0])) for one in each]
        for each in given_
    ]
    whole = measure([a_case(f"c{number}", calls=one) for number, one in enumerate(filled)], CALLS, fold)
    assert found.low is not None
    assert found.high is not None
    for number in (found.value, whole.value):
        if number is not None and not found.short:
            assert found.low - 1e-9 <= number <= found.high + 1e-9
    every = all(not isinstance(one, str) for each in given_ for one in each)
    if every and not found.short:
        assert found.low == found.high == found.value


def test_what_a_case_of_too_few_measured_trials_has_failed_already_bounds_the_number() -> None:
    cases = [a_case("a", calls=[0, "judge"]), a_case("b", calls=[1, 1])]
    found = measure(cases, CALLS, Fold(kind="pass_k", number=2, at=1.0))
    assert (found.low, found.value, found.high, found.measured) == (0.5, 0.5, 0.5, 1)


def test_how_many_cases_a_number_is_from_is_counted() -> None:
    cases = [
        a_case("a", calls=[1, 1]),
        a_case("b", calls=[1, "judge"]),
        a_case("c", calls=["crashed", "judge"]),
    ]
    rate = measure(cases, CALLS, Fold(kind="pass_rate", at=1.0))
    twice = measure(cases, CALLS, Fold(kind="pass_k", number=2, at=1.0))
    thrice = measure(cases, CALLS, Fold(kind="pass_k", number=3, at=1.0))
    assert (rate.cases, rate.measured, rate.trials, dict(rate.unscored)) == (
        3,
        2,
        6,
        {"judge": 2, "crashed": 1},
    )
    assert (twice.measured, twice.short, thrice.measured, thrice.short) == (1, 0, 0, 3)


def line(case: str, **runs: list[float]) -> BaselineLine:
    samples = {run: tuple(value(one) for one in given_) for run, given_ in runs.items()}
    return BaselineLine(case=case, metric="calls", key="k", runs=samples)


@pytest.mark.parametrize(
    ("fold", "expected"),
    [
        (Fold(), ((0.2 + 0.8 + 1) / 3 + (0.6 + 0.4) / 2) / 2),
        (Fold(kind="pass_rate", at=0.5), (2 / 3 + 1 / 2) / 2),
        (Fold(kind="pass_k", number=2, at=0.5), (1 / 3 + 0) / 2),
        (Fold(kind="percentile", number=50), 0.6),
        (Fold(kind="min"), (0.2 + 0.4) / 2),
        (Fold(kind="max"), (0.8 + 1.0) / 2),
    ],
)
def test_the_baseline_is_folded_as_a_run_is_and_extremes_run_by_run(fold: Fold, expected: float) -> None:
    lines = [line("a", r1=[0.2, 0.8], r2=[1.0]), line("b", r1=[0.6], r2=[0.4])]
    assert baseline_value(lines, fold) == pytest.approx(expected)


def test_the_extremes_are_of_runs_that_have_every_case() -> None:
    lines = [line("a", r1=[0.0], r2=[0.8]), line("b", r2=[0.9])]
    assert baseline_value(lines, Fold(kind="min")) == 0.8
    assert baseline_value([line("a", r1=[0.0]), line("b", r2=[0.9])], Fold(kind="min")) is None
    assert baseline_value([], Fold(kind="min")) is None
