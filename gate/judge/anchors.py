"""Anchors: answers that people have labelled, by which a judge is measured anew in every run."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final, TypeAlias

from gate.documents import Document, parse, validate
from gate.model import Json
from gate.model.config import Config, MetricConfig
from gate.model.finding import Finding, Place
from gate.model.judge import Anchor, JudgeConfig

Read: TypeAlias = Callable[[str], bytes | str]
"""The bytes of a file by its name from the config's folder, or in words why there are none."""

TEXTS: Final = ("prompt", "response", "reference", "rubric", "trajectory", "state")
_YES: Final[Mapping[str, float]] = {"yes": 1.0, "no": 0.0}


def with_files(config: Config, read: Read) -> tuple[Config, tuple[Finding, ...]]:
    """The config with what its judges' files hold: anchors, and authorities; and what is wrong with those.

    Places in findings are named from the config's folder.
    """
    findings: list[Finding] = []
    judges = {judge.name: _trusting(judge, read, findings) for judge in config.judges}
    metrics = []
    for metric in config.metrics:
        asked = judges.get(metric.judge.name, metric.judge) if metric.judge else None
        anchors = _read(metric, read, findings) if asked else ()
        metrics.append(replace(metric, judge=asked, anchors=anchors))
    whole = replace(config, judges=tuple(judges.values()), metrics=tuple(metrics))
    return whole, tuple(dict.fromkeys(findings))


def anchor_key(anchor: Anchor) -> str:
    """16 hex digits over what is judged and its label: two readings of the same key are comparable."""
    made_of = [*(getattr(anchor, name) for name in TEXTS), anchor.label]
    return hashlib.sha256(json.dumps(made_of).encode("ascii")).hexdigest()[:16]


def read_anchors(document: Document) -> tuple[tuple[Anchor, ...], tuple[Finding, ...]]:
    """The anchors of a file, or every finding that says why there are none."""
    findings = (*document.findings, *validate(document, "anchors"))
    if document.broken or any(finding.level == "error" for finding in findings):
        return (), findings
    top = document.value if isinstance(document.value, Mapping) else {}
    listed = top.get("anchors")
    rubric = top.get("rubric", "")
    items = enumerate(listed if isinstance(listed, list) else [])
    anchors = tuple(_anchor(item, rubric, document.place(("anchors", index))) for index, item in items)
    return anchors, (*findings, *_twice(anchors))


def _trusting(judge: JudgeConfig, read: Read, findings: list[Finding]) -> JudgeConfig:
    if not judge.ca:
        return judge
    content = read(judge.ca)
    problem = content if isinstance(content, str) else _not_pem(content)
    if problem:
        what = f"'ca' of judge '{judge.name}' cannot be used: {problem}"
        findings.append(Finding.error("bad-authorities", judge.place, what, fix="It must be a PEM file."))
        return judge
    return replace(
        judge, authorities=content.decode("ascii", "replace") if isinstance(content, bytes) else ""
    )


def _not_pem(content: bytes) -> str:
    import ssl  # few judges have authorities of their own

    try:
        ssl.create_default_context(cadata=content.decode("ascii", "replace"))
    except (ssl.SSLError, ValueError) as error:
        return f"it holds no certificates ({error})"
    return "" if b"BEGIN CERTIFICATE" in content else "it holds no certificates"


def _read(metric: MetricConfig, read: Read, findings: list[Finding]) -> tuple[Anchor, ...]:
    name = _file(metric.options.get("anchors"))
    if not name:
        return ()
    # Findings quote what they find: a pull request must not have a file of the machine read to it.
    content = "it must be a file of this repository" if PurePosixPath(name).is_absolute() else read(name)
    if isinstance(content, str):
        what = f"the anchors of metric '{metric.name}' cannot be read: {name}: {content}"
        fix = "It holds answers that people have judged: anchors: [{id: …, response: …, label: true}]."
        findings.append(Finding.error("no-anchors", metric.place, what, fix=fix))
        return ()
    anchors, wrong = read_anchors(_document(content, name))
    findings += wrong
    return anchors


def _file(given: Json) -> str:
    name = given.get("file") if isinstance(given, Mapping) else given
    return name if isinstance(name, str) else ""


def _document(content: bytes, name: str) -> Document:
    try:
        return parse(content.decode("utf-8"), PurePosixPath(name).as_posix())
    except UnicodeDecodeError as error:
        what = f"cannot be read: byte {error.start} is not UTF-8"
        return Document(
            file=name, value=None, broken=True, findings=(Finding.error("not-utf8", Place(file=name), what),)
        )


def _anchor(item: Json, rubric: Json, place: Place) -> Anchor:
    given = {"rubric": rubric, **(item if isinstance(item, Mapping) else {})}
    texts = {name: str(given.get(name, "")) for name in TEXTS}
    return Anchor(id=str(given.get("id", "")), label=_label(given.get("label")), place=place, **texts)


def _label(label: Json) -> float:
    if isinstance(label, str):
        return _YES[label.lower()]
    return float(label) if isinstance(label, bool | int | float) else 0.0


def _twice(anchors: tuple[Anchor, ...]) -> Iterator[Finding]:
    seen: dict[str, Place] = {}
    for anchor in anchors:
        if anchor.id in seen:
            what = f"anchor '{anchor.id}' is also at {seen[anchor.id]}"
            yield Finding.error("duplicate-anchor", anchor.place, what)
        seen[anchor.id] = anchor.place
