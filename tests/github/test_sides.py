"""Which commit a pull request is held against, in real checkouts as actions/checkout makes them."""

import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from gate.errors import BaseUnreadable, UsageError
from gate.github.event import RunContext
from gate.github.sides import base_of
from gate.model.bar import Revision
from tests.support.commands import IDENTITY


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), "-c", "protocol.file.allow=always", *IDENTITY, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@dataclass(frozen=True, slots=True)
class Origin:
    """main has `old` and then `base`; the pull request left it at `old`; `merge` is GitHub's own commit."""

    root: Path
    old: str
    base: str
    head: str
    merge: str

    def checkout(self, name: str, depth: int = 0, *more: str) -> Path:
        """What actions/checkout fetches: one ref, without history unless it is told so."""
        to = self.root.parent / f"checkout-{name.rpartition('/')[2]}-{depth}"
        to.mkdir()
        git(to, "init", "-q")
        git(to, "remote", "add", "origin", f"file://{self.root}")
        limit = [f"--depth={depth}"] if depth else []
        everything = [] if depth else ["+refs/heads/*:refs/remotes/origin/*"]
        git(
            to,
            "fetch",
            "-q",
            "--no-tags",
            *limit,
            "origin",
            *everything,
            f"+{name}:refs/remotes/pull/it",
            *more,
        )
        git(to, "checkout", "-q", "--detach", "refs/remotes/pull/it")
        return to

    def context(self, event: str = "pull_request", **changes: str) -> RunContext:
        context = RunContext(
            event=event,
            repository="o/r",
            workflow="w",
            job="j",
            run_id=1,
            attempt=1,
            sha=self.merge,
            head_sha=self.head,
            base_sha=self.base,
            base_ref="main",
        )
        return replace(context, **changes)  # type: ignore[arg-type]  # texts for fields of texts


def commit(root: Path, name: str) -> str:
    (root / name).write_text(name, encoding="utf-8")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", name)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    root = tmp_path / "origin"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "uploadpack.allowAnySHA1InWant", "true")
    commit(root, "first")
    old = commit(root, "old")
    git(root, "checkout", "-q", "-b", "change")
    commit(root, "one")
    head = commit(root, "two")
    git(root, "checkout", "-q", "main")
    base = commit(root, "base")
    git(root, "checkout", "-q", "--detach")
    git(root, "merge", "-q", "--no-ff", "-m", "Merge", head)
    merge = git(root, "rev-parse", "HEAD")
    git(root, "update-ref", "refs/pull/1/merge", merge)
    git(root, "update-ref", "refs/pull/1/head", head)
    git(root, "checkout", "-q", "main")
    return Origin(root, old, base, head, merge)


@pytest.mark.parametrize("depth", [0, 2, 3])
@pytest.mark.parametrize("event", ["pull_request", "pull_request_target", "pull_request_review"])
def test_of_github_s_merge_commit_it_is_the_first_parent(event: str, depth: int, origin: Origin) -> None:
    root = origin.checkout("refs/pull/1/merge", depth)
    found = base_of(origin.context(event), root)
    assert found == Revision(commit=origin.base, branch="main", behind=0)


def test_of_github_s_merge_commit_alone_it_says_what_to_fetch(origin: Origin) -> None:
    root = origin.checkout("refs/pull/1/merge", 1)
    with pytest.raises(
        BaseUnreadable, match=f"commit {origin.base[:12]}, cannot be read: the checkout is shallow"
    ) as told:
        base_of(origin.context(), root)
    assert "fetch-depth: 0" in told.value.hint


def test_a_stale_base_of_the_event_does_not_matter_to_the_merge_commit(origin: Origin) -> None:
    root = origin.checkout("refs/pull/1/merge")
    found = base_of(origin.context(base_sha=origin.old), root)
    assert found
    assert found.commit == origin.base


def test_of_the_head_it_is_where_it_left_its_branch(origin: Origin) -> None:
    root = origin.checkout("refs/pull/1/head")
    assert base_of(origin.context(), root) == Revision(commit=origin.old, branch="main", behind=1)


