"""Custom metrics through the command line: what a run says of them, and what it never shows."""

import json
import shutil
from pathlib import Path

import pytest

from gate.model.score import Scored, Unscored
from gate.results import read_run
from tests.support.commands import ROOT, edit, gate

CANARY = "canary-4711-of-the-agent"
CONFIG = """
version: 1
agent:
  protocol: http
  boot:
    command: [python3, agent.py, --port, "{port}"]
    ready: {path: /}
    env: {SCRIPT: script.json, BREAK: ""}
    pass_env: [THE_KEY]
  http:
    path: /chat
    request: {message: "{text}"}
    response: {text: $.reply}
dataset: golden.yaml
run: {trials: 2}
metrics:
  mine: {type: python, file: evals/metrics.py, timeout: 2s}
rules: {mine: {min: 0.5}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "evals").mkdir(parents=True)
    shutil.copy(ROOT / "tests/support/scripted_agent.py", folder / "agent.py")
    answers = {"hello": {"reply": "Hello there."}}
    (folder / "script.json").write_text(json.dumps({"answers": answers, "broken": {}}), encoding="utf-8")
    (folder / "golden.yaml").write_text("cases: [{id: one, user: hello, expect: {contains: Hello}}]\n")
    (folder / "agent-gate.yml").write_text(CONFIG)
    return folder


def with_metric(project: Path, body: str) -> Path:
    (project / "evals/metrics.py").write_text(body, encoding="utf-8")
    return project


def run(project: Path, *words: str) -> tuple[int, str]:
    done = gate("run", *words, cwd=project, env={"THE_KEY": CANARY})
    return done.code, done.out + done.err


def test_a_metric_that_crashes_makes_the_run_undecided_and_names_the_failure(project: Path) -> None:
    code, told = run(with_metric(project, "import os\ndef evaluate(instance): os._exit(5)"))
    assert code == 3
    assert "the metric itself failed in one: it ended with exit code 5" in told
    assert "undecided (coverage)" in told
    comment = (project / "out/comment.md").read_text(encoding="utf-8")
    assert "the metric itself failed in one: it ended with exit code 5" in comment
    stored = read_run(project / "out")
    assert {type(record.scores["mine"]) for record in stored.trials} == {Unscored}


def test_a_metric_that_hangs_costs_its_trials_and_not_the_run(project: Path) -> None:
    body = "import time\ndef evaluate(instance): time.sleep(60)"
    code, told = run(with_metric(project, body), "--trials", "1")
    assert code == 3
    assert "it did not answer within 2 s" in told


def test_a_low_score_is_a_regression_and_its_explanation_is_the_cases_reason(project: Path) -> None:
    edit(project / "agent-gate.yml", "timeout: 2s", "pass_at: 0.8")
    body = "def evaluate(instance): return {'score': 0.25, 'explanation': 'it does not ask for a name'}"
    code, told = run(with_metric(project, body))
    assert code == 1
    assert "mine: it does not ask for a name" in told


def test_no_file_of_the_run_has_a_secret_that_a_metric_says(project: Path) -> None:
    body = (
        f"import sys\ndef evaluate(instance):\n  print({CANARY!r}, file=sys.stderr)\n"
        f"  return {{'score': 0.1, 'explanation': 'the key is {CANARY}'}}"
    )
    _, told = run(with_metric(project, body))
    assert CANARY not in told
    stored = read_run(project / "out")
    (score, *_) = (record.scores["mine"] for record in stored.trials)
    assert isinstance(score, Scored)
    assert score.reason == "the key is ***"
    for path in (project / "out").iterdir():
        assert CANARY not in path.read_text(encoding="utf-8"), path


def test_what_cannot_work_is_told_before_anything_is_spent(project: Path) -> None:
    code, told = run(with_metric(project, "def rate(instance): return 1"))
    assert code == 2
    assert "agent-gate.yml:17:3" in told
    assert "no-metric-function" in told
    assert not (project / "out/run.json").exists()


def test_grade_measures_recorded_traces_by_another_metric(project: Path) -> None:
    code, told = run(with_metric(project, "def evaluate(instance): return 1"))
    assert code == 0, told
    with_metric(project, "def evaluate(instance): return 0.1")
    done = gate("grade", "out/traces.jsonl", cwd=project)
    assert done.code == 1, done.out + done.err
    assert "mine is 0.10, below 0.50" in done.out
