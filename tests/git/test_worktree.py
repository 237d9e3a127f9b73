"""What the gate asks git."""

import subprocess
from pathlib import Path

import pytest

from gate.git import commit_of, is_tracked
from gate.model.run import Commit


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
    done = subprocess.run(
        ["git", "-C", str(root), *identity, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "agent.py").write_text("one", encoding="utf-8")
    (tmp_path / "golden").mkdir()
    (tmp_path / "golden" / "a.yaml").write_text("cases: []", encoding="utf-8")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def test_a_clean_tree_has_its_commit_and_branch(repository: Path) -> None:
    commit = commit_of(repository, inputs=[repository / "golden/a.yaml"])
    assert commit.sha == git(repository, "rev-parse", "HEAD")
    assert (commit.branch, commit.dirty) == ("main", False)


def test_outside_a_repository_there_is_no_commit(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == Commit()


def test_a_detached_head_has_no_branch(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    assert commit_of(repository).branch == ""


def test_a_changed_file_makes_it_dirty(repository: Path) -> None:
    (repository / "agent.py").write_text("two", encoding="utf-8")
    assert commit_of(repository).dirty


def test_a_changed_baseline_alone_does_not(repository: Path) -> None:
    (repository / "golden/a.yaml").write_text("changed", encoding="utf-8")
    assert not commit_of(repository, ignore=[repository / "golden/a.yaml"]).dirty


def test_an_input_that_is_not_committed_makes_it_dirty_and_other_new_files_do_not(repository: Path) -> None:
    (repository / "out").mkdir()
    (repository / "out" / "run.json").write_text("{}", encoding="utf-8")
    assert not commit_of(repository).dirty
    new = repository / "golden/new é.yaml"
    new.write_text("cases: []", encoding="utf-8")
    assert commit_of(repository, inputs=[new]).dirty


def test_paths_are_seen_from_a_folder_below(repository: Path) -> None:
    (repository / "golden/a.yaml").write_text("changed", encoding="utf-8")
    assert not commit_of(repository / "golden", ignore=[repository / "golden/a.yaml"]).dirty


def test_a_committed_file_that_was_deleted_is_still_tracked(repository: Path) -> None:
    (repository / "golden/a.yaml").unlink()
    assert is_tracked(repository, repository / "golden/a.yaml")
    assert not is_tracked(repository, repository / "golden/b.yaml")


def test_paths_are_seen_from_where_the_command_runs(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    assert is_tracked(Path("golden"), Path("golden/a.yaml"))
    assert not commit_of(Path("golden"), inputs=[Path("golden/a.yaml")]).dirty
