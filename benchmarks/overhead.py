"""What a trial costs beyond its request: the gate's runner beside a bare httpx loop, zero-latency agent.

Both are measured in turns, in the same run, with one client a worker. Goal: at most 1 ms of CPU time a
request beyond bare httpx at any concurrency from 1 to 128; CPU time, because other load on the machine does
not change it, and the loop is one thread that never idles. Wall time is printed beside it. `--promptfoo`
adds promptfoo (npm, 0.121) with its http provider. Absolute times are this machine's; ratios travel.
"""

import argparse
import asyncio
import json
import os
import ssl
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx

HERE = Path(__file__).parent
GOAL_MS = 1.0
CONCURRENCIES = (1, 4, 16, 64, 128)
ROUNDS = 3
OPTIONS = {
    "path": "/chat",
    "request": {"message": "{text}", "session": "{session}"},
    "response": {"text": "$.reply", "calls": "$.calls[*]"},
}


@contextmanager
def zero_agent() -> Iterator[str]:
    """The agent in a process of its own; yields its address."""
    process = subprocess.Popen([sys.executable, HERE / "_zero_agent.py"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.terminate()
        process.wait()


async def bare(url: str, requests: int, concurrency: int) -> float:
    """Seconds that a plain loop over httpx takes, its clients being there already."""
    tls = _tls()
    left = deque(range(requests))

    async def worker() -> None:
        async with httpx.AsyncClient(verify=tls, trust_env=False) as client:
            while left:
                left.popleft()
                answer = await client.post(f"{url}/chat", json={"message": "hi", "session": "s"})
                assert answer.json()["reply"]

    start = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    return time.perf_counter() - start


@cache
def _tls() -> ssl.SSLContext:
    """Once a process, as the gate does it."""
    return httpx.create_ssl_context()


async def gated(url: str, requests: int, concurrency: int) -> float:
    """Seconds that the runner takes for as many trials of one turn."""
    from gate.drive import drive
    from gate.model.case import Case, TextPart, Turn, User
    from gate.model.config import AgentConfig, RunConfig, UrlBoot
    from gate.model.finding import Place
    from gate.model.trace import Completed
    from gate.redact import Redactor

    class Up:
        can_restart = False

        def __init__(self) -> None:
            self.url = url
            self.headers: Mapping[str, str] = MappingProxyType({})

        def death(self) -> None:
            return None

        async def restart(self) -> None:
            raise AssertionError

    turn = Turn(sent=User(parts=(TextPart(text="hi"),)), place=Place(file="x"))
    case = Case(id="one", turns=(turn,), place=Place(file="x"))
    config = AgentConfig(protocol="http", boot=UrlBoot(url=url), options=OPTIONS)
    run = RunConfig(concurrency=concurrency)
    start = time.perf_counter()
    async for trace in drive(Up(), config, run, ((case, tuple(range(requests))),), Redactor()):
        assert isinstance(trace.outcome, Completed)
    return time.perf_counter() - start


def measured(work: Coroutine[Any, Any, float], requests: int) -> tuple[float, float]:
    """Milliseconds a request, of CPU time of this process and of wall time."""
    start = time.process_time()
    wall = asyncio.run(work)
    return (time.process_time() - start) * 1000 / requests, wall * 1000 / requests


def compare(url: str, requests: int) -> bool:
    """Print both for every concurrency, the best of some rounds; True when the goal is met."""
    print("ms a request  |  CPU: bare    gate  beyond  ratio  |  wall: bare    gate  ratio")
    met = True
    for concurrency in CONCURRENCIES:
        theirs, ours = [], []
        for _ in range(ROUNDS):
            theirs.append(measured(bare(url, requests, concurrency), requests))
            ours.append(measured(gated(url, requests, concurrency), requests))
        (bare_cpu, gate_cpu), (bare_wall, gate_wall) = (
            (min(pair[n] for pair in theirs), min(pair[n] for pair in ours)) for n in (0, 1)
        )
        met = met and gate_cpu - bare_cpu <= GOAL_MS
        cpu = f"{bare_cpu:>10.3f} {gate_cpu:>7.3f} {gate_cpu - bare_cpu:>+7.3f} {gate_cpu / bare_cpu:>6.2f}"
        wall = f"{bare_wall:>11.3f} {gate_wall:>7.3f} {gate_wall / bare_wall:>6.2f}"
        print(f"{concurrency:>8} tasks | {cpu}  | {wall}", flush=True)
    return met


def promptfoo(program: Path, url: str, cases: int) -> None:
    """Print what promptfoo takes for the same agent: started with one case, and with many."""
    with tempfile.TemporaryDirectory() as folder:
        spent = [_promptfoo(program, Path(folder), url, number) for number in (1, cases)]
    each = (spent[1] - spent[0]) * 1000 / (cases - 1)
    print(f"promptfoo: {spent[0]:.1f} s for its first case, then {each:.1f} ms a case (-j 4)")


def _promptfoo(program: Path, folder: Path, url: str, cases: int) -> float:
    command, env = promptfoo_command(program, folder, url, cases)
    start = time.perf_counter()
    subprocess.run(command, check=True, cwd=folder, env=env, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def promptfoo_command(program: Path, folder: Path, url: str, cases: int) -> tuple[list[str], dict[str, str]]:
    """Write a suite for promptfoo's http provider; the command that runs it, and its environment."""
    target = {
        "id": f"{url}/chat",
        "config": {
            "method": "POST",
            "headers": {"content-type": "application/json"},
            "body": {"message": "{{prompt}}"},
            "transformResponse": "json.reply",
        },
    }
    tests = [
        {"vars": {"n": number}, "assert": [{"type": "contains", "value": "London"}]}
        for number in range(cases)
    ]
    config = {"prompts": ["hi {{n}}"], "providers": [target], "tests": tests}
    (folder / "promptfooconfig.json").write_text(json.dumps(config))
    quiet = {
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_CONFIG_DIR": str(folder),
    }
    return [str(program.absolute()), "eval", "--no-cache", "-j", "4", "--no-table"], {**os.environ, **quiet}


def main() -> int:
    """Run what was asked for; 1 where the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000, help="trials a round (default 2000)")
    parser.add_argument("--promptfoo", type=Path, help="measure it too: path of node_modules/.bin/promptfoo")
    options = parser.parse_args()
    with zero_agent() as url:
        met = compare(url, options.requests)
        if options.promptfoo:
            promptfoo(options.promptfoo, url, 200)
    print(f"goal: at most {GOAL_MS:g} ms beyond bare httpx: {'met' if met else 'MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    sys.exit(main())
