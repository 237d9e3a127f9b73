"""`agent-gate import session SOURCE`: a recorded session becomes a golden case of our own format."""

import argparse
from pathlib import Path

from gate.commands.recordings import find_recording, note
from gate.dataset.dump import dump_case
from gate.dataset.ids import usable
from gate.dataset.own import read
from gate.dataset.yaml_dump import value_text
from gate.documents import parse
from gate.errors import BadInput, UsageError
from gate.formats.session_case import DEFAULT, case_of
from gate.formats.stored import NotASession
from gate.model import Json
from gate.model.finding import Finding
from gate.recorded.secrets import leaks
from gate.redact import Redactor

_READ_IT = (
    "what people wrote in a real session is in this file: read it before you commit it, and loosen what may "
    "differ from run to run (arguments with dates or ids, `reference`)"
)


def imported(options: argparse.Namespace, *, as_json: bool) -> tuple[str, tuple[Finding, ...]]:
    """The golden file's text and what could not be carried over; raises BadInput where that is all of it."""
    options.source, options.trial = options.file, None
    found, where = find_recording(options)
    shown = where.shown
    name = options.id or found.id or Path(shown).stem
    try:
        case, findings = case_of(found, name, shown, most=options.turns, keys=options.expect or DEFAULT)
    except NotASession as error:
        raise UsageError(f"{shown} cannot be read: {error}") from error
    cases, findings = usable([case] if case else [], findings)
    value: Json = {"cases": [dump_case(one) for one in cases]}
    if options.redact:
        value = Redactor(where.secrets).value(value)
    elif not options.with_secrets:
        findings += leaks([("the case", dump_case(one)) for one in cases], where)
    if any(finding.level == "error" for finding in findings):
        raise BadInput(findings)
    text = value_text(value, as_json=as_json)
    name = f"{shown}, as golden{'.json' if as_json else '.yaml'}"
    if unusable := [finding for finding in _read_back(text, name) if finding.level == "error"]:
        raise BadInput(unusable)
    note(_READ_IT)
    return text, findings


def _read_back(text: str, name: str) -> tuple[Finding, ...]:
    """What is wrong with the golden file: a secret that was masked may leave what is no value any more."""
    document = parse(text, name)
    return document.findings if document.broken else read(document)[1]
