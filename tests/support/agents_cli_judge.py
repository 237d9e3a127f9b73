"""What agents-cli itself says of datasets; runs in its own environment, JSON lines in and out.

It asks what `agents-cli eval generate` asks before it calls the agent: a prompt or turns, its own types, and
a message to send.
"""

import json
import sys
from importlib import import_module
from typing import Any

PACKAGE = "google.agents.cli"
types: Any = import_module(f"{PACKAGE}._agent_platform_types").types
split_case_history: Any = import_module(f"{PACKAGE}.eval.cmd_generate").split_case_history


def verdict(dataset: Any) -> str:
    """Why the dataset cannot be run, "" where it can."""
    try:
        cases = dataset.get("eval_cases")
        if not cases:
            return "no cases"
        if not all(case.get("prompt") or case.get("agent_data") for case in cases):
            return "a case has neither a prompt nor agent_data"
        for case in [types.EvalCase.model_validate(case) for case in cases]:
            split_case_history(case)
    except Exception as error:  # noqa: BLE001 what it raises is its answer
        return f"{type(error).__name__}: {error}"
    return ""


if __name__ == "__main__":
    for line in sys.stdin:
        sys.stdout.write(json.dumps(verdict(json.loads(line))) + "\n")
