from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from gate.errors import BadInput
from gate.model.case import Expect
from gate.model.score import Unscored
from gate.model.trace import Crashed, TimedOut
from tests.score.made import called, case, expected, metric, said, score, scored, trace, turn

SIX = (
    "trajectory_exact_match",
    "trajectory_in_order_match",
    "trajectory_any_order_match",
    "trajectory_precision",
    "trajectory_recall",
    "trajectory_single_tool_use",
)
FIVE = SIX[:5]


def value(name: str, reference: Any, made: Any, **options: Any) -> float:
    of = case(Expect(calls=expected(*reference)))
    return scored(metric(name, **options), of, trace(turn(called(*made)))).value


@pytest.mark.parametrize(
    ("reference", "made", "values"),
    [
        # exact, in order, any order, precision, recall
        ("", "", (1, 1, 1, 1, 1)),
        ("", "f", (0, 1, 1, 0, 1)),
        ("f", "", (0, 0, 0, 0, 0)),
        ("f", "f", (1, 1, 1, 1, 1)),
        ("fg", "gf", (0, 0, 1, 1, 1)),
        ("fg", "fxg", (0, 1, 1, 2 / 3, 1)),
        ("fg", "f", (0, 0, 0, 1, 0.5)),
        ("fg", "xy", (0, 0, 0, 0, 0)),
        ("f", "fff", (0, 1, 1, 1, 1)),
        ("fff", "f", (0, 0, 0, 1, 1)),
        ("ff", "fxf", (0, 1, 1, 2 / 3, 1)),
    ],
)
def test_a_trajectory_is_compared_with_its_reference(
    reference: str, made: str, values: tuple[float, ...]
) -> None:
    assert tuple(value(name, reference, made) for name in FIVE) == pytest.approx(values)


@pytest.mark.parametrize(
    ("reference", "made", "precision", "recall"),
    [
        ("f", "fff", 1 / 3, 1),
        ("fff", "f", 1, 1 / 3),
        ("fg", "ffg", 2 / 3, 1),
        ("", "f", 0, 1),
        ("f", "", 0, 0),
    ],
)
def test_as_a_multiset_each_call_needs_a_counterpart_of_its_own(
    reference: str, made: str, precision: float, recall: float
) -> None:
    assert value("trajectory_precision", reference, made, duplicates="multiset") == pytest.approx(precision)
    assert value("trajectory_recall", reference, made, duplicates="multiset") == pytest.approx(recall)


@pytest.mark.parametrize("name", FIVE)
def test_arguments_are_compared_as_asked(name: str) -> None:
    reference, made = [("f", {"n": 1})], [("f", {"n": 1.0, "m": 2})]
    assert value(name, reference, made) == 0
    assert value(name, reference, made, args="subset") == 1
    assert value(name, reference, [("f", {"n": 2})], args="ignore") == 1


@pytest.mark.parametrize(
    ("name", "reference", "made", "reason"),
    [
        (FIVE[0], ["f", "g"], ["f", "h"], "call 2: expected a call of `g`; the agent called `h`"),
        (FIVE[0], ["f"], ["f", "g"], "called beyond the reference: `g`"),
        (FIVE[0], ["f", "g"], ["f"], "expected a call of `g`; the agent called `f`"),
        (FIVE[0], [("f", {"n": 1})], [("f", {"n": 2})], "call 1: `f` was called with n = 2; expected 1"),
        (FIVE[1], ["f", "g"], ["g", "f"], "after `f`, expected a call of `g`; the agent called nothing more"),
        (FIVE[2], ["f", "g"], ["f"], "expected a call of `g`; the agent called `f`"),
        (FIVE[3], ["f"], ["f", ("g", {"n": 1})], 'called beyond the reference: `g {"n": 1}`'),
        (FIVE[3], ["f"], [], "the agent called no tool"),
        (FIVE[4], ["f", "g"], ["f"], "expected a call of `g`; the agent called `f`"),
    ],
)  # fmt: skip
def test_the_reason_says_what_differs(name: str, reference: Any, made: Any, reason: str) -> None:
    of = case(Expect(calls=expected(*reference)))
    assert scored(name, of, trace(turn(called(*made)))).reason == reason


def test_three_weather_agents_differ_as_they_should() -> None:
    reference = [("get_weather", {"city": "London"})]
    wrong = [("get_weather", {"city": "Paris"})]
    agents: tuple[Any, ...] = (reference, [], wrong)  # grounded, answers from memory, asks for another city
    assert [value(FIVE[0], reference, made) for made in agents] == [1, 0, 0]
    assert [value(FIVE[2], reference, made, args="ignore") for made in agents] == [
        1,
        0,
        1,
    ]


def test_one_tool_is_looked_for_in_the_whole_trial() -> None:
    subject = metric("trajectory_single_tool_use", tool="search")
    of = case(Expect(), Expect())
    assert scored(subject, of, trace(turn(called("f")), turn(called("search")))).value == 1
    found = scored(subject, of, trace(turn(called("f")), turn(called("g"))))
    assert (found.value, found.reason) == (0, "expected a call of `search`; the agent called `f`, `g`")
    found = scored(subject, of, trace(turn(said("a")), outcome=TimedOut(reason="120 s")))
    assert (
        found.reason == "expected a call of `search`; the agent called no tool; not every turn was run: 120 s"
    )
    assert subject.expectation(of) == {"tool": "search"}
    assert isinstance(score(subject, of, trace(exposes=("text",))), Unscored)


