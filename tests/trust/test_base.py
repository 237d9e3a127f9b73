"""The base side as a commit has it."""

import re
import shutil
from pathlib import Path

import pytest

from gate.errors import BaseUnreadable
from gate.git import head_of
from gate.model.bar import Revision
from gate.trust import BaseSide, read_base
from tests.support.commands import a_project, commit, edit, git


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_project(tmp_path / "project")


def base(project: Path, config: str = "agent-gate.yml", rev: str = "") -> BaseSide:
    return read_base(Revision(commit=rev or head_of(project)), project / config)


def test_it_is_what_is_committed_whatever_the_work_tree_has(project: Path) -> None:
    before = base(project)
    assert before.config
    assert (before.file, len(before.cases), before.problems) == ("agent-gate.yml", 10, ())
    shutil.rmtree(project / "golden")
    (project / "agent-gate.yml").write_text("nonsense: [", encoding="utf-8")
    assert base(project) == before


def test_golden_files_of_other_tools_are_read_as_they_were_committed(project: Path) -> None:
    golden = project / "golden/cases.py"
    golden.write_text('CASES = [{"id": "a", "input": "hi", "expected_tools": ["f"]}]\n', encoding="utf-8")
    edit(project / "agent-gate.yml", "golden/*.yaml", "golden/cases.py")
    commit(project, "cases in Python")
    golden.write_text("CASES = []\n", encoding="utf-8")
    (case,) = base(project).cases
    assert (case.id, case.place.file) == ("a", "golden/cases.py")


def test_it_is_seen_from_any_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = base(project).cases
    monkeypatch.chdir(project / "golden")
    found = read_base(Revision(commit=head_of(project)), Path("../agent-gate.yml"))
    assert (found.file, found.cases) == ("agent-gate.yml", expected)


def test_a_clone_behind_a_link_is_the_clone(project: Path) -> None:
    link = project.parent / "link"
    link.symlink_to(project)
    assert base(link).file == "agent-gate.yml"


def test_a_commit_without_a_config_has_none_and_no_problem(project: Path) -> None:
    (project / "new").mkdir()
    found = base(project, "new/agent-gate.yml")
    assert (found.config, found.file, found.problems) == (None, "", ())


def test_a_config_outside_of_the_repository_has_no_base(project: Path, tmp_path: Path) -> None:
    (tmp_path / "agent-gate.yml").touch()
    with pytest.raises(BaseUnreadable, match="cannot be read here"):
        read_base(Revision(commit=head_of(project)), tmp_path / "agent-gate.yml")


def test_a_commit_that_is_not_here_says_what_to_fetch(project: Path) -> None:
    with pytest.raises(BaseUnreadable) as told:
        base(project, rev="0" * 40)
    assert "fetch-depth: 0" in told.value.hint


def test_a_partial_clone_knows_which_files_it_lacks(project: Path, tmp_path: Path) -> None:
    git(project, "config", "uploadpack.allowFilter", "true")
    edit(project / "agent-gate.yml", "dataset: golden/*.yaml", "dataset: [golden/*.yaml]")
    commit(project, "head")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{project}", str(clone))
    (first,) = [p.what for p in base(clone, rev="HEAD~1").problems]
    assert first == "cannot be read: git has no copy of it here (a partial clone?)"


def with_branch(project: Path, lines: str) -> Path:
    """A clone whose baseline is in a branch of its own."""
    git(project, "checkout", "-q", "--orphan", "agent-gate/baseline")
    git(project, "rm", "-q", "-r", "--cached", ".")
    (project / "golden/baseline.jsonl").write_text(lines, encoding="utf-8")
    git(project, "add", "-f", "golden/baseline.jsonl")
    git(project, "commit", "-q", "-m", "evidence")
    git(project, "checkout", "-q", "-f", "main")
    text = (project / "agent-gate.yml").read_text(encoding="utf-8")
    own = re.sub("baseline: .*", "baseline: {branch: agent-gate/baseline}", text)
    (project / "agent-gate.yml").write_text(own, encoding="utf-8")
    commit(project, "a branch")
    clone = project.parent / "clone"
    git(project.parent, "clone", "-q", str(project), str(clone))
    return clone


HEADER = (
    '{"runs":[{"branch":"main","commit":"abc","date":"2026-11-30","reason":"","run":"r1"}],"version":1}\n'
)


def test_a_baseline_of_a_branch_is_read_from_the_remote_s(project: Path) -> None:
    from gate.suite import Selection, prepare

    clone = with_branch(project, HEADER)
    found = base(clone)
    assert found.baseline
    assert [run.run for run in found.baseline.runs] == ["r1"]
    assert prepare(clone / "agent-gate.yml", Selection(), boots=False).baseline == found.baseline
    git(clone, "branch", "agent-gate/baseline", "HEAD")  # of the same name, made by somebody else
    assert base(clone).baseline == found.baseline


def test_a_branch_that_was_not_fetched_leaves_the_baseline_unreadable(project: Path) -> None:
    clone = with_branch(project, HEADER)
    git(clone, "update-ref", "-d", "refs/remotes/origin/agent-gate/baseline")
    git(clone, "config", "remote.origin.fetch", "+refs/heads/main:refs/remotes/origin/main")
    found = base(clone)
    assert (found.baseline, found.baseline_facts.state) == (None, "unreadable")


def test_a_branch_that_is_nowhere_is_no_baseline_yet(project: Path) -> None:
    clone = with_branch(project, HEADER)
    git(clone, "update-ref", "-d", "refs/remotes/origin/agent-gate/baseline")
    assert base(clone).baseline_facts.state == "none"


def test_of_two_configs_that_are_gone_none_is_taken_for_the_base(project: Path) -> None:
    shutil.copy(project / "agent-gate.yml", project / "second.yml")
    commit(project, "two")
    rev = head_of(project)
    (project / "agent-gate.yml").rename(project / "new.yml")
    (project / "second.yml").unlink()
    (problem,) = base(project, "new.yml", rev).problems
    assert problem.rule == "base-unknown"
    assert "agent-gate.yml and second.yml" in problem.what
