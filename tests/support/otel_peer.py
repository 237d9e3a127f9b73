"""What agentevals-cli reads in a file of spans; runs in its own environment, prints JSON.

For each conversation its turns: the user's words, the tool calls with their arguments, the final answer.
"""

import json
import sys
from importlib import import_module
from typing import Any

auto: Any = import_module("agentevals.loader.auto")
extract: Any = import_module("agentevals.genai.extract")
messages: Any = import_module("agentevals.genai.messages")


def main(*files: str) -> None:
    """One list of conversations a file."""
    sys.stdout.write(json.dumps([_file(file) for file in files]))


def _file(file: str) -> dict[str, Any]:
    found: dict[str, list[Any]] = {}
    for trace in auto.load_telemetry(file).traces:
        for turn in extract.extract_turns(trace):
            found.setdefault(turn.conversation_id or "", []).append(turn)
    return {
        name: [_turn(turn) for turn in sorted(turns, key=lambda turn: turn.start_ns)]
        for name, turns in found.items()
    }


def _turn(turn: Any) -> dict[str, Any]:
    return {
        "sent": messages.text_of(turn.user_input) or "",
        "calls": [[call.name, call.arguments or {}] for call in turn.tool_calls],
        "answer": messages.text_of(turn.final_output) or "",
        "tokens": (turn.usage.input_tokens or 0) + (turn.usage.output_tokens or 0),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
