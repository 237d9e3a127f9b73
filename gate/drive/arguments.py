"""A tool call's arguments as agents send them: an object, or JSON text of one."""

import json
from collections.abc import Mapping
from typing import cast

from gate.http import BadBody, parse_json
from gate.model import Json
from gate.redact import excerpt


def arguments_of(value: Json) -> tuple[Mapping[str, Json] | None, str]:
    """The arguments as an object, empty where there are none; or None, and why they cannot be read."""
    if isinstance(value, str) and value.strip():
        try:
            value = parse_json(value)
        except BadBody as error:
            return None, error.reason
    if value is None or value == "" or (isinstance(value, str) and not value.strip()):
        return {}, ""
    if isinstance(value, dict):
        return cast("dict[str, Json]", value), ""
    return None, f"not an object: {shown(value)}"


def shown(value: Json) -> str:
    """The start of a value as JSON, for a message."""
    return excerpt(json.dumps(value, ensure_ascii=False, default=str), 120)
