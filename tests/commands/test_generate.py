"""`agent-gate generate`: the traces of a run without its scores."""

import signal
import subprocess
from pathlib import Path

import pytest

from gate.results import read_run, read_traces
from tests.support.commands import ROOT, a_project, command, edit, environment, gate


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Traces of the weather agent with one case that crashes."""
    folder = a_project(tmp_path_factory.mktemp("generated") / "weather")
    done = gate("generate", "--env", "WEATHER_BREAK=crashes", "--trials", "2", cwd=folder)
    assert done.code == 0, done.err
    assert "20 of 20 traces in generated/traces.jsonl: 18 completed, 2 crashed" in done.out
    assert "crashed unknown_city, trial 2: POST /chat answered 500" in done.err
    return folder


def test_only_traces_and_the_agent_s_log_are_written(generated: Path) -> None:
    assert {path.name for path in (generated / "generated").iterdir()} == {"traces.jsonl", "agent.log"}
    traces = list(read_traces(generated / "generated"))
    assert len({(trace.case, trace.trial) for trace in traces}) == 20


def test_grading_what_was_generated_is_what_a_run_scores(generated: Path) -> None:
    graded = gate("grade", "generated", cwd=generated)
    ran = gate("run", "--env", "WEATHER_BREAK=crashes", "--trials", "2", cwd=generated)
    assert (graded.code, ran.code) == (1, 1)
    quality = ("calls", "nodes", "state", "says", "completed")
    both = [
        {
            (trial.case, trial.trial, name): trial.scores[name]
            for trial in read_run(generated / folder).trials
            for name in quality
            if name in trial.scores
        }
        for folder in ("graded", "out")
    ]
    assert both[0] == both[1]


def test_cases_can_be_chosen(generated: Path) -> None:
    done = gate("generate", "--case", "weather_*", "--out", "few", cwd=generated)
    assert done.code == 0
    assert {trace.case for trace in read_traces(generated / "few")} == {
        "weather_london",
        "weather_paris_fahrenheit",
    }


def test_an_agent_that_never_comes_up_exits_with_3(project: Path) -> None:
    edit(project / "agent-gate.yml", "python3, agent.py", "python3, -c, 'raise SystemExit(1)'")
    done = gate("generate", cwd=project)
    assert done.code == 3, done.err
    assert "exited with" in done.err


def test_nothing_but_throttled_trials_exits_with_3(project: Path) -> None:
    edit(project / "agent-gate.yml", "run: {trial_timeout: 5s}", "run: {trial_timeout: 5s, retries: 0}")
    done = gate("generate", "--env", "WEATHER_BREAK=quota", "--case", "greeting", cwd=project)
    assert done.code == 3
    assert "1 of 1 trace in generated/traces.jsonl: 1 throttled" in done.out


def test_an_interruption_keeps_what_was_recorded(project: Path) -> None:
    started = subprocess.Popen(
        command("generate", "--env", "WEATHER_BREAK=hangs"),
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stderr is not None
    while "completed" not in started.stderr.readline():
        pass
    started.send_signal(signal.SIGTERM)
    out, _ = started.communicate(timeout=60)
    assert started.returncode == 143
    assert " of 10 traces in generated/traces.jsonl" in out
    assert list(read_traces(project / "generated"))


def test_it_refuses_a_folder_that_holds_the_baseline() -> None:
    done = gate("generate", "--out", "golden", cwd=ROOT / "examples/weather")
    assert done.code == 2
    assert "golden holds the baseline" in done.err
