"""Commits and how they hang together."""

import subprocess
from pathlib import Path

import pytest

from gate.git import (
    behind,
    changed_since,
    commit_named,
    commit_of,
    contains,
    head_of,
    is_shallow,
    merge_base,
    parents_of,
    top_of,
)
from gate.model.run import Commit
from tests.support.commands import git, git_output


def commit(root: Path, name: str) -> str:
    (root / name).write_text(name, encoding="utf-8")
    git(root, "add", "-A", ".")
    git(root, "commit", "-q", "-m", name)
    return head_of(root)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    return folder


def test_before_the_first_commit_there_is_none(root: Path, tmp_path: Path) -> None:
    assert head_of(root) == head_of(tmp_path) == ""


def test_a_commit_has_many_names_and_an_option_is_none(root: Path) -> None:
    sha = commit(root, "a")
    git(root, "tag", "-a", "v1", "-m", "v1")
    assert commit_named(root, "main") == commit_named(root, "v1") == commit_named(root, sha[:9]) == sha
    assert [commit_named(root, name) for name in ("gone", "--all", "", "0" * 40)] == [""] * 4


def test_parents_merge_base_and_ancestors(root: Path) -> None:
    first = commit(root, "a")
    git(root, "checkout", "-q", "-b", "side")
    side = commit(root, "b")
    git(root, "checkout", "-q", "main")
    main = commit(root, "c")
    git(root, "merge", "-q", "--no-ff", "-m", "Merge\n\nparent of nothing", "side")
    merge = head_of(root)
    assert parents_of(root, merge) == (main, side)
    assert parents_of(root, first) == ()
    assert merge_base(root, main, side) == first
    assert contains(root, merge, side)
    assert not contains(root, side, main)


def test_a_message_cannot_name_parents(root: Path) -> None:
    first = commit(root, "a")
    git(root, "commit", "-q", "--allow-empty", "-m", f"x\n\nparent {'1' * 40}")
    assert parents_of(root, head_of(root)) == (first,)


def test_a_shallow_clone_names_parents_that_it_lacks(root: Path, tmp_path: Path) -> None:
    first = commit(root, "a")
    commit(root, "b")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{root}", str(clone))
    assert (is_shallow(root), is_shallow(clone)) == (False, True)
    assert parents_of(clone, head_of(clone)) == (first,)
    assert (commit_named(clone, first), merge_base(clone, first, "HEAD")) == ("", "")


def test_neither_replacements_nor_grafts_of_a_clone_count(root: Path) -> None:
    first = commit(root, "a")
    second = commit(root, "b")
    third = commit(root, "c")
    git(root, "replace", second, first)
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/grafts").write_text(f"{third} {first}\n", encoding="utf-8")
    assert parents_of(root, third) == (second,)
    assert parents_of(root, second) == (first,)
    assert contains(root, third, second)


def test_how_far_a_branch_is_ahead(root: Path, tmp_path: Path) -> None:
    first = commit(root, "a")
    commit(root, "b")
    commit(root, "c")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(root), str(clone))
    assert (behind(clone, first, "main"), behind(clone, "HEAD", "main"), behind(clone, first, "gone")) == (
        2,
        0,
        0,
    )


def test_what_changed_is_named_from_the_top_by_both_names(root: Path) -> None:
    (root / "sub").mkdir()
    for name in ("kept", "edited", "deleted", "sub/moved", 'odd "\n\té'):
        (root / name).write_text(name * 9, encoding="utf-8")
    first = commit(root, "a")
    (root / "edited").write_text("else", encoding="utf-8")
    (root / "deleted").unlink()
    (root / "sub/moved").rename(root / "elsewhere")
    (root / 'odd "\n\té').write_text("else", encoding="utf-8")
    (root / ".gitignore").write_text("ignored\n", encoding="utf-8")
    (root / "ignored").touch()
    expected = {"edited", "deleted", "sub/moved", "elsewhere", 'odd "\n\té', ".gitignore"}
    assert set(changed_since(root, first) or ()) == expected
    assert set(changed_since(root / "sub", first) or ()) == expected
    commit(root, "b")
    assert set(changed_since(root, first) or ()) == {*expected, "b"}


def test_attributes_and_programs_of_the_repository_hide_nothing(root: Path) -> None:
    (root / "a").write_text("1", encoding="utf-8")
    first = commit(root, "first")
    (root / ".gitattributes").write_text("a -diff diff=mine binary\n", encoding="utf-8")
    git(root, "config", "diff.mine.command", "touch /tmp/agent-gate-was-here; true")
    git(root, "config", "diff.external", "true")
    git(root, "config", "diff.ignoreSubmodules", "all")
    (root / "a").write_text("2", encoding="utf-8")
    assert set(changed_since(root, first) or ()) == {"a", ".gitattributes"}


def test_what_git_cannot_tell_is_not_nothing(root: Path) -> None:
    commit(root, "a")
    assert changed_since(root, "0" * 40) is None
    assert changed_since(root.parent, "HEAD") is None


def test_an_object_of_another_kind_is_no_commit(root: Path) -> None:
    commit(root, "a")
    blob = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "HEAD:a"], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert commit_named(root, blob) == ""


def test_a_folder_that_looks_like_a_bare_repository_is_none(root: Path) -> None:
    commit(root, "a")
    bare = root / "agents"
    git(root, "init", "-q", "--bare", str(bare))
    (bare / "config").write_text(
        f"[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = {root}\n"
        f'[filter "own"]\n\tclean = touch {root}/obeyed; cat\n',
        encoding="utf-8",
    )
    (root / ".gitattributes").write_text("* filter=own\n", encoding="utf-8")
    (bare / "index").write_bytes((root / ".git/index").read_bytes())
    (root / "a").write_text("b", encoding="utf-8")
    assert git_output(bare, "rev-parse", "--absolute-git-dir") == str(bare)
    assert head_of(bare) == ""
    assert top_of(bare) is None
    assert changed_since(bare, head_of(root)) is None
    assert commit_of(bare) == Commit()
    assert not (root / "obeyed").exists()


def test_the_repository_is_the_one_that_the_folder_is_in_whatever_a_hook_has_set(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = commit(root, "a")
    git(tmp_path, "init", "-q", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other/.git/index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    assert head_of(root) == made
    assert changed_since(root, made) == ()
