"""YAML and JSON in with positions, schema check to findings; canonical JSON out, atomically."""

from gate.documents.document import Document, Spot
from gate.documents.files import (
    MAX_BYTES,
    canonical,
    no_collection,
    open_regular,
    parse,
    read,
    read_bytes,
    write_text,
)
from gate.documents.schema import schema_names, schema_text, validate

__all__ = [
    "MAX_BYTES",
    "Document",
    "Spot",
    "canonical",
    "no_collection",
    "open_regular",
    "parse",
    "read",
    "read_bytes",
    "schema_names",
    "schema_text",
    "validate",
    "write_text",
]
