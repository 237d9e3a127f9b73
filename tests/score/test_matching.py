from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.score.matching import pairs, subsequence

EDGES = st.lists(st.sets(st.integers(0, 4), max_size=5), max_size=5)


def test_a_pair_is_given_up_where_both_fit() -> None:
    assert pairs(["any", "only_b"], ["b", "a"], lambda want, got: want == "any" or got == "b") == {0: 1, 1: 0}


@given(EDGES)
def test_the_matching_is_one_to_one_and_as_large_as_can_be(edges: list[set[int]]) -> None:
    found = pairs(edges, range(5), lambda edge, right: right in edge)
    assert len(set(found.values())) == len(found)
    assert all(right in edges[left] for left, right in found.items())
    best = max(
        (
            size
            for size in range(len(edges) + 1)
            if any(_perfect(chosen) for chosen in combinations(edges, size))
        ),
        default=0,
    )
    assert len(found) == best


def _perfect(edges: tuple[set[int], ...]) -> bool:
    return any(
        all(r in e for e, r in zip(edges, way, strict=True)) for way in permutations(range(5), len(edges))
    )


def test_a_thousand_lefts_need_no_deep_stack() -> None:
    size = 1100
    found = pairs(range(size), range(size), lambda left, right: right in {left, left + 1, size - 1 - left})
    assert len(found) == size


@pytest.mark.parametrize(
    ("lefts", "rights", "length"),
    [("", "", 0), ("", "abc", 0), ("ac", "abc", 2), ("ca", "abc", 1), ("aa", "a", 1), ("abc", "", 0)],
)
def test_a_subsequence_is_found_as_far_as_it_goes(lefts: str, rights: str, length: int) -> None:
    assert len(subsequence(lefts, rights, str.__eq__)) == length


@given(st.text("abc", max_size=6), st.text("abc", max_size=8))
def test_a_subsequence_is_whole_where_any_choice_of_positions_spells_it(lefts: str, rights: str) -> None:
    spelled = any("".join(chosen) == lefts for chosen in combinations(rights, len(lefts)))
    assert (len(subsequence(lefts, rights, str.__eq__)) == len(lefts)) is spelled
