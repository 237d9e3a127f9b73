"""`agent-gate import`: what other tools have becomes ours, and nothing is written over."""

import json
from pathlib import Path

import pytest

from gate.commands.import_file import CASES, CONFIGS, SESSION
from gate.dataset import load
from gate.dataset.yaml_dump import as_text
from gate.model import Json
from gate.verbs import FORMATS
from tests.support.cases import bare
from tests.support.commands import ROOT, gate

TALK: Json = [{"user_content": {"parts": [{"text": "hi"}]}}]
SUITE = """
name: weather
source: {kind: fixture, path: weather.jsonl}
cases:
  - name: grounded
    session_id: s-1
    evaluators: [{type: tools_used, expected: [get_weather]}]
"""
FILES: dict[str, tuple[str, str]] = {
    "adk-evalset": (
        "a.evalset.json",
        json.dumps({"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": TALK}]}),
    ),
    "agents-cli": ("a.json", json.dumps({"eval_cases": [{"eval_case_id": "a", "prompt": "hi", "x": 1}]})),
    "annotation": ("a.json", json.dumps({"eval_id": "a", "status": "done", "conversation": TALK})),
    "case-list": ("cases.py", 'import os\nCASES = [{"id": "a", "input": "hi", "expected_tools": ["f"]}]\n'),
    "kagent-suite": ("suite.yaml", SUITE),
}
CONFIG = """
version: 1
agent:
  protocol: replay
  replay: {traces: traces.jsonl}
dataset: golden/*
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project without golden files, and the other tools' files beside it."""
    (tmp_path / "agent-gate.yml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "traces.jsonl").touch()
    for name, text in FILES.values():
        (tmp_path / name).write_text(text, encoding="utf-8")
    recording = ROOT / "tests/fixtures/sessions/weather_grounded.jsonl"
    (tmp_path / "weather.jsonl").write_bytes(recording.read_bytes())
    return tmp_path


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("target", ["golden/a.yaml", "golden/a.json"])
def test_what_is_written_reads_back_as_the_same_cases_and_check_accepts_it(
    folder: Path, name: str, target: str
) -> None:
    file, text = FILES[name]
    (folder / file).write_text(text, encoding="utf-8")
    done = gate("import", name, file, "--to", target, cwd=folder)
    assert (done.code, done.out) == (0, "")
    assert f"{target} is written" in done.err
    again = load([target], folder)
    assert again.findings == ()
    assert len(again.cases) == 1
    if name != "kagent-suite":  # whose message stands in the recording
        assert [bare(case) for case in load([file], folder).cases] == [bare(case) for case in again.cases]
    assert (folder / target).read_text(encoding="utf-8") == as_text(
        again.cases, as_json=target.endswith("json")
    )
    checked = gate("check", cwd=folder)
    assert checked.code == 0, checked.out


def test_a_recording_tells_what_the_user_said(folder: Path) -> None:
    done = gate("import", "kagent-suite", "suite.yaml", cwd=folder)
    assert done.code == 0
    assert '"What is the weather in London?"' in done.out
    assert "calls: [get_weather]" in done.out


def test_a_recording_of_several_sessions_tells_what_was_said_in_each(folder: Path) -> None:
    line = (folder / "weather.jsonl").read_text(encoding="utf-8").splitlines()[0]
    rows = [
        {"session_id": "s-1", "data": line},
        {"session_id": "s-2", "data": line.replace("London", "Paris")},
    ]
    (folder / "weather.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    more = SUITE + SUITE[SUITE.index("  - name") :].replace("s-1", "s-2").replace("grounded", "other")
    (folder / "suite.yaml").write_text(more, encoding="utf-8")
    done = gate("import", "kagent-suite", "suite.yaml", cwd=folder)
    assert done.code == 0, done.err
    assert done.out.index("weather in London?") < done.out.index("weather in Paris?")


def test_a_recording_that_is_not_there_is_a_finding_at_its_path(folder: Path) -> None:
    (folder / "weather.jsonl").unlink()
    done = gate("import", "kagent-suite", "suite.yaml", cwd=folder)
    assert done.code == 2
    assert "suite.yaml:3:31  error  unreadable-fixture  the recording 'weather.jsonl' cannot" in done.err


@pytest.mark.parametrize("target", ["there.yaml", "link.yaml"])
def test_nothing_is_written_over(folder: Path, target: str) -> None:
    (folder / "there.yaml").write_text("mine", encoding="utf-8")
    (folder / "link.yaml").symlink_to("nowhere")
    done = gate("import", "agents-cli", "a.json", "--to", target, cwd=folder)
    assert done.code == 2
    assert f"{target} is there already" in done.err
    assert (folder / "there.yaml").read_text(encoding="utf-8") == "mine"


def test_criteria_become_a_part_of_the_config_that_check_accepts(folder: Path) -> None:
    wanted = {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8, "safety_v1": 0.9}
    (folder / "test_config.json").write_text(json.dumps({"criteria": wanted}), encoding="utf-8")
    done = gate("import", "adk-criteria", "test_config.json", cwd=folder)
    assert done.code == 0
    assert "warn   not-carried-over  `safety_v1` is not carried over" in done.err
    (folder / "agent-gate.yml").write_text(CONFIG + done.out, encoding="utf-8")
    (folder / "golden").mkdir()
    case = {
        "id": "a", "user": "hi", "expect": {"calls": ["f"], "reference": "hello"},
    }  # fmt: skip
    (folder / "golden/a.json").write_text(json.dumps([case]), encoding="utf-8")
    checked = gate("check", "--strict", cwd=folder)
    assert checked.code == 0, checked.out


def test_an_experiment_becomes_metrics(folder: Path) -> None:
    config = {"experiment_name": "x", "metrics": [{"type": "builtin", "name": "trajectory_recall"}]}
    (folder / "experiment.json").write_text(json.dumps(config), encoding="utf-8")
    done = gate("import", "experiment", "experiment.json", cwd=folder)
    assert (done.code, done.out) == (0, "metrics: {trajectory_recall: {}}\n")


def test_an_experiment_with_a_judge_becomes_a_part_of_the_config_that_check_accepts(folder: Path) -> None:
    judge = {"type": "llm_judge", "name": "kind", "model": "m-1", "prompt_template": "{prompt} {response}"}
    (folder / "e.json").write_text(json.dumps({"metrics": [judge]}), encoding="utf-8")
    done = gate("import", "experiment", "e.json", cwd=folder)
    assert done.code == 0
    assert "e.json:1:2  warn   judge-address" in done.err
    (folder / "agent-gate.yml").write_text(CONFIG + done.out, encoding="utf-8")
    (folder / "golden").mkdir()
    (folder / "golden/a.json").write_text('[{"id": "a", "user": "hi"}]', encoding="utf-8")
    checked = gate("check", cwd=folder)
    assert checked.code == 0, checked.out
    assert "metric 'kind' has no anchors" in checked.out
    assert "gateway.example" in done.out


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("agents-cli", b'{"eval_set_id": "s", "eval_cases": []}', "x.json:1:1  error  other-format"),
        ("agents-cli", b'{"eval_set_id": "s", "eval_cases": []}', "agent-gate import adk-evalset x.json"),
        ("agents-cli", b'{"eval_cases": [{"prompt": "hi"}]}', "x.json:1:17  error  missing-key"),
        ("agents-cli", b"{", "x.json:1:2  error  syntax"),
        (
            "case-list",
            b'[{"id": "a", "input": "hi"},\n {"id": "a", "input": "ho"}]',
            "x.json:2:2  error  duplicate-id  case 'a' is also at x.json:1",
        ),
        ("agents-cli", b"\xff", "x.json:1:1  error  not-utf8"),
        (
            "annotation",
            b'{"status": "open", "eval_cases": []}',
            "nothing-to-import  this file has no case",
        ),
        ("adk-criteria", b'{"criteria": {}}', "error  nothing-to-import  no metric of this file"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_with_its_place_and_nothing_is_written(
    folder: Path, name: str, content: bytes, says: str
) -> None:
    (folder / "x.json").write_bytes(content)
    done = gate("import", name, "x.json", "--to", "y.yaml", cwd=folder)
    assert done.code == 2
    assert says in " ".join(done.err.split(" ")), done.err
    assert not (folder / "y.yaml").exists()


def test_a_file_that_is_not_there_is_a_finding(folder: Path) -> None:
    done = gate("import", "agents-cli", "nowhere.json", cwd=folder)
    assert done.code == 2
    assert "nowhere.json" in done.err


def test_a_token_in_a_case_is_told(folder: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    text = json.dumps({"eval_cases": [{"eval_case_id": "a", "prompt": f"use {token}"}]})
    (folder / "x.json").write_text(text, encoding="utf-8")
    done = gate("import", "agents-cli", "x.json", "--to", "y.yaml", cwd=folder)
    assert done.code == 0
    assert "warn   holds-secret  what is written holds a text that looks like a token" in done.err
    assert token not in done.err


def test_help_lists_every_format() -> None:
    assert {*CASES, *CONFIGS, SESSION, "otel"} == set(FORMATS)
    done = gate("import", "--help", cwd=ROOT)
    assert all(f"  {name} " in done.out for name in FORMATS)
    assert "import FORMAT FILE" in gate("--help", cwd=ROOT).out
