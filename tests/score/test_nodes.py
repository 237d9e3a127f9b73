from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model.case import Expect, Nodes, Parallel
from gate.model.derived import visits
from gate.model.score import Unscored
from gate.model.trace import Crashed, Event
from gate.score.nodes import unvisited
from tests.score.made import at, case, metric, score, scored, trace, turn


def par(*branches: str | Nodes) -> Parallel:
    return Parallel(branches=tuple((each,) if isinstance(each, str) else each for each in branches))


SEEN = "(a node is visible when it emitted an event); visited"
FAN: Nodes = ("Router", par("Clean", "Enrich", "Match"), "Preview")


@pytest.mark.parametrize(
    ("expected", "visited", "found"),
    [
        (("A",), "A", True),
        (("A",), "", False),
        (("A", "B"), "AXB", True),
        (("A", "B"), "BA", False),
        (("A", "B", "A"), "ABXA", True),
        (("A", "A"), "A", False),
        (("A", par("B", "C"), "D"), "ABCD", True),
        (("A", par("B", "C"), "D"), "ACXBD", True),
        (("A", par("B", "C"), "D"), "ABDC", False),
        (("A", par("B", "C"), "D"), "BACD", False),
        ((par(("A", "B"), ("C", "D")),), "ACBD", True),
        ((par(("A", "B"), ("C", "D")),), "CDAB", True),
        ((par(("A", "B"), ("C", "D")),), "BACD", False),
        ((par("A", "A"),), "A", False),
        ((par("A", "A"),), "AA", True),
        # Whoever gives the first A to the first branch finds no A, B for the second one.
        ((par(("A", "C"), ("A", "B")),), "ABAC", True),
        ((par(("A", "C"), ("A", "B")),), "ACAB", True),
        ((par(("A", "B"), ("A", "C")),), "ABAC", True),
        ((par(("A", "B"), "B"),), "BAB", True),
        ((par("B", ("A", "B")),), "ABB", True),
        ((par(("A", par("B", "C")), "D"), "E"), "DACBE", True),
        ((par(("A", par("B", "C")), "D"), "E"), "ACBED", False),
        ((par((), "A"),), "A", True),
        (("A", par((), ()), "B"), "AB", True),
        ((par(),), "", True),
    ],
)
def test_a_partial_order_is_found_in_any_interleaving(expected: Nodes, visited: str, found: bool) -> None:
    assert (unvisited(expected, visited) == "") is found


@pytest.mark.parametrize("order", ["Clean Enrich Match", "Match Clean Enrich", "Enrich X Match Clean"])
def test_branches_that_join_may_come_in_any_order(order: str) -> None:
    visited = at("Router", *order.split(), "Preview")
    assert scored("nodes", case(Expect(nodes=FAN)), trace(turn(*visited))).value == 1


@pytest.mark.parametrize(
    ("expected", "visited", "reason"),
    [
        (
            ("Router", "VisionOCR", par("Clean", "Enrich"), "Preview"),
            "Router VisionOCR Clean Preview",
            f"`Enrich` was not visited after `VisionOCR` {SEEN}: `Router`, `VisionOCR`, `Clean`, `Preview`",
        ),
        (
            ("A", par("B", "C"), "D"),
            "A",
            f"`B`, `C` were not visited after `A` {SEEN}: `A`",
        ),
        (
            ("A", par("B", ("C", "E")), "D"),
            "A C E B",
            f"`D` was not visited after `B`, `E` {SEEN}: `A`, `C`, `E`, `B`",
        ),
        (("A",), "", f"`A` was not visited {SEEN}: none"),
        ((), "A", "expected no node to be visited; visited: `A`"),
    ],
)
def test_the_reason_names_the_node_and_what_it_comes_after(
    expected: Nodes, visited: str, reason: str
) -> None:
    assert scored("nodes", case(Expect(nodes=expected)), trace(turn(*at(*visited.split())))).reason == reason


def test_events_of_one_node_in_a_row_are_one_visit() -> None:
    events = [
        Event(turn=turn, node=node)
        for turn, node in [(0, "A"), (0, "A"), (0, ""), (0, "A"), (0, "B"), (1, "B")]
    ]
    assert visits(events) == ("A", "B", "B")


