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
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def _yes(_: Json) -> bool:
    return True


def _no(_: Json) -> bool:
    return False


class Acceptance:
    """The functions of one schema file, made when they are first asked for."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._made: dict[int, tuple[Schema, Accept]] = {}

    def of(self, schema: Schema) -> Accept:
        """The function of a schema, by its identity: it is kept, so that no other object can take it over."""
        if isinstance(schema, bool):
            return _yes if schema else _no
        key = id(schema)
        if key not in self._made:
            self._made[key] = (schema, lambda value: self._made[key][1](value))  # noqa: PLW0108 - it may contain itself
            self._made[key] = (schema, self._make(schema))
        return self._made[key][1]

    def _make(self, schema: Mapping[str, Json]) -> Accept:
        checks = [
            self._keyword(keyword, wanted, schema)
            for keyword, wanted in schema.items()
            if keyword not in _NOTES and keyword not in _OBJECT and keyword not in {"then", "else"}
        ]
        if not _OBJECT.isdisjoint(schema):
            checks.append(self._object(schema))
        return checks[0] if len(checks) == 1 else _all(checks)

    def _keyword(self, keyword: str, wanted: Json, schema: Mapping[str, Json]) -> Accept:
        match keyword, wanted:
            case "type", str() | list():
                names = wanted if isinstance(wanted, list) else [wanted]
                types = frozenset(kind for name in names for kind in _TYPES.get(str(name), ()))
                return lambda value: type(value) in types
            case "$ref", str(reference):
                return self.of(self._resolve(reference))
            case "anyOf", [*branches]:
                return _any([self.of(_schema(branch)) for branch in branches])
            case "allOf", [*branches]:
                return _all([self.of(_schema(branch)) for branch in branches])
            case "not", dict() if _is_words(wanted):
                banned = self.of(wanted)
                return lambda value: not banned(value)
            case "if", dict():
                return self._choice(wanted, schema)
            case "propertyNames", dict():
                return _keys(self.of(wanted))
            case "items", _ if "prefixItems" not in schema:
                return _each(self.of(_schema(wanted)))
            case _:
                return _limit(keyword, wanted)

    def _choice(self, condition: Schema, schema: Mapping[str, Json]) -> Accept:
        """`if` on keys and words alone: there, not to say yes is to be certain of no."""
        if not _is_exact(condition):
            return _no
        asked = self.of(condition)
        yes, no = (self.of(_schema(schema.get(branch, True))) for branch in ("then", "else"))
        return lambda value: yes(value) if asked(value) else no(value)

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


def _is_exact(condition: Schema) -> bool:
    """Whether the function of this schema says yes exactly where the schema does."""
    if not isinstance(condition, dict) or not condition.keys() <= {"required", "properties"}:
        return False
    properties = condition.get("properties", {})
    return isinstance(properties, dict) and all(_is_words(sub) for sub in properties.values())


def _is_words(schema: Json) -> bool:
    if not isinstance(schema, dict) or not schema.keys() <= {"const", "enum"}:
        return False
    words = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return len(schema) == 1 and isinstance(words, list) and all(isinstance(word, str) for word in words)


def _any(branches: list[Accept]) -> Accept:
    return lambda value: any(branch(value) for branch in branches)


def _all(checks: list[Accept]) -> Accept:
    def check(value: Json) -> bool:
        for each in checks:  # noqa: SIM110 - all() is slower by half, and this is all that is done
            if not each(value):
                return False
        return True

    return check


def _each(item: Accept) -> Accept:
    def check(value: Json) -> bool:
        if type(value) is list:
            for child in value:
                if not item(child):
                    return False
        return True

    return check


def _keys(name: Accept) -> Accept:
    return lambda value: type(value) is not dict or all(name(key) for key in value)


def _limit(keyword: str, wanted: Json) -> Accept:
    """Words, lengths, patterns, bounds; where a keyword does not speak of a value's type it says yes."""
    match keyword, wanted:
        case ("enum", [*words]) if all(isinstance(word, str) for word in words):
            known = frozenset(words)
            return lambda value: type(value) is str and value in known
        case "const", str() | int() if type(wanted) is not bool:
            return lambda value: type(value) is type(wanted) and value == wanted
        case "uniqueItems", True:
            return lambda value: type(value) is not list or _are_distinct_texts(value)
        case "pattern", str(pattern):
            search = re.compile(pattern).search
            return lambda value: type(value) is not str or search(value) is not None
        case "dependentRequired", dict():
            return lambda value: type(value) is not dict or _are_together(value, wanted)
        case _, int(bound) | float(bound):
            return _bound(keyword, bound)
        case _:
            return _no


def _bound(keyword: str, bound: float) -> Accept:
    match keyword:
        case "minItems":
            return lambda value: type(value) is not list or len(value) >= bound
        case "minLength":
            return lambda value: type(value) is not str or len(value) >= bound
        case "minProperties":
            return lambda value: type(value) is not dict or len(value) >= bound
        case "minimum":
            return lambda value: not isinstance(value, int | float) or value >= bound
        case "exclusiveMinimum":
            return lambda value: not isinstance(value, int | float) or value > bound
        case "maximum":
            return lambda value: not isinstance(value, int | float) or value <= bound
        case _:
            return _no


def _are_together(value: Mapping[str, Json], needs: Mapping[str, Json]) -> bool:
    return all(
        isinstance(others, list) and set(others) <= value.keys()
        for key, others in needs.items()
        if key in value
    )


def _are_distinct_texts(value: list[Json]) -> bool:
    return all(type(item) is str for item in value) and len(set(map(str, value))) == len(value)
