"""The base side: config, golden cases and baseline as a commit has them."""

import os
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gate import config as configs
from gate import dataset
from gate.baselines import baseline_of, load_baseline, unreadable
from gate.config.judges import judge_files
from gate.dataset.files import SUFFIXES
from gate.documents import Document, parse
from gate.errors import BadInput, BaseUnreadable
from gate.frozen import frozen
from gate.git import Tree, real, top_of, tree_at
from gate.model.bar import Revision
from gate.model.baseline import Baseline, BaselineFacts
from gate.model.case import Case
from gate.model.config import Config
from gate.model.finding import Finding, Place
from gate.score import build
from gate.trust.judge_files import earlier_judgements, with_judges
from gate.trust.patterns import matching, reaches


@frozen
class BaseSide:
    """What a commit has. `config` None: it has none (then `problems` is empty), or one that cannot be used.

    `file` is the config's name from the repository's top; `cases` are those that can be read. `files` are all
    that were read, by their own names where links lead to them.
    """

    revision: Revision
    file: str = ""
    config: Config | None = None
    cases: tuple[Case, ...] = ()
    judged: bytes = b""
    baseline: Baseline | None = None
    baseline_facts: BaselineFacts
    problems: tuple[Finding, ...] = ()
    files: frozenset[str] = frozenset()


def read_base(revision: Revision, path: Path) -> BaseSide:
    """Read the side of `revision` of the config at `path`, a file of the work tree.

    A config that was renamed is found by what it is. Raises BaseUnreadable where the commit is not here.
    """
    root = path.parent
    top, tree = top_of(root), tree_at(root, revision.commit)
    if top is None or tree is None:
        raise BaseUnreadable(
            f"commit {revision.commit[:12]} cannot be read here",
            hint="Give actions/checkout `with: {fetch-depth: 0}`, and no `filter`.",
        )
    file = name_in(top, path)
    side = BaseSide(revision=revision, baseline_facts=BaselineFacts(state="none"))
    if file in tree.blobs:
        return _read(side, tree, file, root)
    gone = _gone(tree, top)
    if len(gone) > 1:
        return replace(side, problems=(_ambiguous(gone),))
    return _read(side, tree, gone[0], root) if gone else side


def name_in(top: Path, path: Path) -> str:
    """A file's name from the top as it is written: a folder that became a link keeps its name."""
    whole = Path(os.path.normpath(path.absolute()))
    above = (folder for folder in reversed(whole.parents) if real(folder) == top)
    return next((whole.relative_to(folder).as_posix() for folder in above), "")


def _read(side: BaseSide, tree: Tree, file: str, root: Path) -> BaseSide:
    folder = posixpath.dirname(file)
    loaded = configs.from_document(
        _documents(tree, [file], {file: file})[0], root, lambda name: _beside(tree, folder, name)
    )
    unusable = _unusable(loaded)
    if loaded.config is None or unusable:
        return replace(side, file=file, problems=unusable)
    config = _by_commit(loaded.config, side.revision.commit, folder)
    config, of_judges = with_judges(config, tree, folder)
    suite, golden = _suite(config.dataset, tree, folder)
    baseline, facts, wrong = _baseline(config, tree, folder)
    return replace(
        side,
        file=file,
        config=config,
        cases=suite.cases,
        judged=earlier_judgements(config, tree, folder),
        baseline=baseline,
        baseline_facts=facts,
        problems=tuple(each for each in (*suite.findings, *wrong, *of_judges) if each.level == "error"),
        files=frozenset((*golden, *(tree.real(name) for name in (file, *_named(config, folder))))),
    )


def _by_commit(config: Config, commit: str, folder: str) -> Config:
    """The config, the code of whose metrics is the commit's."""
    metrics = tuple(replace(metric, commit=commit, folder=folder) for metric in config.metrics)
    return replace(config, metrics=metrics)


def _named(config: Config, folder: str) -> Iterable[str]:
    """The files that the config names, of those that are read once."""
    names = filter(None, (config.baseline, config.metrics_from, *judge_files(config)))
    return (posixpath.normpath(posixpath.join(folder, name)) for name in names)


