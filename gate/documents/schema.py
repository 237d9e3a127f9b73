"""The JSON Schemas of our files, and a document held against one."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gate.documents.document import Document
from gate.documents.messages import findings_of, problem_of
from gate.errors import UsageError
from gate.model import Json
from gate.model.finding import Finding

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_SUFFIX = ".schema.json"


def _folder() -> Path:
    """In a wheel inside of the package, in a checkout beside it."""
    # importlib.resources would find it too, for 3 ms of a start
    package = Path(__file__).parents[1]
    shipped = package / "schemas"
    return shipped if shipped.is_dir() else package.with_name("schemas")


def schema_names() -> tuple[str, ...]:
    """The names that `schema_text` knows, sorted."""
    names = (file.name for file in _folder().iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def schema_text(name: str) -> str:
    """A schema as it is published; raises UsageError for a name that there is none of."""
    names = schema_names()
    if name not in names:
        raise UsageError(f"there is no schema {name!r}", hint=f"There are: {', '.join(names)}.")
    return (_folder() / f"{name}{_SUFFIX}").read_text(encoding="utf-8")


@cache
def _errors_of(name: str) -> "Callable[[Json], Iterator[ValidationError]]":
    from gate.documents.validator import make_validator

    return make_validator(json.loads(schema_text(name)))


def validate(document: Document, schema_name: str) -> tuple[Finding, ...]:
    """Hold the document against a schema: every finding, in the file's order.

    A broken document gives none: its own findings say why.
    """
    if document.broken:
        return ()
    problems = map(problem_of, _errors_of(schema_name)(document.value))
    found = dict.fromkeys(finding for problem in problems for finding in findings_of(problem, document))
    return tuple(sorted(found, key=lambda finding: finding.order))
