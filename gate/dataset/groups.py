"""Cases that belong together: they share a database, so they run as one unit, dependencies first."""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import replace

from gate.documents.messages import did_you_mean
from gate.model.case import Case
from gate.model.finding import Finding


def grouped(cases: Sequence[Case]) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Set the group of every case, and put each group together where its first case stands.

    A group is a connected component over `depends_on` and over the shared cases of a file; its name is the id
    of the case that runs first. Within it the order of the files stays, but dependencies come first.
    Unknown ids and cycles are findings.
    """
    ids = {case.id: index for index, case in enumerate(cases)}
    needs = [[ids[name] for name in case.depends_on if name in ids] for case in cases]
    unknown = [_unknown(case, name, ids) for case in cases for name in case.depends_on if name not in ids]
    ordered: list[Case] = []
    cycles: list[Finding] = []
    for members in _components(cases, needs):
        alone = len(members) == 1 and not needs[members[0]] and cases[members[0]].isolation == "own"
        if alone:
            ordered.append(cases[members[0]])
            continue
        run, found = _order(members, needs)
        group = cases[run[0]].id
        ordered += [replace(cases[index], group=group) for index in run]
        cycles += [_cycle([cases[index] for index in cycle]) for cycle in found]
    return tuple(ordered), (*unknown, *cycles)


def _components(cases: Sequence[Case], needs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Connected indices, each component and all of them in the order of their first case."""
    root = list(range(len(cases)))

    def find(index: int) -> int:
        while root[index] != index:
            root[index] = root[root[index]]
            index = root[index]
        return index

    def join(one: int, other: int) -> None:
        low, high = sorted((find(one), find(other)))
        root[high] = low

    sharing: dict[str, int] = {}
    for index, case in enumerate(cases):
        for needed in needs[index]:
            join(index, needed)
        if case.isolation == "shared":
            join(index, sharing.setdefault(case.place.file, index))
    members: dict[int, list[int]] = {}
    for index in range(len(cases)):
        members.setdefault(find(index), []).append(index)
    return list(members.values())


def _order(members: Sequence[int], needs: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """The members with dependencies first, and each cycle that was cut (at its first case) to get there."""
    waits = {index: set(needs[index]) for index in members}
    dependents: dict[int, list[int]] = {index: [] for index in members}
    for index in members:
        for needed in waits[index]:
            dependents[needed].append(index)
    ready = [index for index in members if not waits[index]]
    order: list[int] = []
    cycles: list[list[int]] = []
    while len(order) < len(members):
        if not ready:
            cycles.append(_a_cycle(waits))
            waits[cycles[-1][0]].clear()
            ready = [cycles[-1][0]]
        index = heapq.heappop(ready)
        order.append(index)
        del waits[index]
        for dependent in dependents[index]:
            if dependent in waits:
                waits[dependent].discard(index)
                if not waits[dependent]:
                    heapq.heappush(ready, dependent)
    return order, cycles


def _a_cycle(waits: dict[int, set[int]]) -> list[int]:
    """Some cycle among cases that all wait for one another, from its first case on."""
    walked: dict[int, None] = {}
    index = min(waits)
    while index not in walked:
        walked[index] = None
        index = min(waits[index])
    path = list(walked)
    cycle = path[path.index(index) :]
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


def _unknown(case: Case, name: str, ids: Iterable[str]) -> Finding:
    return Finding.error(
        "depends-on-unknown",
        case.place,
        f"case {case.id!r} depends on {name!r}, and there is no such case{did_you_mean(name, ids)}",
        why="A case runs after those that it depends on, in the same unit.",
        fix="Correct `depends_on`, or let `dataset:` match the file that has the case.",
    )


def _cycle(cases: Sequence[Case]) -> Finding:
    names = " → ".join(case.id for case in (*cases, cases[0]))
    return Finding.error(
        "depends-on-cycle",
        cases[0].place,
        f"these cases wait for each other: {names}",
        why="None of them could ever be the first to run.",
        fix="Remove one `depends_on`.",
    )
