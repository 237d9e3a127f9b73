"""`agent-gate import FORMAT FILE`: another tool's golden file, metrics or spans, in our own format."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from gate.check.render import render_findings
from gate.commands import import_session
from gate.dataset import READERS, Reader, once
from gate.dataset.kagent_suite import read_with_fixture
from gate.dataset.yaml_dump import as_text, value_text
from gate.documents import Document, read, write_text
from gate.errors import PASS, BadInput, UsageError
from gate.formats import adk_criteria, agents_cli_config, experiment
from gate.formats.foreign import Places
from gate.model import Json
from gate.model.case import Case
from gate.model.finding import Finding
from gate.redact import Redactor

_Findings = tuple[Finding, ...]

CASES: Final[Mapping[str, Reader]] = {name: READERS[name] for name in sorted(READERS) if name != "agent-gate"}
"""Formats of golden files: what comes out is a golden file."""

CONFIGS: Final[Mapping[str, Callable[[Json, Places], tuple[dict[str, Json], _Findings]]]] = {
    "adk-criteria": adk_criteria.read,
    "experiment": experiment.read,
    "agents-cli-config": agents_cli_config.part,
}
"""Formats of metrics: what comes out is a part of an agent-gate.yml."""


SESSION: Final = "session"
"""A recorded session, which may be in a database: what comes out is a golden file with one case."""

_OF_A_SESSION: Final = ("session", "case", "app", "user", "id", "turns", "expect", "redact", "with_secrets")


def main(options: argparse.Namespace) -> int:
    """Write the file anew, and tell what could not be carried over; with an error nothing is written."""
    if options.format == "otel":
        from gate.commands import import_otel

        return import_otel.main(options)
    if options.config or options.case_from:
        raise UsageError(f"--config and --case-from are for otel, not for {options.format}")
    target = Path(options.to) if options.to else None
    if target is not None and os.path.lexists(target):
        raise UsageError(f"{target} is there already", hint="Choose another name with --to, or remove it.")
    as_json = target is not None and target.suffix == ".json"
    if options.format == SESSION:
        text, found = import_session.imported(options, as_json=as_json)
    else:
        text, found = _from_file(options, as_json=as_json)
    if found:
        print(render_findings(found), file=sys.stderr)
    if target is None:
        print(text, end="")
    else:
        write_text(target, text)
        print(f"{target} is written; `agent-gate check` reads it where `dataset:` names it.", file=sys.stderr)
    return PASS


def _from_file(options: argparse.Namespace, *, as_json: bool) -> tuple[str, _Findings]:
    given = [name for name in _OF_A_SESSION if getattr(options, name)]
    if given:
        raise UsageError(f"--{given[0].replace('_', '-')} is for `import session`")
    document = read(Path(options.file), options.file)
    text, found = _imported(options.format, document, as_json=as_json)
    if any(finding.level == "error" for finding in found):
        raise BadInput(found)
    return text, (*found, _secret(document)) if Redactor().text(text) != text else found


def _imported(name: str, document: Document, *, as_json: bool) -> tuple[str, _Findings]:
    if document.broken:
        return "", document.findings
    if name in CONFIGS:
        part, wrong = CONFIGS[name](document.value, document.place)
        empty = () if part or _fails(wrong) else (_nothing(document, "no metric of this file has one here"),)
        return value_text(part, as_json=as_json), (*document.findings, *wrong, *empty)
    cases, wrong = _cases(name, document)
    empty = () if cases or _fails(wrong) else (_nothing(document, "this file has no case to write"),)
    return as_text(cases, as_json=as_json), (*document.findings, *wrong, *once(cases, {}), *empty)


def _cases(name: str, document: Document) -> tuple[tuple[Case, ...], _Findings]:
    reader = CASES[name]
    if not reader.accepts(document.value):
        meant = next((other for other, each in READERS.items() if each.accepts(document.value)), "")
        fix = f"agent-gate import {meant} {document.file}" if meant in CASES else ""
        what = f"this is no file of the format {name}" + (f"; it looks like {meant}" if meant else "")
        return (), (Finding.error("other-format", document.place(), what, fix=fix),)
    return read_with_fixture(document) if name == "kagent-suite" else reader.read(document)


def _fails(findings: _Findings) -> bool:
    return any(finding.level == "error" for finding in findings)


def _nothing(document: Document, what: str) -> Finding:
    return Finding.error("nothing-to-import", document.place(), what, why="Nothing was written.")


def _secret(document: Document) -> Finding:
    return Finding.warn(
        "holds-secret",
        document.place(),
        "what is written holds a text that looks like a token or a key",
        why="Golden files are committed, and anyone who reads the repository reads them.",
        fix="Replace it before you commit the file.",
    )
