"""Who is whose counterpart: one to one, in order, or at all."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Left = TypeVar("Left")
Right = TypeVar("Right")


def pairs(
    lefts: Sequence[Left], rights: Sequence[Right], fits: Callable[[Left, Right], bool]
) -> dict[int, int]:
    """A largest one-to-one matching, from index of left to index of right; earlier lefts are served first.

    Augmenting paths, breadth first (Berge 1957): unlike first come, first served, it gives up a pair where
    two fit. What stands at the same place is tried first, since most sequences are as they should be.
    """
    edges = _Edges(lefts, rights, fits)
    owner: dict[int, int] = {}
    partner: dict[int, int] = {}
    for start, left in enumerate(lefts):
        if start < len(rights) and start not in owner and fits(left, rights[start]):
            owner[start] = partner[start] = start
            continue
        came_from: dict[int, int] = {}
        end = _free_right(start, edges, owner, came_from)
        while end is not None:
            mate = came_from[end]
            before = partner.get(mate)
            owner[end], partner[mate] = mate, end
            end = before
    return partner


def first_unserved(
    lefts: Sequence[Left], rights: Sequence[Right], fits: Callable[[Left, Right], bool]
) -> int | None:
    """The first left that goes without where each takes the first right that fits; None where none does."""
    free = list(rights)
    for index, left in enumerate(lefts):
        found = next((place for place, right in enumerate(free) if fits(left, right)), None)
        if found is None:
            return index
        del free[found]
    return None


def subsequence(
    lefts: Sequence[Left], rights: Sequence[Right], fits: Callable[[Left, Right], bool]
) -> dict[int, int]:
    """The longest beginning of `lefts` that is found in order among `rights`, as index to index."""
    found: dict[int, int] = {}
    for index, right in enumerate(rights):
        if len(found) == len(lefts):
            break
        if fits(lefts[len(found)], right):
            found[len(found)] = index
    return found


class _Edges(Generic[Left, Right]):
    """The rights that fit a left, by index, found when they are asked for."""

    def __init__(
        self, lefts: Sequence[Left], rights: Sequence[Right], fits: Callable[[Left, Right], bool]
    ) -> None:
        self._lefts, self._rights, self._fits = lefts, rights, fits
        self._known: dict[int, list[int]] = {}

    def __getitem__(self, left: int) -> list[int]:
        if left not in self._known:
            wanted = self._lefts[left]
            self._known[left] = [n for n, right in enumerate(self._rights) if self._fits(wanted, right)]
        return self._known[left]


def _free_right(
    start: int, edges: _Edges[Left, Right], owner: dict[int, int], came_from: dict[int, int]
) -> int | None:
    queue = deque([start])
    while queue:
        left = queue.popleft()
        for right in edges[left]:
            if right in came_from:
                continue
            came_from[right] = left
            if right not in owner:
                return right
            queue.append(owner[right])
    return None
