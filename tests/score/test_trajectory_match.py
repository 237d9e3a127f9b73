from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import BadInput
from gate.model.case import Case, Expect
from gate.model.score import Unscored
from gate.model.trace import Call, Crashed, Event
from gate.score.trajectory_match import WAYS
from tests.score.made import called, case, expected, metric, said, score, scored, trace, turn

MODES = ("strict", "unordered", "subset", "superset")
A, B, AB = {"a": 1}, {"b": 2}, {"a": 1, "b": 2}


def of(*calls: Any) -> Case:
    return case(Expect(calls=expected(*calls)))


def values(reference: Any, made: Any, **options: Any) -> tuple[float, ...]:
    """The value in each mode; each call made is a message of its own."""
    recorded = trace(turn(*(called(call) for call in made)))
    return tuple(
        scored(metric("trajectory_match", mode=mode, **options), of(*reference), recorded).value
        for mode in MODES
    )


@pytest.mark.parametrize("conformant", [False, True])
@pytest.mark.parametrize(
    ("reference", "made", "found"),
    [
        # strict, unordered, subset, superset: as they were seen to be of agentevals 0.0.9
        ("", "", (1, 1, 1, 1)),
        ("f", "", (0, 0, 1, 0)),
        ("", "f", (0, 0, 0, 1)),
        ("f", "f", (1, 1, 1, 1)),
        ("f", "ff", (0, 0, 0, 1)),
        ("ff", "f", (0, 0, 1, 0)),
        ("fg", "gf", (0, 1, 1, 1)),
        ("fg", "fh", (0, 0, 0, 0)),
    ],
)
def test_calls_are_compared_in_each_mode(
    reference: str, made: str, found: tuple[float, ...], *, conformant: bool
) -> None:
    assert values(reference, made, conformant=conformant) == found


@pytest.mark.parametrize(
    ("args", "best", "conformant"),
    [
        ("exact", (0, 0, 0, 0), (0, 0, 0, 0)),
        ("ignore", (1, 1, 1, 1), (1, 1, 1, 1)),
        ("subset", (0, 0, 0, 0), (0, 0, 1, 0)),
        ("superset", (1, 1, 1, 1), (1, 0, 0, 1)),
    ],
)
def test_an_argument_beyond_those_expected_is_a_superset_in_every_mode_but_not_for_agentevals(
    args: str, best: tuple[float, ...], conformant: tuple[float, ...]
) -> None:
    assert values([("f", A)], [("f", AB)], args=args) == best
    assert values([("f", A)], [("f", AB)], args=args, conformant=True) == conformant


def test_a_call_gives_up_its_counterpart_where_both_fit_only_so() -> None:
    reference, made = [("f", A), ("f", AB)], [("f", AB), ("f", A)]
    assert values(reference, made, args="superset") == (0, 1, 1, 1)
    assert values(reference, made, args="superset", conformant=True) == (0, 0, 1, 0)


@pytest.mark.parametrize("mode", MODES)
def test_numbers_compare_as_numbers_and_true_is_none(mode: str) -> None:
    subject = metric("trajectory_match", mode=mode)
    made = trace(turn(called(("f", {"n": 1.0, "deep": [{"m": 2}]}))))
    assert scored(subject, of(("f", {"n": 1, "deep": [{"m": 2.0}]})), made).value == 1
    assert scored(subject, of(("f", {"n": True, "deep": [{"m": 2}]})), made).value == 0
    assert scored(subject, of(("f", {"n": "1", "deep": [{"m": 2}]})), made).value == 0
    theirs = metric("trajectory_match", mode=mode, conformant=True)
    assert scored(theirs, of(("f", {"n": True, "deep": [{"m": 2}]})), made).value == 1


@pytest.mark.parametrize(
    ("tools", "made", "value"),
    [
        ({}, {"city": "London", "unit": "C"}, 0),
        ({"f": "superset"}, {"city": "London", "unit": "C", "q": 1}, 0),
        ({"f": {"args": "ignore"}}, {}, 1),
        ({"f": "ignore"}, {}, 1),
        ({"f": {"args": "subset"}}, {"city": "London"}, 1),
        ({"f": {"args": ["city"]}}, {"city": "London", "unit": "C"}, 1),
        ({"f": ["city"]}, {"city": "London", "unit": "C"}, 1),
        ({"f": ["city", "unit"]}, {"city": "London", "unit": "C"}, 0),
        ({"f": ["where.zip"]}, {"city": "Paris", "where": {"zip": 8, "floor": 2}}, 1),
        ({"f": ["where.zip"]}, {"where": {"zip": 9}}, 0),
        ({"f": ["where.zip"]}, {"where": None}, 0),
        ({"f": ["of.no.call"]}, {}, 1),
        ({"g": "ignore"}, {"city": "London", "unit": "C"}, 0),
    ],
)
def test_a_tool_has_a_way_of_its_own(tools: Mapping[str, Any], made: Mapping[str, Any], value: float) -> None:
    reference = {"city": "London", "unit": "F", "where": {"zip": 8}}
    found = {
        scored(
            metric("trajectory_match", tools=tools, conformant=conformant), of(("f", reference)), each
        ).value
        for conformant in (False, True)
        for each in [trace(turn(called(("f", made))))]
    }
    assert found == {value}


