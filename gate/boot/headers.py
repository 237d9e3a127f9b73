"""The headers that every request to the agent carries, with the variables that `pass_env` names filled in."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from gate.errors import AgentDown

_PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SENDABLE = re.compile(r"[\t -~]*")


def filled(headers: Mapping[str, str], pass_env: Sequence[str]) -> Mapping[str, str]:
    """Replace `{NAME}` by the variable's value, without white space around it, where `pass_env` names it.

    Raises AgentDown for a value that no header can carry; it is not quoted.
    """
    values = {name: os.environ[name].strip() for name in pass_env if name in os.environ}
    for name, value in values.items():
        if not _SENDABLE.fullmatch(value) and name in placeholders(headers):
            hint = "A token is one line of plain ASCII: look at how the variable is set."
            raise AgentDown(f"the value of {name} cannot stand in a header", hint=hint)
    return {
        key: _PLACE.sub(lambda place: values.get(place[1], place[0]), text) for key, text in headers.items()
    }


def placeholders(headers: Mapping[str, str]) -> Iterator[str]:
    """The names that stand in braces."""
    for text in headers.values():
        yield from _PLACE.findall(text)
