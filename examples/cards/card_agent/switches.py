"""The switches that break this agent on purpose, read once at start from `CARDS_BREAK` (a comma list)."""

import os
from typing import Literal

Switch = Literal["node", "state", "confirm", "quota"]

_ON = frozenset(os.environ.get("CARDS_BREAK", "").replace(" ", "").split(","))


def broken(switch: Switch) -> bool:
    """Tell whether the environment asked for this part of the agent to be broken."""
    return switch in _ON
