"""GitHub's official OpenAPI description as a judge of requests and answers, and as a source of examples."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from typing import Any, Literal
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker

from tests.support.node import node_modules

Schema = Mapping[str, Any]
Edition = Literal["api.github.com", "ghes-3.19"]
FORMATS = FormatChecker(formats=())
MODE = (
    "type",
    "enum",
    "minimum",
    "maximum",
    "pattern",
    "maxLength",
    "minLength",
    "required",
    "maxItems",
    "format",
)
EXAMPLES: Mapping[str, Any] = {
    "string": "x",
    "integer": 1,
    "number": 1,
    "boolean": False,
    "uri": "https://github.example/x",
    "uri-template": "https://github.example/x{/y}",
    "date-time": "2026-11-30T07:00:00Z",
    "date": "2026-11-30",
    "email": "x@github.example",
}


class ContractBroken(AssertionError):
    """A request that GitHub's description does not know, or an answer that GitHub would not give."""


@FORMATS.checks("date-time", raises=ValueError)
def _is_date_time(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


@FORMATS.checks("uri", raises=ValueError)
def _is_uri(value: object) -> bool:
    return not isinstance(value, str) or bool(urlsplit(value).scheme)


@dataclass(frozen=True)
class Operation:
    """One method of one path of the description, with the values of its path's parameters."""

    id: str
    path: str
    spec: Schema
    arguments: Mapping[str, str]


class Description:
    """One edition of the API."""

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        file = node_modules() / "@octokit" / "openapi" / "generated" / f"{edition}.json"
        self._spec = json.loads(file.read_text(encoding="utf-8"))

    @cached_property
    def _paths(self) -> list[tuple[re.Pattern[str], str]]:
        """Literal paths before templates, as OpenAPI 3.0.3 (Paths Object) matches them."""
        paths = sorted(self._spec["paths"], key=lambda path: path.count("{"))
        return [(self._pattern(path), path) for path in paths]

    def _pattern(self, path: str) -> re.Pattern[str]:
        """Of a path's parameters only those that say so (`x-multi-segment`) hold slashes."""
        parameters = {
            parameter["name"]: parameter
            for operation in self._spec["paths"][path].values()
            for parameter in map(self._resolved, operation.get("parameters", ()))
        }

        def group(found: re.Match[str]) -> str:
            whole = parameters.get(found[1], {}).get("x-multi-segment")
            return f"(?P<{found[1]}>{'.+' if whole else '[^/]+'})"

        return re.compile(re.sub(r"\\{(\w+)\\}", group, re.escape(path)))

    def operation(self, method: str, path: str) -> Operation:
        for pattern, template in self._paths:
            found = pattern.fullmatch(path)
            if found and method.lower() in self._spec["paths"][template]:
                spec = self._spec["paths"][template][method.lower()]
                return Operation(spec["operationId"], template, spec, found.groupdict())
        raise ContractBroken(f"{self.edition} has no {method} {path}")

    def check_request(self, operation: Operation, query: Mapping[str, str], body: object) -> None:
        known = {}
        for entry in operation.spec.get("parameters", ()):
            parameter = self._resolved(entry)
            known[parameter["name"]] = parameter
        given = {**query, **operation.arguments}
        if unknown := given.keys() - known.keys():
            raise ContractBroken(f"{operation.id} has no parameters {sorted(unknown)}")
        for name, parameter in known.items():
            if name in given:
                value = _typed(given[name], parameter["schema"])
                self._check(value, parameter["schema"], f"{operation.id}: {name}")
            elif parameter.get("required") and parameter["in"] in ("path", "query"):
                raise ContractBroken(f"{operation.id} lacks {name}")
        self._check_body(operation, body)

    def _check_body(self, operation: Operation, body: object) -> None:
        asked = operation.spec.get("requestBody")
        if asked is None:
            if body is not None:
                raise ContractBroken(f"{operation.id} takes no body")
            return
        if body is None:
            if asked.get("required"):
                raise ContractBroken(f"{operation.id} needs a body")
            return
        schema = self._resolved(asked)["content"]["application/json"]["schema"]
        self._check(body, schema, f"{operation.id}: body")
        properties = self._resolved(schema).get("properties")
        if properties and isinstance(body, dict) and (unknown := body.keys() - properties.keys()):
            raise ContractBroken(f"{operation.id}: the body has unknown keys {sorted(unknown)}")

    def check_answer(self, operation: Operation, status: int, body: object) -> None:
        """A declared status has its own schema; any other error (401, 403, 5xx) has the general one."""
        declared = operation.spec["responses"].get(str(status))
        where = f"{operation.id}: {status}"
        if declared is None:
            if status < 400:
                raise ContractBroken(f"{where} is not declared")
            self._check(body, {"$ref": "#/components/schemas/basic-error"}, where)
            return
        content = self._resolved(declared).get("content", {})
        media = content.get("application/json") or content.get("application/scim+json")
        if media:
            self._check(body, media["schema"], where)
        elif body is not None:
            raise ContractBroken(f"{where} has no body")

    def check_event(self, name: str, payload: object) -> None:
        """A webhook's payload: what a runner writes into the event's file."""
        body = self._spec["x-webhooks"][name]["post"]["requestBody"]
        self._check(payload, body["content"]["application/json"]["schema"], name)

    def event(self, name: str) -> Any:
        body = self._spec["x-webhooks"][name]["post"]["requestBody"]
        return self.example(body["content"]["application/json"]["schema"])

    def component(self, name: str) -> dict[str, Any]:
        made: dict[str, Any] = self.example({"$ref": f"#/components/schemas/{name}"})
        return made

    def example(self, schema: Schema) -> Any:
        """The smallest value that a schema accepts: what is required, first choices, null where allowed."""
        schema = self._resolved(schema)
        if "enum" in schema:
            return schema["enum"][0]
        if "allOf" in schema:
            return {k: v for part in schema["allOf"] for k, v in self.example(part).items()}
        for choice in ("oneOf", "anyOf"):
            if choice in schema and "properties" not in schema:
                return self.example(schema[choice][0])
        match schema.get("type"):
            case "array":
                return [self.example(schema["items"]) for _ in range(schema.get("minItems", 0))]
            case "object" | None:
                properties = schema.get("properties", {})
                return {key: self._optional(properties.get(key, {})) for key in schema.get("required", ())}
            case kind:
                return EXAMPLES.get(schema.get("format", ""), EXAMPLES[kind])

    def _optional(self, schema: Schema) -> Any:
        resolved = self._resolved(schema)
        return None if resolved.get("nullable") else self.example(resolved)

    def _resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self._at(schema["$ref"])
        return schema

    def _at(self, reference: str) -> Schema:
        place = self._spec
        for key in reference.removeprefix("#/").split("/"):
            place = place[key]
        return place  # type: ignore[no-any-return]

    def _check(self, value: object, schema: Schema, where: str) -> None:
        validator = self._validator(json.dumps(schema, sort_keys=True))
        if error := next(iter(sorted(validator.iter_errors(value), key=lambda e: -len(e.path))), None):
            raise ContractBroken(f"{self.edition}, {where}: at {error.json_path}: {error.message[:500]}")

    @cache  # noqa: B019  # there is one Description an edition, for as long as the tests run
    def _validator(self, schema: str) -> Draft202012Validator:
        wanted = json.loads(schema)
        pending, found = list(_references(wanted)), dict[str, Any]()
        while pending:
            reference = pending.pop()
            if reference not in found:
                found[reference] = self._at(reference)
                pending += _references(found[reference])
        definitions = {_name(reference): _json_schema(value) for reference, value in found.items()}
        return Draft202012Validator({**_json_schema(wanted), "$defs": definitions}, format_checker=FORMATS)


@cache
def description(edition: Edition) -> Description:
    return Description(edition)


def _name(reference: str) -> str:
    return reference.rpartition("/")[2]


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


def _json_schema(schema: Any) -> Any:
    """A schema of OpenAPI 3.0.3 as JSON Schema: `nullable` widens type and enum, the rest means the same."""
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"$ref": f"#/$defs/{_name(schema['$ref'])}"}
    made: dict[str, Any] = {key: schema[key] for key in MODE if key in schema}
    for key in ("oneOf", "anyOf", "allOf"):
        if key in schema:
            # GitHub's choices overlap, so oneOf of its own examples would often fail.
            made["anyOf" if key == "oneOf" else key] = [_json_schema(part) for part in schema[key]]
    if "properties" in schema:
        made["properties"] = {key: _json_schema(value) for key, value in schema["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in schema:
            made[key] = _json_schema(schema[key])
    return {"anyOf": [made, {"type": "null"}]} if schema.get("nullable") else made


def _typed(text: str, schema: Schema) -> object:
    match schema.get("type"):
        case "integer" if re.fullmatch(r"-?\d+", text):
            return int(text)
        case "boolean" if text in ("true", "false"):
            return text == "true"
        case _:
            return text
