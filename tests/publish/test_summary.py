from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings

from gate.model.verdict import ByBase, Reason
from gate.publish import comment, summary
from tests.support.goldens import Golden
from tests.support.hostile import markdown, skeleton, visible
from tests.support.reports import (
    LONDON,
    REFUND,
    REWRITTEN,
    a_case_verdict,
    a_change,
    a_reading,
    a_regression,
    a_report,
    case_rules,
    hostile_report,
    needs_acceptance,
    short,
    situations,
    unchanged,
)

SITUATIONS = situations()


def test_the_agent_that_was_measured_is_named() -> None:
    said = "agent: `router`, 2 agents, 3 tools, `adk-python 2.13.0`"
    assert said in summary.render(SITUATIONS["pass"])
    assert "agent: " not in summary.render(SITUATIONS["regression"])
    assert said not in comment.render(SITUATIONS["pass"])


@pytest.mark.parametrize(
    "name",
    [
        "regression",
        "pass_moved",
        "pass_first",
        "undecided_coverage",
        "undecided_throttled",
        "regression_partial",
        "agent_down",
        "bar_changed_case",
        "bar_accepted_regressed",
    ],
)
def test_the_summary_of_a_situation_is_the_agreed_one(name: str, golden: Golden) -> None:
    golden(f"summary/{name}.md", summary.render(short(SITUATIONS[name])))


def test_what_a_judge_took_is_told_beside_how_far_it_is_believed() -> None:
    text = summary.render(SITUATIONS["regression_judged"])
    assert (
        "`answer` asked `main` 161 times: 48k tokens, cost 0.012; 3 judgements of earlier runs; "
        "1 question without a verdict; 3 samples of each question agree to 93% on average." in text
    )
    alone = summary.render(SITUATIONS["pass_unanchored"])
    assert "`answer` asked `main` 161 times: 48k tokens.\n" in alone


def test_a_judge_that_was_never_asked_took_nothing() -> None:
    withheld = a_report(readings=(a_reading(calls=0, cached=0, tokens=0, failed=4),))
    assert "asked" not in summary.render(withheld)


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_case_and_every_rule_is_in_the_summary(name: str) -> None:
    report = SITUATIONS[name]
    text = summary.render(report)
    if report.meta.measured_trials:
        assert all(f"| `{case.id}` |" in text for case in report.comparison.cases)
        assert all(f"- `{rule.rule.metric}` (`{rule.scope}`): " in text for rule in report.comparison.rules)


def test_the_tables_are_tables_to_a_markdown_reader() -> None:
    tokens = markdown(summary.render(a_regression()))
    assert sum(token.type == "table_open" for token in tokens) == 3
    assert sum(token.type == "tr_open" for token in tokens) == (1 + 5) + (1 + 5) + (1 + 48)


def test_what_was_not_scored_is_beside_its_case_with_the_cause() -> None:
    case = a_case_verdict("half", unscored={"state": "not_exposed"})
    assert "| `state`: `not_exposed` |" in summary.render(a_report(cases=(case,)))


def test_a_huge_summary_stays_under_its_limit_and_says_what_is_missing() -> None:
    broken = tuple(replace(LONDON, id=f"case_{i:05}", answer="x" * 1900) for i in range(800))
    text = summary.render(a_report("regression", rules=case_rules(800), cases=(*broken, *unchanged(9000))))
    assert len(text.encode()) <= summary.BUDGET
    assert "Left out because of the length: " in text
    assert "of 800 broken cases" in text
    assert text.count("<details") == text.count("</details>")


def test_the_summary_lists_every_change_with_every_reason() -> None:
    assert summary.render(SITUATIONS["bar_many"]).count("** loosened, ") == 1000
    wide = tuple(a_change(f"{n}" + "🙂" * 200, before="🙂" * 200, after="x") for n in range(1000))
    text = summary.render(needs_acceptance(*wide))
    listed = text.count("** loosened, ")
    assert 100 < listed < 1000
    assert f"and {1000 - listed} more in `run.json`" in text
    assert len(text.encode()) < 300_000
    reasons = tuple(Reason(metric="says", where=f"turn {n}", text=str(n)) for n in range(1, 8))
    case = replace(REFUND, by_base=ByBase(passed=0, measured=3, planned=3, reasons=reasons))
    report = needs_acceptance(REWRITTEN, cases=(case,))
    assert summary.render(report).count("by the text on `main`: ") == 7
    assert comment.render(report).count("by the text on `main`: ") == 3
    assert "  - and 4 more" in comment.render(report)


@cache
def harmless(kind: str) -> list[tuple[Any, ...]]:
    return skeleton(summary.render(hostile_report(kind, "x")))


@pytest.mark.parametrize("kind", ["regression", "undecided", "agent_down", "accepted", "needs_acceptance"])
@settings(max_examples=40)
@given(visible)
def test_hostile_text_changes_nothing_but_code(kind: str, text: str) -> None:
    assert skeleton(summary.render(hostile_report(kind, text))) == harmless(kind)
