"""Golden files that are lists of plain cases (`input`, `expected_tools`, `expected_keywords`)."""

from gate.dataset.ids import usable
from gate.documents import Document
from gate.formats import case_list
from gate.model.case import Case
from gate.model.finding import Finding

accepts = case_list.accepts


def read(document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give the cases that can be used, and a finding for all that is wrong or is not carried over."""
    return usable(*case_list.read(document.value, document.place))