def test_a_missing_argument_is_no_null() -> None:
    made = trace(turn(called(("f", {}))))
    wanted = of(("f", {"city": None}))
    assert scored(metric("trajectory_match", tools={"f": ["city"]}), wanted, made).value == 0
    theirs = metric("trajectory_match", tools={"f": ["city"]}, conformant=True)
    assert scored(theirs, wanted, made).value == 1


@pytest.mark.parametrize("conformant", [False, True])
def test_arguments_that_are_not_written_do_not_matter(*, conformant: bool) -> None:
    assert values("f", [("f", AB)], conformant=conformant) == (1, 1, 1, 1)


def test_calls_that_are_made_side_by_side_may_come_in_any_order() -> None:
    wanted = of(("f", A), ("f", B), "g")
    for conformant in (False, True):
        subject = metric("trajectory_match", conformant=conformant)
        assert scored(subject, wanted, trace(turn(called(("f", B), ("f", A)), called("g")))).value == 1
        assert (
            scored(subject, wanted, trace(turn(called(("f", B)), called(("f", A)), called("g")))).value == 0
        )
        assert scored(subject, wanted, trace(turn(called(("f", B), "g"), called(("f", A))))).value == 0


@pytest.mark.parametrize(
    ("options", "reference", "made", "reason"),
    [
        (
            {},
            [("f", {"city": "London"})],
            [("f", {"city": "Paris"})],
            'call 1: `f` was called with city = "Paris"; expected "London"',
        ),
        ({}, "fg", "gf", "call 1: expected a call of `f`; the agent called `g`"),
        ({}, "ff", "f", "expected another call of `f`; the agent called `f`"),
        ({}, "f", "fg", "call 2: called beyond what is expected: `g`"),
        ({}, "f", "", "expected a call of `f`; the agent called no tool"),
        (
            {"mode": "unordered"},
            [("f", A), ("g", B)],
            [("g", {"b": 3}), ("f", A)],
            "`g` was called with b = 3; expected 2",
        ),
        ({"mode": "unordered"}, "f", "fg", "called beyond what is expected: `g`"),
        ({"mode": "superset"}, "fg", "f", "expected a call of `g`; the agent called `f`"),
        (
            {"mode": "superset", "args": "superset"},
            [("f", AB)],
            [("f", {"b": 3})],
            "`f` was called without a; expected 1 and with b = 3; expected 2",
        ),
        (
            {"mode": "subset", "args": "subset"},
            [("f", A)],
            [("f", AB)],
            "`f` was called with b = 2, which is not expected",
        ),
        ({"mode": "subset"}, "f", "fgg", "called beyond what is expected: `g` 2 times"),
        (
            {"mode": "subset"},
            [("f", {"city": "London"}), "g"],
            ["h", ("f", {"city": "Paris"})],
            '`f` was called with city = "Paris"; expected "London"; called beyond what is expected: `h`',
        ),
        (
            {"tools": {"f": ["where.zip"]}},
            [("f", {"where": {"zip": 8}})],
            [("f", {"where": {"zip": 9}})],
            "call 1: `f` was called with where.zip = 9; expected 8",
        ),
        # agentevals names none of these
        (
            {"conformant": True, "mode": "subset", "args": "superset"},
            [("f", A)],
            [("f", AB)],
            "`f` was called with b = 2, which is not expected",
        ),
        (
            {"conformant": True, "mode": "superset"},
            [("f", A), ("f", A)],
            [("f", A)],
            'expected another call of `f {"a": 1}`; the agent called `f`',
        ),
        (
            {"conformant": True},
            [("f", A)],
            [("f", B)],
            "message 1: `f` was called without a; expected 1 and with b = 2, which is not expected",
        ),
        ({"conformant": True}, "f", "fg", "call 2: called beyond what is expected: `g`"),
        ({"conformant": True}, "fg", "f", "expected a call of `g`; the agent called `f`"),
        ({"conformant": True, "mode": "unordered"}, "f", "ff", "called beyond what is expected: `f`"),
    ],
)
def test_a_reason_names_the_call_and_the_argument(
    options: Mapping[str, Any], reference: Any, made: Any, reason: str
) -> None:
    found = scored(
        metric("trajectory_match", **options), of(*reference), trace(turn(*(called(call) for call in made)))
    )
    assert (found.value, found.reason) == (0, reason)


UNREADABLE = "the arguments of `f` could not be read (not JSON: {), so that nobody knows whether they match"


