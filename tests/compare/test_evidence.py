"""Folding trials into evidence."""

from gate.compare.evidence import EXHIBITS, Tally, tally
from gate.model.baseline import Value
from gate.model.run import CaseFacts, TrialRecord
from gate.model.score import Item, Score, Scored, Unscored
from gate.model.trace import Completed, Crashed, Outcome
from tests.support.runs import PLACE, a_meta, a_metric

FACTS = CaseFacts(id="a", place=PLACE, keys={"calls": "k"}, trials=9)


def scored(*items: float) -> Scored:
    return Scored(
        value=sum(items) / len(items), items=tuple(Item(where="case", value=item) for item in items)
    )


def a_trial(number: int, score: Score, outcome: Outcome | None = None) -> TrialRecord:
    return TrialRecord(
        case="a", trial=number, outcome=outcome or Completed(), scores={"calls": score}, duration_ms=2.0
    )


def test_samples_keep_mean_and_worst_item_and_the_cause_of_what_is_missing() -> None:
    trials = [
        a_trial(1, scored(1.0)),
        a_trial(2, scored(1.0, 0.5)),
        a_trial(3, Unscored(cause="throttled", reason="429")),
    ]
    (case,) = tally(a_meta(), [a_metric()], [FACTS], trials).cases
    assert case.samples == {"calls": (Value(mean=1, worst=1), Value(mean=0.75, worst=0.5), "throttled")}
    assert case.duration_ms == 6.0


def test_outcomes_are_counted_by_their_kind() -> None:
    trials = [a_trial(1, scored(1.0)), a_trial(2, scored(0.0), Crashed(reason="500"))]
    assert tally(a_meta(), [a_metric()], [FACTS], trials).cases[0].outcomes == ("completed", "crashed")


def test_failing_trials_are_shown_first_and_only_a_few_of_them() -> None:
    trials = [a_trial(1, scored(1.0)), *(a_trial(n, scored(0.0)) for n in range(2, 9))]
    exhibits = tally(a_meta(), [a_metric()], [FACTS], trials).cases[0].exhibits
    assert [record.trial for record in exhibits] == list(range(2, 2 + EXHIBITS))


def test_a_passing_case_still_has_one_trial_to_show() -> None:
    trials = [a_trial(1, scored(1.0)), a_trial(2, scored(1.0))]
    assert [r.trial for r in tally(a_meta(), [a_metric()], [FACTS], trials).cases[0].exhibits] == [1]


def test_a_case_without_a_trial_is_there_with_no_samples() -> None:
    (case,) = Tally([a_metric()], [FACTS]).evidence(a_meta()).cases
    assert (case.samples, case.outcomes, case.exhibits) == ({}, (), ())


def test_a_trial_whose_metric_failed_is_kept_to_show_why_before_one_that_passed() -> None:
    failed = Unscored(cause="metric", reason="it ended with exit code 1")
    trials = [a_trial(1, scored(1.0)), a_trial(2, failed), a_trial(3, failed), a_trial(4, scored(1.0))]
    (case,) = tally(a_meta(), [a_metric(decisive=False)], [FACTS], trials).cases
    assert [record.trial for record in case.exhibits] == [2]
    (case,) = tally(a_meta(), [a_metric()], [FACTS], [*trials, a_trial(5, scored(0.0))]).cases
    assert [record.trial for record in case.exhibits] == [5]
