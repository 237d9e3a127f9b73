"""`nodes`: the agent visits the graph's nodes in the expected partial order.

A node is visible when it emitted an event; its events in a row are one visit. An expected sequence is found
among the visits with any others between. The branches of a parallel group are all found after what stands
before the group and before what stands after it, interleaved in any way, each visit counting for one branch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import ClassVar, TypeAlias

from gate.frozen import frozen
from gate.model import Json
from gate.model.case import Expect, Nodes
from gate.model.derived import visits
from gate.model.trace import Exposed
from gate.score.items import ExpectMetric, Level
from gate.score.values import names


@frozen(kw_only=False)
class Step:
    """A node still to be visited, and the names of what comes before it; steps of one name are equal."""

    name: str
    after: tuple[str, ...] = field(default=(), compare=False, repr=False)


@frozen(kw_only=False)
class Fork:
    """Branches still to be followed, none of them empty; equal whatever their order."""

    branches: tuple["Steps", ...]


Steps: TypeAlias = tuple[Step | Fork, ...]


class NodeOrder(ExpectMetric):
    """1 where the partial order is found among the visits, else 0; to expect none is to expect no visit."""

    reads = ("nodes",)
    always = True
    needs: ClassVar[Exposed] = "nodes"

    def wants(self, expect: Expect) -> Json:
        return None if expect.nodes is None else _plain(expect.nodes)

    def measure(self, level: Level) -> tuple[float, str]:
        visited = visits(level.events)
        expected = level.expect.nodes or ()
        if not expected:
            reason = f"expected no node to be visited; visited: {names(visited)}" if visited else ""
            return (0.0 if reason or level.broken else 1.0), reason
        reason = unvisited(expected, visited)
        return (0.0 if reason else 1.0), reason


def unvisited(expected: Nodes, visited: Sequence[str]) -> str:
    """Which node of the partial order is not found among the visits, in words; "" where it is found whole.

    Keeps every set of steps that may remain. A visit that fits is always used: whatever could still be found
    without it can also be found with it, so only the choice between branches makes more than one possibility.
    """
    possible = {_steps(expected, ())[0]}
    for node in visited:
        possible = {rest for steps in possible for rest in (tuple(_after(steps, node)) or (steps,))}
        if () in possible:
            return ""
    rest = min(possible, key=lambda steps: (_size(steps), repr(steps)))
    return _explained(list(_heads(rest)), visited) if rest else ""


def _explained(missing: Sequence[Step], visited: Sequence[str]) -> str:
    after = tuple(dict.fromkeys(name for step in missing for name in step.after))
    lacking = tuple(dict.fromkeys(step.name for step in missing))
    verb = "was" if len(lacking) == 1 else "were"
    place = f" after {names(after)}" if after else ""
    seen = names(visited, most=20) if visited else "none"
    visible = "a node is visible when it emitted an event"
    return f"{names(lacking)} {verb} not visited{place} ({visible}); visited: {seen}"


def _steps(nodes: Nodes, after: tuple[str, ...]) -> tuple[Steps, tuple[str, ...]]:
    """The steps of a sequence that comes after the named nodes, and the names that it ends with."""
    steps: list[Step | Fork] = []
    for node in nodes:
        if isinstance(node, str):
            steps.append(Step(node, after))
            after = (node,)
        else:
            branches = [_steps(branch, after) for branch in node.branches]
            steps.extend(_fork([branch for branch, _ in branches]))
            after = tuple(name for _, ends in branches for name in ends) or after
    return tuple(steps), after


def _fork(branches: Sequence[Steps]) -> Steps:
    """One step that holds the branches: none where nothing remains, and in one order, so that equals meet."""
    left = sorted((branch for branch in branches if branch), key=repr)
    return (Fork(tuple(left)),) if left else ()


def _after(steps: Steps, node: str) -> Iterator[Steps]:
    """Yield what may remain of the steps when this visit is used for one of those that are due."""
    match steps:
        case (Step(name=name), *rest) if name == node:
            yield tuple(rest)
        case (Fork(branches=branches), *rest):
            for index, branch in enumerate(branches):
                for left in _after(branch, node):
                    yield (*_fork([*branches[:index], left, *branches[index + 1 :]]), *rest)
        case _:
            return


def _heads(steps: Steps) -> Iterator[Step]:
    match steps:
        case (Step() as step, *_):
            yield step
        case (Fork(branches=branches), *_):
            for branch in branches:
                yield from _heads(branch)
        case _:
            return


def _size(steps: Steps) -> int:
    return sum(1 if isinstance(step, Step) else sum(map(_size, step.branches)) for step in steps)


def _plain(nodes: Nodes) -> list[Json]:
    return [
        node if isinstance(node, str) else {"parallel": [_plain(branch) for branch in node.branches]}
        for node in nodes
    ]
