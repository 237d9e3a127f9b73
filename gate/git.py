"""The only git: which commit the tested source is, and what is committed of it."""

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from gate.model.run import Commit

_TIMEOUT_S = 20


def commit_of(root: Path, inputs: Iterable[Path] = (), ignore: Iterable[Path] = ()) -> Commit:
    """The commit of the work tree that `root` is in; an empty Commit outside a repository.

    It is dirty where a tracked file differs (other than those to `ignore`) or one of the `inputs` is not
    tracked.
    """
    facts = _git(root, "log", "-1", "--format=%H%n%cI")
    if facts is None:
        return Commit()
    sha, _, date = facts.strip().partition("\n")
    branch = (_git(root, "rev-parse", "--abbrev-ref", "HEAD") or "").strip()
    return Commit(
        sha=sha, branch="" if branch == "HEAD" else branch, date=date, dirty=_dirty(root, inputs, ignore)
    )


def is_tracked(root: Path, path: Path) -> bool:
    """Whether the commit knows the path (seen from where we run, like every path), be it on disk or not."""
    return _git(root, "ls-files", "--error-unmatch", "--", str(path.absolute())) is not None


def files_of(root: Path) -> tuple[str, ...]:
    """The files under `root` that are tracked, or could be: not ignored. Empty outside a repository.

    Named from `root`; a submodule is its folder, and a tracked file may be missing on disk.
    """
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    return tuple(name for name in (listed or "").split("\0") if name)


def _dirty(root: Path, inputs: Iterable[Path], ignore: Iterable[Path]) -> bool:
    top = _real(Path((_git(root, "rev-parse", "--show-toplevel") or "").strip()))
    changed = _git(root, "status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames") or ""
    paths = {top / entry[3:] for entry in changed.split("\0") if entry}
    if paths - {_real(path) for path in ignore}:
        return True
    return any(not is_tracked(root, path) for path in inputs)


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints; None where it fails or is not installed.

    Without optional locks it writes nothing; as root it would leave an index that is not its owner's.
    """
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", "-C", str(root), "-c", f"safe.directory={_top(root)}", *arguments],  # noqa: S607
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _real(path: Path) -> Path:
    """The path without links; of links in a circle, which Path.resolve raises at, what can be said."""
    return Path(os.path.realpath(path))


def _top(root: Path) -> str:
    """The folder with .git: a workspace that another uid owns is trusted by name, nothing else is."""
    for folder in (_real(root), *_real(root).parents):
        if (folder / ".git").exists():
            return str(folder)
    return str(root)
