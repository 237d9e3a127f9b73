"""A branch beside the one that is checked out: its tip, a file at it, one more commit on it."""

from collections.abc import Sequence
from pathlib import Path

from gate.errors import UsageError
from gate.git.history import commit_named, contains, is_shallow
from gate.git.program import git, run_git

_ALL = "+refs/heads/*:refs/remotes/origin/*"


def tip_of(root: Path, branch: str) -> str:
    """The commit of a branch as the remote has it; "" where that is not known.

    As it is here only without a remote: in a checkout of a pull request its author named what is here.
    """
    if "origin" in (git(root, "remote") or "").split():
        return commit_named(root, f"refs/remotes/origin/{branch}")
    return commit_named(root, f"refs/heads/{branch}")


def newest_tip_of(root: Path, branch: str) -> str:
    """As `tip_of`, but the branch that is here where it has all that the remote's has, and more."""
    there, here = tip_of(root, branch), commit_named(root, f"refs/heads/{branch}")
    return here if here and (not there or contains(root, here, there)) else there


def default_branch(root: Path) -> str:
    """The branch that work is merged into: the remote's, else main or master, else the one checked out."""
    told = git(root, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD") or ""
    if told.strip():
        return told.strip().removeprefix("origin/")
    usual = (name for name in ("main", "master") if tip_of(root, name))
    here = (git(root, "symbolic-ref", "--quiet", "--short", "HEAD") or "").strip()
    return next(usual, here or "main")


def why_unknown(root: Path, branch: str) -> str:
    """Why a branch that is not here may yet be at the remote, in words; "" where it is nowhere."""
    if tip_of(root, branch):
        return ""
    if git(root, "rev-parse", "--git-dir") is None:
        return "this is no git checkout"
    if "origin" not in (git(root, "remote") or "").split():
        return ""
    if is_shallow(root):
        return "the checkout is shallow"
    fetched = (git(root, "config", "--get-all", "remote.origin.fetch") or "").split()
    known = git(root, "for-each-ref", "--count=1", "--format=%(refname)", "refs/remotes/origin/") or ""
    return "" if _ALL in fetched and known.strip() else "the checkout has only some of the branches"


def file_at(root: Path, commit: str, name: str) -> bytes | str | None:
    """A file of a commit, named from `root`; in words why it cannot be read; None where it is not there."""
    blob = (git(root, "rev-parse", "--verify", "--quiet", f"{commit}:./{name}") or "").strip()
    if not blob:
        return None
    content = run_git(root, ["cat-file", "blob", blob])
    return "git has no copy of it here (a partial clone?)" if content is None else content


def was_there(root: Path, commit: str, name: str) -> bool:
    """Whether a commit or one that it comes from, as far as is known here, had the file."""
    return bool(git(root, "--literal-pathspecs", "log", "-1", "--format=%H", commit, "--", f"./{name}"))


def commit_file(root: Path, branch: str, name: str, data: bytes, message: str) -> str:
    """Commit one file, named from `root`, on a branch that need not be there yet; returns the commit.

    The work tree and the index stay as they are. Raises UsageError where git refuses.
    """
    ref, parent = f"refs/heads/{branch}", newest_tip_of(root, branch)
    if (git(root, "symbolic-ref", "--quiet", "HEAD") or "").strip() == ref:
        raise UsageError(f"{branch} is checked out", hint="Check out the branch whose agent was measured.")
    prefix = (git(root, "rev-parse", "--show-prefix") or "").strip()
    top = Path((git(root, "rev-parse", "--show-toplevel") or "").rstrip("\n"))
    blob = _said(top, ["hash-object", "-w", "--stdin"], data)
    tree = _tree(top, f"{parent}^{{tree}}" if parent else "", [*Path(prefix, name).parts], blob)
    come_from = ["-p", parent] if parent else []
    commit = _said(top, ["commit-tree", tree, *come_from, "-F", "-"], message.encode())
    _said(top, ["update-ref", ref, commit, commit_named(root, ref)])
    return commit


def _tree(top: Path, base: str, parts: Sequence[str], blob: str) -> str:
    """A tree like `base` ("" for an empty one) with the file at `parts`."""
    name, rest = parts[0], parts[1:]
    listed = (git(top, "ls-tree", "-z", "--full-tree", base) or "") if base else ""
    entries = {entry.partition("\t")[2]: entry for entry in listed.split("\0") if entry}
    facts = entries.get(name, "").partition("\t")[0].split(" ")
    if rest:
        inner = _tree(top, facts[2] if facts[1:2] == ["tree"] else "", rest, blob)
        entries[name] = f"040000 tree {inner}\t{name}"
    else:
        entries[name] = f"100644 blob {blob}\t{name}"
    given = "".join(f"{entry}\0" for entry in entries.values())
    return _said(top, ["mktree", "-z"], given.encode("utf-8", "surrogateescape"))


def _said(top: Path, arguments: Sequence[str], given: bytes = b"") -> str:
    done = run_git(top, arguments, given=given)
    if done is None:
        raise UsageError(
            f"`git {arguments[0]}` failed",
            hint="Do you have a user.name and a user.email, and may you write?",
        )
    return done.decode().strip()
