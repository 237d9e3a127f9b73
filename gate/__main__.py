"""The programs that are started; each can be interrupted while it still imports, and says so in a line.

`python -m gate` is the command `agent-gate`.
"""

import sys
from importlib import import_module


def main() -> int:
    """Run the command line."""
    return _run("gate.cli", "main")


def step() -> int:
    """Run the Action's step."""
    return _run("gate.action", "main")


def tidy() -> int:
    """Run the Action's post step."""
    return _run("gate.action", "tidy")


def _run(module: str, function: str) -> int:
    try:
        return int(getattr(import_module(module), function)())
    except KeyboardInterrupt:
        print("agent-gate: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
