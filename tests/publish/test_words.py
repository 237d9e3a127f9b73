from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.model.config import Amount, Rule
from gate.model.verdict import Coverage
from gate.publish import words
from tests.support.reports import a_regression, a_report, a_rule, a_throttled_run


@pytest.mark.parametrize(
    ("value", "unit", "limits", "shown"),
    [
        (0.98, "", (), "0.98"),
        (1.0, "", (), "1.00"),
        (0.0, "", (), "0.00"),
        (0.895, "", (0.9,), "0.895"),
        (0.8999, "", (0.9,), "0.8999"),
        (0.9, "", (0.9,), "0.90"),
        (2 / 3, "", (), "0.67"),
        (0.999, "", (), "0.999"),
        (0.001, "", (), "0.001"),
        (0.9 - 1e-12, "", (0.9,), "0.90"),
        (850.4, "ms", (), "850 ms"),
        (2100, "ms", (), "2.1 s"),
        (2149, "ms", (2100,), "2.15 s"),
        (75_000, "ms", (), "75.0 s"),
        (412, "tokens", (), "412"),
        (1_234, "tokens", (), "1.2k"),
        (412_345, "tokens", (), "412k"),
        (2_500_000, "tokens", (), "2.5M"),
        (3.0, "calls", (), "3"),
        (2.5, "turns", (), "2.50"),
    ],
)
def test_an_amount_reads(value: float, unit: str, limits: tuple[float, ...], shown: str) -> None:
    assert words.amount(value, unit, limits=limits) == shown


@given(st.floats(0, 1), st.floats(0, 1))
def test_no_share_reads_as_being_on_the_other_side_of_its_limit(value: float, limit: float) -> None:
    value, limit = round(value, 4), round(limit, 4)
    shown = float(words.amount(value, "", limits=(limit,)))
    assert (shown < limit, shown > limit) == (value < limit, value > limit)


@pytest.mark.parametrize(
    ("before", "after", "unit", "limits", "shown"),
    [
        (0.98, 0.94, "", (), "\N{MINUS SIGN}0.04"),
        (0.94, 0.98, "", (), "+0.04"),
        (0.98, 0.98, "", (), "0.00"),
        (1.0, 0.996, "", (), "\N{MINUS SIGN}<0.01"),
        (0.996, 1.0, "", (), "+<0.01"),
        (0.982, 0.93, "", (0.05,), "\N{MINUS SIGN}0.052"),
        (0.98, 0.93, "", (0.05,), "\N{MINUS SIGN}0.05"),
        (2100, 2400, "ms", (), "+0.3 s"),
        (900, 1100, "ms", (), "+0.2 s"),
        (200, 150, "ms", (), "\N{MINUS SIGN}50 ms"),
        (2000, 2010, "ms", (), "+<0.1 s"),
        (1000, 3000, "tokens", (), "+2.0k"),
        (2, 4, "calls", (), "+2"),
        (1, 0.9, "calls", (), "\N{MINUS SIGN}0.10"),
    ],
)
def test_a_change_reads(
    before: float, after: float, unit: str, limits: tuple[float, ...], shown: str
) -> None:
    assert words.change(before, after, unit, limits=limits) == shown


@pytest.mark.parametrize(
    ("seconds", "shown", "estimated"),
    [
        (0, "0 ms", "about 1 s"),
        (0.85, "850 ms", "about 1 s"),
        (0.9996, "1.0 s", "about 1 s"),
        (2.1, "2.1 s", "about 2 s"),
        (42.4, "42 s", "about 42 s"),
        (59.7, "1 min", "about 1 min"),
        (192, "3 min 12 s", "about 3 min"),
        (3600, "1 h", "about 60 min"),
        (3901, "1 h 5 min", "about 65 min"),
        (9000, "2 h 30 min", "about 2.5 h"),
    ],
)
def test_a_duration_reads(seconds: float, shown: str, estimated: str) -> None:
    assert words.duration(seconds) == shown
    assert words.about(seconds) == estimated


@pytest.mark.parametrize(
    ("date", "now", "shown"),
    [
        ("2026-11-28T06:00:00Z", "2026-11-30T07:00:00Z", "2 days old"),
        ("2026-11-29", "2026-11-30T07:00:00+00:00", "1 day old"),
        ("2026-11-30T01:00:00Z", "2026-11-30T07:00:00Z", "made today"),
        ("2026-12-30", "2026-11-30", ""),
        ("long ago", "2026-11-30", ""),
        ("", "", ""),
    ],
)
def test_an_age_reads(date: str, now: str, shown: str) -> None:
    assert words.age(date, now) == shown


