import pytest

from gate.judge.endpoint import Answered
from gate.judge.sampling import Judged, Unjudged, fold
from gate.judge.verdicts import Verdict


def answered(value: float, why: str = "") -> Answered:
    return Answered(verdict=Verdict(value=value, why=why), model="m")


def yes(count: int) -> list[Answered | str]:
    return [answered(1.0, "kind")] * count


def no(count: int) -> list[Answered | str]:
    return [answered(0.0, "rude")] * count


@pytest.mark.parametrize(
    ("answers", "value", "agreement"),
    [
        (yes(1), 1.0, 1.0),
        (no(1), 0.0, 1.0),
        ([*yes(2), *no(1)], 1.0, 2 / 3),
        ([*yes(1), *no(2)], 0.0, 2 / 3),
        ([*yes(2), "lost"], 1.0, 2 / 3),
        ([*yes(3), "lost", "lost"], 1.0, 3 / 5),
        (["lost"], None, None),
        ([*yes(1), *no(1), "lost"], None, None),
        ([*yes(1), "lost", "lost"], None, None),
        ([*yes(1), *no(1)], None, None),
        ([*yes(2), *no(1), "lost", "lost"], None, None),
    ],
)
def test_a_majority_counts_where_no_lost_sample_could_turn_it(
    answers: list[Answered | str], value: float | None, agreement: float | None
) -> None:
    found = fold("rubric", answers, 0)
    if value is None:
        assert isinstance(found, Unjudged)
    else:
        assert isinstance(found, Judged)
        assert (found.value, found.agreement) == (value, agreement)


def test_scores_are_averaged_and_tell_how_far_they_lie_apart() -> None:
    found = fold("score", [answered(0.5, "so so"), answered(0.7, "good"), answered(0.9, "great")], 0)
    assert isinstance(found, Judged)
    assert found.value == pytest.approx(0.7)
    assert found.agreement == pytest.approx(0.6)
    assert found.why == "3 samples from 0.50 to 0.90: good"
    assert found.models == ("m",)


def test_a_lost_score_leaves_a_mean_open_and_says_why() -> None:
    found = fold("score", [answered(0.5), "it was empty"], 0)
    assert found == Unjudged(reason="1 of 2 samples without a verdict: it was empty")


def test_a_majority_says_how_large_it_is_and_why_in_its_own_words() -> None:
    found = fold("rubric", [*yes(1), *no(2)], 0)
    assert isinstance(found, Judged)
    assert found.why == "2 of 3 samples say NO: rude"
