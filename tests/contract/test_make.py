"""`make demo` is what the README says it is."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = {"run.json", "traces.jsonl", "junit.xml", "comment.md", "summary.md"}


def make_demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", "--no-print-directory", "demo", *arguments],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.requires("make")
def test_make_demo_prints_the_report_writes_its_files_and_succeeds() -> None:
    done = make_demo()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pass — nothing got worse" in done.stdout
    assert done.stdout.rstrip().splitlines()[-1] == "agent-gate exited with 0: pass"
    assert {path.name for path in (ROOT / "out").iterdir()} >= FILES


@pytest.mark.requires("make")
def test_make_demo_with_a_broken_agent_fails_and_names_the_case_and_the_missing_call() -> None:
    done = make_demo("BREAK=skips-tool")
    assert done.returncode != 0
    assert done.stdout.rstrip().splitlines()[-1] == "agent-gate exited with 1: regression"
    comment = (ROOT / "out/comment.md").read_text(encoding="utf-8")
    assert "weather_london" in comment
    assert 'expected a call of `get_weather {"city": "London"}`; the agent called no tool' in comment
