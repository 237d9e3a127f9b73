"""Who is whose counterpart: one to one, in order, or at all."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

Left = TypeVar("Left")
Right = TypeVar("Right")


def pairs(
    lefts: Sequence[Left], rights: Sequence[Right], fits: Callable[[Left, Right], bool]
) -> dict[int, int]:
    """A largest one-to-one matching, from index of left to index of right; earlier lefts are served first.

    Augmenting paths, breadth first (Berge 1957): unlike first come, first served, it gives up a pair where
    two fit.
    """
    edges = [[index for index, right in enumerate(rights) if fits(left, right)] for left in lefts]
    owner: dict[int, int] = {}
    partner: dict[int, int] = {}
    for start in range(len(edges)):
        came_from: dict[int, int] = {}
        end = _free_right(start, edges, owner, came_from)
        while end is not None:
            left = came_from[end]
            before = partner.get(left)
            owner[end], partner[left] = left, end
            end = before
    return partner


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


def _free_right(
    start: int, edges: Sequence[Sequence[int]], owner: dict[int, int], came_from: dict[int, int]
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