@pytest.mark.parametrize("depth", [1, 2])
def test_of_the_head_without_its_history_it_says_what_to_fetch(depth: int, origin: Origin) -> None:
    root = origin.checkout("refs/pull/1/head", depth)
    with pytest.raises(BaseUnreadable, match="shallow"):
        base_of(origin.context(), root)


def test_a_merge_commit_of_another_head_is_not_taken_for_github_s(origin: Origin) -> None:
    """`sha` is a merge commit whose second parent is not this pull request's head: parents prove nothing."""
    git(origin.root, "checkout", "-q", "--detach", origin.old)
    git(origin.root, "merge", "-q", "--no-ff", "-m", "Merge", origin.head)
    forged = git(origin.root, "rev-parse", "HEAD")
    later = commit(origin.root, "three")
    git(origin.root, "update-ref", "refs/pull/1/head", later)
    git(origin.root, "update-ref", "refs/forged", forged)
    git(origin.root, "checkout", "-q", "main")
    root = origin.checkout("refs/forged")
    with pytest.raises(UsageError, match=f"commit {forged[:12]} is checked out"):
        base_of(origin.context(sha=forged, head_sha=later), root)


def test_a_head_that_is_a_merge_itself_is_held_against_where_it_left_main(origin: Origin) -> None:
    """Its author chose its parents: the first one is no base."""
    git(origin.root, "checkout", "-q", "change")
    evil = commit(origin.root, "weak")
    git(origin.root, "merge", "-q", "--no-ff", "-m", "Merge main", "main")
    head = git(origin.root, "rev-parse", "HEAD")
    git(origin.root, "update-ref", "refs/pull/1/head", head)
    git(origin.root, "checkout", "-q", "main")
    root = origin.checkout("refs/pull/1/head")
    found = base_of(origin.context(sha=head, head_sha=head), root)
    assert found
    assert found.commit == origin.base
    assert found.commit != evil


@pytest.mark.parametrize("name", ["refs/heads/main", "refs/heads/other"])
def test_something_else_that_is_checked_out_is_refused(name: str, origin: Origin) -> None:
    git(origin.root, "branch", "other", origin.old)
    root = origin.checkout(name)
    with pytest.raises(UsageError, match="is checked out, and this pull request's head is") as told:
        base_of(origin.context(), root)
    assert "without `ref`" in told.value.hint


def test_in_a_merge_queue_it_is_the_queue_s_base(origin: Origin) -> None:
    root = origin.checkout("refs/pull/1/merge")
    context = origin.context("merge_group", sha=origin.merge, head_sha=origin.merge)
    assert base_of(context, root) == Revision(commit=origin.base, branch="main", behind=0)


def test_in_a_merge_queue_another_commit_is_refused(origin: Origin) -> None:
    root = origin.checkout("refs/pull/1/head")
    with pytest.raises(UsageError):
        base_of(origin.context("merge_group", sha=origin.merge, head_sha=origin.merge), root)


def test_in_a_merge_queue_a_shallow_checkout_says_what_to_fetch(origin: Origin) -> None:
    root = origin.checkout("refs/pull/1/merge", 1)
    with pytest.raises(BaseUnreadable, match="shallow"):
        base_of(origin.context("merge_group", sha=origin.merge, head_sha=origin.merge), root)


@pytest.mark.parametrize("event", ["push", "workflow_dispatch", "schedule", "workflow_run"])
def test_an_event_with_one_side_has_no_base(event: str, origin: Origin) -> None:
    assert base_of(origin.context(event), origin.root) is None


def test_without_git_there_is_nothing_to_be_held_against(origin: Origin, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(BaseUnreadable, match="no git checkout"):
        base_of(origin.context(), tmp_path / "plain")


def test_another_history_is_told_as_such(origin: Origin, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    head = commit(other, "alone")
    with pytest.raises(BaseUnreadable, match="another history"):
        base_of(origin.context(sha=head, head_sha=head), other)
