"""The runner's workspace: somebody else's folder, brought by the pull request, in which the step writes."""

import os
from pathlib import Path


def without_links(out: Path) -> None:
    """A pull request may bring the folder, with links in it to wherever it would have us write."""
    if out.is_dir():
        for path in out.iterdir():
            if path.is_symlink():
                path.unlink()


def give_back(out: Path, workspace: Path) -> None:
    """Give what we made to the workspace's owner: root's files would break the runner's next checkout."""
    owner = workspace.stat()
    if not out.is_dir() or owner.st_uid == os.geteuid():
        return
    made_from = [folder for folder in (out, *out.parents) if folder != Path()]
    for path in (*made_from, *out.iterdir()):
        if path.lstat().st_uid == os.geteuid():
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
