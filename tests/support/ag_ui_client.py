"""AG-UI's own client (@ag-ui/client on npm) as an oracle: what it makes of a run, or why it refuses it."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.node import node_modules

SCRIPT = Path(__file__).with_suffix(".mjs")


@dataclass(frozen=True)
class Run:
    """A run as the client is given it: what it knows before, and the events that come."""

    events: Sequence[Any]
    messages: Sequence[Any] = ()
    state: Any = None

    @property
    def line(self) -> str:
        start = {"messages": list(self.messages), "state": {} if self.state is None else self.state}
        return json.dumps({"start": start, "events": list(self.events)})


def client_reads(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """For each run `{error}`, or the messages and the state after it."""
    done = subprocess.run(
        ["node", str(SCRIPT), str(node_modules().parent)],
        input="".join(f"{run.line}\n" for run in runs),
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": os.environ["PATH"], "SUPPRESS_TRANSFORMATION_WARNINGS": "true"},
    )
    answers = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert len(answers) == len(runs), done.stderr
    return answers
