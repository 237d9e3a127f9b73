from dataclasses import replace

import pytest
from hypothesis import given, settings
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from gate.model.verdict import Report
from gate.publish import junit
from tests.support.goldens import Golden
from tests.support.hostile import texts
from tests.support.reports import (
    CALLS_RULE,
    FOUR_PARTS,
    LONDON,
    LOOSENED,
    QUARANTINE,
    REFUND,
    REWRITTEN,
    a_case_verdict,
    a_change,
    a_meta,
    a_report,
    a_rule_verdict,
    a_throttled_run,
    case_rules,
    hostile_report,
    needs_acceptance,
    short,
    situations,
)

SITUATIONS = situations()


def read(report: Report) -> TestSuite:
    (suite,) = JUnitXml.fromstring(junit.render(report).encode())
    return suite


def by_name(report: Report) -> dict[str, TestCase]:
    return {case.name: case for case in read(report)}


def properties(element: TestCase | TestSuite) -> dict[str, str]:
    return {p.get("name", ""): p.get("value", "") for p in element._elem.iterfind("properties/property")}


@pytest.mark.parametrize(
    "name",
    [
        "regression",
        "regression_by_rule",
        "pass_moved",
        "undecided_coverage",
        "undecided_let_through",
        "regression_partial",
        "agent_down",
        "bar_changed_case",
        "bar_removed_case",
        "bar_let_through",
        "bar_accepted",
    ],
)
def test_the_file_of_a_situation_is_the_agreed_one(name: str, golden: Golden) -> None:
    golden(f"junit/{name}.xml", junit.render(short(SITUATIONS[name], keep=1)))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("regression_judged", "agrees with people on 19 of 20 anchors (kappa 0.90)"),
        ("undecided_judge_changed", "it judged 5 of 20 anchors otherwise than in the baseline"),
        ("undecided_judge_down", "it judged 0 of 20 anchors"),
        ("pass_unanchored", "nobody can tell whether it changed"),
    ],
)
def test_the_file_says_how_far_a_judge_is_believed(name: str, told: str) -> None:
    assert told in properties(read(SITUATIONS[name]))["agent-gate.judge.answer"]


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_case_is_one_test_and_the_counts_are_right(name: str) -> None:
    report = SITUATIONS[name]
    suite = read(report)
    cases = list(suite)
    names = [case.name for case in cases]
    assert len(names) == len(set(names)) == suite.tests
    kinds = [type(result) for case in cases for result in case.result]
    assert (suite.failures, suite.errors, suite.skipped) == (
        kinds.count(Failure),
        kinds.count(Error),
        kinds.count(Skipped),
    )
    if report.meta.measured_trials:
        assert {c.id for c in report.comparison.cases if c.klass != "removed"} <= set(names)


@pytest.mark.parametrize("name", SITUATIONS)
def test_no_red_or_undecided_run_has_a_green_file(name: str) -> None:
    report, suite = SITUATIONS[name], read(SITUATIONS[name])
    match report.comparison.verdict:
        case "regression":
            assert suite.failures
        case "undecided" if report.undecided.get(report.comparison.cause or "", "fail") == "fail":
            assert suite.errors
        case "undecided":
            assert suite.skipped
            assert not suite.errors
        case "pass":
            assert not suite.failures + suite.errors


def test_only_quality_is_a_failure() -> None:
    new = a_case_verdict("new", "new", passed=0, failing=True)
    tests = by_name(a_report("regression", rules=case_rules(1, 1), cases=(LONDON, FOUR_PARTS, new)))
    (regressed,), (fresh,) = tests["weather_london"].result, tests["new"].result
    assert (type(regressed), regressed.type) == (Failure, "regression")
    assert regressed.message == "passed 30 of 30 before, 0 of 3 now"
    assert "the agent called no tool" in regressed.text
    assert (type(fresh), fresh.type) == (Failure, "expectation")


def test_infrastructure_is_an_error_of_its_cause() -> None:
    (result,) = by_name(a_throttled_run())["weather_oslo"].result
    assert (type(result), result.type) == (Error, "throttled")
    assert result.message == "1 of 3 trials measured: 2 throttled"


@pytest.mark.parametrize(
    ("verdict", "kind"), [("pass", Skipped), ("undecided", Error), ("regression", Error)]
)
def test_a_case_of_which_nothing_was_measured_is_never_green(verdict: str, kind: type) -> None:
    unseen = a_case_verdict("unseen", "new", passed=0, measured=0, outcomes={"refused": 3})
    report = a_report(verdict, cause="coverage", cases=(unseen, a_case_verdict()))
    (result,) = by_name(report)["unseen"].result
    assert type(result) is kind
    assert result.message.endswith("0 of 3 trials measured: 3 refused")


