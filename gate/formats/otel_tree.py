"""Spans to turns: which belong together, under which agent, and what is told about those that do not fit."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import Final

from gate.formats.otel_facts import Facts
from gate.formats.otel_messages import results_since, turn_text
from gate.frozen import frozen

_AGENTIC: Final = ("agent", "flow", "node")
_STEPS: Final = ("agent", "flow", "node", "model", "tool")


@frozen
class Step:
    """A span within a turn. `inside` names the tool that it ran in ("" for none).

    `model` is the place in the turn of the model's span around it, with no agent or tool between, -1 for
    none; `tool` that of the tool's span around it in the same way.
    """

    facts: Facts
    agent: str
    inside: str
    model: int = -1
    tool: int = -1


@frozen
class Group:
    """The spans of one turn, outer ones first; `top` is the agent's or workflow's own, if there is one."""

    conversation: str
    root: tuple[str, str]
    top: Facts | None
    steps: tuple[Step, ...] = field(default_factory=tuple)
    lost: bool = False
    """Whether a span of it may have been a step, and has lost what would say so."""

    @property
    def start_ns(self) -> int:
        """When it began."""
        return min((step.facts.span.start_ns for step in self.steps), default=0)


class Forest:
    """The spans of a file by their parents, each reached once whatever the file says of them."""

    def __init__(self, facts: Iterable[Facts]) -> None:
        self.facts: dict[tuple[str, str], Facts] = {each.span.key: each for each in facts}
        self.children: dict[tuple[str, str], list[Facts]] = {}
        self.without_parent: dict[tuple[str, str], list[Facts]] = {}
        """Spans whose parent is not in the file, by that parent."""
        self._roots: list[tuple[tuple[str, str], list[Facts]]] = []
        for each in self.facts.values():
            self._place(each)
        for parent, orphans in self.without_parent.items():
            self._roots.append((parent, orphans))
        self._break_cycles()

    def roots(self) -> Iterator[tuple[tuple[str, str], list[Facts]]]:
        """What has no parent here, in groups: spans of one missing parent belong together."""
        yield from self._roots

    def _place(self, each: Facts) -> None:
        parent = (each.span.trace, each.span.parent)
        if not each.span.parent:
            self._roots.append((each.span.key, [each]))
        elif parent in self.facts:
            self.children.setdefault(parent, []).append(each)
        else:
            self.without_parent.setdefault(parent, []).append(each)

    def _break_cycles(self) -> None:
        """Make a root of one span of each ring of parents."""
        seen: set[tuple[str, str]] = set()
        for _, group in self._roots:
            self._reach(group, seen)
        for key, each in self.facts.items():
            if key not in seen:
                self.children[key[0], each.span.parent].remove(each)
                self._roots.append((key, [each]))
                self._reach([each], seen)

    def _reach(self, group: Sequence[Facts], seen: set[tuple[str, str]]) -> None:
        todo = list(group)
        while todo:
            each = todo.pop()
            if each.span.key not in seen:
                seen.add(each.span.key)
                todo += self.children.get(each.span.key, ())


@frozen
class _Visit:
    facts: Facts
    agent: str = ""
    inside: str = ""
    group: int = -1
    model: int = -1
    tool: int = -1


def groups(forest: Forest) -> list[Group]:
    """The turns of all traces, those of a conversation in order of time."""
    found = [group for root, tops in forest.roots() for group in _of_root(forest, root, tops)]
    return _joined(sorted(found, key=lambda group: group.start_ns))


def _of_root(forest: Forest, root: tuple[str, str], tops: Sequence[Facts]) -> list[Group]:
    steps: list[list[Step]] = [[]]  # the first holds what is in no agent's span
    heads: list[Facts | None] = [None]
    lost = False
    todo = [_Visit(facts=each) for each in _by_time(tops)]
    while todo:
        visit = todo.pop()
        facts = visit.facts
        if facts.kind in _AGENTIC and visit.group < 0 and not visit.inside:
            heads.append(facts)
            steps.append([])
            visit = replace(visit, group=len(heads) - 1)
        place = max(visit.group, 0)
        lost |= facts.kind == "other" and facts.span.lost
        if facts.kind in _STEPS:
            agent = facts.agent or visit.agent
            if facts.kind in _AGENTIC and facts.name:
                agent = facts.name
            step = Step(facts=facts, agent=agent, inside=visit.inside, model=visit.model, tool=visit.tool)
            steps[place].append(step)
            visit = _within(visit, step, len(steps[place]) - 1)
        todo += (replace(visit, facts=child) for child in _by_time(forest.children.get(facts.span.key, ())))
    return [replace(group, lost=lost) for group in _grouped(root, heads, steps)]


def _by_time(facts: Iterable[Facts]) -> list[Facts]:
    """Latest first, for a stack."""
    return sorted(facts, key=lambda each: each.span.start_ns, reverse=True)


def _within(visit: _Visit, step: Step, place: int) -> _Visit:
    """What holds for the spans below a step."""
    match step.facts.kind:
        case "model":
            return replace(visit, agent=step.agent, model=place, tool=-1)
        case "tool":
            inside = visit.inside or step.facts.name
            return replace(visit, agent=step.agent, inside=inside, model=-1, tool=place)
        case _:
            return replace(visit, agent=step.agent, model=-1, tool=-1)


def _grouped(
    root: tuple[str, str], heads: Sequence[Facts | None], steps: Sequence[Sequence[Step]]
) -> Iterator[Group]:
    loose = [step for step in steps[0] if step.facts.kind in ("model", "tool")]
    names = {step.facts.conversation for held in steps for step in held if step.facts.conversation}
    known = names.pop() if len(names) == 1 else ""
    if loose and len(heads) == 2:  # noqa: PLR2004 - one agent, and what ran beside it
        yield _group(root, heads[1], [*steps[1], *_moved(steps[0], len(steps[1]))], known)
        return
    for head, held in zip(heads, steps, strict=True):
        if (head is not None and held) or (head is None and loose):
            yield _group(root, head, held, known)


def _moved(steps: Sequence[Step], by: int) -> Iterator[Step]:
    """Steps at the end of other steps."""
    for step in steps:
        yield replace(
            step,
            model=step.model + by if step.model >= 0 else -1,
            tool=step.tool + by if step.tool >= 0 else -1,
        )


def _group(root: tuple[str, str], top: Facts | None, steps: Sequence[Step], known: str) -> Group:
    """A turn; `known` is its conversation where no span of its own names one."""
    own = next((step.facts.conversation for step in steps if step.facts.conversation), "")
    return Group(conversation=own or known or root[0], root=root, top=top, steps=tuple(steps))


def _joined(found: Sequence[Group]) -> list[Group]:
    """Turns, of which one goes on where the next begins with a tool's result or with the same question."""
    chains: list[list[Group]] = []
    last: dict[str, tuple[list[Group], _Opening]] = {}
    for group in found:
        opening = _opening(group)
        chain, begun = last.get(group.conversation, (None, opening))
        if chain is not None and _goes_on(chain[0], begun, group, opening):
            chain.append(group)
        else:
            chain = [group]
            last[group.conversation] = chain, opening
            chains.append(chain)
    return [_chained(chain) for chain in chains]


