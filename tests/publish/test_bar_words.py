from dataclasses import replace

import pytest

from gate.model.verdict import ByBase, CaseVerdict
from gate.publish import bar_words
from tests.support.reports import (
    ACCEPTED,
    LOOSENED,
    REFUND,
    REWRITTEN,
    a_bar,
    a_case_verdict,
    a_change,
    a_meta,
    a_report,
    case_rules,
    needs_acceptance,
)


def quoted(text: str) -> str:
    return f"<{text}>"


def two_texts(now: tuple[int, int], base: tuple[int, int]) -> CaseVerdict:
    old = ByBase(passed=base[0], measured=base[1], planned=3)
    return replace(REFUND, passed=now[0], measured=now[1], by_base=old)


@pytest.mark.parametrize(
    ("now", "base", "words"),
    [
        ((3, 3), (0, 3), "passes by its new text (3 of 3) and fails by the text on <main> (0 of 3)"),
        ((3, 3), (3, 3), "passes by its new text (3 of 3) and by the text on <main> (3 of 3)"),
        ((0, 3), (3, 3), "fails by its new text (0 of 3) and passes by the text on <main> (3 of 3)"),
        (
            (2, 3),
            (3, 3),
            "passes sometimes by its new text (2 of 3) and passes by the text on <main> (3 of 3)",
        ),
        (
            (3, 3),
            (0, 0),
            "passes by its new text (3 of 3) and could not be measured by the text on <main>",
        ),
        (
            (1, 2),
            (1, 3),
            "passes sometimes by its new text (1 of 2, 1 not measured) and by the text on <main> (1 of 3)",
        ),
    ],
)
def test_a_changed_case_is_told_by_both_texts(
    now: tuple[int, int], base: tuple[int, int], words: str
) -> None:
    assert bar_words.by_text(a_report(bar=a_bar(REWRITTEN)), two_texts(now, base), quoted) == words


def test_a_case_whose_text_is_the_same_is_told_by_the_metrics_of_both_sides() -> None:
    report = a_report(bar=a_bar(LOOSENED))
    assert bar_words.by_text(report, REFUND, quoted) == (
        "passes by the metrics of this pull request (3 of 3) and fails by the metrics of <main> at <a1b2c3d> "
        "(0 of 3)"
    )
    assert bar_words.by_text(report, two_texts((3, 3), (3, 3)), quoted) == ""


def test_a_case_that_passes_only_by_its_new_text_needs_acceptance_though_its_change_alone_would_not() -> None:
    edited, moved = (replace(REWRITTEN, needs_acceptance=False, after=after) for after in ("", "billing"))
    report = needs_acceptance(edited, bar=a_bar(edited, moved), cases=(REFUND,))
    assert (bar_words.pending(report), bar_words.quiet(report)) == ((edited,), (moved,))
    both = replace(report, comparison=replace(report.comparison, cases=(two_texts((3, 3), (3, 3)),)))
    assert (bar_words.pending(both), bar_words.quiet(both)) == ((), (edited, moved))


def test_what_waits_is_told_by_what_it_keeps_from_being_known() -> None:
    driving = a_change("agent.boot.pass_env", subject="agent")
    told = bar_words.statement(needs_acceptance(driving), quoted)
    assert told.startswith(
        "1 change of this pull request needs acceptance. Until then the agent is run as <main> at"
    )
    partly = needs_acceptance(LOOSENED, meta=a_meta(measured_trials=1))
    assert bar_words.statement(partly, quoted).startswith("This pull request does not fail by its own rules")
    unnamed = needs_acceptance(LOOSENED, bar=a_bar(), rules=case_rules(1))
    assert bar_words.statement(unnamed, quoted) == (
        "This pull request passes by its own rules, cases and baseline, but is a regression by those of "
        "<main> at <a1b2c3d>, which decide until somebody accepts what it changes."
    )


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ((3, 3), "by the text on <main> it passes 3 of 3"),
        ((0, 2), "by the text on <main> it passes 0 of 2 (1 not measured)"),
        ((0, 0), "by the text on <main> it could not be measured"),
    ],
)
def test_a_removed_case_is_told_by_the_text_that_is_left(base: tuple[int, int], words: str) -> None:
    gone = a_case_verdict("x", "removed", by_base=ByBase(passed=base[0], measured=base[1], planned=3))
    assert bar_words.by_text(a_report(bar=a_bar()), gone, quoted) == words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "the text on <main>"),
        ({"branch": ""}, "the text at <a1b2c3d>"),
        ({"branch": "", "base": ""}, "the text of the base"),
    ],
)
def test_the_text_of_the_base_is_named_by_what_is_known_of_it(fields: dict[str, object], words: str) -> None:
    assert bar_words.text_of_base(a_bar(**fields), quoted) == words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, " against <main> at <a1b2c3d>"),
        ({"behind": 1}, " against <main> at <a1b2c3d>, 1 commit behind"),
        ({"branch": ""}, " against <a1b2c3d>"),
        ({"base": ""}, " against <main>"),
        ({"base": "", "branch": ""}, ""),
    ],
)
def test_the_base_is_named_by_what_is_known_of_it(fields: dict[str, object], words: str) -> None:
    assert bar_words.against(a_report(bar=a_bar(**fields)), quoted) == words


def test_an_acceptance_says_who_how_when_and_of_which_commit() -> None:
    report = a_report(bar=a_bar(side="head", accepted=ACCEPTED))
    assert bar_words.statement(report, quoted) == (
        "Accepted by <ann> with a label on 2026-11-30 at 07:12 UTC, for commit <0f1e2d3>: "
        "the rules, cases and baseline of this pull request decided."
    )


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        ("2026-11-30T09:12:09+02:00", "2026-11-30 at 07:12 UTC"),
        ("soon", "<soon>"),
        ("0001-01-01T00:00:00+23:00", "<"),
    ],
)
def test_a_time_is_read_or_quoted(at: str, shown: str) -> None:
    report = a_report(bar=a_bar(side="head", accepted=replace(ACCEPTED, at=at)))
    assert f"on {shown}" in bar_words.statement(report, quoted)


def test_an_attempt_that_does_not_count_is_told_only_where_something_waits() -> None:
    tried = a_bar(LOOSENED, not_accepted="it was set before the last push")
    assert "Not accepted yet: <it was set before" in bar_words.statement(
        needs_acceptance(LOOSENED, bar=tried), quoted
    )
    assert "Not accepted yet: <it was set before" in bar_words.statement(
        a_report("regression", bar=tried), quoted
    )
    assert bar_words.statement(a_report(bar=replace(tried, changes=())), quoted) == ""


def test_without_two_sides_nothing_is_said() -> None:
    report = a_report()
    assert bar_words.statement(report, quoted) == bar_words.against(report, quoted) == ""
    assert bar_words.pending(report) == bar_words.quiet(report) == ()
