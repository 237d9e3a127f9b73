"""`json_schema`: the answer is JSON that a schema allows, or the arguments of a tool are.

JSON Schema 2020-12 unless `$schema` names another draft. A `$ref` leads to a place in the schema itself;
nothing is ever fetched. The text is the agent's: what takes longer than half a second of CPU (bounded.py),
or is nested too deeply, is unscored.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from gate.model import Json
from gate.model.config import MetricConfig
from gate.model.derived import last_words
from gate.model.finding import Finding
from gate.score.bounded import CPU_S, TooSlow, bounded
from gate.score.every_case import CannotSay, EveryCase
from gate.score.items import Level
from gate.score.patterns import wrong_pattern
from gate.score.reasons import joined
from gate.score.values import line, plain, quoted, shown

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_FENCE: Final = "```"
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_DATA: Final = frozenset({"const", "default", "enum", "examples"})


class NotJson(Exception):
    """Why a text is no JSON."""


def wrong_schema(value: Json) -> str:
    """What to write in place of a schema; "" where it can be used."""
    if not isinstance(value, Mapping | bool):
        return "schema: a JSON Schema, such as {type: object, required: [id]}"
    try:
        return _invalid(value) or next(_unusable(value), "")
    except RecursionError:
        return "a schema that is nested less deeply"


def wrong_tool(value: Json) -> str:
    """What to write in place of a value of `args_of`; "" where it is fine."""
    return "" if isinstance(value, str) and value else "args_of: the name of a tool"


class JsonSchema(EveryCase):
    """1 where the last answer is JSON that `schema` allows; of `args_of: TOOL` the share of its calls."""

    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {"fenced": (False, True)}
    shapes: ClassVar[Mapping[str, Callable[[Json], str]]] = {
        **EveryCase.shapes,
        "schema": wrong_schema,
        "args_of": wrong_tool,
    }

    def __init__(self, config: MetricConfig) -> None:
        super().__init__(config)
        self._validator = _validator(self.options["schema"])
        self._tool = str(self.options.get("args_of", ""))
        if self._tool:
            self.needs = "calls"

    @classmethod
    def _findings(cls, config: MetricConfig) -> Iterator[Finding]:
        yield from super()._findings(config)
        if "schema" not in config.options:
            what = f"metric '{config.name}' of type '{config.type}' needs 'schema'"
            yield Finding.error(
                "bad-option", config.place, what, fix="schema: {type: object, required: [id]}"
            )

    def measure(self, level: Level) -> tuple[float, str]:
        if self._tool:
            return self._arguments(level)
        answer = last_words(level.turns[-1].events) if level.turns else ""
        reason = self._answer(answer)
        return (0.0 if reason or level.broken else 1.0), reason

    def _answer(self, answer: str) -> str:
        try:
            value = parsed(_unfenced(answer) if self.options["fenced"] else answer)
        except NotJson as error:
            said = f"it said {shown(answer)}" if answer else "it said nothing"
            return f"the answer is no JSON ({error}); {said}"
        wrong = self._errors(value)
        return f"the answer is not what the schema allows: {wrong}" if wrong else ""

    def _arguments(self, level: Level) -> tuple[float, str]:
        calls = [call for call in level.calls if call.name == self._tool]
        if not calls:
            return (0.0 if level.broken else 1.0), ""
        wrong = [
            self._errors(plain(call.args)) if call.args is not None else line(call.args_error)
            for call in calls
        ]
        told = [
            f"{quoted(self._tool)}, call {number} of {len(calls)}: {why}"
            for number, why in enumerate(wrong, 1)
            if why
        ]
        value = (len(calls) - len(told)) / len(calls)
        return (0.0 if level.broken else value), joined(told)

    def _errors(self, value: Json) -> str:
        """What the schema does not allow of a value; "" where it allows it. Raises CannotSay."""
        try:
            return bounded(lambda: joined(_told(self._validator, value)))
        except TooSlow:
            why = f"the schema took more than {CPU_S:g} s of CPU on this value"
        except RecursionError:
            why = "the value is nested too deeply to be held against the schema"
        except _unresolvable() as error:  # of a draft whose references a check reads otherwise
            why = f"the schema refers to what is not in it: {line(str(error))}"
        except (ArithmeticError, ValueError) as error:  # jsonschema divides for `multipleOf`, and quotes
            why = f"a number is too large to be held against the schema: {line(str(error))}"
        raise CannotSay("malformed", why)


def _unfenced(answer: str) -> str:
    """What stands in the fence around a whole answer, or the answer."""
    first, _, rest = answer.strip().partition("\n")
    return rest.removesuffix(_FENCE) if first.startswith(_FENCE) and rest.endswith(_FENCE) else answer


def parsed(text: str) -> Json:
    """The JSON value that a text is (RFC 8259); raises NotJson, also for NaN and double keys."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_float)
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    except ValueError as error:  # an integer of more digits than Python reads
        raise NotJson(str(error)) from None


