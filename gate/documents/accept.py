"""Schemas as plain functions that say yes where a value is valid for certain.

A suite of ten thousand cases is right nearly everywhere, and jsonschema needs 0.3 ms a case to say so. This
takes a small part of that; where these functions do not say yes, jsonschema has the word. A keyword that they
do not know means no, so they can only be too strict: a property test holds them against jsonschema.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from gate.model import Json

Accept: TypeAlias = Callable[[Json], bool]
Schema: TypeAlias = Mapping[str, Json] | bool

_NOTES: Final = frozenset(
    {"$schema", "$id", "$defs", "$comment", "title", "description", "default", "examples", "deprecated"}
)
_OBJECT: Final = frozenset({"properties", "additionalProperties", "required"})
_TYPES: Final[Mapping[str, Accept]] = {
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) is int or type(value) is float,
    "boolean": lambda value: type(value) is bool,
    "array": lambda value: type(value) is list,
    "object": lambda value: type(value) is dict,
    "null": lambda value: value is None,
}


def _yes(_: Json) -> bool:
    return True


def _no(_: Json) -> bool:
    return False


class Acceptance:
    """The functions of one schema file, made when they are first asked for."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._made: dict[int, Accept] = {}

    def of(self, schema: Schema) -> Accept:
        """The function of a schema that is a part of the root (so that its identity stays its own)."""
        if isinstance(schema, bool):
            return _yes if schema else _no
        key = id(schema)
        if key not in self._made:
            self._made[key] = lambda value: self._made[key](value)  # noqa: PLW0108 - a schema may contain itself
            self._made[key] = self._make(schema)
        return self._made[key]

    def _make(self, schema: Mapping[str, Json]) -> Accept:
        checks = [
            self._keyword(keyword, wanted, schema)
            for keyword, wanted in schema.items()
            if keyword not in _NOTES and keyword not in _OBJECT
        ]
        if not _OBJECT.isdisjoint(schema):
            checks.append(self._object(schema))
        if len(checks) == 1:
            return checks[0]
        return lambda value: all(check(value) for check in checks)

    def _keyword(self, keyword: str, wanted: Json, schema: Mapping[str, Json]) -> Accept:
        match keyword, wanted:
            case "type", str(name):
                return _TYPES.get(name, _no)
            case "type", [*names]:
                return _any([_TYPES.get(str(name), _no) for name in names])
            case "$ref", str(reference):
                return self.of(self._resolve(reference))
            case "anyOf", [*branches]:
                return _any([self.of(_schema(branch)) for branch in branches])
            case "allOf", [*branches]:
                return _all([self.of(_schema(branch)) for branch in branches])
            case "items", _ if "prefixItems" not in schema:
                return _each(self.of(_schema(wanted)))
            case ("enum", [*words]) if all(isinstance(word, str) for word in words):
                known = frozenset(words)
                return lambda value: type(value) is str and value in known
            case "const", str(word):
                return lambda value: type(value) is str and value == word
            case _:
                return _limit(keyword, wanted)

    def _object(self, schema: Mapping[str, Json]) -> Accept:
        properties = schema.get("properties", {})
        known = (
            {key: self.of(_schema(sub)) for key, sub in properties.items()}
            if isinstance(properties, dict)
            else {}
        )
        other = self.of(_schema(schema.get("additionalProperties", True)))
        required = schema.get("required", [])
        needed = frozenset(required) if isinstance(required, list) else frozenset()

        def check(value: Json) -> bool:
            if type(value) is not dict:
                return True
            for key, child in value.items():
                if not known.get(key, other)(child):
                    return False
            return needed <= value.keys()

        return check

    def _resolve(self, reference: str) -> Schema:
        if not reference.startswith("#"):
            return False
        node: Json = self._root
        for step in reference.removeprefix("#").split("/")[1:]:
            if not isinstance(node, dict) or step not in node:
                return False
            node = node[step]
        return _schema(node)


def _schema(node: Json) -> Schema:
    return node if isinstance(node, dict | bool) else False


def _any(branches: list[Accept]) -> Accept:
    return lambda value: any(branch(value) for branch in branches)


def _all(branches: list[Accept]) -> Accept:
    return lambda value: all(branch(value) for branch in branches)


def _each(item: Accept) -> Accept:
    return lambda value: type(value) is not list or all(item(child) for child in value)


def _limit(keyword: str, wanted: Json) -> Accept:
    """Lengths, patterns and bounds; each says yes to values of the types that it does not speak of."""
    match keyword, wanted:
        case "minItems", int(least):
            return lambda value: type(value) is not list or len(value) >= least
        case "minLength", int(least):
            return lambda value: type(value) is not str or len(value) >= least
        case "minProperties", int(least):
            return lambda value: type(value) is not dict or len(value) >= least
        case "pattern", str(pattern):
            search = re.compile(pattern).search
            return lambda value: type(value) is not str or search(value) is not None
        case "minimum", int(bound) | float(bound):
            return lambda value: not isinstance(value, int | float) or value >= bound
        case "maximum", int(bound) | float(bound):
            return lambda value: not isinstance(value, int | float) or value <= bound
        case _:
            return _no
