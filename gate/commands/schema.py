"""`agent-gate schema NAME`: the JSON Schema of a file that we read or write."""

import argparse

from gate.documents import schema_names, schema_text
from gate.errors import PASS, UsageError


def main(options: argparse.Namespace) -> int:
    """Print the schema to standard output."""
    names = schema_names()
    if options.name not in names:
        known = ", ".join(names)
        what = f"there is no schema {options.name!r}" if options.name else "name a schema"
        raise UsageError(
            f"{what}; there are: {known}", hint="agent-gate schema config > agent-gate.schema.json"
        )
    print(schema_text(options.name), end="")
    return PASS
