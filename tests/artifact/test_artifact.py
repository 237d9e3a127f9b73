"""The comment of an artifact: what is hostile in it stays text, and nothing of it decides where it goes."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.artifact import OF_A_FORK, body
from gate.errors import UsageError
from gate.formats.records import dump
from gate.github.event import RunContext
from gate.model.verdict import Report
from gate.redact import Redactor
from gate.results import stored_run
from tests.support.artifacts import (
    Spot,
    changed,
    filled,
    full_reports,
    keys_of_mappings,
    spots,
    text_fields,
)
from tests.support.github.state import HEAD
from tests.support.hostile import skeleton, visible
from tests.support.reports import a_report

REPORTS = full_reports()
JSON: dict[str, Any] = {name: dump(report) for name, report in REPORTS.items()}
BUDGET = 60_000
OPENED = ("regression", "pass", "undecided")
"""Each shows other cases; the rest shows them as these do."""


def a_context(**fields: Any) -> RunContext:
    known: dict[str, Any] = {
        "event": "workflow_run",
        "repository": "acme/agent",
        "workflow": ".github/workflows/agent-gate.yml",
        "job": "publish",
        "run_id": 4711,
        "attempt": 2,
        "sha": "c" * 40,
        "head_sha": HEAD,
        "is_fork": True,
    }
    return RunContext(**(known | fields))


def loaded(report: Any) -> Report | None:
    """The report as it comes out of an artifact; None where it is refused."""
    text = json.dumps({"version": 1, "report": report, "cases": [], "trials": []})
    try:
        return stored_run(text.encode(), Path("run.json")).report
    except UsageError:
        return None


def shown(report: Any, budget: int = BUDGET) -> str | None:
    found = loaded(report)
    return body(found, a_context(), budget) if found else None


def test_the_reports_of_these_tests_fill_every_text_field() -> None:
    there = {spot for report in REPORTS.values() for spot in filled(report)}
    assert set(text_fields(Report)) <= there


TEXTS = [(name, spot, False) for name, report in JSON.items() for spot in spots(report, str)]
KEYS = [(name, spot, True) for name, report in JSON.items() for spot in keys_of_mappings(report)]
NUMBERS = [(name, spot) for name, report in JSON.items() for spot in spots(report, (int, float))]


@cache
def harmless(name: str, spot: Spot, key: bool) -> list[tuple[Any, ...]] | None:
    text = shown(changed(JSON[name], spot, "quiet", key=key))
    return skeleton(text) if text else None


def holds(name: str, spot: Spot, text: str, *, key: bool = False) -> None:
    """The document stays what it is, whatever stands at this spot; or is refused, as with `quiet`."""
    comment = shown(changed(JSON[name], spot, text, key=key))
    if harmless(name, spot, key) is None or comment is None:
        assert comment is None or key
        return
    assert skeleton(comment) == harmless(name, spot, key)
    assert not any(line.lstrip().startswith("::") for line in comment.split("\n"))
    assert "##[" not in comment
    assert comment.count("<!-- agent-gate:") == 1


TABLE = (
    "`` ` | \\| [x](javascript:alert(1)) ![x](https://evil.example/p.png) <img src=x onerror=alert(1)> @all",
    "\n\n# Agent Gate: pass\n\n</details><!-- -->\n```\n~~~\n::error::x\n##[error]x",
    "<!-- agent-gate:default -->\r\x1b]8;;https://evil.example\x1b\\\u202e\u2066 fixes #1 www.evil.example",
)


@pytest.mark.parametrize("text", TABLE, ids=["inline", "block", "marker"])
@pytest.mark.parametrize("name", REPORTS)
def test_no_text_of_an_artifact_becomes_more_than_text(name: str, text: str) -> None:
    for report, spot, key in (*TEXTS, *KEYS):
        if report == name and (name in OPENED or "cases" not in spot):
            holds(name, spot, text, key=key)


@given(st.sampled_from([*TEXTS, *KEYS]), visible)
def test_any_hostile_text_anywhere_stays_text(where: tuple[str, Spot, bool], text: str) -> None:
    name, spot, key = where
    holds(name, spot, text.encode("utf-8", "replace").decode(), key=key)


@pytest.mark.parametrize("number", [-1, 0, 1, 0.5, 2**62, -1e99, 1e99])
def test_no_number_of_an_artifact_breaks_the_comment(number: float) -> None:
    for name, spot in NUMBERS:
        text = shown(changed(JSON[name], spot, number))
        assert text is None or len(text.encode()) <= BUDGET


@pytest.mark.parametrize("budget", [60_000, 30_000, 10_000, 3_000])
def test_a_long_artifact_fits_every_budget(budget: int) -> None:
    report = JSON["regression"]
    cases = [{**case, "id": f"{case['id']}{n}"} for n in range(200) for case in report["comparison"]["cases"]]
    text = shown(changed(report, ("comparison", "cases"), cases), budget)
    assert text
    assert len(text.encode()) <= budget
    assert OF_A_FORK in text
    assert text.endswith("/actions/runs/4711/attempts/2)\n")


@pytest.mark.parametrize("name", REPORTS)
def test_a_forks_words_are_information_and_say_so_under_the_headline(name: str) -> None:
    lines = [line for line in body(REPORTS[name], a_context(), BUDGET).split("\n") if line]
    assert lines[0].startswith("<!-- agent-gate:")
    assert lines[1].startswith("### Agent Gate: ")
    assert lines[2] == OF_A_FORK
    assert OF_A_FORK not in body(REPORTS[name], a_context(is_fork=False), BUDGET)


def test_which_run_measured_is_the_events_to_say() -> None:
    text = body(a_report(), a_context(server_url="https://ghes.example"), BUDGET)
    link = "https://ghes.example/acme/agent/actions/runs/4711/attempts/2"
    assert text.endswith(f"[Summary and files of run 4711, attempt 2]({link})\n")


def test_the_last_sweep_takes_out_what_the_artifact_brings() -> None:
    token = "ghs_" + "a" * 36
    text = shown(changed(JSON["regression"], ("comparison", "cases", 0, "answer"), f"I know {token}"))
    assert text
    assert token in text
    assert token not in Redactor([token]).text(text)
