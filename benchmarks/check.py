"""How long `check` takes on 10,000 cases, beside a plain load of the same file without positions or checks.

Goal: at most 5 s with positions, schema and lints; the second suite has a wrong case, so the schema speaks.
Times are of the processor, so that neighbours do not count. Exits with 1 where the goal is missed.
"""

import sys
import tempfile
import time
from pathlib import Path

import yaml

from gate.check import check

CASES = 10_000
GOAL_S = 5.0
CONFIG = """\
version: 1
agent: {protocol: adk, app: a, boot: {url: "http://127.0.0.1:1"}}
dataset: golden.yaml
rules: {calls: {min: 0.9}}
"""
CASE = """\
  - id: case_{n}
    category: routing
    tags: [smoke, weather]
    turns:
      - user: "What is the weather in London on day {n}?"
        expect:
          calls: [{{name: get_weather, args: {{city: London, day: {n}}}}}]
          contains: [London, "14 °C"]
          state: {{last_city: London, count: {n}}}
      - user: And tomorrow?
        expect: {{calls: none, excludes: [sorry]}}
"""


def main() -> int:
    """Print the times; 1 where the goal is missed."""
    text = "cases:\n" + "".join(CASE.format(n=n) for n in range(CASES))
    wrong = text.replace(
        "      - user: And tomorrow?\n        expect:", "      - user: Bye\n        expects:", 1
    )
    start = time.process_time()
    yaml.load(text, Loader=yaml.CSafeLoader)
    plain = time.process_time() - start
    print(f"yaml.CSafeLoader alone          {plain:6.2f} s")
    times = [timed("check, no finding", text, plain, 0), timed("check, one wrong case", wrong, plain, 1)]
    return int(max(times) > GOAL_S)


def timed(name: str, text: str, plain: float, findings: int) -> float:
    """Check a suite of this text and print its time."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "agent-gate.yml"
        config.write_text(CONFIG, encoding="utf-8")
        (Path(folder) / "golden.yaml").write_text(text, encoding="utf-8")
        start = time.process_time()
        checked = check(config)
        took = time.process_time() - start
    assert len(checked.findings) == findings, checked.findings[:3]
    assert len(checked.cases) == CASES - findings
    print(f"{name:<30}  {took:6.2f} s  {took / plain:.2f} of the plain load")
    return took


if __name__ == "__main__":
    sys.exit(main())
