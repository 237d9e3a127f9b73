import re

import pytest

from gate.model.config import Amount
from gate.model.verdict import Coverage, RuleVerdict
from gate.publish import headline
from tests.support.reports import (
    CASES_RULE,
    LONDON,
    a_case_verdict,
    a_report,
    a_rule,
    a_rule_verdict,
    case_rules,
    filtered,
    situations,
    unchanged,
)


def quoted(text: str) -> str:
    return f"<{text}>"


def red(*rules: RuleVerdict, **fields: object) -> str:
    return headline.headline(a_report("regression", rules=rules, **fields), quoted)


def broken(rule_fields: dict[str, object], **fields: object) -> RuleVerdict:
    return a_rule_verdict(a_rule("calls", **rule_fields), "regression", **fields)


@pytest.mark.parametrize(
    ("rule", "phrase"),
    [
        (broken({"min": 0.9}, value=0.895), "<calls> is 0.895, below 0.90"),
        (broken({"max": 0.5}, value=0.504), "<calls> is 0.504, above 0.50"),
        (
            broken({"max_drop": Amount(value=0.05)}, value=0.9, baseline=0.98),
            "<calls> fell from 0.98 to 0.90",
        ),
        (
            broken({"max_rise": Amount(value=0.05)}, value=0.98, baseline=0.9),
            "<calls> rose from 0.90 to 0.98",
        ),
        (broken({"max_drop": Amount(value=0.05)}, value=0.9), "<calls> breaks its rule"),
        (broken({"min": 0.9}), "<calls> breaks its rule"),
        (
            broken({"min": 0.9, "by": "category"}, value=0.5, scope="secret"),
            "<calls> in a category is 0.50, below 0.90",
        ),
        (broken({"min": 0.9, "by": "case"}, value=0.5, scope="x"), "<calls> in a case is 0.50, below 0.90"),
        (a_rule_verdict(CASES_RULE, "regression", scope="removed", value=1.0), "1 case was removed"),
        (a_rule_verdict(CASES_RULE, "regression", scope="removed", value=2.0), "2 cases were removed"),
        (a_rule_verdict(CASES_RULE, "regression", scope="fixed", value=2.0), "2 cases <fixed>"),
    ],
)
def test_a_broken_rule_in_words(rule: RuleVerdict, phrase: str) -> None:
    assert red(rule) == f"Agent Gate: regression — {phrase}"


def test_a_drop_says_what_it_rests_on_as_a_bound_does() -> None:
    few = Coverage(cases=48, measured=46, trials=144, unscored={"judge": 2})
    drop = broken({"max_drop": Amount(value=0.01)}, value=0.9, baseline=0.98, coverage=few)
    assert red(drop).endswith("<calls> fell from 0.98 to 0.90 from 46 of 48 cases")


def test_two_broken_rules_are_named_and_the_rest_is_counted() -> None:
    one = broken({"min": 0.9}, value=0.8)
    assert red(*case_rules(1), one) == (
        "Agent Gate: regression — 1 of 48 cases broke, <calls> is 0.80, below 0.90"
    )
    assert red(*case_rules(1), one, one).endswith("below 0.90, and 1 more rule is broken")
    assert red(*case_rules(1), one, one, one).endswith("and 2 more rules are broken")


@pytest.mark.parametrize(
    ("klasses", "phrase"),
    [
        (("new",), "1 new case fails"),
        (("changed", "changed"), "2 changed cases fail"),
        (("new", "changed"), "2 new or changed cases fail"),
    ],
)
def test_failing_cases_are_called_what_they_are(klasses: tuple[str, ...], phrase: str) -> None:
    cases = tuple(a_case_verdict(f"c{i}", k, passed=0, failing=True) for i, k in enumerate(klasses))
    assert red(*case_rules(failing=len(klasses)), cases=cases).endswith(f"— {phrase}")


def test_a_selection_is_never_called_the_suite() -> None:
    report = filtered(
        a_report("regression", rules=case_rules(1), cases=(LONDON, *unchanged(3))), "--tag quick"
    )
    assert headline.headline(report, quoted).endswith("1 of 2 selected cases broke")
    assert "(<--tag quick>)" in headline.notices(report, quoted)[0]


def test_only_names_of_metrics_and_tracks_are_other_peoples_words_in_a_headline() -> None:
    for report in situations().values():
        shown = headline.headline(report, quoted)
        assert set(re.findall("<.*?>", shown)) <= {"<calls>", "<go-tests>"}


def test_warnings_are_told_each_with_its_scope() -> None:
    rules = (
        broken({"min": 0.9, "by": "category", "level": "warn"}, value=0.5, scope="routing"),
        broken({"min": 0.9, "by": "category", "level": "warn"}, value=0.4, scope=""),
        a_rule_verdict(
            a_rule("cases", counts={"removed": 0}, level="warn"), "regression", scope="removed", value=2.0
        ),
    )
    report = a_report(rules=(*case_rules(), *rules))
    assert headline.headline(report, quoted).startswith("Agent Gate: pass with 3 warnings — ")
    assert headline.notices(report, quoted) == (
        "Warning: <calls> in <routing> is 0.50, below 0.90.",
        "Warning: <calls> in <no category> is 0.40, below 0.90.",
        "Warning: 2 cases were removed.",
    )


def test_a_coverage_gap_without_missing_trials_is_told_differently() -> None:
    report = a_report("undecided", cause="coverage", reason="state is not exposed")
    assert headline.headline(report, quoted).endswith("— part of what a rule needs was not measured")
    assert headline.why(report, quoted) == "Why: <state is not exposed>. No case that was measured got worse."
