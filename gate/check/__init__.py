"""Every finding about config and golden files, before anything is spent."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

from gate import config as configs
from gate import dataset
from gate.check.agent import agent_findings
from gate.check.cases import case_findings
from gate.check.environment import environment_findings
from gate.check.exposed import exposed_findings
from gate.check.mapping import mapping_findings
from gate.check.rules import rule_findings
from gate.check.tools import tool_findings
from gate.check.tracks import track_findings
from gate.documents import MAX_BYTES, Document, read_bytes
from gate.frozen import frozen
from gate.git import is_in_checkout
from gate.model.case import Case
from gate.model.config import Config
from gate.model.finding import Finding, Place
from gate.score import runs_code

__all__ = ["Checked", "check", "stops"]


@frozen
class Checked:
    """A config (None where it cannot be used), its usable cases, and every finding in the files' order.

    `document` is the config's, for places that Config does not keep.
    """

    config: Config | None
    cases: tuple[Case, ...]
    findings: tuple[Finding, ...]
    files: tuple[str, ...] = ()
    document: Document

    def place(self, *path: str) -> Place:
        """Where a key of the config stands, or what would hold it."""
        return self.document.place(path, key=True)


def check(
    config_path: Path,
    *,
    today: date | None = None,
    environ: Mapping[str, str] | None = None,
    boots: bool = True,
) -> Checked:
    """Look at everything that can be known before a run; never raises for bad content.

    `boots` false leaves out what only matters where the agent is started: its program, folder and variables.
    """
    loaded = configs.load(config_path)
    config = loaded.config
    if config is None:
        found = [*loaded.findings, *_without_config(loaded.document, config_path.parent)]
        return Checked(config=None, cases=(), findings=_sorted(found), document=loaded.document)
    root = Path(config.root)
    suite = dataset.load(config.dataset, root)
    found = [*loaded.findings, *agent_findings(config, loaded.document)]
    environment = os.environ if environ is None else environ
    if boots:
        found += environment_findings(config, loaded.document, environment)
    found += _dataset_findings(suite, config.dataset, config.root, loaded.document)
    config, about_judges = _with_judges(config, suite.cases, environment, loaded.document)
    found += (_from_here(finding, config.root, config.file) for finding in about_judges)
    found += rule_findings(config, suite.cases)
    found += _about_code(config, environment)
    found += mapping_findings(config, suite.cases, loaded.document)
    found += exposed_findings(config, suite.cases, loaded.document)
    about_cases = [
        *case_findings(config, suite.cases, today or datetime.now(UTC).date()),
        *tool_findings(config, suite.cases),
        *track_findings(config, suite.cases),
    ]
    found += (_from_here(finding, config.root, config.file) for finding in about_cases)
    return Checked(
        config=config,
        cases=suite.cases,
        findings=_sorted(found),
        files=suite.files,
        document=loaded.document,
    )


def stops(findings: Iterable[Finding], *, strict: bool) -> bool:
    """Whether nothing may be run: one of the findings is an error, or with `strict` there is any at all."""
    return any(strict or finding.level == "error" for finding in findings)


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(dict.fromkeys(findings), key=lambda each: each.order))


def _with_judges(
    config: Config, cases: Sequence[Case], environ: Mapping[str, str], document: Document
) -> tuple[Config, Sequence[Finding]]:
    """The config with its anchors, and what is wrong with judges; most suites have none."""
    if not config.judges:
        return config, ()
    from gate.check.judges import judge_findings
    from gate.judge import with_files

    whole, wrong = with_files(config, partial(_bytes, Path(config.root)))
    return whole, [*wrong, *judge_findings(whole, cases, environ, document)]


def _about_code(config: Config, environ: Mapping[str, str]) -> Iterator[Finding]:
    """What is wrong with the code of custom metrics; most suites have none."""
    if any(map(runs_code, config.metrics)):
        from gate.check.custom import custom_findings

        yield from custom_findings(config, environ)


def _bytes(root: Path, name: str) -> bytes | str:
    """A file of the repository, or one of the machine by its whole path; a link leads nowhere else."""
    if not (Path(name).is_absolute() or is_in_checkout(root, root / name)):
        return "it is outside of this repository"
    try:
        return read_bytes(root / name, MAX_BYTES)
    except OSError as error:
        return error.strerror or str(error)


def _without_config(document: Document, root: Path) -> Iterator[Finding]:
    """What is wrong with the golden files of a config that is wrong itself: all is told at once."""
    given = document.value.get("dataset") if isinstance(document.value, Mapping) else None
    patterns = [text for text in (given if isinstance(given, list) else [given]) if isinstance(text, str)]
    if patterns and not document.broken:
        yield from _dataset_findings(dataset.load(patterns, root), patterns, root.as_posix(), document)


def _dataset_findings(
    suite: dataset.Loaded, patterns: Sequence[str], root: str, document: Document
) -> Iterator[Finding]:
    for finding in suite.findings:
        if finding.rule == "no-files":
            index = patterns.index(finding.place.file)
            yield replace(finding, place=document.place(("dataset", index)))
        else:
            yield _from_here(finding, root, document.file)
    if not suite.cases and not any(finding.level == "error" for finding in suite.findings):
        yield Finding.error(
            "no-cases",
            document.place(("dataset",)),
            "the golden files have no case",
            why="A check of nothing would always be green.",
            fix="Add a case, or correct `dataset:`.",
        )


def _from_here(finding: Finding, root: str, config: str) -> Finding:
    """Golden files are named from the config's folder; a finding names them as the config file is named."""
    place = finding.place
    if root in {"", "."} or place.file == config:
        return finding
    return replace(finding, place=replace(place, file=(Path(root) / place.file).as_posix()))