def _chained(chain: Sequence[Group]) -> Group:
    if len(chain) == 1:
        return chain[0]
    steps: list[Step] = []
    for group in chain:
        steps += list(_moved(group.steps, len(steps)))
    return replace(chain[0], steps=tuple(steps))


@frozen
class _Opening:
    """What a turn's first model call was given: the question, how many there were, if results of tools."""

    asked: str
    questions: int
    has_results: bool


def _opening(group: Group) -> _Opening:
    models = [step.facts for step in group.steps if step.facts.kind == "model" and step.facts.inputs]
    first = min(models, key=lambda facts: facts.span.start_ns, default=None)
    given = (first.inputs if first else None) or ()
    return _Opening(
        asked=turn_text(given),
        questions=sum(message.role == "user" for message in given),
        has_results=bool(results_since(given)),
    )


def _goes_on(before: Group, begun: _Opening, group: Group, opening: _Opening) -> bool:
    if group.top is None and opening.has_results:
        return True
    same = (begun.asked, begun.questions) == (opening.asked, opening.questions)
    return bool(opening.asked) and same and before.root == group.root


def attribute_of(steps: Iterable[Step], name: str) -> str:
    """The first value that a span, or what it ran on, has under this name, as text."""
    for step in steps:
        for held in (step.facts.span.attributes, step.facts.span.resource):
            value = held.get(name)
            if isinstance(value, str | int) and value != "":
                return str(value)
    return ""
