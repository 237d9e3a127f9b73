"""What the work tree is: its commit, and what is tracked."""

from collections.abc import Iterable
from pathlib import Path

from gate.git.program import git, real
from gate.model.run import Commit


def commit_of(root: Path, inputs: Iterable[Path] = (), ignore: Iterable[Path] = ()) -> Commit:
    """The commit of the work tree that `root` is in; an empty Commit outside a repository.

    It is dirty where a tracked file differs (other than those to `ignore`) or one of the `inputs` is not
    tracked.
    """
    facts = git(root, "log", "-1", "--format=%H%n%cI")
    if facts is None:
        return Commit()
    sha, _, date = facts.strip().partition("\n")
    branch = (git(root, "rev-parse", "--abbrev-ref", "HEAD") or "").strip()
    return Commit(
        sha=sha, branch="" if branch == "HEAD" else branch, date=date, dirty=_dirty(root, inputs, ignore)
    )


def is_tracked(root: Path, path: Path) -> bool:
    """Whether the commit knows the path (seen from where we run, like every path), be it on disk or not."""
    return git(root, "ls-files", "--error-unmatch", "--", str(path.absolute())) is not None


def committed_under(root: Path) -> frozenset[str]:
    """The files under `root` that the commit or the index knows, named from `root`."""
    listed = git(root, "ls-files", "-z", "--cached") or ""
    return frozenset(name for name in listed.split("\0") if name)


def files_of(root: Path) -> tuple[str, ...]:
    """The files under `root` that are tracked, or could be: not ignored. Empty outside a repository.

    Named from `root`; a submodule is its folder, and a tracked file may be missing on disk.
    """
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    return tuple(name for name in (listed or "").split("\0") if name)


def top_of(root: Path) -> Path | None:
    """The repository's top folder; None outside of one."""
    found = (git(root, "rev-parse", "--show-toplevel") or "").rstrip("\n")
    return real(Path(found)) if found else None


def is_in_checkout(root: Path, path: Path) -> bool:
    """Whether a path leads to something of the repository that `root` is in; outside of one, of `root`."""
    return real(path).is_relative_to(top_of(root) or real(root))


def folders_of(root: Path) -> tuple[Path, ...]:
    """The folders in which git keeps what is committed: of a linked work tree there are two."""
    told = git(root, "rev-parse", "--absolute-git-dir", "--git-common-dir") or ""
    return tuple({real(root / name) for name in told.splitlines() if name})


def _dirty(root: Path, inputs: Iterable[Path], ignore: Iterable[Path]) -> bool:
    top = real(Path((git(root, "rev-parse", "--show-toplevel") or "").strip()))
    changed = git(root, "status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames") or ""
    paths = {top / entry[3:] for entry in changed.split("\0") if entry}
    if paths - {real(path) for path in ignore}:
        return True
    return any(not is_tracked(root, path) for path in inputs)
