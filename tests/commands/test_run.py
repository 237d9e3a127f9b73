"""`agent-gate run`: every way that a run ends, through the command line."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from junitparser import JUnitXml

from gate.results import read_run, read_traces
from tests.support.commands import command, commit, edit, environment, gate

FILES = {"run.json", "traces.jsonl", "junit.xml", "comment.md", "summary.md", "agent.log"}


def test_a_healthy_agent_passes_and_leaves_every_file(project: Path) -> None:
    done = gate("run", cwd=project)
    assert done.code == 0, done.out + done.err
    assert done.last_line == "agent-gate exited with 0: pass"
    assert {path.name for path in (project / "out").iterdir()} == FILES
    assert "10 cases x 1 trial = 10 runs" in done.err
    assert "nothing to compare yet" in done.out


def test_the_plan_comes_before_the_trials_and_each_case_has_a_line(project: Path) -> None:
    lines = gate("run", cwd=project).err.splitlines()
    plan = next(number for number, line in enumerate(lines) if "10 runs" in line)
    cases = [number for number, line in enumerate(lines) if line.startswith("pass  1 of 1")]
    assert len(cases) == 10
    assert plan < min(cases)


def test_an_agent_that_skips_its_tool_is_a_regression_that_names_the_case_and_the_call(
    accepted: Path, tmp_path: Path
) -> None:
    out = str(tmp_path / "out")
    done = gate("run", "--env", "WEATHER_BREAK=skips-tool", "--out", out, cwd=accepted)
    assert done.code == 1
    assert done.last_line == "agent-gate exited with 1: regression"
    comment = (tmp_path / "out/comment.md").read_text(encoding="utf-8")
    assert "regression — 1 of 10 cases broke" in comment
    assert "weather_london" in comment
    assert 'get_weather {"city": "London"}' in comment
    assert "the agent called no tool" in comment
    junit = JUnitXml.fromfile(str(tmp_path / "out/junit.xml"))
    assert (junit.tests, junit.failures, junit.errors) == (10, 1, 0)


def test_without_a_change_nothing_got_worse(accepted: Path, tmp_path: Path) -> None:
    done = gate("run", "--out", str(tmp_path / "out"), cwd=accepted)
    assert done.code == 0
    assert "pass — nothing got worse" in done.out
    assert len((tmp_path / "out/comment.md").read_text(encoding="utf-8").strip().splitlines()) <= 5


def test_trials_are_repeated_as_often_as_asked(project: Path) -> None:
    done = gate("run", "--trials", "3", "--case", "greeting", cwd=project)
    assert done.code == 0
    assert "1 case x 3 trials = 3 runs" in done.err
    assert [trace.trial for trace in read_traces(project / "out")] != []
    assert {trace.trial for trace in read_traces(project / "out")} == {1, 2, 3}


@pytest.mark.parametrize(
    ("arguments", "cases"),
    [
        (["--case", "greeting"], {"greeting"}),
        (["--case", "weather_*"], {"weather_london", "weather_paris_fahrenheit"}),
    ],
)
def test_a_filtered_run_says_so_and_cannot_become_a_baseline(
    project: Path, arguments: list[str], cases: set[str]
) -> None:
    done = gate("run", *arguments, cwd=project)
    assert done.code == 0
    assert {facts.id for facts in read_run(project / "out").cases} == cases
    assert " ".join(arguments) in done.out
    refused = gate("baseline", "accept", "--because", "I want it", cwd=project)
    assert refused.code == 2
    assert "filtered" in refused.err
    assert not (project / "golden/baseline.jsonl").exists()


def test_a_case_that_is_not_there_is_refused_with_the_one_that_was_meant(project: Path) -> None:
    done = gate("run", "--case", "greting", cwd=project)
    assert done.code == 2
    assert "greeting" in done.err
    assert not (project / "out").exists()


def test_last_failed_runs_only_what_did_not_pass(project: Path) -> None:
    gate("run", "--env", "WEATHER_BREAK=skips-tool", cwd=project)
    again = gate("run", "--last-failed", cwd=project)
    assert {facts.id for facts in read_run(project / "out").cases} == {"weather_london"}
    assert "--last-failed" in again.out
    nothing = gate("run", "--last-failed", cwd=project)
    assert nothing.code == 2
    assert "every case passed" in nothing.err


def test_enforce_report_says_what_would_have_happened_and_exits_with_0(
    accepted: Path, tmp_path: Path
) -> None:
    config = tmp_path / "weather"
    subprocess.run(["cp", "-r", str(accepted), str(config)], check=True)
    with (config / "agent-gate.yml").open("a", encoding="utf-8") as file:
        file.write("enforce: report\n")
    done = gate("run", "--env", "WEATHER_BREAK=skips-tool", cwd=config)
    assert done.code == 0
    assert "regression" in done.last_line
    assert "reported only" in done.last_line


def test_json_has_the_same_facts_for_programs(project: Path) -> None:
    done = gate("run", "--json", "--case", "greeting", cwd=project)
    report = json.loads(done.out)
    assert report["comparison"]["verdict"] == "pass"
    assert report["meta"]["selection"] == ["--case greeting"]


def test_bad_input_lists_every_finding_and_starts_nothing(project: Path) -> None:
    edit(project / "agent-gate.yml", "protocol: http", "protokol: http")
    edit(project / "golden/weather.yaml", "id: greeting", "id: weather_london")
    done = gate("run", cwd=project)
    assert done.code == 2
    assert "agent-gate.yml:3:3" in done.err
    assert "protokol" in done.err
    assert not (project / "out").exists()


def test_findings_of_config_and_cases_come_together(project: Path) -> None:
    edit(
        project / "agent-gate.yml",
        "run: {trial_timeout: 5s}",
        "run: {trial_timeout: 5s}\nrules: {cals: {min: 1}}",
    )
    edit(project / "golden/weather.yaml", "id: greeting", "id: weather_london")
    done = gate("run", cwd=project)
    assert done.code == 2
    assert "duplicate-id" in done.err
    assert "cals" in done.err


def test_an_agent_that_does_not_start_is_undecided_with_the_tail_of_its_log(project: Path) -> None:
    edit(project / "agent.py", "import argparse", "import card_tools_that_are_not_there\nimport argparse")
    commit(project, "a broken import")
    done = gate("run", cwd=project)
    assert done.code == 3
    assert "not run — the agent did not start" in done.out
    assert "card_tools_that_are_not_there" in done.out
    assert done.last_line.startswith("agent-gate exited with 3")
    run = read_run(project / "out")
    assert run.report.comparison.cause == "agent_down"
    assert run.trials == ()


def test_a_throttled_provider_is_undecided_and_not_a_regression(accepted: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    done = gate("run", "--env", "WEATHER_BREAK=throttled", "--out", out, cwd=accepted)
    assert done.code == 3
    assert done.last_line == "agent-gate exited with 3: undecided (throttled)"
    junit = JUnitXml.fromfile(str(tmp_path / "out/junit.xml"))
    assert (junit.failures, junit.errors) == (0, 2)


def test_a_committed_baseline_that_was_deleted_is_undecided(project: Path) -> None:
    gate("run", cwd=project)
    gate("baseline", "accept", cwd=project)
    commit(project, "the baseline")
    (project / "golden/baseline.jsonl").unlink()
    done = gate("run", cwd=project)
    assert done.code == 3
    assert "baseline_unreadable" in done.last_line
    assert "git restore golden/baseline.jsonl" in done.out


def test_a_malformed_baseline_is_bad_input_before_anything_runs(accepted: Path, tmp_path: Path) -> None:
    copy = tmp_path / "weather"
    shutil.copytree(accepted, copy)
    baseline = copy / "golden/baseline.jsonl"
    lines = baseline.read_text(encoding="utf-8").splitlines()
    baseline.write_text("\n".join([*lines, '{"oops": 1}', ""]), encoding="utf-8")
    done = gate("run", cwd=copy)
    assert done.code == 2
    assert "baseline-malformed" in done.err
    assert f"line {len(lines) + 1}" in done.err


def test_a_bug_of_the_gate_exits_with_70_and_the_lines_to_report(project: Path) -> None:
    sabotage = (
        "import gate.suite as s, gate.cli, sys; s.check = lambda *a, **k: 1 / 0; sys.exit(gate.cli.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", sabotage, "run"],
        cwd=project,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 70
    assert "this is a bug in the gate, not in your agent" in done.stderr
    assert "ZeroDivisionError" in done.stderr
    assert "Python" in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_in_the_middle_keeps_what_was_measured_and_leaves_nothing_running(
    project: Path, number: signal.Signals, code: int
) -> None:
    edit(project / "agent-gate.yml", "trial_timeout: 5s", "trial_timeout: 100s, concurrency: 2")
    arguments = command("run", "--env", "WEATHER_BREAK=hangs", "--env", "OWNER=" + project.name)
    with subprocess.Popen(
        arguments, cwd=project, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for _ in range(9):
            while not process.stderr.readline().startswith("pass"):
                pass
        children = agents_of(process.pid)
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == code
    assert children
    assert not [pid for pid in children if alive(pid)]
    stored = read_run(project / "out")
    assert len(stored.trials) == 9
    assert stored.report.meta.interrupted
    assert len(list(read_traces(project / "out"))) == 9
    assert "interrupted" in out
    assert JUnitXml.fromfile(str(project / "out/junit.xml")).tests == 10


def agents_of(parent: int) -> list[int]:
    """The child processes, which are the agent."""
    task = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(pid) for pid in task.read_text(encoding="ascii").split()]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("until", "code", "klass"), [("2999-12-31", 0, "quarantined"), ("2020-01-31", 1, "new")]
)
def test_a_quarantine_keeps_a_broken_case_out_until_its_day_and_then_it_counts_again(
    project: Path, until: str, code: int, klass: str
) -> None:
    quarantine = f"quarantine: {{owner: '@ada', reason: flaky, until: {until}}}"
    edit(
        project / "golden/weather.yaml", "- id: weather_london\n", f"- id: weather_london\n    {quarantine}\n"
    )
    done = gate("run", "--env", "WEATHER_BREAK=skips-tool", cwd=project)
    assert done.code == code
    verdicts = {case.id: case for case in read_run(project / "out").report.comparison.cases}
    assert (verdicts["weather_london"].klass, verdicts["weather_london"].passed) == (klass, 0)
    assert ("@ada" in done.err) == (code == 1)
