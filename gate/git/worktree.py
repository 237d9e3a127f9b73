"""What the work tree is: its commit, and what is tracked."""

import os
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


def search_path(written: str, root: Path, copy: Path) -> str:
    """PATH for what is run from a copy of a commit: what git has of the work tree is the copy's there.

    What was made beside it, such as an environment, stays. Folders without a whole path are left out.
    """
    top = top_of(root) or real(root)
    known = committed_under(top)
    return os.pathsep.join(
        str(copy / name) if (name := _committed_name(Path(entry), top, known)) else entry
        for entry in written.split(os.pathsep)
        if Path(entry).is_absolute()
    )


def _committed_name(path: Path, top: Path, known: frozenset[str]) -> str:
    """The name from the top of a folder of which git has something, or a link to it; "" for another."""
    for each in (Path(os.path.normpath(path)), real(path)):
        name = each.relative_to(top).as_posix() if each.is_relative_to(top) else ""
        above = {name, *(folder.as_posix() for folder in Path(name).parents)}
        if name and (name == "." or above & known or any(one.startswith(f"{name}/") for one in known)):
            return name
    return ""


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
