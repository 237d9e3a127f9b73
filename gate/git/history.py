"""Commits and how they hang together; what a shallow clone does not have is told from what is not so."""

from pathlib import Path

from gate.git.program import git


def head_of(root: Path) -> str:
    """The commit that is checked out; "" outside a repository or before the first one."""
    return (git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or "").strip()


def commit_named(root: Path, name: str) -> str:
    """The commit that a branch, a tag or a hash names; "" where there is none here."""
    if name.startswith("-"):
        return ""
    return (git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") or "").strip()


def parents_of(root: Path, commit: str) -> tuple[str, ...]:
    """A commit's parents as it names them, be they in a shallow clone or not."""
    text = git(root, "cat-file", "commit", commit) or ""
    head = text.partition("\n\n")[0].splitlines()
    return tuple(line.removeprefix("parent ") for line in head if line.startswith("parent "))


def merge_base(root: Path, one: str, other: str) -> str:
    """The newest commit that both come from; "" where none is known here."""
    return (git(root, "merge-base", one, other) or "").strip()


def contains(root: Path, commit: str, ancestor: str) -> bool:
    """Whether `ancestor` is the commit or one that it comes from, as far as is known here."""
    return git(root, "merge-base", "--is-ancestor", ancestor, commit) is not None


def is_shallow(root: Path) -> bool:
    """Whether history was cut off when this was cloned."""
    return (git(root, "rev-parse", "--is-shallow-repository") or "").strip() == "true"


def behind(root: Path, commit: str, branch: str) -> int:
    """How many commits the remote's branch has that `commit` does not come from; 0 where that is unknown."""
    counted = git(root, "rev-list", "--count", f"{commit}..refs/remotes/origin/{branch}") or ""
    return int(counted) if counted.strip().isdecimal() else 0


def changed_since(root: Path, commit: str) -> tuple[str, ...] | None:
    """The files that differ between a commit and the work tree, from the repository's top.

    A file that was moved counts by both names, one that is not ignored counts untracked. None where git
    cannot tell.
    """
    options = ("--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", "-z")
    differs = git(root, "diff", *options, commit, "--", ":/")
    fresh = git(root, "ls-files", "-z", "--others", "--exclude-standard", "--full-name", ":/")
    if differs is None or fresh is None:
        return None
    return tuple(sorted({name for name in (differs + fresh).split("\0") if name}))
