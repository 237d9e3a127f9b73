"""agent-gate.yml to Config, or every finding that says why not."""

from dataclasses import replace
from pathlib import Path

from gate.config.build import build
from gate.config.units import seconds
from gate.documents import Document, read, validate
from gate.frozen import frozen
from gate.model.config import Config
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


def from_document(document: Document, root: Path) -> Loaded:
    """Make a config of a document, wherever it came from."""
    findings = (*document.findings, *validate(document, "config"))
    broken = document.broken or any(finding.level == "error" for finding in findings)
    config = None if broken else build(document, root.as_posix())
    return Loaded(config=config, findings=findings, document=document)
