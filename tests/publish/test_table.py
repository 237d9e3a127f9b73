from gate.model.config import Amount
from gate.publish.table import Row, rows
from tests.support.reports import (
    CALLS_RULE,
    LATENCY_RULE,
    NO_BASELINE,
    a_report,
    a_rule,
    a_rule_verdict,
    a_summary,
    case_rules,
)
from tests.support.runs import a_metric


def test_a_share_shows_more_digits_where_two_would_contradict_the_verdict() -> None:
    rule = a_rule("calls", min=0.9)
    (row,) = rows(a_report(rules=(a_rule_verdict(rule, "regression", value=0.8961, baseline=0.91),)))
    assert (row.now, row.verdict) == ("0.896", "regression")


def test_a_drop_shows_more_digits_where_two_would_contradict_the_verdict() -> None:
    rule = a_rule("calls", max_drop=Amount(value=0.05))
    (row,) = rows(a_report(rules=(a_rule_verdict(rule, "regression", value=0.928, baseline=0.98),)))
    assert row.change == "\N{MINUS SIGN}0.052"


def test_a_percentage_is_held_against_the_change_that_it_allows() -> None:
    verdict = a_rule_verdict(LATENCY_RULE, "regression", baseline=2000.0, value=2510.0)
    (row,) = rows(a_report(rules=(verdict,)))
    assert (row.change, row.verdict) == ("+0.51 s", "warning")


def test_a_short_table_leaves_out_categories_that_pass_and_a_long_one_has_them() -> None:
    rule = a_rule("calls", min=0.9, by="category")
    verdicts = (
        a_rule_verdict(rule, scope="calm", value=1.0),
        a_rule_verdict(rule, "regression", scope="broken", value=0.5),
    )
    report = a_report(rules=(*case_rules(), *verdicts))
    assert [row.scope for row in rows(report) if row.metric] == ["broken"]
    assert [row.scope for row in rows(report, every=True) if row.metric] == ["calm", "broken"]


def test_a_rule_of_level_info_is_a_note() -> None:
    rule = a_rule("calls", min=0.9, level="info")
    (row,) = rows(a_report(rules=(a_rule_verdict(rule, "regression", value=0.5),)))
    assert row.verdict == "note"


def test_without_a_baseline_the_failing_cases_are_counted_instead_of_the_broken_ones() -> None:
    (row,) = rows(a_report(rules=case_rules(compared=False), baseline=NO_BASELINE))
    assert row == Row(words="cases that fail", now="0", rule="at most 0", verdict="pass")


def test_a_quality_metric_without_a_baseline_is_shown_unless_it_is_simply_one() -> None:
    metrics = (
        a_summary("says", None, 0.5),
        a_summary("calls", None, 1.0),
        a_summary("nodes", None, None, measured=0, unscored={"metric": 144}),
        a_summary("state", None, None, cases=0, trials=0),
        a_summary("says", None, 0.5, scope="category:calm"),
    )
    used = tuple(a_metric(name) for name in ("says", "calls", "nodes", "state"))
    shown = rows(a_report(metrics=metrics, rules=(), baseline=NO_BASELINE, metrics_used=used))
    assert [(row.metric, row.now, row.lost) for row in shown] == [
        ("says", "0.50", ""),
        ("nodes", "from 0 of 48 cases", "144 trials not scored: 144 metric"),
    ]


def test_a_quality_metric_that_moved_without_a_rule_is_shown_and_a_still_one_is_not() -> None:
    report = a_report(metrics=(a_summary("says", 1.0, 0.9), a_summary("calls", 1.0, 1.0)), rules=())
    (row,) = rows(report)
    assert (row.metric, row.change, row.rule, row.verdict) == ("says", "\N{MINUS SIGN}0.10", "", "")


def test_a_measure_without_a_rule_is_not_in_the_table() -> None:
    assert rows(a_report(metrics=(a_summary("latency_ms", 1.0, 2.0),), rules=())) == ()


def test_a_row_of_the_cases_without_a_category_says_so() -> None:
    rule = a_rule("calls", min=0.9, by="category")
    (row,) = rows(a_report(rules=(a_rule_verdict(rule, "regression", value=0.8, scope=""),)))
    assert row.scope == "no category"


def test_what_was_not_scored_stands_beside_the_number() -> None:
    ruled = (a_rule_verdict(CALLS_RULE, baseline=0.98, value=0.94),)
    summary = a_summary("calls", 0.98, 0.94, unscored={"throttled": 2, "refused": 1})
    (row,) = rows(a_report(rules=ruled, metrics=(summary,)))
    assert (row.now, row.lost) == ("0.94", "3 trials not scored: 1 refused, 2 throttled")


def test_a_share_of_trials_has_no_unit_whatever_its_metric_measures() -> None:
    share = a_rule("latency_ms", aggregate="pass_rate", at=2000, min=0.9)
    (row,) = rows(a_report(rules=(a_rule_verdict(share, value=0.95),)))
    assert (row.now, row.rule) == ("0.95", "pass_rate at 2000: at least 0.90")
    tail = a_rule("latency_ms", aggregate="percentile", number=95, max=2000)
    (row,) = rows(a_report(rules=(a_rule_verdict(tail, value=1500.0),)))
    assert (row.now, row.rule) == ("1.5 s", "p95: at most 2.0 s")


def test_a_metric_that_moved_is_shown_beside_a_rule_over_another_aggregate() -> None:
    least = a_rule_verdict(a_rule("calls", aggregate="min", min=0.1), value=0.5)
    report = a_report(rules=(least,), metrics=(a_summary("calls", 1.0, 0.9),))
    assert [row.now for row in rows(report)] == ["0.50", "0.90"]
