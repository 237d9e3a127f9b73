"""Golden files in the form of ADK's EvalSets (`*.evalset.json`, `*.test.json`), current and legacy."""

from gate.dataset.ids import usable
from gate.documents import Document
from gate.formats import evalset
from gate.model.case import Case
from gate.model.finding import Finding

accepts = evalset.accepts


def read(document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
    """Give the cases that can be used, and a finding for all that is wrong or is not carried over."""
    return usable(*evalset.read(document.value, document.place))
