"""What a trial of a custom metric costs, beside a bare echo by pipes in the same run.

10,000 trials go through one worker of a Python metric that returns a number, each with a tool call, an answer
and expectations. Beside it as many lines of the same length go to a Python process that sends each back, and
are waited for one by one: what two processes cost anyway. What is more is our own: making the question,
reading the answer, and what the worker does around the function. Measured is the processor time of both
processes, starts included, which a busy machine does not change much. Goal: at most 0.2 ms a trial of our
own. Exits with 1 where the goal is missed.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from gate.formats.metric_instance import instance_of
from gate.model import Json
from gate.model.case import Case, Expect, ExpectedCall, TextPart, Turn, User
from gate.model.config import MetricConfig
from gate.model.finding import Place
from gate.model.score import Scored
from gate.model.trace import Call, Completed, Event, Result, Text, Trace, TurnTrace
from gate.score import METRICS

TRIALS = 10_000
GOAL_MS = 0.2
PLACE = Place(file="golden.yaml")
METRIC = "def evaluate(instance):\n    return 1.0 if instance['agent_data']['turns'] else 0.0\n"
ECHO = "import os\nwhile data := os.read(0, 1 << 16):\n    os.write(1, data)\n"


def main() -> int:
    """Print the times; 1 where the goal is missed."""
    trial, case = a_trial(), a_case()
    line = json.dumps({"instance": instance_of(case, trial)}).encode() + b"\n"
    bare = echoed(line)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "metrics.py").write_text(METRIC, encoding="utf-8")
        start = processor_ms()
        asyncio.run(scored(case, trial, folder))
        ours = (processor_ms() - start) / TRIALS
    own = ours - bare
    print(f"{TRIALS} trials of {len(line)} bytes through one worker, ms of CPU time a trial")
    print(f"bare echo {bare:.3f}   custom metric {ours:.3f}   our own {own:.3f} (goal {GOAL_MS})")
    return int(own > GOAL_MS)


def processor_ms() -> float:
    """Milliseconds of processor time that this process and those that it has waited for have taken."""
    every = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in every) * 1e3


def echoed(line: bytes) -> float:
    """Milliseconds of a line there and back, by blocking reads and writes."""
    start = processor_ms()
    command = [sys.executable, "-c", ECHO]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as echo:
        assert echo.stdin
        assert echo.stdout
        given, back = echo.stdin.fileno(), echo.stdout.fileno()
        for _ in range(TRIALS):
            os.write(given, line)
            left = len(line)
            while left:
                left -= len(os.read(back, 1 << 16))
        echo.stdin.close()
    return (processor_ms() - start) / TRIALS


async def scored(case: Case, trial: Trace, folder: str) -> None:
    """Every trial through one worker of the metric in a folder."""
    options: dict[str, Json] = {"file": "metrics.py", "python": sys.executable}
    config = MetricConfig(name="mine", type="python", options=options, place=PLACE, root=folder)
    async with METRICS["python"](config) as metric:
        for number in range(1, TRIALS + 1):
            found = await metric.score(case, replace(trial, trial=number))
            assert isinstance(found, Scored), found


def a_case() -> Case:
    """A case that expects a call and words."""
    expect = Expect(
        calls=(ExpectedCall(name="get_weather"),), contains=("18 degrees",), reference="It is 18."
    )
    sent = User(parts=(TextPart(text="What is the weather in Paris?"),))
    return Case(id="paris", turns=(Turn(sent=sent, expect=expect, place=PLACE),), place=PLACE)


def a_trial() -> Trace:
    """A turn with a tool call, its result and an answer."""
    events = (
        Event(author="agent", parts=(Call(id="1", name="get_weather", args={"city": "Paris"}),)),
        Event(author="agent", parts=(Result(call_id="1", name="get_weather", value={"degrees": 18}),)),
        Event(author="agent", parts=(Text(text="It is 18 degrees in Paris, and it will stay so."),)),
    )
    turn = TurnTrace(sent="What is …", events=events, ended="answered", started_ms=0.0, ended_ms=900.0)
    return Trace(
        case="paris", trial=1, session="s", turns=(turn,), outcome=Completed(), exposes=("text", "calls")
    )


if __name__ == "__main__":
    sys.exit(main())
