"""Golden files in the form of kagent-agentevals' `suite.yaml`."""

from gate.dataset.ids import usable
from gate.documents import Document
from gate.formats import kagent_suite
from gate.model.case import Case
from gate.model.finding import Finding

accepts = kagent_suite.accepts


def read(document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give the cases that can be used, and a finding for all that is wrong or is not carried over."""
    return usable(*kagent_suite.read(document.value, document.place))