@pytest.mark.parametrize("policy", ["warn", "pass"])
def test_what_policy_lets_through_is_skipped_and_says_why(policy: str) -> None:
    report = a_throttled_run(exit_code=0, undecided={"throttled": policy})
    (result,) = by_name(report)["weather_oslo"].result
    assert type(result) is Skipped
    assert result.message == "does not block: 1 of 3 trials measured: 2 throttled"
    assert read(report).errors == 0


def test_a_cause_that_is_let_through_in_a_run_that_is_not_stays_an_error_of_the_other_cause() -> None:
    refused = a_case_verdict("refused", "undecided", passed=0, measured=0, cause="coverage", outcomes={})
    some = a_case_verdict("some", "undecided", passed=0, measured=0, cause="throttled", outcomes={})
    report = a_report("undecided", cause="coverage", cases=(refused, some), undecided={"throttled": "warn"})
    kinds = {name: type(test.result[0]) for name, test in by_name(report).items()}
    assert kinds == {"refused": Error, "some": Skipped}


def test_an_agent_that_is_down_is_skipped_where_policy_lets_it_through() -> None:
    report = replace(SITUATIONS["agent_down"], undecided={"agent_down": "warn"})
    (test,) = read(report)
    assert [type(result) for result in test.result] == [Skipped]


def test_a_case_that_needs_acceptance_is_an_error_and_every_other_change_a_test_of_its_own() -> None:
    tests = by_name(SITUATIONS["bar_changed_case"])
    (case,), (rule,) = tests["refund_policy"].result, tests["rule rules.calls.max_drop"].result
    assert (type(case), case.type) == (type(rule), rule.type) == (Error, "needs_acceptance")
    assert case.message == (
        "needs acceptance: case refund_policy changed: passes by its new text (3 of 3) and fails by the text "
        "on main (0 of 3)"
    )
    assert 'by the text on main: says, turn 1: expected "30 days"' in case.text
    assert rule.message == "needs acceptance: rules.calls.max_drop loosened: 0.05 → 0.50"


def test_two_changes_of_one_case_are_one_error_that_names_both() -> None:
    silenced = a_change("refund_policy", "added", subject="quarantine", needs_acceptance=True)
    tests = by_name(needs_acceptance(REWRITTEN, silenced, cases=(REFUND, a_case_verdict())))
    assert set(tests) == {"refund_policy", "greeting"}
    assert tests["refund_policy"].result[0].message.endswith("; quarantine of refund_policy added")
    assert properties(tests["refund_policy"])["agent-gate.base_measured"] == "3"


@pytest.mark.parametrize("name", ["bar_by_base", "bar_driving"])
def test_what_is_broken_by_a_bar_that_may_change_is_undecided_and_no_failure(name: str) -> None:
    suite = read(SITUATIONS[name])
    assert not suite.failures
    assert suite.errors
    through = replace(SITUATIONS[name], undecided={"needs_acceptance": "warn"})
    assert (read(through).failures, read(through).errors) == (0, 0)


def test_a_rule_that_is_broken_on_the_base_is_undecided_until_acceptance() -> None:
    low = a_rule_verdict(CALLS_RULE, "regression", baseline=0.91, value=0.895)
    (result,) = by_name(needs_acceptance(LOOSENED, rules=(low,)))["rule calls (suite)"].result
    assert (type(result), result.type) == (Error, "needs_acceptance")


def test_a_removed_case_that_needs_acceptance_is_no_test_of_the_suite_but_of_the_bar() -> None:
    test = by_name(SITUATIONS["bar_removed_case"])["case weather_rome"]
    assert test.classname == "agent-gate.bar"
    assert test.result[0].message.endswith("case weather_rome removed: by the text on main it passes 3 of 3")


@pytest.mark.parametrize("name", ["bar_accepted", "bar_tightened", "bar_let_through"])
def test_no_change_of_the_bar_makes_a_green_check_red(name: str) -> None:
    suite = read(SITUATIONS[name])
    assert (suite.failures, suite.errors) == (0, 0)


def test_the_suite_says_whose_bar_decided() -> None:
    told = properties(read(SITUATIONS["bar_accepted"]))
    assert (told["agent-gate.side"], told["agent-gate.accepted_by"]) == ("head", "ann")
    assert told["agent-gate.needs_acceptance"] == "0"
    assert properties(read(SITUATIONS["bar_many"]))["agent-gate.needs_acceptance"] == "1000"
    assert "agent-gate.base" not in properties(read(a_report()))


