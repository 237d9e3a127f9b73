"""What becomes of a case."""

from collections.abc import Sequence

import pytest

from gate.compare.cases import case_verdicts
from gate.model.verdict import CaseClass, CaseVerdict
from tests.support.runs import a_baseline, a_case, a_metric

PASSED, FAILED, LOST = 1.0, 0.0, "throttled"
Trials = Sequence[float | str]


def verdict(before: Trials | None, now: Trials, **changes: object) -> CaseVerdict:
    baseline = a_baseline(a_case("a", calls=before)) if before is not None else None
    case = a_case("a", calls=now, **changes)  # type: ignore[arg-type]  # a builder's keywords
    return case_verdicts([case], [a_metric()], baseline, whole=True)[0]


@pytest.mark.parametrize(
    ("before", "now", "klass"),
    [
        ([PASSED], [FAILED], "regressed"),
        ([PASSED] * 10, [FAILED] * 3, "regressed"),
        ([PASSED] * 9 + [FAILED], [FAILED], "regressed"),
        ([PASSED] * 8 + [FAILED] * 2, [FAILED], "unchanged"),
        ([PASSED] * 10, [FAILED, PASSED, FAILED], "unchanged"),
        ([PASSED] * 10, [FAILED, LOST], "undecided"),
        ([PASSED] * 10, [LOST], "undecided"),
        ([PASSED] * 10, [PASSED, LOST], "unchanged"),
        ([FAILED], [PASSED], "fixed"),
        ([FAILED] * 9 + [PASSED], [PASSED] * 3, "fixed"),
        ([FAILED] * 3, [PASSED, FAILED, PASSED], "unchanged"),
        ([FAILED] * 3, [PASSED, LOST], "unchanged"),
        ([FAILED], [FAILED], "unchanged"),
        ([PASSED], [PASSED], "unchanged"),
        ([PASSED, LOST], [FAILED], "regressed"),
        ([LOST], [FAILED], "new"),
        (None, [PASSED], "new"),
        (None, [FAILED], "new"),
    ],
)
def test_a_case_gets_its_class_from_its_trials_on_both_sides(
    before: Trials | None, now: Trials, klass: CaseClass
) -> None:
    assert verdict(before, now).klass == klass


def test_counts_say_what_passed_of_what_was_measured_and_planned() -> None:
    found = verdict([1, 1, 0, "throttled"], [1, 0, "throttled"])
    assert (found.passed, found.measured, found.planned) == (1, 2, 3)
    assert (found.base_passed, found.base_measured) == (2, 3)


def test_a_trial_that_was_planned_but_never_run_is_unmeasured_not_failed() -> None:
    found = verdict([1, 1], [0], trials=3)
    assert found.klass == "undecided"
    assert found.cause == "interrupted"
    assert not found.failing


def test_another_key_makes_a_case_changed_and_names_the_expectation() -> None:
    found = verdict([1], [0], key="other")
    assert found.klass == "changed"
    assert found.changed == ("calls",)
    assert found.failing


def test_a_new_expectation_beside_an_old_one_makes_a_case_changed() -> None:
    baseline = a_baseline(a_case("a", calls=[1]))
    case = a_case("a", calls=[1], says=[0])
    found = case_verdicts([case], [a_metric(), a_metric("says")], baseline, whole=True)[0]
    assert (found.klass, found.changed, found.failing) == ("changed", ("says",), True)


def test_a_metric_without_a_say_changes_no_class() -> None:
    baseline = a_baseline(a_case("a", calls=[1], rouge=[1]))
    case = a_case("a", calls=[1], rouge=[0.2])
    metrics = [a_metric(), a_metric("rouge", decisive=False, pass_at=None)]
    assert case_verdicts([case], metrics, baseline, whole=True)[0].klass == "unchanged"


def test_the_worst_item_decides_and_not_the_mean() -> None:
    baseline = a_baseline(a_case("a", calls=[1]))
    case = a_case("a", calls=[0.75])
    lax = a_metric(pass_at=0.7)
    assert case_verdicts([case], [lax], baseline, whole=True)[0].klass == "unchanged"
    assert case_verdicts([case], [a_metric()], baseline, whole=True)[0].klass == "regressed"


def test_a_quarantined_case_is_quarantined_whatever_it_does() -> None:
    assert verdict([1], [0], quarantined=True).klass == "quarantined"


def test_a_case_that_is_gone_is_listed_as_removed_only_when_the_whole_suite_ran() -> None:
    baseline = a_baseline(a_case("a", calls=[1]), a_case("gone", calls=[1]))
    whole = case_verdicts([a_case("a", calls=[1])], [a_metric()], baseline, whole=True)
    part = case_verdicts([a_case("a", calls=[1])], [a_metric()], baseline, whole=False)
    assert [(v.id, v.klass) for v in whole] == [("a", "unchanged"), ("gone", "removed")]
    assert [v.id for v in part] == ["a"]
