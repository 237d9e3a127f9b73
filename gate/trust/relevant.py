"""Whether a pull request changes anything that its check is about (`when: {changed: […]}`)."""

from collections.abc import Iterator
from pathlib import Path

from gate.dataset.files import find
from gate.git import changed_since, real, top_of
from gate.model.config import Config
from gate.trust.base import BaseSide, name_in
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
    if base.file != name_in(top, path) or {*base.files, *_own(config, path, top)} & set(changed):
        return ""
    if matching(config.when_changed, changed):
        return ""
    files = f"{len(changed)} file" + ("s" if len(changed) != 1 else "")
    return f"none of the {files} that this pull request changes matches `when.changed`"


def _own(config: Config, path: Path, top: Path) -> Iterator[str]:
    """Config, golden files and baseline of the work tree, as they are written and where links lead."""
    for name in (path.name, *find(config.dataset, path.parent)[0], config.baseline):
        file = path.parent / name
        yield name_in(top, file)
        if real(file).is_relative_to(top):
            yield real(file).relative_to(top).as_posix()
