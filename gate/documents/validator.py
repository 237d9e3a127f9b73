"""A validator that is as exact as jsonschema and does not look twice at what is right."""

from typing import TYPE_CHECKING

from gate.model import Json

if TYPE_CHECKING:
    from jsonschema.protocols import Validator


def make_validator(schema: dict[str, Json]) -> "Validator":
    """A validator of JSON Schema 2020-12 that lives as long as the process; raises where the schema is wrong."""
    import jsonschema

    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)
