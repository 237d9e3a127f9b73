"""What a reader of golden files promises; a module that has these two functions is one row of READERS."""

import re
from importlib import import_module
from typing import Protocol, cast

from gate.documents import Document
from gate.model import Json
from gate.model.case import Case
from gate.model.finding import Finding

LABEL = re.compile(
    r"(?![ \u00a0])[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]{1,200}(?<![ \u00a0])"
)
"""What an id, a category, a tag or an owner may be (to be matched whole); the schema says the same."""


class Reader(Protocol):
    """One format of golden files."""

    def accepts(self, value: Json) -> bool:
        """Whether the value claims to be of this format, valid or not; at most a glance at its top."""

    def read(self, document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
        """Give every case that is fine, in file order, and a finding for all that is not; never raises."""


class LateReader:
    """The reader in a module that is imported when it is first asked: most suites have one format."""

    def __init__(self, module: str) -> None:
        self._module = module

    def accepts(self, value: Json) -> bool:
        """As the module does."""
        return self._reader().accepts(value)

    def read(self, document: Document) -> tuple[tuple[Case, ...], tuple[Finding, ...]]:
        """As the module does."""
        return self._reader().read(document)

    def _reader(self) -> Reader:
        return cast("Reader", import_module(self._module))