def _once(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotJson("an object has a key twice")
    return found


def _float(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise NotJson(f"{line(digits)} is a number that no float can hold")
    return number


def _no_constant(name: str) -> Json:
    raise NotJson(f"{name} is no JSON")


def _told(validator: Any, value: Json) -> list[str]:  # noqa: ANN401  # its types know no `object`
    errors = sorted(validator.iter_errors(value), key=lambda error: error.json_path)
    return [f"{line(error.json_path)}: {line(error.message)}" for error in errors]


def _validator(schema: Json) -> "Validator":
    """A validator that knows no other document than the schema."""
    from referencing import Registry

    made: Validator = _draft(schema)(plain(schema), registry=Registry())
    return made


def _draft(schema: Any) -> Any:  # noqa: ANN401  # jsonschema's classes of validators have no type of their own
    """The validator's class of the draft that `$schema` names, 2020-12 without one; None for no draft."""
    from jsonschema.validators import Draft202012Validator, validator_for

    if not isinstance(schema, Mapping) or "$schema" not in schema:
        return Draft202012Validator
    nothing: Any = None
    try:
        return validator_for(schema, default=nothing) if isinstance(schema["$schema"], str) else None
    except ValueError:  # no URI
        return None


def _unresolvable() -> type[Exception]:
    from referencing.exceptions import Unresolvable

    return Unresolvable


def _invalid(schema: Json) -> str:
    """Why it is no schema of its draft, or ""."""
    from jsonschema.exceptions import SchemaError

    draft = _draft(schema)
    if draft is None:
        return "$schema: 'https://json-schema.org/draft/2020-12/schema'"
    try:
        draft.check_schema(schema)
    except SchemaError as error:
        return f"a schema of its draft; at {line(error.json_path)} it says: {line(error.message)}"
    return ""


def _unusable(schema: Json) -> Iterator[str]:
    """What to write in place of references that lead out of the schema or nowhere, and of broken patterns."""
    todo = [schema]
    while todo:
        each = todo.pop()
        if isinstance(each, list | tuple):
            todo.extend(each)
        if not isinstance(each, Mapping):
            continue
        todo.extend(value for key, value in each.items() if key not in _DATA)
        yield from _wrong_references(schema, each)
        properties = each.get("patternProperties")
        for pattern in (each.get("pattern"), *(properties if isinstance(properties, Mapping) else ())):
            if isinstance(pattern, str) and (why := wrong_pattern(pattern)):
                yield why


def _wrong_references(schema: Json, each: Mapping[str, Json]) -> Iterator[str]:
    for key in _REFERENCES:
        reference = each.get(key)
        if isinstance(reference, str) and not _leads(schema, reference):
            yield f"{key}: '#/$defs/NAME', with that under `$defs`; {quoted(reference)} is never fetched"
    if each is not schema and isinstance(each.get("$id"), str):
        yield "no `$id` within the schema: its references start from the whole"


def _leads(schema: Json, reference: str) -> bool:
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    if not reference.startswith("#"):
        return False
    resource = DRAFT202012.create_resource(cast("Mapping[str, Any]", schema))
    try:
        Registry().resolver_with_root(resource).lookup(reference)
    except (Unresolvable, ValueError, TypeError, KeyError, AttributeError):
        return False
    return True