@pytest.mark.parametrize(
    ("rule", "unit", "shown"),
    [
        (a_rule(min=0.9, max_drop=Amount(value=0.05)), "", "at least 0.90, drop ≤ 0.05"),
        (a_rule(max_drop=Amount(value=0)), "", "no drop"),
        (a_rule(max_rise=Amount(value=0, percent=True)), "ms", "no rise"),
        (
            a_rule(max_rise=Amount(value=25, percent=True), ignore_below=200),
            "ms",
            "rise ≤ 25 % (ignored below 200 ms)",
        ),
        (a_rule(max=2000), "ms", "at most 2.0 s"),
        (a_rule(max=2000, aggregate="percentile", number=95), "ms", "p95: at most 2.0 s"),
        (a_rule(min=0.9, aggregate="pass_rate", at=0.8), "", "pass_rate at 0.8: at least 0.90"),
        (a_rule(min=0.5, aggregate="pass_k", number=3), "", "pass^3: at least 0.50"),
        (a_rule(max_rise=Amount(value=12.5, percent=True)), "tokens", "rise ≤ 12.5 %"),
    ],
)
def test_a_rule_reads(rule: Rule, unit: str, shown: str) -> None:
    assert words.rule_label(rule, unit) == shown


def test_counts_have_their_plural() -> None:
    assert [words.count(n, "case") for n in (0, 1, 2)] == ["0 cases", "1 case", "2 cases"]
    assert words.count(2, "retry", "retries") == "2 retries"
    assert [words.tokens(n) for n in (1, 412_345)] == ["1 token", "412k tokens"]
    assert words.outcomes({"completed": 2, "timed_out": 1, "crashed": 0}) == "2 completed, 1 timed out"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (2, "agent-gate exited with 2: bad input"),
        (70, "agent-gate exited with 70: a bug in agent-gate"),
        (130, "agent-gate exited with 130: interrupted"),
        (143, "agent-gate exited with 143: terminated"),
    ],
)
def test_an_exit_reads_without_a_report(code: int, line: str) -> None:
    assert words.exit_line(code) == line


def test_an_exit_reads_with_a_report() -> None:
    assert words.exit_line(0, a_report()) == "agent-gate exited with 0: pass"
    assert words.exit_line(1, a_regression()) == "agent-gate exited with 1: regression"
    assert words.exit_line(3, a_throttled_run()) == "agent-gate exited with 3: undecided (throttled)"
    reported = a_regression(enforced=False)
    assert words.exit_line(0, reported) == (
        "agent-gate exited with 0: regression, reported only (enforce: report)"
    )
    through = a_throttled_run(exit_code=0)
    assert words.exit_line(0, through) == (
        "agent-gate exited with 0: undecided (throttled), let through by policy"
    )
    assert "could not be published" in words.exit_line(4, a_report())
    assert words.exit_line(130, a_report()) == "agent-gate exited with 130: interrupted"


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({}, ""),
        ({"measured": 48}, "from 48 of 50 cases"),
        ({"quarantined": 1}, "from 50 of 51 cases (1 quarantined)"),
        ({"unscored": {"judge": 2, "crashed": 1}}, "(3 trials not scored: 1 crashed, 2 judge)"),
        ({"unscored": {"not_exposed": 1}}, "(1 trial not scored: 1 not exposed)"),
        ({"unscored": {"<b>@x": 1, "::x::": 2}}, "(3 trials not scored: 3 other)"),
        (
            {"measured": 47, "quarantined": 2, "unscored": {"throttled": 9}},
            "from 47 of 52 cases (2 quarantined; 9 trials not scored: 9 throttled)",
        ),
    ],
)
def test_what_a_number_rests_on_reads(fields: dict[str, Any], shown: str) -> None:
    known: dict[str, Any] = {"cases": 50, "measured": 50, "trials": 150}
    assert words.coverage(Coverage(**{**known, **fields})) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0.00"),
        (12.345, "12.35"),
        (1, "1.00"),
        (0.5, "0.50"),
        (0.0034, "0.0034"),
        (0.00000012, "0.000000"),
    ],
)
def test_a_cost_has_two_digits_that_say_something(value: float, shown: str) -> None:
    assert words.amount(value, "cost") == shown
