"""Whether a pull request changes anything that its check is about (`when: {changed: […]}`)."""

import posixpath
from pathlib import Path

from gate.git import changed_since, top_of
from gate.trust.base import BaseSide
from gate.trust.patterns import matching


def untouched(base: BaseSide, path: Path) -> str:
    """Why the pull request need not be measured, in words; "" where it must be.

    The base's patterns decide. Config, golden files and baseline always count, and so does every file where
    git cannot tell what changed.
    """
    config = base.config
    if config is None or base.problems or not config.when_changed:
        return ""
    top, changed = top_of(path.parent), changed_since(path.parent, base.revision.commit)
    if top is None or changed is None:
        return ""
    folder = posixpath.dirname(base.file)
    own = [posixpath.normpath(posixpath.join(folder, name)) for name in (*config.dataset, config.baseline)]
    here = Path(path.resolve().parent, path.name).relative_to(top).as_posix()
    patterns = (*config.when_changed, *own)
    if {base.file, here} & set(changed) or matching(patterns, changed):
        return ""
    files = f"{len(changed)} file" + ("s" if len(changed) != 1 else "")
    return f"none of the {files} that this pull request changes matches `when.changed`"
