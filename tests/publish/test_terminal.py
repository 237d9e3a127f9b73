import re
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings

from gate.model.verdict import Reason
from gate.publish import terminal
from gate.publish.columns import width
from tests.support.goldens import Golden
from tests.support.hostile import visible
from tests.support.reports import (
    LONDON,
    a_case_verdict,
    a_meta,
    a_regression,
    a_report,
    a_rule,
    a_rule_verdict,
    a_throttled_run,
    case_rules,
    hostile_report,
    situations,
)

SITUATIONS = situations()
FILES = ("out/run.json", "out/traces.jsonl", "out/junit.xml", "out/comment.md", "out/summary.md")


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_report_of_a_situation_is_the_agreed_one(name: str, golden: Golden) -> None:
    golden(f"terminal/{name}.txt", terminal.render(SITUATIONS[name], files=FILES))


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("pass", "agent-gate exited with 0: pass"),
        ("regression", "agent-gate exited with 1: regression"),
        ("undecided_throttled", "agent-gate exited with 3: undecided (throttled)"),
        ("agent_down", "agent-gate exited with 3: undecided (agent_down)"),
        ("regression_reported", "agent-gate exited with 0: regression, reported only (enforce: report)"),
        ("undecided_let_through", "agent-gate exited with 0: undecided (throttled), let through by policy"),
    ],
)
def test_the_last_line_is_the_exit_in_words(name: str, last: str) -> None:
    text = terminal.render(SITUATIONS[name])
    assert text.split("\n")[-2:] == [last, ""]


def test_another_exit_code_can_be_put_into_words() -> None:
    assert terminal.render(a_report(), code=130).endswith("agent-gate exited with 130: interrupted\n")


def test_the_columns_line_up_with_wide_and_with_combining_characters() -> None:
    names = ("calls", "日本語の正確さ", "cafe\u0301")
    rules = tuple(a_rule_verdict(a_rule(name, min=0.5), value=0.75, baseline=0.75) for name in names)
    lines = terminal.render(a_report(rules=rules)).split("\n")
    table = lines[2 : 3 + len(names)]
    assert {width(line[: line.index("at least")]) for line in table[1:]} == {table[0].index("rule")}


def test_colour_only_when_asked_and_the_words_stay() -> None:
    plain, coloured = terminal.render(a_regression()), terminal.render(a_regression(), colour=True)
    assert "\x1b" not in plain
    assert "\x1b[31mAgent Gate: regression" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == plain


def test_calls_that_repeat_are_told_once_and_none_is_left_out_silently() -> None:
    looping = a_case_verdict(klass="regressed", failing=True, calls=("look {}",) * 6)
    assert "it called look {} 6 times\n" in terminal.render(a_report("regression", cases=(looping,)))
    busy = a_case_verdict(klass="regressed", failing=True, calls=tuple(f"step{n} {{}}" for n in range(7)))
    assert "step3 {}, step4 {} and 2 more\n" in terminal.render(a_report("regression", cases=(busy,)))


def test_a_case_that_could_not_be_decided_says_why() -> None:
    hidden = Reason(metric="state", where="case", text="the protocol does not expose it", measured=False)
    limit = Reason(metric="calls", where="case", text="answered 429", measured=False)
    cases = tuple(
        a_case_verdict(id_, "undecided", passed=0, measured=0, outcomes=ended, reasons=(why,))
        for id_, ended, why in (
            ("one", {"throttled": 3}, limit),
            ("two", {"completed": 3}, hidden),
        )
    )
    shown = terminal.render(a_report("undecided", cause="throttled", cases=cases))
    assert "one: 0 of 3 trials measured: 3 throttled: answered 429\n" in shown
    assert "two: 0 of 3 trials measured: state: the protocol does not expose it\n" in shown


def test_a_run_without_a_measurement_has_no_table_and_no_log_that_only_repeats_its_reason() -> None:
    down = a_meta(
        agent_down="`agent` exited with 1: `no such file`", log_tail="no such file\n", measured_trials=0
    )
    shown = terminal.render(a_report("undecided", cause="agent_down", meta=down))
    assert "baseline  " not in shown
    assert shown.count("no such file") == 1


@cache
def harmless(kind: str) -> int:
    return terminal.render(hostile_report(kind, "x")).count("\n")


@pytest.mark.parametrize(
    "kind", ["regression", "pass", "undecided", "agent_down", "accepted", "needs_acceptance"]
)
@settings(max_examples=50)
@given(visible)
def test_hostile_text_adds_no_line_no_command_and_no_escape(kind: str, text: str) -> None:
    shown = terminal.render(hostile_report(kind, text), files=(text,))
    lines = shown.split("\n")
    assert not any(line.lstrip().startswith("::") for line in lines)
    assert "##[" not in shown
    assert "##vso[" not in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", shown)
    if kind != "agent_down":
        assert shown.count("\n") == harmless(kind) + 2
    assert lines[-2].startswith("agent-gate exited with ")


def test_a_broken_case_shows_its_reasons_once() -> None:
    twice = a_report("regression", rules=case_rules(1), cases=(LONDON,))
    assert terminal.render(twice).count("the agent called no tool") == 1


def test_a_long_list_of_undecided_cases_is_cut() -> None:
    report = a_throttled_run()
    cases = tuple(case for case in report.comparison.cases if case.klass == "undecided")
    more = a_throttled_run(cases=(*report.comparison.cases, *cases))
    assert "  and 10 more\n" in terminal.render(more)


def test_the_command_to_reproduce_has_the_environment_that_the_run_had() -> None:
    report = a_regression()
    shown = terminal.render(replace(report, meta=replace(report.meta, env=("A=1 2",))))
    assert "--env 'A=1 2' --case" in shown
