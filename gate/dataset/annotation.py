"""Golden files that people annotate: ADK's EvalCases with a `status`."""

from gate.dataset.ids import usable
from gate.documents import Document
from gate.formats import annotation
from gate.model.case import Case
from gate.model.finding import Finding

accepts = annotation.accepts


def read(document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give the cases that can be used, and a finding for all that is wrong or is not carried over."""
    return usable(*annotation.read(document.value, document.place))
