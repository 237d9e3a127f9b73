"""Two baselines become one without losing a run, whichever job was the slower one."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.compare.baseline import KEPT_RUNS, from_lines, to_lines
from gate.compare.joining import joined
from gate.model.baseline import Baseline, BaselineLine, BaselineRun
from tests.support.runs import samples


def a_baseline(*runs: int, cases: str = "a", key: str = "k") -> Baseline:
    """Runs of these days, in which each case passed once."""
    names = [f"r{day}" for day in runs]
    dated = tuple(
        BaselineRun(run=name, commit="c", date=f"2026-11-{day:02}T00:00:00+00:00")
        for name, day in zip(names, runs, strict=True)
    )
    lines = {
        (case, "calls"): BaselineLine(
            case=case, metric="calls", key=key, runs={name: samples([1]) for name in names}
        )
        for case in cases
    }
    return Baseline(runs=dated, lines=lines)


def shape(baseline: Baseline | None) -> Mapping[str, list[str]]:
    assert baseline
    assert from_lines(to_lines(baseline)) == baseline
    known = {run.run for run in baseline.runs}
    found = {case: sorted(line.runs) for (case, _), line in baseline.lines.items()}
    assert all(set(runs) <= known for runs in found.values())
    return found


def test_of_none_and_one_there_is_that_one() -> None:
    one = a_baseline(1)
    assert joined(None, one) == joined(one, None) == one
    assert joined(None, None) is None


def test_the_runs_of_both_are_there_once_by_their_dates() -> None:
    both = joined(a_baseline(1, 3), a_baseline(1, 2))
    assert both
    assert [run.run for run in both.runs] == ["r1", "r2", "r3"]
    assert shape(both) == {"a": ["r1", "r2", "r3"]}


@pytest.mark.parametrize("turned", [True, False])
def test_which_cases_and_keys_there_are_is_told_by_the_newest_run(*, turned: bool) -> None:
    old, new = a_baseline(1, cases="ab"), a_baseline(2, cases="bc")
    sides = (new, old) if turned else (old, new)
    assert shape(joined(*sides)) == {"b": ["r1", "r2"], "c": ["r2"]}
    changed = a_baseline(2, cases="b", key="other")
    assert shape(joined(old, changed)) == {"b": ["r2"]}


def test_the_last_ten_are_kept_whoever_has_them() -> None:
    both = joined(a_baseline(*range(1, 12, 2)), a_baseline(*range(2, 13, 2)))
    assert both
    assert [run.run for run in both.runs] == [f"r{day}" for day in range(3, 13)]
    assert len(shape(both)["a"]) == KEPT_RUNS


def test_a_line_whose_runs_are_all_too_old_leaves() -> None:
    assert shape(joined(a_baseline(*range(1, 11)), a_baseline(20)))["a"] == [
        *["r10"],
        "r2",
        "r20",
        *[f"r{day}" for day in range(3, 10)],
    ]


DAYS = st.lists(st.integers(1, 28), min_size=1, max_size=12, unique=True).map(sorted)


@given(DAYS, DAYS, DAYS)
def test_the_order_of_joining_does_not_matter(one: list[int], two: list[int], three: list[int]) -> None:
    a, b, c = a_baseline(*one), a_baseline(*two), a_baseline(*three)
    assert joined(joined(a, b), c) == joined(a, joined(c, b))
    assert shape(joined(a, b)) == shape(joined(b, a))
