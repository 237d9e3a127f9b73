"""The files of a commit that its judges need: anchors, authorities, earlier judgements."""

import posixpath
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gate.documents import MAX_BYTES, read_bytes
from gate.git import Tree, is_in_checkout
from gate.model.config import Config
from gate.model.finding import Finding


def with_judges(config: Config, tree: Tree, folder: str) -> tuple[Config, Sequence[Finding]]:
    """The config with its judges' files as the commit has them; token commands see no others either."""
    if not config.judges:
        return config, ()
    from gate.judge import with_files  # most suites have no judge

    def read(name: str) -> bytes | str:
        path = _named(name, folder)
        return _of_machine(tree.root, name) if posixpath.isabs(name) else tree.read([path])[path]

    fenced = {judge.name: replace(judge, commit=tree.commit) for judge in config.judges}
    metrics = (
        replace(metric, judge=fenced[metric.judge.name]) if metric.judge else metric
        for metric in config.metrics
    )
    return with_files(replace(config, judges=tuple(fenced.values()), metrics=tuple(metrics)), read)


def earlier_judgements(config: Config, tree: Tree, folder: str) -> bytes:
    """The file of earlier judgements that the commit has; nothing where it has none."""
    path = _named(config.judge_cache, folder)
    content = tree.read([path])[path] if config.judge_cache and path in tree.blobs else b""
    return content if isinstance(content, bytes) else b""


def _named(name: str, folder: str) -> str:
    """A file's name from the repository's top, where the config names it from its own folder."""
    return posixpath.normpath(posixpath.join(folder, name))


def _of_machine(root: Path, path: str) -> bytes | str:
    """A file that no pull request has written."""
    if is_in_checkout(root, Path(path)):
        return "it is named by its whole path, and is a file of the pull request"
    try:
        return read_bytes(Path(path), MAX_BYTES)
    except OSError as error:
        return error.strerror or str(error)
