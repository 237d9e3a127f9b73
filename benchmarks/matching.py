"""How long a verdict on a trajectory takes, beside agentevals 0.0.9 in the same run.

Both score the same recorded conversations against the same references, in each mode: agentevals from
OpenAI messages, as its users call it, with its tracing off; the gate by the metric `trajectory_match`, from a
trace. Goal: at least 20 times faster in every mode, with its own matching and with `conformant: true`.
Exits with 1 where the goal is missed, or where the two disagree.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from gate.model.case import Case, Expect, ExpectedCall, TextPart, Turn, User
from gate.model.config import MetricConfig
from gate.model.finding import Place
from gate.model.score import Scored
from gate.model.trace import Call, Completed, Event, Text, Trace, TurnTrace
from gate.score import METRICS

MODES = ("strict", "unordered", "subset", "superset")
SIZES = (2, 5, 10, 20, 50)
EACH = 10
"""Conversations of each size; half of them are as expected, and half have one wrong argument."""
ROUNDS = 5
GOAL = 20
PLACE = Place(file="golden.yaml")
Calls = Sequence[tuple[str, Mapping[str, Any]]]


def main() -> int:
    """Print the times; 1 where the goal is missed."""
    os.environ["LANGSMITH_TRACING"] = "false"
    random = Random(7)
    pairs = [pair(random, size, wrong=n % 2 == 1) for size in SIZES for n in range(EACH)]
    print(f"{len(pairs)} conversations of {SIZES[0]} to {SIZES[-1]} tool calls, ms a verdict")
    return int(min(compared(mode, pairs) for mode in MODES) < GOAL)


def compared(mode: str, pairs: Sequence[tuple[Calls, Calls]]) -> float:
    """How many times faster the slower of our two ways is in a mode."""
    from agentevals.trajectory.match import create_trajectory_match_evaluator

    evaluate = create_trajectory_match_evaluator(trajectory_match_mode=mode)
    messages = [
        {"outputs": conversation(made), "reference_outputs": conversation(wanted)} for made, wanted in pairs
    ]
    trials = [(trial(made), case(wanted)) for made, wanted in pairs]
    theirs, verdicts = timed(lambda: [bool(evaluate(**each)["score"]) for each in messages])
    print(f"{mode:<10} agentevals {theirs / len(pairs) * 1e3:6.3f}", end="")
    times = []
    for name, conformant in (("gate", False), ("conformant", True)):
        took, found = scored(mode, trials, conformant=conformant)
        assert found == verdicts, (mode, name)
        print(f"   {name} {took / len(pairs) * 1e3:6.3f} ({theirs / took:3.0f} times faster)", end="")
        times.append(took)
    print()
    return theirs / max(times)


def timed(work: Callable[[], list[bool]]) -> tuple[float, list[bool]]:
    """The shortest processor time of some rounds, and what the work gives."""
    times, found = [], work()
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times), found


def scored(mode: str, trials: Sequence[tuple[Trace, Case]], *, conformant: bool) -> tuple[float, list[bool]]:
    """The time and the verdicts of the metric, without what it costs to start an event loop."""
    with asyncio.Runner() as runner:
        return timed(lambda: runner.run(score(mode, trials, conformant=conformant)))


async def score(mode: str, trials: Sequence[tuple[Trace, Case]], *, conformant: bool) -> list[bool]:
    """Whether each trial matches."""
    options = {"mode": mode, "conformant": conformant}
    metric = METRICS["trajectory_match"](
        MetricConfig(name="match", type="trajectory_match", options=options, place=PLACE)
    )
    scores = [await metric.score(of, trace) for trace, of in trials]
    return [isinstance(found, Scored) and found.value == 1 for found in scores]


def pair(random: Random, size: int, *, wrong: bool) -> tuple[Calls, Calls]:
    """The calls that were made, and those expected: the same but for one argument where it is `wrong`."""
    tools = ("search", "get_weather", "book", "notify")
    wanted = [(random.choice(tools), {"city": "London", "day": n, "filter": {"max": n}}) for n in range(size)]
    made = list(wanted)
    if wrong:
        at = random.randrange(size)
        made[at] = (wanted[at][0], {**wanted[at][1], "city": "Paris"})
    return made, wanted


def conversation(calls: Calls) -> list[dict[str, Any]]:
    """OpenAI messages: a question, each call with its result, and an answer."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "What is the plan?"}]
    for number, (name, args) in enumerate(calls):
        function = {"name": name, "arguments": json.dumps(args)}
        call = {"id": str(number), "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": str(number), "content": "done"})
    return [*messages, {"role": "assistant", "content": "It is done."}]


def trial(calls: Calls) -> Trace:
    """The same as a trace has it."""
    made = (
        Event(author="agent", parts=(Call(id=str(number), name=name, args=args),))
        for number, (name, args) in enumerate(calls)
    )
    events = (*made, Event(author="agent", parts=(Text(text="It is done."),)))
    turn = TurnTrace(sent="What is the plan?", events=events, ended="answered", started_ms=0.0, ended_ms=1.0)
    return Trace(
        case="a", trial=1, session="s", turns=(turn,), outcome=Completed(), exposes=("text", "calls")
    )


def case(calls: Calls) -> Case:
    """A case that expects these calls."""
    expect = Expect(calls=tuple(ExpectedCall(name=name, args=args) for name, args in calls))
    sent = User(parts=(TextPart(text="What is the plan?"),))
    return Case(id="a", turns=(Turn(sent=sent, expect=expect, place=PLACE),), place=PLACE)


if __name__ == "__main__":
    sys.exit(main())
