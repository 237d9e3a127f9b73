"""JSONPath (RFC 9535), compiled once; the plain paths that most mappings use need no library."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from gate.model import Json

if TYPE_CHECKING:
    from jsonpath import CompoundJSONPath, JSONPath

_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[(0|[1-9][0-9]{0,8})\]|(\[\*\])")
_PLAIN = re.compile(rf"\$(?:{_STEP.pattern})*")
_EACH: Final = None


class BadPath(ValueError):
    """The text is no JSONPath."""


class JsonPath:
    """A compiled query; `find` gives the values of its nodes in order. Raises BadPath.

    `$.a.b`, `$.a[0]` and `$.a[*].b` are walked here: importing the library takes a tenth of a second.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain: list[str | int | None] | None = None
        if _PLAIN.fullmatch(text):
            self._plain = [name or (int(index) if index else _EACH) for name, index, _ in _STEP.findall(text)]
        else:
            self._query = _compiled(text)

    def find(self, value: Json) -> Sequence[Json]:
        """The values of all nodes that the path selects."""
        if self._plain is None:
            # The library reads a string as JSON text; a string has no children.
            return [] if isinstance(value, str) else self._query.findall(cast("Mapping[str, object]", value))
        nodes = [value]
        for step in self._plain:
            nodes = [child for node in nodes for child in _children(node, step)]
        return nodes

    def first(self, value: Json) -> Json:
        """The first value that is not null, or None."""
        return next((found for found in self.find(value) if found is not None), None)


def _children(node: Json, step: str | int | None) -> Iterator[Json]:
    if isinstance(node, dict):
        if step is _EACH:
            yield from node.values()
        elif isinstance(step, str) and step in node:
            yield node[step]
    elif isinstance(node, list):
        if step is _EACH:
            yield from node
        elif isinstance(step, int) and step < len(node):
            yield node[step]


def _compiled(text: str) -> "JSONPath | CompoundJSONPath":
    from jsonpath import JSONPathEnvironment, JSONPathError

    try:
        return JSONPathEnvironment(strict=True).compile(text)
    except JSONPathError as error:
        raise BadPath(f"{text!r} is no JSONPath (RFC 9535): {error.args[0]}") from None
