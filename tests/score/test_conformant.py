"""agentevals 0.0.9 is the oracle: its own tests with our matcher behind them, and 20,000 trajectories."""

import json
import os
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice
from json import JSONDecodeError
from pathlib import Path
from random import Random
from typing import Any

import pytest
from agentevals.trajectory import match

from gate.model.case import Expect
from gate.model.score import Unscored
from gate.model.trace import Event
from gate.score.trajectory_match import WAYS
from tests.score.made import called, case, expected, metric, score, trace, turn
from tests.support import agentevals_port as port

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / ".venv/sources/agentevals-0.0.9.tar.gz"
THEIR_TESTS = ("test_trajectory.py", "test_trajectory_async.py")
MODES = ("strict", "unordered", "subset", "superset")
TRAJECTORIES = 20_000
NO_TRACING = {"LANGSMITH_TRACING": "false", "LANGSMITH_TEST_TRACKING": "false"}


def test_the_tests_of_agentevals_pass_with_our_matcher_behind_their_import(tmp_path: Path) -> None:
    assert SOURCE.exists(), "the source of agentevals is missing: run `make .venv/.dev`"
    with tarfile.open(SOURCE) as source:
        for name in THEIR_TESTS:
            member = source.extractfile(f"agentevals-0.0.9/tests/{name}")
            assert member
            (tmp_path / name).write_bytes(member.read())
    plugins = ("tests.support.agentevals_port", "pytest_asyncio.plugin")
    (tmp_path / "pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            *(part for name in plugins for part in ("-p", name)),
            *THEIR_TESTS,
        ],
        cwd=tmp_path,
        env={**os.environ, **NO_TRACING, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^112 passed", done.stdout, re.MULTILINE), done.stdout
    counted = re.search(rf"^(\d+) {port.COUNTED}", done.stdout, re.MULTILINE)
    assert counted
    assert int(counted[1]) >= 112


VALUES: tuple[Any, ...] = (1, 1.0, True, 0, False, "1", None, [1], {"b": 1}, {"b": 2.0})
BROKEN = '{"a":'
OVERRIDES: tuple[Any, ...] = (*WAYS, ["a"], ["a.b", "c"], ["c"])


def some_args(random: Random) -> dict[str, Any]:
    return {name: random.choice(VALUES) for name in random.sample("abc", random.choice((0, 1, 1, 2)))}


def some_calls(random: Random, most: int, *, least: int = 0) -> list[tuple[str, dict[str, Any]]]:
    return [(random.choice("ffg"), some_args(random)) for _ in range(random.randint(least, most))]


def changed(random: Random, calls: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """Mostly the same calls, so that most pairs are near a match."""
    found = [
        (name, args | some_args(random) if random.random() < 0.2 else args)
        for name, args in calls
        if random.random() > 0.1
    ]
    if random.random() < 0.3:
        random.shuffle(found)
    return found + some_calls(random, 1) if random.random() < 0.2 else found


def some_options(random: Random) -> dict[str, Any]:
    overrides = {name: random.choice(OVERRIDES) for name in "fg" if random.random() < 0.2}
    return {
        "trajectory_match_mode": random.choice(MODES),
        "tool_args_match_mode": random.choice(WAYS),
        "tool_args_match_overrides": overrides or None,
    }


def message(role: str, calls: list[tuple[str, dict[str, Any]]], *, broken: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = {"role": role, "content": "words"}
    texts = [json.dumps(args) for _, args in calls]
    if calls:
        texts[0] = BROKEN if broken else texts[0]
        found["tool_calls"] = [
            {"id": "1", "type": "function", "function": {"name": name, "arguments": text}}
            for (name, _), text in zip(calls, texts, strict=True)
        ]
    return found


def conversation(groups: list[list[tuple[str, dict[str, Any]]]], broken: int = -1) -> list[dict[str, Any]]:
    """What an agent that makes these groups of calls says, with the tools' answers between."""
    messages = [{"role": "user", "content": "hello"}]
    for index, calls in enumerate(groups):
        messages.append(message("assistant", calls, broken=index == broken))
        messages += [{"role": "tool", "tool_call_id": "1", "content": "done"} for _ in calls]
    return [*messages, {"role": "assistant", "content": "bye"}]


def recorded(groups: list[list[tuple[str, dict[str, Any]]]], broken: int = -1) -> tuple[Event, ...]:
    """The same as a trace has it."""
    return tuple(
        called(*((name, None if index == broken and not n else args) for n, (name, args) in enumerate(calls)))
        for index, calls in enumerate(groups)
    )


def verdict(evaluate: Callable[..., Any], outputs: Any, references: Any) -> bool | None:
    """The score; None where the evaluator gives up on what it cannot read."""
    try:
        return bool(evaluate(outputs=outputs, reference_outputs=references)["score"])
    except JSONDecodeError:
        return None


def ours(options: Mapping[str, Any], wanted: list[tuple[str, dict[str, Any]]], *events: Event) -> bool | None:
    """What the metric says of a trial."""
    subject = metric(
        "trajectory_match",
        mode=options["trajectory_match_mode"],
        args=options["tool_args_match_mode"],
        tools=options["tool_args_match_overrides"] or {},
        conformant=True,
    )
    found = score(subject, case(Expect(calls=expected(*wanted))), trace(turn(*events)))
    if isinstance(found, Unscored):
        assert found.cause == "malformed"
        return None
    assert bool(found.reason) == (found.value == 0)
    return found.value == 1


@pytest.mark.parametrize("mode", MODES)
def test_random_trajectories_are_decided_as_agentevals_decides_them(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    random, seen = Random(mode), Counter[bool | None]()
    for _ in range(TRAJECTORIES // len(MODES)):
        groups = [some_calls(random, 2, least=1) for _ in range(random.choice((0, 1, 1, 2)))]
        wanted = changed(random, [call for calls in groups for call in calls])
        options = some_options(random) | {"trajectory_match_mode": mode}
        broken = 0 if random.random() < 0.02 else -1
        theirs = verdict(
            match.create_trajectory_match_evaluator(**options),
            conversation(groups, broken),
            conversation(divided(wanted, groups)),
        )
        assert ours(options, wanted, *recorded(groups, broken)) is theirs, (options, wanted, groups, broken)
        seen[theirs] += 1
    assert min(seen[True], seen[False], seen[None]) > 50, seen


def divided(
    wanted: list[tuple[str, dict[str, Any]]], groups: list[list[tuple[str, dict[str, Any]]]]
) -> list[list[tuple[str, dict[str, Any]]]]:
    """The expected calls in messages as large as the agent's, and one more for what is left over."""
    left = iter(wanted)
    found = [list(islice(left, len(calls))) for calls in groups]
    return [*found, *([rest] if (rest := list(left)) else [])]


def test_random_messages_are_compared_as_agentevals_compares_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    random, seen = Random(9), Counter[object]()
    for _ in range(TRAJECTORIES // 10):
        groups = [some_calls(random, 2) for _ in range(random.randint(0, 3))]
        roles = ["assistant" if calls else random.choice(("assistant", "user")) for calls in groups]
        references = [message(role, calls) for role, calls in zip(roles, groups, strict=True)]
        messages = [
            message(role if calls or random.random() > 0.1 else "user", calls, broken=random.random() < 0.02)
            for role, was in zip(roles, groups, strict=True)
            for calls in ([changed(random, was)] if role == "assistant" else [was])
        ]
        options = some_options(random)
        theirs = verdict(match.create_trajectory_match_evaluator(**options), messages, references)
        found = verdict(port.create_trajectory_match_evaluator(**options), messages, references)
        assert found is theirs, (options, messages, references)
        seen[theirs] += 1
    assert min(seen[True], seen[False], seen[None]) > 10, seen
