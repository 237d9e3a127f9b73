"""Annotations as the runner reads them back, whatever stands in the report."""

import re
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given

from gate.model.finding import Place
from gate.publish import annotations
from tests.support.goldens import Golden
from tests.support.hostile import texts
from tests.support.reports import (
    LONDON,
    a_case_verdict,
    a_report,
    case_rules,
    hostile_report,
    situations,
)

SITUATIONS = situations()


class Issue(NamedTuple):
    level: str
    properties: dict[str, str]
    message: str


def unescaped(text: str, mapping: tuple[tuple[str, str], ...]) -> str:
    for coded, plain in mapping:
        text = text.replace(coded, plain)
    return text


DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))


def as_the_runner_reads(log: str) -> list[Issue]:
    """Every line of the log: a command needs `::` at its start; the first other `::` ends the properties."""
    found = []
    for text in log.splitlines():
        assert text.startswith("::"), text
        head, separator, data = text[2:].partition("::")
        assert separator
        level, _, pairs = head.partition(" ")
        assert level in ("error", "warning", "notice")
        properties = dict(pair.split("=", 1) for pair in pairs.split(",") if pair)
        found.append(
            Issue(level, {k: unescaped(v, PROPERTY) for k, v in properties.items()}, unescaped(data, DATA))
        )
    return found


def read(report: object, **options: str) -> list[Issue]:
    return as_the_runner_reads(annotations.render(report, **options))  # type: ignore[arg-type]


def test_what_a_number_rests_on_stands_beside_it() -> None:
    (issue,) = (
        found for found in read(SITUATIONS["regression_partial"]) if "rule of" in found.properties["title"]
    )
    assert "found 0.70 from 46 of 50 cases (" in issue.message
    assert "1 crashed, 2 judge" in issue.message


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_situation_gives_at_most_ten_of_a_level(name: str) -> None:
    issues = read(SITUATIONS[name])
    levels = [issue.level for issue in issues]
    assert all(levels.count(level) <= 10 for level in levels)
    assert not SITUATIONS[name].comparison.exit_code or issues
    assert all(issue.message and issue.properties["title"].startswith("Agent Gate") for issue in issues)


@pytest.mark.parametrize(
    "name",
    [
        "regression",
        "regression_reported",
        "undecided_throttled",
        "agent_down",
        "bar_changed_case",
        "bar_not_in_force",
    ],
)
def test_the_annotations_of_a_situation_are_the_agreed_ones(name: str, golden: Golden) -> None:
    golden(f"annotations/{name}.txt", annotations.render(SITUATIONS[name]))


def test_a_broken_case_is_shown_where_it_stands() -> None:
    [issue] = read(a_report("regression", rules=case_rules(1), cases=(LONDON,)))
    assert issue.level == "error"
    assert issue.properties == {
        "file": "golden/weather.yaml",
        "line": "12",
        "col": "5",
        "title": "Agent Gate: weather_london broke",
    }
    assert issue.message.startswith("passed 30 of 30 before, 0 of 3 now\ncalls, turn 1: expected a call of")
    assert issue.message.endswith("reproduce: agent-gate run --case weather_london")


def test_a_pass_says_nothing() -> None:
    assert annotations.render(a_report()) == ""


def test_what_does_not_block_is_a_warning() -> None:
    assert {issue.level for issue in read(SITUATIONS["regression_reported"])} == {"warning"}


@pytest.mark.parametrize(
    ("folder", "file", "shown"),
    [
        ("", "golden/a.yaml", "golden/a.yaml"),
        (".", "golden/a.yaml", "golden/a.yaml"),
        ("services/bot", "golden/a.yaml", "services/bot/golden/a.yaml"),
        ("", "/etc/passwd", None),
        ("", "../x.yaml", None),
        ("", "a,b:c%.yaml", "a,b:c%.yaml"),
        ("", "", None),
    ],
)
def test_a_path_starts_at_the_root_of_the_repository(folder: str, file: str, shown: str | None) -> None:
    broken = replace(LONDON, place=Place(file=file, line=3))
    [issue] = read(a_report("regression", rules=case_rules(1), cases=(broken,)), folder=folder)
    assert issue.properties.get("file") == shown
    assert issue.properties.get("line") == ("3" if shown else None)


