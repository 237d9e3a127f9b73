import pytest
from hypothesis import given

from gate.publish import progress
from tests.support.hostile import visible


def test_the_plan_says_how_long_it_takes() -> None:
    assert progress.plan_line(48, 3, 0.25) == ("48 cases x 3 trials = 144 runs, at most 15/min: about 10 min")
    assert progress.plan_line(1, 1, None) == "1 case x 1 trial = 1 run"
    assert progress.plan_line(10, 1, 200 / 60, turns=20).endswith("at most 200/min: about 6 s")
    assert progress.plan_line(10, 1, 2) == "10 cases x 1 trial = 10 runs, at most 2/s: about 5 s"
    assert progress.plan_line(2, 10, 0.001).endswith("= 20 runs, at most 3.6/h: about 5.6 h")


def test_progress_is_one_line() -> None:
    assert progress.progress_line(cases=(12, 48), trials=(36, 144), failed=2, left_s=240) == (
        "12 of 48 cases, 36 of 144 trials, 2 failed, about 4 min left"
    )
    assert progress.progress_line(cases=(0, 1), trials=(0, 1), failed=0) == (
        "0 of 1 case, 0 of 1 trial, 0 failed"
    )


@pytest.mark.parametrize(
    ("passed", "measured", "reason", "line"),
    [
        (3, 3, "", "pass  3 of 3      2.1 s  weather"),
        (1, 3, "no call\nof x", "FAIL  1 of 3      2.1 s  weather: no call of x"),
        (1, 1, "", "????  1 of 3      2.1 s  weather (2 not measured)"),
        (0, 0, "429", "????  0 of 3      2.1 s  weather (3 not measured): 429"),
    ],
)
def test_a_finished_case_is_one_line(passed: int, measured: int, reason: str, line: str) -> None:
    shown = progress.case_line(
        "weather", passed=passed, measured=measured, planned=3, seconds=2.1, reason=reason
    )
    assert shown == line


@given(visible)
def test_no_line_of_a_log_is_a_command(text: str) -> None:
    line = progress.case_line(text, passed=0, measured=3, planned=3, seconds=1, reason=text)
    assert "\n" not in line
    assert "##[" not in line
