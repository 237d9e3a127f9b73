"""A validator that is as exact as jsonschema and does not look twice at what is right."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from gate.documents.accept import Acceptance
from gate.model import Json

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator


def make_validator(schema: Mapping[str, Json]) -> Callable[[Json], Iterator["ValidationError"]]:
    """A function to every error of a value under JSON Schema 2020-12; the schema is taken to be right.

    jsonschema says what is wrong; items of lists that `Acceptance` is sure of are not shown to it, and for a
    value that it is sure of as a whole jsonschema is not even imported.
    """
    acceptance = Acceptance(schema)
    accept = acceptance.of(schema)
    exact: Callable[[], Any] = cache(lambda: _exact(schema, acceptance))
    return lambda value: iter(()) if accept(value) else exact().iter_errors(value)


def _exact(schema: Mapping[str, Json], acceptance: Acceptance) -> "Validator":
    from jsonschema import Draft202012Validator, validators

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
    validator: Validator = extend(Draft202012Validator, {"items": items})(schema)
    return validator
