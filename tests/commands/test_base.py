"""`agent-gate run --base`: where the base has nothing to judge by, and whose policies a run keeps."""

import json
from pathlib import Path

import pytest

from tests.support.commands import Done, a_project, commit, edit, gate, git

NEW = "  - {id: brand_new, user: Hi there, expect: {calls: none}}\n"
QUARANTINED = """\
cases:
  - id: asleep
    user: Hi there
    expect: {calls: none}
    quarantine: {owner: ann, reason: flaky, until: 2099-01-01}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_project(tmp_path / "project")


def proposed(project: Path, *arguments: str) -> Done:
    """The work tree as a pull request into what is committed."""
    git(project, "switch", "-q", "-C", "topic")
    return gate("run", "--base", "main", *arguments, cwd=project)


def add(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_a_new_case_alone_is_judged_by_itself(project: Path) -> None:
    add(project / "golden" / "weather.yaml", NEW)
    done = proposed(project, "--case", "brand_new")
    assert done.code == 0, done.out


def test_a_base_whose_cases_are_all_quarantined_holds_up_no_new_one(project: Path) -> None:
    golden = project / "golden" / "weather.yaml"
    golden.write_text(QUARANTINED, encoding="utf-8")
    commit(project, "all asleep")
    add(golden, NEW)
    done = proposed(project)
    assert done.code == 0, done.out
    edit(golden, "user: Hi there, expect: {calls: none}", "user: Hi there, expect: {calls: [get_weather]}")
    assert proposed(project).code == 1


def test_a_base_whose_cases_are_all_quarantined_still_has_its_rules(project: Path) -> None:
    golden = project / "golden" / "weather.yaml"
    golden.write_text(QUARANTINED, encoding="utf-8")
    commit(project, "all asleep")
    add(golden, NEW)
    add(project / "agent-gate.yml", "rules: {cases: {new_failing: 9}}\n")
    edit(golden, "user: Hi there, expect: {calls: none}", "user: Hi there, expect: {calls: [get_weather]}")
    done = proposed(project)
    assert done.code == 3, done.out
    assert "needs acceptance" in done.out


def test_a_run_keeps_the_policies_that_were_in_force(project: Path) -> None:
    """`compare` judges by them again: what a pull request softens unaccepted must not count there either."""
    add(project / "agent-gate.yml", "undecided: {coverage: pass}\n")
    assert proposed(project).code == 3
    report = json.loads((project / "out" / "run.json").read_text(encoding="utf-8"))["report"]
    assert report["undecided"] == {}
