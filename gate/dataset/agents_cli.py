"""Golden files in the form of agents-cli's datasets."""

from gate.dataset.ids import usable
from gate.documents import Document
from gate.formats import agents_cli_dataset
from gate.model.case import Case
from gate.model.finding import Finding

accepts = agents_cli_dataset.accepts


def read(document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give the cases that can be used, and a finding for all that is wrong or is not carried over."""
    return usable(*agents_cli_dataset.read(document.value, document.place))