def _beside(tree: Tree, folder: str, name: str) -> Document:
    path = posixpath.normpath(posixpath.join(folder, name))
    return _documents(tree, [path], {path: name})[0]


def _unusable(loaded: configs.Loaded) -> tuple[Finding, ...]:
    """Why nothing can be measured by this config: this version of the gate may know other metrics."""
    if loaded.config is None:
        return loaded.findings
    try:
        build(loaded.config.metrics)
    except BadInput as error:
        return error.findings
    return ()


def _gone(tree: Tree, top: Path) -> tuple[str, ...]:
    """The configs of the commit that are not in the work tree any more: renamed, or to be dodged."""
    named = (name for name in tree.blobs if name.endswith(SUFFIXES) and name not in tree.links)
    gone = [name for name in named if real(top / name) != top / name or not (top / name).exists()]
    documents = _documents(tree, gone, {name: name for name in gone})
    return tuple(document.file for document in documents if _is_config(document))


def _ambiguous(gone: Sequence[str]) -> Finding:
    what = f"this config is new, and {' and '.join(gone)} are gone: which one it replaces cannot be told"
    return Finding.error("base-unknown", Place(file=gone[0]), what, fix="Rename one config at a time.")


def _is_config(document: Document) -> bool:
    value = document.value
    return isinstance(value, Mapping) and {"version", "agent", "dataset"} <= value.keys()


def _suite(patterns: Sequence[str], tree: Tree, folder: str) -> tuple[dataset.Loaded, Iterable[str]]:
    """The cases, and the files that have them."""
    names: dict[str, str] = {}
    wrong = []
    for pattern in patterns:
        full = posixpath.normpath(posixpath.join(folder, pattern))
        golden = _golden(full, tree)
        for name in golden:
            names.setdefault(tree.real(name), posixpath.relpath(name, folder or "."))
        elsewhere = [name for name in tree.submodules if reaches(full, name)]
        wrong += [_of_submodule(name, full) for name in elsewhere]
        if not (golden or elsewhere):
            wrong.append(Finding.error("no-files", Place(file=pattern), f"no file matches {pattern!r}"))
    ordered = sorted(names, key=lambda name: names[name])
    return dataset.suite(_documents(tree, ordered, names), wrong), ordered


def _golden(pattern: str, tree: Tree) -> Sequence[str]:
    """As `dataset:` is read from disk: what is there by that very name is meant, and links come last."""
    if pattern in tree.blobs:
        return (pattern,)
    found = (name for name in matching([pattern], tree.blobs) if name.endswith(SUFFIXES))
    return sorted(found, key=lambda name: (name not in tree.links, name))


def _of_submodule(name: str, pattern: str) -> Finding:
    what = f"{name} is a submodule: which golden files {pattern!r} matches in it is not known of a commit"
    return Finding.error("unreadable", Place(file=name), what)


def _documents(tree: Tree, names: Sequence[str], shown: Mapping[str, str]) -> list[Document]:
    contents = tree.read(names)
    return [_document(contents[name], shown[name]) for name in names]


def _document(content: bytes | str, file: str) -> Document:
    if isinstance(content, bytes):
        try:
            return parse(content.decode("utf-8"), file)
        except UnicodeDecodeError:
            content = "it is not UTF-8"
    finding = Finding.error("unreadable", Place(file=file), f"cannot be read: {content}")
    return Document(file=file, value=None, findings=(finding,), broken=True)


def _baseline(
    config: Config, tree: Tree, folder: str
) -> tuple[Baseline | None, BaselineFacts, Sequence[Finding]]:
    """The baseline in the same commit, or in the branch that the config names."""
    name, path = config.baseline, _path(config, folder)
    if config.baseline_branch:
        return load_baseline(top_of(tree.root) or tree.root, path, config.baseline_branch)
    if path not in tree.blobs:
        return None, BaselineFacts(state="none", path=name), ()
    content = tree.read([path])[path]
    return (
        unreadable(name, f"{name} cannot be read: {content}")
        if isinstance(content, str)
        else baseline_of(content, name)
    )


def _path(config: Config, folder: str) -> str:
    return posixpath.normpath(posixpath.join(folder, config.baseline))
