import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings

from gate.publish import comment
from tests.support.goldens import Golden
from tests.support.hostile import skeleton, visible
from tests.support.reports import (
    ACCEPTED,
    LONDON,
    a_bar,
    a_case_verdict,
    a_change,
    a_first_run,
    a_meta,
    a_regression,
    a_report,
    a_throttled_run,
    case_rules,
    hostile_report,
    situations,
)

SITUATIONS = situations()


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_comment_of_a_situation_is_the_agreed_one(name: str, golden: Golden) -> None:
    golden(f"comment/{name}.md", comment.render(SITUATIONS[name]))


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_marker_comes_first_and_a_blank_line_follows(name: str) -> None:
    assert comment.render(SITUATIONS[name]).startswith("<!-- agent-gate:default -->\n\n### Agent Gate: ")


def test_the_marker_names_its_comment_and_cannot_be_broken_out_of() -> None:
    assert comment.render(a_report(), id_="staging").startswith("<!-- agent-gate:staging -->\n\n")
    assert comment.marker("x --> <b>") == "<!-- agent-gate:x--b -->"
    assert comment.marker("é>") == "<!-- agent-gate:default -->"


def test_a_pass_is_two_lines() -> None:
    shown = [line for line in comment.render(a_report()).split("\n") if line]
    assert len(shown) == 3
    assert shown[1] == "### Agent Gate: pass — nothing got worse"
    assert shown[2].startswith(
        "48 of 48 cases, 144 trials, 3 min 12 s, against 10 runs of the baseline; run "
    )


@pytest.mark.parametrize("number", [1, 2])
def test_plural_forms_are_right(number: int) -> None:
    cases = tuple(replace(LONDON, id=f"case {i}") for i in range(number))
    text = comment.render(a_report("regression", rules=case_rules(number), cases=cases))
    assert f"{number} of {number} {'case' if number == 1 else 'cases'} broke" in text
    assert f"<summary>{number} {'case' if number == 1 else 'cases'} broke</summary>" in text


def test_the_command_to_reproduce_is_quoted_for_a_shell() -> None:
    broken = replace(LONDON, id="it's $(here)")
    text = comment.render(a_regression(cases=(broken,), meta=a_meta(config="ci/my gate.yml")))
    assert """agent-gate run --config 'ci/my gate.yml' --case 'it'"'"'s $(here)'`""" in text


def test_a_case_that_failed_before_as_well_did_not_break() -> None:
    old = a_case_verdict("old", passed=0, base_passed=0, failing=True)
    text = comment.render(a_report(cases=(old,)))
    assert "pass — nothing got worse" in text
    assert "1 fails as before" in text


def test_an_unmeasured_new_case_is_never_shown_as_fine() -> None:
    unseen = a_case_verdict(
        "unseen", "new", passed=0, measured=0, outcomes={"throttled": 3}, cause="throttled"
    )
    text = comment.render(a_throttled_run(cases=(unseen, a_case_verdict())))
    assert "1 case could not be decided" in text
    assert "0 of 3 trials measured: 3 throttled" in text


def test_a_first_run_counts_only_cases_that_pass_every_trial() -> None:
    report = a_first_run()
    shaky = a_case_verdict("shaky", "new", passed=2)
    cases = (*report.comparison.cases[1:], shaky)
    text = comment.render(replace(report, comparison=replace(report.comparison, cases=cases)))
    assert "11 of 12 cases meet their expectations" in text
    assert "passes sometimes: **`shaky`**" in text


def test_a_long_comment_is_cut_at_whole_cases_and_says_so() -> None:
    cases = tuple(replace(LONDON, id=f"case_{i:04}", answer="日本語" * 90) for i in range(500))
    text = comment.render(a_report("regression", rules=case_rules(500), cases=cases))
    assert len(text) <= comment.BUDGET
    assert len(text.encode()) <= comment.BUDGET
    kept = text.count("reproduce: ")
    assert f"Left out because of the length: {500 - kept} of 500 broken cases." in text
    assert "`summary.md`" in text
    assert text.count("<details") == text.count("</details>") == 1
    assert text.rstrip().endswith("run `4711-1`, commit `e4f5a6b`")


def test_many_changes_are_counted_and_the_rest_is_in_the_summary() -> None:
    text = comment.render(SITUATIONS["bar_many"])
    assert "### Agent Gate: needs acceptance — 1000 rules loosened" in text
    assert text.count("loosened, ") == 20
    assert "and 980 more in the job's summary" in text
    assert len(text.encode()) <= comment.BUDGET


@pytest.mark.parametrize("side", ["base", "head"])
def test_long_changes_leave_the_broken_cases_their_room(side: str) -> None:
    wide = "日本語🙂" * 100
    changes = tuple(
        a_change(f"{n}{wide}", before=wide, after=wide, note=wide, needs_acceptance=n % 2 == 0)
        for n in range(1000)
    )
    cases = tuple(replace(LONDON, id=f"case_{i:04}") for i in range(500))
    bar = a_bar(*changes, side=side, accepted=ACCEPTED if side == "head" else None)
    text = comment.render(a_report("regression", rules=case_rules(500), cases=cases, bar=bar))
    assert len(text.encode()) <= comment.BUDGET
    assert text.count("reproduce: ") > 50
    assert text.startswith(
        "<!-- agent-gate:default -->\n\n### Agent Gate: regression — 500 of 500 cases broke"
    )
    said = "500 of its changes to them need acceptance" if side == "base" else "1000 changes included"
    assert said in text
    left = re.findall(r"^and (\d+) more in the job's summary$", text, re.MULTILINE)
    assert text.count("** loosened") + sum(map(int, left)) == 1000


def test_a_budget_without_room_for_changes_keeps_their_count_and_the_verdict() -> None:
    text = comment.render(SITUATIONS["bar_many"], budget=2300)
    assert "### Agent Gate: needs acceptance — 1000 rules loosened" in text
    assert "sets the label `agent-gate: accept`" in text
    assert "of 20 listed changes" in text


@pytest.mark.parametrize("name", ["bar_accepted", "bar_tightened", "bar_untouched", "bar_changed_passes"])
def test_a_pass_says_at_most_one_open_line_of_the_bar(name: str) -> None:
    opened = comment.render(SITUATIONS[name]).partition("<details>")[0]
    lines = [line for line in opened.split("\n") if line]
    assert len(lines) == (4 if name == "bar_accepted" else 3)


def test_one_side_says_nothing_of_a_bar() -> None:
    assert " against `main`" not in comment.render(a_report())
    assert " against `main` at `a1b2c3d`." in comment.render(a_report(bar=a_bar()))


@cache
def harmless(kind: str) -> list[tuple[Any, ...]]:
    return skeleton(comment.render(hostile_report(kind, "x")))


@pytest.mark.parametrize(
    "kind", ["regression", "pass", "undecided", "agent_down", "accepted", "needs_acceptance"]
)
@settings(max_examples=50)
@given(visible)
def test_hostile_text_changes_nothing_but_code(kind: str, text: str) -> None:
    assert skeleton(comment.render(hostile_report(kind, text))) == harmless(kind)


@given(visible)
def test_no_comment_holds_a_workflow_command(text: str) -> None:
    shown = comment.render(hostile_report("agent_down", text))
    assert not any(line.lstrip().startswith("::") for line in shown.split("\n"))
    assert "##[" not in shown
