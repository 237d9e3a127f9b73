"""What is wrong with the code of custom metrics, seen without running any of it."""

import contextlib
import os
from pathlib import Path

import pytest

from gate.check import check
from tests.support.commands import git

CONFIG = """\
version: 1
agent: {protocol: replay, replay: {traces: t.jsonl}}
dataset: g.yaml
metrics:
  mine: OPTIONS
"""
GOLDEN = "cases: [{id: a, user: x}]"
METRICS = """\
raise SystemExit("it was run")
from other import borrowed
made = lambda instance: 1
def evaluate(instance): ...
def three(a, b, c): ...
def adk(eval_metric, actual_invocations, expected_invocations, conversation_scenario): ...
def named(*, actual, expected): ...
@decorated
def wrapped(x, y, z): ...
if True:
    def inner(instance): ...
"""


def findings(folder: Path, options: str, **files: str) -> list[str]:
    every = {
        "evals/metrics.py": METRICS,
        "score.mjs": "",
        "g.yaml": "cases: [{id: a, user: x}]",
        "t.jsonl": "",
    }
    every["agent-gate.yml"] = CONFIG.replace("OPTIONS", options)
    for name, text in {
        **every,
        **{key.replace("__", "/").replace("_", "."): v for key, v in files.items()},
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "-q")
    with contextlib.chdir(folder):
        found = check(Path("agent-gate.yml"), environ={"PATH": os.environ["PATH"]}).findings
    return [f"{f.place} {f.rule} {f.what}" for f in found if f.rule != "metric-without-cases"]


@pytest.mark.parametrize(
    "options",
    [
        "{type: python, file: evals/metrics.py}",
        "{type: python, module: evals.metrics}",
        "{type: python, module: metrics, in: evals}",
        "{type: python, file: evals/metrics.py, function: borrowed}",
        "{type: python, file: evals/metrics.py, function: made}",
        "{type: python, file: evals/metrics.py, function: adk}",
        "{type: python, file: evals/metrics.py, function: named}",
        "{type: python, file: evals/metrics.py, function: wrapped}",
        "{type: python, file: evals/metrics.py, function: inner}",
        "{type: python, code: 'def evaluate(instance): return 1', python: sh, files: [evals]}",
        "{type: command, command: [sh, ./score.mjs, --x=a/b.c, https://x.y/z.json]}",
    ],
)
def test_what_is_fine_has_no_finding_and_nothing_is_run(options: str, tmp_path: Path) -> None:
    assert findings(tmp_path, options) == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            "{type: python, file: evals/metric.py}",
            "there is no file 'evals/metric.py', which metric 'mine' names; did you mean 'evals/metrics.py'?",
        ),
        (
            "{type: python, file: ../metrics.py}",
            "agent-gate.yml:5:3 metric-not-found there is no file '../metrics.py'",
        ),
        (
            "{type: python, module: metrics}",
            "agent-gate.yml:5:3 metric-not-found there is no module 'metrics' beside agent-gate.yml",
        ),
        (
            "{type: python, module: metrics, in: other}",
            "metric-not-found there is no module 'metrics' in 'other', nor beside agent-gate.yml",
        ),
        (
            "{type: python, file: evals/metrics.py, function: evaluat}",
            "evals/metrics.py has no function 'evaluat', which metric 'mine' names; did you mean 'evaluate'?",
        ),
        ("{type: python, code: 'x = 1'}", "no-metric-function the code has no function 'evaluate'"),
        (
            "{type: python, file: evals/metrics.py, function: three}",
            "evals/metrics.py:5:1 metric-signature 'three' of metric 'mine' takes a, b, c, and",
        ),
        (
            "{type: python, code: 'def evaluate(outputs, reference_outputs): return 1'}",
            "'evaluate' of metric 'mine' takes outputs, reference_outputs, and cannot be called",
        ),
        (
            "{type: python, code: 'def evaluate(*, outputs, reference_outputs): return 1'}",
            "'evaluate' of metric 'mine' takes outputs, reference_outputs, and cannot be called",
        ),
        (
            "{type: python, code: 'def evaluate(): return 1'}",
            "agent-gate.yml:5:3 metric-signature 'evaluate' of metric 'mine' takes nothing",
        ),
        (
            "{type: python, code: 'def evaluate('}",
            "agent-gate.yml:5:3 metric-syntax the code of metric 'mine' is not Python",
        ),
        (
            "{type: python, file: evals/metrics.py, python: .venv/bin/python}",
            "no-metric-program there is no program '.venv/bin/python', which runs metric 'mine'",
        ),
        (
            "{type: python, file: evals/metrics.py, python: no-python}",
            "no-metric-program `no-python`, which runs metric 'mine', is not on PATH",
        ),
        (
            "{type: command, command: [no-program]}",
            "no-metric-program `no-program`, which runs metric 'mine', is not on PATH",
        ),
        ("{type: command, command: [./nothing]}", "no-metric-program there is no program './nothing'"),
        (
            "{type: command, command: [sh, ./nothing.sh]}",
            "metric-not-found the command of metric 'mine' names './nothing.sh', which is not there",
        ),
        (
            "{type: command, command: [sh], files: [words]}",
            "metric-not-found `files` of metric 'mine' names 'words', which is not there",
        ),
        ("{type: command}", "agent-gate.yml:5:3 missing-key"),
        ("{type: python, module: 'a b'}", "agent-gate.yml:5:32 bad-value 'module' cannot be"),
        (
            "{type: python, file: g.yaml, module: m}",
            "bad-option metric 'mine' says in module and in file where its function is",
        ),
    ],
)
def test_what_is_wrong_is_told_at_its_place(options: str, told: str, tmp_path: Path) -> None:
    found = findings(tmp_path, options)
    assert any(told in line for line in found), found


