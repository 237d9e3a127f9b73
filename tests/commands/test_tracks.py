"""The project's own tests beside the agent's cases, up to the pull request that breaks one."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.support.commands import Done, a_project, commit, edit, gate, git

GOOD = '<testcase classname="card" name="TestSave"/>'
BAD = '<testcase classname="card" name="TestSave"><failure message="expected 2, got 1"/></testcase>'
SKIPPED = '<testcase classname="card" name="TestSave"><skipped/></testcase>'
OTHER = '<testcase classname="card" name="TestOpen"/>'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = a_project(tmp_path / "project")
    (root / ".gitignore").write_text("out*/\n__pycache__/\nbuild/\n", encoding="utf-8")
    with (root / "agent-gate.yml").open("a", encoding="utf-8") as file:
        file.write("tracks:\n  - {name: go-tests, junit: build/junit.xml}\n")
    commit(root, "the project's own tests are a track")
    return root


def measured(project: Path, *tests: str, arguments: tuple[str, ...] = ()) -> Done:
    (project / "build").mkdir(exist_ok=True)
    text = f"<testsuites><testsuite>{''.join(tests)}</testsuite></testsuites>"
    (project / "build" / "junit.xml").write_text(text, encoding="utf-8")
    return gate("run", *arguments, cwd=project)


def accepted(project: Path) -> None:
    done = gate("baseline", "accept", cwd=project)
    assert done.code == 0, done.err
    commit(project, "a baseline")


def test_tests_that_pass_are_counted_beside_the_cases_and_never_among_them(project: Path) -> None:
    done = measured(project, GOOD, OTHER, SKIPPED.replace("Save", "Slow"))
    assert done.code == 0, done.out
    assert "Measured 10 of 10 cases, 10 trials" in done.out
    assert "go-tests: 2 of 2 tests pass, 1 skipped." in done.out
    comment = (project / "out" / "comment.md").read_text(encoding="utf-8")
    assert "`go-tests`: 2 of 2 tests pass, 1 skipped." in comment
    suite = ET.parse(project / "out" / "junit.xml").getroot()  # noqa: S314 - our own file
    mine = {case.get("name") for case in suite.iter("testcase") if case.get("classname") == "go-tests"}
    assert mine == {"go-tests::card.TestSave", "go-tests::card.TestOpen"}


def test_a_test_that_fails_without_a_baseline_is_red(project: Path) -> None:
    done = measured(project, BAD, OTHER)
    assert done.code == 1
    assert done.out.startswith("Agent Gate: regression — 1 test of go-tests fails\n")
    assert "expected 2, got 1" in done.out
    assert "reproduce" not in done.out


def test_a_test_that_passed_before_and_fails_now_broke_and_one_that_failed_before_did_not(
    project: Path,
) -> None:
    assert measured(project, GOOD, OTHER).code == 0
    accepted(project)
    done = measured(project, BAD, OTHER)
    assert done.code == 1
    assert done.out.startswith("Agent Gate: regression — 1 of 2 tests of go-tests broke\n")
    assert gate("baseline", "accept", "--because", "known", cwd=project).code == 0
    for _ in range(9):  # until the good run is no longer kept
        measured(project, BAD, OTHER)
        assert gate("baseline", "accept", "--because", "known", cwd=project).code == 0
    assert measured(project, BAD, OTHER).code == 0


def test_a_test_that_is_gone_or_skipped_is_told_and_a_rule_can_forbid_it(project: Path) -> None:
    measured(project, GOOD, OTHER)
    accepted(project)
    done = measured(project, SKIPPED, OTHER)
    assert done.code == 0
    summary = (project / "out" / "summary.md").read_text(encoding="utf-8")
    assert "Tests: 1 removed, 1 unchanged" in summary
    assert (
        "removed: **`go-tests::card.TestSave`** — in the baseline; skipped now, renamed, or gone" in summary
    )
    with (project / "agent-gate.yml").open("a", encoding="utf-8") as file:
        file.write("rules: {go-tests: {regressed: 0, removed: 0}, cases: {regressed: 0, removed: 0}}\n")
    done = measured(project, SKIPPED, OTHER)
    assert done.code == 1
    assert done.out.startswith("Agent Gate: regression — 1 test of go-tests is gone or skipped\n")


def test_a_rule_that_warns_lets_a_broken_test_pass_and_says_so(project: Path) -> None:
    with (project / "agent-gate.yml").open("a", encoding="utf-8") as file:
        file.write("rules: {go-tests: {new_failing: 0, level: warn}}\n")
    done = measured(project, BAD)
    assert done.code == 0
    assert "Warning: 1 test of go-tests fails." in done.out


def test_results_that_are_not_there_stop_the_run_before_anything_is_spent(project: Path) -> None:
    done = gate("run", cwd=project)
    assert done.code == 2
    assert "no file matches 'build/junit.xml'" in done.err
    assert not (project / "out" / "traces.jsonl").exists()
    assert gate("check", cwd=project).code == 0


def test_a_part_of_the_suite_is_run_without_the_tests(project: Path) -> None:
    done = measured(project, BAD, arguments=("--case", "greeting"))
    assert done.code == 0
    assert "go-tests" not in done.out
    measured(project, BAD)
    last = gate("run", "--last-failed", cwd=project)
    assert "every case passed in the last run" in last.err


def test_what_a_run_kept_is_compared_shown_and_graded_again(project: Path) -> None:
    measured(project, GOOD, arguments=("--out", "one"))
    measured(project, BAD, arguments=("--out", "two"))
    done = gate("compare", "one", "two", cwd=project)
    assert done.code == 1
    assert done.out.startswith("Agent Gate: regression — 1 of 1 test of go-tests broke\n")
    shown = gate("show", "go-tests::card.TestSave", "--out", "two", cwd=project)
    assert shown.out == "go-tests::card.TestSave: expected 2, got 1\n"
    (project / "build" / "junit.xml").unlink()
    graded = gate("grade", "two", cwd=project)
    assert graded.code == 0
    assert "go-tests: no results." in graded.out


def test_an_agent_whose_cases_are_all_asleep_is_not_covered_by_tests_that_pass(project: Path) -> None:
    golden = project / "golden" / "weather.yaml"
    golden.write_text(
        "cases: [{id: a, user: hi, expect: {calls: none}, "
        "quarantine: {owner: ann, reason: flaky, until: 2099-01-01}}]\n",
        encoding="utf-8",
    )
    done = measured(project, GOOD)
    assert done.code == 3
    assert json.loads((project / "out" / "run.json").read_text(encoding="utf-8"))["report"]["comparison"][
        "cause"
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tracks:\n  - {name: go-tests, junit: build/junit.xml}\n", ""),
        ("junit: build/junit.xml", "junit: build/other.xml"),
        ("tracks:", "rules: {go-tests: {regressed: 0, new_failing: 0, level: warn}}\ntracks:"),
    ],
)
def test_a_pull_request_that_takes_the_tests_out_of_its_way_needs_acceptance(
    project: Path, old: str, new: str
) -> None:
    measured(project, GOOD, OTHER)
    (project / "build" / "other.xml").write_text(f"<testsuite>{OTHER}</testsuite>", encoding="utf-8")
    accepted(project)
    git(project, "switch", "-q", "-C", "topic")
    edit(project / "agent-gate.yml", old, new)
    done = measured(project, BAD, OTHER, arguments=("--base", "main"))
    assert done.code == 3, done.out
    assert done.out.startswith("Agent Gate: needs acceptance")


def test_a_pull_request_that_brings_a_track_is_judged_by_it_at_once(project: Path) -> None:
    git(project, "switch", "-q", "-C", "topic")
    edit(project / "agent-gate.yml", "name: go-tests", "name: more-tests")
    edit(project / "agent-gate.yml", "tracks:\n", "tracks:\n  - {name: go-tests, junit: build/junit.xml}\n")
    assert measured(project, GOOD, arguments=("--base", "main")).code == 0
    assert measured(project, BAD, arguments=("--base", "main")).code == 1
