"""A validator that is as exact as jsonschema and does not look twice at what is right."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gate.documents.accept import Acceptance
from gate.model import Json

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


def make_validator(schema: Mapping[str, Json]) -> Callable[[Json], Iterator["ValidationError"]]:
    """A function to every error of a value under JSON Schema 2020-12; raises where the schema is wrong.

    jsonschema says what is wrong; items of lists that `Acceptance` is sure of are not shown to it.
    """
    from jsonschema import Draft202012Validator, validators

    Draft202012Validator.check_schema(schema)
    acceptance = Acceptance(schema)
    slow_items = Draft202012Validator.VALIDATORS["items"]

    # jsonschema's signature of a keyword: everything in it is JSON of any shape.
    def items(validator: Any, wanted: Any, value: Any, around: Any) -> Iterator["ValidationError"]:  # noqa: ANN401
        if "prefixItems" in around or not isinstance(value, list):
            yield from slow_items(validator, wanted, value, around) or ()
            return
        accept = acceptance.of(wanted)
        for index, item in enumerate(value):
            if not accept(item):
                yield from validator.descend(instance=item, schema=wanted, path=index)

    extend: Any = validators.extend  # has no types
    validator = extend(Draft202012Validator, {"items": items})(schema)
    accept = acceptance.of(schema)
    return lambda value: iter(()) if accept(value) else validator.iter_errors(value)