def test_a_syntax_error_is_told_in_the_file_that_has_it(tmp_path: Path) -> None:
    found = findings(
        tmp_path, "{type: python, file: evals/metrics.py}", evals__metrics_py="x = 1\ndef evaluate(:\n"
    )
    assert found == [
        "evals/metrics.py:2 metric-syntax the code of metric 'mine' is not Python: invalid syntax"
    ]


def test_what_git_ignores_is_not_copied_and_told(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("evals/\n")
    found = findings(tmp_path, "{type: python, file: evals/metrics.py}")
    assert found == [
        "agent-gate.yml:5:3 metric-not-found git ignores 'evals/metrics.py', which metric 'mine' names"
    ]


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("custom_metrics: {a: {module: evals.metrics, function: evaluate}}", ""),
        (
            "custom_metrics: {a: {module: evals.metrics, function: no}}",
            "eval/eval_config.yaml:1:21 no-metric-function",
        ),
        (
            "custom_metrics: {mine: {module: evals.metrics}}",
            "duplicate-metric there are two metrics named 'mine'",
        ),
        ("custom_metrics: [3]", "eval/eval_config.yaml:1:18 wrong-type"),
        (
            "custom_metrics: {}",
            "eval/eval_config.yaml:1:1 no-metrics no metric of this file is measured here",
        ),
        ("custom_metrics: {a", "eval/eval_config.yaml:2:1 syntax"),
    ],
)
def test_metrics_of_an_eval_config_are_told_in_that_file(file: str, told: str, tmp_path: Path) -> None:
    options = "{type: python, file: evals/metrics.py}\nmetrics_from: eval/eval_config.yaml"
    found = findings(tmp_path, options, eval__eval="x")
    (tmp_path / "eval/eval_config.yaml").write_text(file)
    found = findings(tmp_path, options)
    assert any(told in line for line in found) if told else found == [], found


def test_an_eval_config_that_is_not_there_is_told(tmp_path: Path) -> None:
    found = findings(tmp_path, "{type: python, file: evals/metrics.py}\nmetrics_from: nowhere.yaml")
    assert found == ["nowhere.yaml unreadable cannot be read: No such file or directory"]