def test_a_quarantined_case_is_skipped_with_owner_and_date() -> None:
    case = a_case_verdict("rome", "quarantined", passed=0, failing=True, quarantine=QUARANTINE)
    (result,) = by_name(a_report(cases=(case,)))["rome"].result
    assert type(result) is Skipped
    assert result.message == "quarantined; until 2027-01-31, owner ann: the weather API is rebuilt"


def test_a_case_that_failed_before_as_well_passes_and_says_so() -> None:
    old = a_case_verdict("old", passed=0, base_passed=0, failing=True)
    test = by_name(a_report(cases=(old,)))["old"]
    assert test.is_passed
    assert properties(test)["agent-gate.class"] == "unchanged"
    assert properties(test)["agent-gate.failing"] == "true"


def test_a_removed_case_is_no_test_but_counted() -> None:
    suite = read(a_report(cases=(a_case_verdict("gone", "removed"), a_case_verdict())))
    assert [case.name for case in suite] == ["greeting"]
    assert properties(suite)["agent-gate.removed"] == "1"


def test_a_test_has_its_source_line_its_time_and_its_metrics() -> None:
    case = a_case_verdict(duration_ms=0.0, metrics={"calls": 0.5}, unscored={"state": "not_exposed"})
    xml = junit.render(a_report(cases=(case,)))
    assert 'file="golden/weather.yaml"' in xml
    assert 'line="12"' in xml
    (test,) = read(a_report(cases=(case,)))
    assert (test.classname, test.time) == ("routing", 0.0)
    assert 'time="0.000"' in xml
    assert properties(test)["metric.calls"] == "0.5"
    assert properties(test)["unscored.state"] == "not_exposed"
    assert (properties(test)["agent-gate.passed"], properties(test)["agent-gate.measured"]) == ("3", "3")


def test_the_class_of_a_case_without_category_is_its_track() -> None:
    (test,) = read(a_report(cases=(a_case_verdict(category=""),)))
    assert test.classname == "agent"


def test_the_suite_says_what_run_it_was() -> None:
    told = properties(read(a_throttled_run()))
    assert told["agent-gate.verdict"] == "undecided"
    assert told["agent-gate.cause"] == "throttled"
    assert told["agent-gate.run"] == "4711-1"
    assert told["agent-gate.exit_code"] == "3"


def test_an_agent_that_did_not_start_is_one_error() -> None:
    (test,) = read(SITUATIONS["agent_down"])
    (result,) = test.result
    assert (test.name, type(result), result.type) == ("agent", Error, "agent_down")
    assert result.message.startswith("`adk api_server` exited with 1")
    assert "Traceback" in result.text


def test_an_agent_down_without_words_still_is_an_error() -> None:
    silent = a_report("undecided", cause="agent_down", reason="", cases=(), meta=a_meta(measured_trials=0))
    (test,) = read(silent)
    assert [type(result) for result in test.result] == [Error]


def test_a_broken_rule_is_a_failure_although_every_case_passes() -> None:
    (result,) = by_name(SITUATIONS["regression_by_rule"])["rule calls (suite)"].result
    assert (type(result), result.message) == (
        Failure,
        "at least 0.90, drop ≤ 0.05: it is 0.895, 0.91 before",
    )


def test_ids_that_differ_only_in_what_xml_cannot_hold_stay_apart() -> None:
    ids = ("a", "a\x00", "a\ud800", "a (2)", "\x00")
    names = [case.name for case in read(a_report(cases=tuple(a_case_verdict(id_) for id_ in ids)))]
    assert names == ["a", "a (2)", "a (3)", "a (2) (2)", "(empty)"]


def test_a_long_answer_is_cut() -> None:
    (test,) = read(a_report(cases=(a_case_verdict(answer="x" * 100_000),)))
    assert len(test.system_out) < 5000


@settings(max_examples=60)
@given(texts)
def test_the_file_is_xml_whatever_an_agent_says(text: str) -> None:
    for kind in ("regression", "pass", "undecided", "agent_down", "accepted", "needs_acceptance"):
        xml = junit.render(hostile_report(kind, text))
        suite = JUnitXml.fromstring(xml.encode())
        assert "<!DOCTYPE" not in xml.partition("<testsuite ")[0]
        assert sum(1 for case in suite for _ in case) == sum(1 for _ in read(hostile_report(kind, "x")))


def test_a_report_from_a_file_without_any_case_is_still_a_file() -> None:
    empty = replace(a_report().comparison, cases=())
    assert read(replace(a_report(), comparison=empty)).tests == 0
