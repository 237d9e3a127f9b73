"""agent-gate.yml to Config, or every finding that says why not."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from gate.config.build import build
from gate.config.units import seconds
from gate.documents import Document, read, validate
from gate.frozen import frozen
from gate.model.config import Config, MetricConfig
from gate.model.finding import Finding

__all__ = ["Loaded", "from_document", "load", "seconds"]

_NO_CONFIG = "`agent-gate init` writes one; --config names another."


@frozen
class Loaded:
    """The config, None where it cannot be used, and the document, for places that Config does not keep."""

    config: Config | None
    findings: tuple[Finding, ...]
    document: Document


def load(path: Path) -> Loaded:
    """Read a config; its folder is the root that paths in it start from. Never raises for bad content."""
    loaded = from_document(read(path, path.as_posix()), path.parent)
    findings = (replace(f, fix=_NO_CONFIG) if f.rule == "unreadable" else f for f in loaded.findings)
    return replace(loaded, findings=tuple(findings))


def from_document(document: Document, root: Path, beside: Callable[[str], Document] | None = None) -> Loaded:
    """Make a config of a document, wherever it came from.

    `beside` reads the file of `metrics_from`, which a path from the config's folder names; without it the
    file is read from disk.
    """
    findings = (*document.findings, *validate(document, "config"))
    broken = document.broken or any(finding.level == "error" for finding in findings)
    config = None if broken else build(document, root.as_posix())
    if config is None or not config.metrics_from:
        return Loaded(config=config, findings=findings, document=document)
    named = (beside or (lambda name: _from_disk(root, name)))(config.metrics_from)
    more, wrong = _metrics_of(named, config)
    findings = (*findings, *wrong)
    if any(finding.level == "error" for finding in wrong):
        return Loaded(config=None, findings=findings, document=document)
    config = replace(config, metrics=(*config.metrics, *more))
    return Loaded(config=config, findings=findings, document=document)


def _from_disk(root: Path, name: str) -> Document:
    path = root / name
    return read(path, path.as_posix())


def _metrics_of(document: Document, config: Config) -> tuple[tuple[MetricConfig, ...], tuple[Finding, ...]]:
    """The metrics that another tool's file defines, each at its place in it."""
    if document.broken:
        return (), document.findings
    from gate.formats import agents_cli_config  # most configs name no other tool's

    folder = config.metrics_from.rpartition("/")[0]
    found, wrong = agents_cli_config.positioned(document.value, document.place, folder)
    metrics = tuple(
        MetricConfig(
            name=name,
            type=str(options["type"]),
            options={key: value for key, value in options.items() if key != "type"},
            place=document.place(path),
            root=config.root,
        )
        for name, (options, path) in found.items()
    )
    return metrics, (*document.findings, *wrong, *_none(document, metrics, wrong))


def _none(
    document: Document, metrics: tuple[MetricConfig, ...], wrong: tuple[Finding, ...]
) -> Iterator[Finding]:
    if not metrics and not any(finding.level == "error" for finding in wrong):
        what = "no metric of this file is measured here"
        yield Finding.error("no-metrics", document.place(), what, fix="Remove `metrics_from`.")
