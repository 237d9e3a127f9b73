"""Does a run's memory grow with its trials? The whole gate at 2,000 and at 100,000 trials of the same cases.

Each run is `agent-gate run` in a process of its own against a zero-latency agent; what is compared is the
peak of resident memory that the system reports. Goal: a trial more costs less than one kilobyte, that is, no
trace and no trial is kept.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.overhead import zero_agent

CASES = 100
GOAL_BYTES = 1024

CONFIG = """\
version: 1
agent:
  protocol: http
  boot: {{url: "{url}"}}
  http:
    path: /chat
    request: {{message: "{{text}}", session: "{{session}}"}}
    response: {{text: $.reply, calls: "$.calls[*]"}}
dataset: golden.yaml
run: {{concurrency: 16}}
"""


def suite(folder: Path, url: str) -> None:
    """A suite of CASES cases with a call and a text to check."""
    (folder / "agent-gate.yml").write_text(CONFIG.format(url=url), encoding="utf-8")
    cases = (
        f"  - {{id: case_{number}, user: Weather in London?, "
        "expect: {calls: [{name: get_weather, args: {city: London}}], contains: 14 C}}\n"
        for number in range(CASES)
    )
    (folder / "golden.yaml").write_text("cases:\n" + "".join(cases), encoding="utf-8")


def peak_kb(folder: Path, trials: int) -> int:
    """Run the gate with so many trials in all; its peak of resident memory in KB."""
    arguments = ["run", "--trials", str(trials // CASES), "--out", str(folder / f"out-{trials}")]
    script = f"import sys; from gate.cli import main; sys.exit(main({arguments!r}))"
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"agent-gate exited with {process.returncode}")
    return usage.ru_maxrss // (1024 if sys.platform == "darwin" else 1)


def main() -> int:
    """Print both peaks and what a trial costs; 1 where the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--few", type=int, default=2_000)
    parser.add_argument("--many", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, zero_agent() as url:
        suite(Path(name), url)
        few, many = peak_kb(Path(name), options.few), peak_kb(Path(name), options.many)
    each = (many - few) * 1024 / (options.many - options.few)
    print(f"{options.few:>9,} trials: peak {few / 1024:.0f} MB")
    print(f"{options.many:>9,} trials: peak {many / 1024:.0f} MB ({many / few:.2f} times)")
    print(f"a trial more costs {each:.0f} bytes (goal: under {GOAL_BYTES})")
    return int(each >= GOAL_BYTES)


if __name__ == "__main__":
    sys.exit(main())