def test_a_turn_sees_its_own_visits_and_the_case_sees_all() -> None:
    of = case(Expect(nodes=("A",)), Expect(nodes=("A",)), whole=Expect(nodes=("A", "B")))
    found = scored("nodes", of, trace(turn(*at("A")), turn(*at("B"))))
    assert [item.value for item in found.items] == [1, 0, 1]


def test_a_turn_that_failed_shows_the_visits_that_it_made() -> None:
    broken = trace(turn(*at("A"), ended="failed"), outcome=Crashed(reason="HTTP 500"))
    found = scored("nodes", case(Expect(nodes=("A",))), broken)
    assert found.value == 1
    found = scored("nodes", case(Expect(nodes=("A", "B"))), broken)
    assert found.reason.endswith("visited: `A`; the turn failed: HTTP 500")
    nothing = trace(turn(ended="failed"), outcome=Crashed(reason="HTTP 500"))
    assert scored("nodes", case(Expect(nodes=())), nothing).value == 0
    assert scored("nodes", case(Expect(nodes=())), trace(turn())).value == 1


def test_nodes_that_are_not_exposed_are_not_scored() -> None:
    found = score("nodes", case(Expect(nodes=("A",))), trace(turn(), exposes=("text",)))
    assert isinstance(found, Unscored)
    assert found.cause == "not_exposed"


def test_the_expectation_is_plain_json() -> None:
    assert metric("nodes").expectation(case(Expect(nodes=FAN))) == {
        "turns": {"1": ["Router", {"parallel": [["Clean"], ["Enrich"], ["Match"]]}, "Preview"]}
    }


def interleavings(branches: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Every shuffle of the branches, by choosing who goes first."""
    left = [branch for branch in branches if branch]
    if not left:
        yield ()
    for index, branch in enumerate(left):
        for rest in interleavings([*left[:index], branch[1:], *left[index + 1 :]]):
            yield (branch[0], *rest)


@cache
def spellings(nodes: Nodes) -> frozenset[tuple[str, ...]]:
    """Every sequence that a partial order allows."""
    if not nodes:
        return frozenset({()})
    head, tails = nodes[0], spellings(nodes[1:])
    if isinstance(head, str):
        return frozenset((head, *tail) for tail in tails)
    heads = {way for chosen in _product(head.branches) for way in interleavings(chosen)}
    return frozenset(first + tail for first in heads for tail in tails)


def _product(branches: tuple[Nodes, ...]) -> Iterator[tuple[tuple[str, ...], ...]]:
    if not branches:
        yield ()
        return
    for first in spellings(branches[0]):
        for rest in _product(branches[1:]):
            yield (first, *rest)


NAMES = st.sampled_from("ABC")
FLAT = st.lists(NAMES, max_size=2).map(tuple)
INNER = st.lists(
    NAMES | st.lists(FLAT, max_size=2).map(lambda found: Parallel(branches=tuple(found))), max_size=2
)
ORDERS = (
    st.lists(
        NAMES | st.lists(INNER.map(tuple), max_size=3).map(lambda found: Parallel(branches=tuple(found))),
        min_size=1,
        max_size=3,
    )
    .map(tuple)
    .filter(lambda nodes: _leaves(nodes) <= 6)
)


def _leaves(nodes: Nodes) -> int:
    return sum(1 if isinstance(node, str) else sum(map(_leaves, node.branches)) for node in nodes)


@given(ORDERS, st.text("ABC", max_size=8))
def test_an_order_is_found_exactly_where_some_choice_of_visits_spells_it(
    expected: Nodes, visited: str
) -> None:
    allowed = spellings(expected)
    spelled = any(tuple(chosen) in allowed for chosen in combinations(visited, _leaves(expected)))
    assert (unvisited(expected, visited) == "") is spelled


@given(ORDERS, st.text("ABC", max_size=6), st.text("ABC", max_size=2))
def test_more_visits_never_take_away_what_was_found(expected: Nodes, visited: str, more: str) -> None:
    if not unvisited(expected, visited):
        assert not unvisited(expected, more + visited)
        assert not unvisited(expected, visited + more)


def test_many_alike_branches_and_many_visits_do_not_explode() -> None:
    branches = par(*[("A", "B", "C")] * 12)
    assert unvisited((branches,), "ABC" * 12) == ""
    assert unvisited((branches,), "ABC" * 11 + "AB" + "x" * 20_000) != ""