@pytest.mark.parametrize(("broken", "shown"), [(9, 9), (10, 10), (11, 10), (500, 10)])
def test_the_last_of_ten_says_how_many_are_left(broken: int, shown: int) -> None:
    cases = tuple(replace(LONDON, id=f"case_{n}") for n in range(broken))
    issues = read(a_report("regression", rules=case_rules(broken), cases=cases))
    assert len(issues) == shown
    assert ("more finding" in issues[-1].message) == (broken > shown)
    if broken > shown:
        assert issues[-1].message == f"{broken - 9} more findings: see the job's summary."


def test_a_message_stays_below_what_the_runner_keeps() -> None:
    reasons = tuple(replace(LONDON.reasons[0], text=f"{n} " + "%\n" * 400) for n in range(50))
    [issue] = read(a_report("regression", rules=case_rules(1), cases=(replace(LONDON, reasons=reasons),)))
    assert len(issue.message) <= 4096
    assert issue.message.endswith("…")


def test_a_change_that_needs_acceptance_is_a_warning_where_it_stands() -> None:
    warning, notice = read(SITUATIONS["bar_loosened"], folder="services/bot")
    assert (warning.level, notice.level) == ("warning", "notice")
    assert warning.properties == {
        "file": "services/bot/agent-gate.yml",
        "line": "19",
        "col": "3",
        "title": "Agent Gate: not in force until it is accepted: rules.calls.max_drop loosened",
    }
    assert warning.message.startswith("0.05 → 0.50\nIf this is meant, someone with write access sets")
    assert "rules.calls.max_drop needs acceptance" in notice.message


def test_what_is_broken_by_a_bar_that_may_change_is_a_warning() -> None:
    for name in ("bar_by_base", "bar_driving"):
        assert {issue.level for issue in read(SITUATIONS[name])} == {"warning", "notice"}


@pytest.mark.parametrize("name", ["bar_accepted", "bar_tightened", "bar_untouched"])
def test_what_was_accepted_or_needs_no_acceptance_is_no_annotation(name: str) -> None:
    assert annotations.render(SITUATIONS[name]) == ""


def test_many_changes_and_many_broken_cases_that_do_not_block_share_the_ten_of_their_level() -> None:
    cases = tuple(replace(LONDON, id=f"case_{n}") for n in range(7))
    report = a_report(
        "regression",
        enforced=False,
        rules=case_rules(7),
        cases=cases,
        bar=SITUATIONS["bar_many"].comparison.bar,
    )
    issues = read(report)
    assert [issue.level for issue in issues] == ["warning"] * 10
    assert issues[-1].message == "998 more findings: see the job's summary."


@pytest.mark.parametrize(
    "kind", ["regression", "undecided", "agent_down", "pass", "accepted", "needs_acceptance"]
)
@given(texts)
def test_hostile_text_stays_inside_its_annotation(kind: str, text: str) -> None:
    issues = read(hostile_report(kind, text))
    harmless = read(hostile_report(kind, "x"))
    assert [issue.level for issue in issues] == [issue.level for issue in harmless]
    for issue in issues:
        assert issue.properties.keys() <= {"file", "line", "col", "title"}
        assert re.sub(r"\d", "", issue.properties.get("line", "")) == ""
        for shown in issue.message.split("\n"):
            assert not shown.lstrip().startswith("::")
        assert not re.search(r"##\w*\[", issue.message + issue.properties["title"])
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2066]", issue.message)


@pytest.mark.parametrize("text", ["100%0A::error::x", "a%2Cline=9", "%25", "a,line=9:b", "50%"])
def test_what_looks_like_an_escape_is_shown_as_it_is(text: str) -> None:
    broken = replace(LONDON, id=text, answer=text, place=Place(file=f"{text}.yaml", line=3))
    [issue] = read(a_report("regression", rules=case_rules(1), cases=(broken,)))
    assert issue.properties["title"] == f"Agent Gate: {text} broke"
    assert issue.properties["file"] == f"{text}.yaml"
    assert f"it answered: {text}\n" in issue.message


def test_a_case_without_a_file_is_shown_without_a_place() -> None:
    issues = read(
        a_report(
            "undecided",
            cause="coverage",
            reason="refused",
            cases=(
                a_case_verdict(
                    "x", "undecided", place=Place(file=""), passed=0, measured=0, cause="coverage"
                ),
            ),
        )
    )
    assert {issue.level for issue in issues} == {"notice"}
    assert all("file" not in issue.properties for issue in issues)