@pytest.mark.parametrize("options", [{}, {"tool": ""}, {"tool": 3}])
def test_one_tool_must_be_named(options: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as error:
        metric("trajectory_single_tool_use", **options)
    assert [finding.rule for finding in error.value.findings] == ["bad-option"]


@pytest.mark.parametrize(
    ("name", "counts"), [(FIVE[0], 0), (FIVE[1], 1), (FIVE[2], 1), (FIVE[3], 0), (FIVE[4], 1)]
)
def test_a_turn_that_failed_shows_only_what_more_calls_cannot_take_away(name: str, counts: int) -> None:
    broken = trace(turn(called("f"), ended="failed"), outcome=Crashed(reason="HTTP 500"))
    assert scored(name, case(Expect(calls=expected("f"))), broken).value == counts
    nothing = trace(turn(ended="failed"), outcome=Crashed(reason="HTTP 500"))
    assert scored(name, case(Expect(calls=())), nothing).value == 0


def test_the_expectation_is_that_of_calls_with_the_options() -> None:
    of = case(Expect(calls=expected("f")))
    assert metric("trajectory_recall", duplicates="multiset").expectation(of) == {
        "turns": {"1": [{"name": "f"}]},
        "options": {"duplicates": "multiset"},
    }
    assert metric("trajectory_exact_match").expectation(case(Expect())) is None


def test_only_what_is_one_or_nothing_decides_on_a_case_by_default() -> None:
    decides = {name: metric(name, **({"tool": "f"} if name == SIX[5] else {})).pass_at for name in SIX}
    assert decides == dict(zip(SIX, (1, 1, 1, None, None, 1), strict=True))


NAMES = st.text("fgh", max_size=5)


@given(NAMES, NAMES)
def test_the_counts_are_those_of_sets_and_multisets(reference: str, made: str) -> None:
    common = (Counter(reference) & Counter(made)).total()
    if made:
        hits = sum(name in reference for name in made) / len(made)
        assert value(FIVE[3], reference, made) == hits
        assert value(FIVE[3], reference, made, duplicates="multiset") == common / len(made)
    if reference:
        assert value(FIVE[4], reference, made) == sum(name in made for name in reference) / len(reference)
        assert value(FIVE[4], reference, made, duplicates="multiset") == common / len(reference)
    assert value(FIVE[0], reference, made) == (reference == made)
    assert value(FIVE[2], reference, made) == (Counter(reference) <= Counter(made))


@given(NAMES, NAMES)
def test_exact_implies_in_order_implies_any_order_implies_full_recall(reference: str, made: str) -> None:
    exact, in_order, any_order, _, recall = (value(name, reference, made) for name in FIVE)
    assert exact <= in_order <= any_order <= recall


@given(NAMES.flatmap(lambda made: st.tuples(st.just(made), st.permutations(made))), NAMES)
def test_any_order_does_not_see_the_order(made: Any, reference: str) -> None:
    for name in FIVE[2:]:
        assert value(name, reference, made[0]) == value(name, reference, "".join(made[1]))


@pytest.mark.parametrize(
    ("wanted", "made", "duplicates", "value"),
    [
        ("", "", "membership", 1),
        ("a", "", "membership", 0),
        ("", "a", "membership", 0),
        ("ab", "ab", "membership", 1),
        ("ab", "a", "membership", 2 / 3),
        ("a", "ab", "membership", 2 / 3),
        ("ab", "cd", "membership", 0),
        ("a", "aaa", "membership", 1),
        ("a", "aaa", "multiset", 0.5),
        ("abcd", "abxy", "membership", 0.5),
    ],
)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(
    wanted: str, made: str, duplicates: str, value: float
) -> None:
    of, recorded = case(Expect(calls=expected(*wanted))), trace(turn(called(*made)))
    found = scored(metric("trajectory_f1", duplicates=duplicates), of, recorded)
    assert found.value == pytest.approx(value)
    assert bool(found.reason) == (value < 1)


@given(st.lists(st.sampled_from("abc"), min_size=1), st.lists(st.sampled_from("abcd"), min_size=1))
def test_f1_of_a_multiset_is_the_rouge_1_of_the_names(wanted: list[str], made: list[str]) -> None:
    of, recorded = case(Expect(calls=expected(*wanted))), trace(turn(called(*made)))
    found = scored(metric("trajectory_f1", duplicates="multiset"), of, recorded)
    theirs = RougeScorer(["rouge1"]).score(" ".join(wanted), " ".join(made))["rouge1"].fmeasure
    assert found.value == pytest.approx(theirs)


def test_f1_of_a_record_that_broke_off_proves_nothing() -> None:
    broken = trace(turn(called("a"), ended="failed"), outcome=Crashed(reason="HTTP 500"))
    assert scored("trajectory_f1", case(Expect(calls=expected("a"))), broken).value == 0


def test_f1_says_what_is_missing_and_what_is_beyond() -> None:
    found = scored("trajectory_f1", case(Expect(calls=expected("a", "b"))), trace(turn(called("a", "c"))))
    assert found.reason == (
        "expected a call of `b`; the agent called `a`, `c`; called beyond the reference: `c`"
    )
