"""Whether a pull request changes anything that its check is about (`when: {changed: […]}`)."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from gate.config.judges import judge_files
from gate.dataset.files import find
from gate.git import changed_since, head_of, real, top_of, tree_at
from gate.model.config import Config
from gate.publish.words import count
from gate.trust.base import BaseSide, name_in
from gate.trust.code import changed_code
from gate.trust.patterns import covered, reaches


def untouched(base: BaseSide, path: Path) -> str:
    """Why the pull request need not be measured, in words; "" where it must be.

    The base's patterns decide. Config, golden files, baseline and code of metrics always count, and so does
    every file where git cannot tell what changed, or where the patterns mean no file that the base has: they
    are a mistake.
    """
    config = base.config
    if config is None or base.problems or not config.when_changed:
        return ""
    top, changed = top_of(path.parent), changed_since(path.parent, base.revision.commit)
    if top is None or changed is None:
        return ""
    if any(changed_code(config.metrics)):
        return ""
    if base.file != name_in(top, path) or {*base.files, *_own(config, path, top)} & set(changed):
        return ""
    if _touched(config.when_changed, path.parent, base.revision.commit, set(changed)):
        return ""
    return f"none of the {count(len(changed), 'file')} that this pull request changes matches `when.changed`"


def _touched(patterns: Sequence[str], root: Path, base: str, changed: set[str]) -> bool:
    """Whether the patterns mean something that changed, be it through a link, or nothing at all.

    Of a submodule git only says that something in it changed.
    """
    before, after = tree_at(root, base), tree_at(root, head_of(root))
    if before is None or after is None or not covered(patterns, before.blobs):
        return True
    led = {name for tree in (before, after) for name, own in tree.links.items() if own in changed}
    whole = {name for tree in (before, after) for name in tree.submodules if name in changed}
    return bool(covered(patterns, changed | led)) or any(
        reaches(pattern.strip("/"), name) for pattern in patterns for name in whole
    )


def _own(config: Config, path: Path, top: Path) -> Iterator[str]:
    """Config, golden files and baseline of the work tree, as they are written and where links lead."""
    more = filter(None, (config.baseline, config.metrics_from, *judge_files(config)))
    for name in (path.name, *find(config.dataset, path.parent)[0], *more):
        file = path.parent / name
        yield name_in(top, file)
        if real(file).is_relative_to(top):
            yield real(file).relative_to(top).as_posix()