@pytest.mark.parametrize(
    ("options", "reference", "made", "value"),
    [
        ({}, [("f", A)], [("f", None)], None),
        ({"mode": "subset"}, [("f", A)], [("f", None)], None),
        ({"mode": "superset"}, [("f", A)], [("f", None)], None),
        ({"mode": "superset"}, [("f", A)], [("f", None), ("f", A)], 1),
        ({"mode": "superset"}, [("f", A), ("g", A)], [("f", None)], 0),
        ({"mode": "unordered"}, [("f", A)], [("f", None), ("f", A)], 0),
        ({"args": "ignore"}, [("f", A)], [("f", None)], 1),
        ({}, "f", [("f", None)], 1),
        ({}, "g", [("f", None)], 0),
        ({"tools": {"f": ["a"]}}, [("f", A)], [("f", None)], None),
        ({"args": "ignore", "conformant": True}, [("f", A)], [("f", None)], None),
        ({"mode": "superset", "conformant": True}, "", [("f", None)], None),
    ],
)
def test_a_verdict_that_hangs_on_unreadable_arguments_is_none(
    options: Mapping[str, Any], reference: Any, made: Any, value: float | None
) -> None:
    found = score(metric("trajectory_match", **options), of(*reference), trace(turn(*map(called, made))))
    if value is None:
        assert found == Unscored(cause="malformed", reason=UNREADABLE)
    else:
        assert not isinstance(found, Unscored)
        assert found.value == value


@pytest.mark.parametrize(("mode", "value"), [*zip(MODES, (0, 0, 0, 1), strict=True)])
def test_of_a_record_that_broke_off_only_what_was_called_counts(mode: str, value: float) -> None:
    recorded = trace(turn(called("f"), ended="failed"), outcome=Crashed(reason="exit 1"))
    found = scored(metric("trajectory_match", mode=mode), of("f"), recorded)
    assert (found.value, found.reason) == (value, "" if value else "the turn failed: exit 1")


def test_plumbing_texts_and_results_are_no_messages() -> None:
    plumbing = Event(author="a", parts=(Call(id="9", name="adk_x", args={}),), not_in_trajectory="plumbing")
    recorded = trace(turn(said("let me see"), plumbing, called("f"), said("done")))
    assert scored(metric("trajectory_match"), of("f"), recorded).value == 1


def test_what_the_protocol_does_not_expose_is_unscored() -> None:
    found = score("trajectory_match", of("f"), trace(turn(said("x")), exposes=("text",)))
    assert isinstance(found, Unscored)
    assert found.cause == "not_exposed"


def test_it_applies_where_calls_are_expected_and_its_options_are_part_of_what_a_trial_is_held_against() -> (
    None
):
    assert metric("trajectory_match").expectation(case(Expect(contains=("x",)))) is None
    tools = {"f": {"args": ["a"]}}
    assert metric("trajectory_match", mode="subset", tools=tools).expectation(of("f")) == {
        "turns": {"1": [{"name": "f"}]},
        "options": {"mode": "subset", "tools": tools},
    }


@pytest.mark.parametrize(
    "tools", ["ignore", ["f"], {"f": "bogus"}, {"f": []}, {"f": [1]}, {"f": {"arg": "exact"}}, {"f": None}]
)
def test_a_way_that_is_none_is_refused(tools: Any) -> None:
    with pytest.raises(BadInput) as error:
        metric("trajectory_match", tools=tools)
    (finding,) = error.value.findings
    assert finding.rule == "bad-option"
    assert (
        finding.fix == "tools: {NAME: {args: one of exact, ignore, subset, superset, or a list of arguments}}"
    )


ARGS = st.dictionaries(st.sampled_from("ab"), st.sampled_from([1, 1.0, True]), max_size=2)
CALLS = st.lists(st.tuples(st.sampled_from("fg"), ARGS), max_size=4)


@given(CALLS, CALLS, st.sampled_from(WAYS))
def test_the_modes_agree_with_trying_every_assignment(wanted: Any, made: Any, args: str) -> None:
    def fits(want: tuple[str, Any], call: tuple[str, Any]) -> bool:
        (name, left), (called_name, right) = want, call
        left, right = (
            {key: repr(float(v)) if v is not True else "true" for key, v in side.items()}
            for side in (left, right)
        )
        holds = {
            "ignore": True,
            "exact": left == right,
            "subset": right.items() <= left.items(),
            "superset": left.items() <= right.items(),
        }
        return name == called_name and holds[args]

    def assigned(lefts: Sequence[Any], rights: Sequence[Any], test: Callable[[Any, Any], bool]) -> bool:
        return len(lefts) <= len(rights) and any(
            all(test(left, right) for left, right in zip(lefts, way, strict=True))
            for way in permutations(rights, len(lefts))
        )

    covers = assigned(wanted, made, fits)
    within = assigned(made, wanted, lambda call, want: fits(want, call))
    in_order = len(wanted) == len(made) and all(map(fits, wanted, made))
    assert values(wanted, made, args=args) == (in_order, covers and len(wanted) == len(made), within, covers)
