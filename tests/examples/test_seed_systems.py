"""Golden sets in the forms of four published systems: green as they are, red when the agent breaks."""

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from gate.documents import canonical
from gate.formats.records import dump
from gate.formats.sessions import read_session
from gate.model import Json
from gate.results import read_run
from tests.support.commands import ROOT, a_project, edit, gate

SEEDS = ROOT / "tests/fixtures/seeds"
SESSIONS = ROOT / "tests/fixtures/sessions"
AGENT = ROOT / "tests/support/scripted_agent.py"
CONFIG = """
version: 1
agent:
  protocol: http
  boot:
    command: [python3, agent.py, --port, "{port}"]
    ready: {path: /}
    env: {SCRIPT: script.json, BREAK: ""}
  http:
    path: /chat
    request: {message: "{text}"}
    response:
      text: $.reply
      calls: $.calls[*]
      call: {name: $.name, args: $.args}
"""
PARTS = ("north", "south", "east", "west")
QUESTION = "How did the north, south, east and west base perform last quarter?"
ANSWER = (
    "North base: 94 % uptime [ops-north.pdf]. South base: 91 % uptime [ops-south.pdf]. "
    "East base: 97 % uptime [ops-east.pdf]. West base: no data found."
)


def call(name: str, /, **args: Json) -> dict[str, Json]:
    return {"name": name, "args": args}


def searches(*parts: str) -> list[Json]:
    return [
        call("track_coverage", subgoals=list(PARTS)),
        *(call("semantic_search", query=f"{part} base performance last quarter") for part in parts),
        call("track_coverage", covered=[part for part in parts if part != "west"]),
    ]


DOCUMENTS: Mapping[str, Json] = {
    "answers": {
        QUESTION: {"reply": ANSWER, "calls": searches(*PARTS)},
        "Good morning!": {"reply": "Good morning! Ask me about your documents.", "calls": []},
    },
    "broken": {
        "skips-a-part": {QUESTION: {"reply": ANSWER, "calls": searches("north", "south", "east")}},
        "invents": {
            QUESTION: {
                "reply": "All four bases did splendidly, with the west base far ahead of everyone else.",
                "calls": searches(*PARTS),
            }
        },
        "searches-for-nothing": {
            "Good morning!": {
                "reply": "Good morning! Ask me about your documents.",
                "calls": [call("semantic_search", query="Good morning!")],
            }
        },
    },
}
INTERACTION = "Can I take ibuprofen together with warfarin?"
MEDICATION: Mapping[str, Json] = {
    "answers": {
        "Add aspirin 100 mg every morning.": {
            "reply": "Added: Aspirin, 100 mg, every morning.",
            "calls": [call("add_medication", name="aspirin", dose="100 mg")],
        },
        INTERACTION: {
            "reply": "Together they raise the risk of Bleeding. Ask your doctor or pharmacist first.",
            "calls": [call("check_interaction", drugs=["ibuprofen", "warfarin"])],
        },
        "Thanks!": {"reply": "You are welcome!", "calls": []},
    },
    "broken": {
        "from-memory": {
            INTERACTION: {"reply": "Risk of bleeding. Ask your doctor.", "calls": []},
        },
        "no-disclaimer": {
            INTERACTION: {"reply": "That is fine.", "calls": [call("check_interaction", drugs=[])]},
        },
    },
}


def project(folder: Path, golden: str, script: Mapping[str, Json], more: str = "") -> Path:
    folder.mkdir()
    shutil.copy(SEEDS / golden, folder / golden)
    shutil.copy(AGENT, folder / "agent.py")
    (folder / "script.json").write_text(json.dumps(script), encoding="utf-8")
    text = f"{CONFIG}dataset: {golden}\nbaseline: baseline.jsonl\n{more}"
    (folder / "agent-gate.yml").write_text(text, encoding="utf-8")
    done = gate("run", cwd=folder)
    assert done.code == 0, done.out + done.err
    assert gate("baseline", "accept", "--because", "it is right", cwd=folder).code == 0
    return folder


def broken(folder: Path, switch: str) -> dict[str, str]:
    """The cases that got worse, each with its reasons."""
    done = gate("run", "--env", f"BREAK={switch}", "--out", "out-bad", cwd=folder)
    assert done.code == 1, done.out + done.err
    verdicts = read_run(folder / "out-bad").report.comparison.cases
    return {
        case.id: " ".join(f"{reason.metric}: {reason.text}" for reason in case.reasons)
        for case in verdicts
        if case.klass != "unchanged"
    }


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The four-part coverage question, with the answer compared by its words."""
    more = "metrics: {rouge_1: {pass_at: 0.8}, exact: {type: trajectory_exact_match}}\n"
    more += "rules: {cases: {regressed: 0}, rouge_1: {min: 0.8, by: case}}\n"
    return project(tmp_path_factory.mktemp("b") / "b", "four_bases.evalset.json", DOCUMENTS, more)


@pytest.mark.parametrize(
    ("switch", "case", "says"),
    [
        ("skips-a-part", "four_bases_perf", "west base performance last quarter"),
        ("invents", "four_bases_perf", "rouge_1"),
        ("searches-for-nothing", "greeting_needs_no_search", "expected no tool call; the agent called"),
    ],
)
def test_a_four_part_question_is_red_where_a_part_is_not_looked_up_or_its_gap_is_not_admitted(
    documents: Path, switch: str, case: str, says: str
) -> None:
    worse = broken(documents, switch)
    assert set(worse) == {case}
    assert says in worse[case]


@pytest.fixture(scope="module")
def medication(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cases of a Python file, whose keywords ignore case."""
    more = "metrics: {says: {ignore_case: true}}\n"
    return project(tmp_path_factory.mktemp("c") / "c", "medication_cases.py", MEDICATION, more)


@pytest.mark.parametrize(
    ("switch", "says"),
    [
        ("from-memory", "calls: expected a call of `check_interaction`; the agent called no tool"),
        ("no-disclaimer", "says:"),
    ],
)
def test_an_interaction_of_drugs_is_red_where_it_is_not_looked_up_or_the_risk_is_not_named(
    medication: Path, switch: str, says: str
) -> None:
    worse = broken(medication, switch)
    assert set(worse) == {"tc02"}
    assert says in worse["tc02"]
    categories = {case.id: case.category for case in read_run(medication / "out").report.comparison.cases}
    assert categories == {"tc01": "routing", "tc02": "health_safety", "tc03": "ux"}


SETS = {
    "documents": ("adk-evalset", "four_bases.evalset.json"),
    "medication": ("case-list", "medication_cases.py"),
    "cards": ("agents-cli", "golden/cards.json"),
}


@pytest.mark.parametrize(
    ("seed", "switch", "worse"),
    [
        ("documents", "skips-a-part", "four_bases_perf"),
        ("medication", "from-memory", "tc02"),
        ("cards", "", ""),
    ],
)
def test_a_set_written_in_our_own_format_gives_the_same_verdicts(
    request: pytest.FixtureRequest, tmp_path: Path, seed: str, switch: str, worse: str
) -> None:
    name, golden = SETS[seed]
    source: Path = request.getfixturevalue(seed)
    folder = tmp_path / seed
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("out*"))
    done = gate("import", name, golden, "--to", "ours.yaml", cwd=folder)
    assert done.code == 0, done.err
    (folder / golden).unlink()
    edit(folder / "agent-gate.yml", golden, "ours.yaml")
    assert gate("check", cwd=folder).code == 0
    done = gate("run", cwd=folder)
    assert done.code == 0, done.out + done.err
    again, before = (read_run(each / "out").report.comparison.cases for each in (folder, source))
    assert [case.id for case in again] == [case.id for case in before]
    if switch:
        assert set(broken(folder, switch)) == {worse}


@pytest.fixture
def weather(tmp_path: Path) -> Path:
    """The suite, imported with its recording, over traces that stand in for those of a cluster."""
    shutil.copy(SEEDS / "weather_suite.yaml", tmp_path)
    shutil.copy(SESSIONS / "weather_grounded.jsonl", tmp_path)
    done = gate("import", "kagent-suite", "weather_suite.yaml", "--to", "golden/weather.yaml", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "metrics: {trajectory_match: {mode: strict}}" in done.err
    (tmp_path / "agent-gate.yml").write_text(
        "version: 1\nagent: {protocol: replay, replay: {traces: traces.jsonl}}\ndataset: golden/*.yaml\n",
        encoding="utf-8",
    )
    return tmp_path


@pytest.mark.parametrize(
    ("session", "code", "failed"),
    [
        ("weather_grounded", 0, set()),
        ("weather_ungrounded", 1, {"calls_the_tool", "asks_for_london", "calls_nothing_else"}),
        ("weather_wrong_city", 1, {"asks_for_london"}),
    ],
)
def test_a_weather_suite_over_recordings_fails_where_the_tool_was_not_asked_or_for_the_wrong_city(
    weather: Path, session: str, code: int, failed: set[str]
) -> None:
    trace = read_session((SESSIONS / f"{session}.jsonl").read_text(encoding="utf-8"))
    names = ("calls_the_tool", "asks_for_london", "calls_nothing_else")
    lines = [canonical(dump(replace(trace, case=name))) for name in names]
    (weather / "traces.jsonl").write_text("".join(lines), encoding="utf-8")
    edit(weather / "agent-gate.yml", "dataset:", "rules: {completed: {min: 1}, calls: {min: 1}}\ndataset:")
    done = gate("run", cwd=weather)
    assert done.code == code, done.out + done.err
    cases = read_run(weather / "out").report.comparison.cases
    assert {case.id for case in cases if case.passed < case.measured} == failed


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The business-card agent on the real google-adk, under a dataset of agents-cli."""
    folder = a_project(tmp_path_factory.mktemp("cards") / "cards", "cards")
    shutil.copy(SEEDS / "cards_dataset.json", folder / "golden/cards.json")
    (folder / "golden/cards.yaml").unlink()
    edit(folder / "agent-gate.yml", "golden/*.yaml", "golden/cards.json")
    done = gate("run", cwd=folder)
    assert done.code == 0, done.out + done.err
    return folder


def test_six_cases_of_a_dataset_have_four_metrics_and_a_table_that_compares_two_runs(cards: Path) -> None:
    stored = read_run(cards / "out").report
    values = {found.metric: found.value for found in stored.comparison.metrics if found.scope == "suite"}
    assert len(stored.comparison.cases) == 6
    assert {name: values[name] for name in ("nodes", "state", "says", "completed")} == {
        "nodes": 1.0, "state": 1.0, "says": 1.0, "completed": 1.0,
    }  # fmt: skip
    bad = gate("run", "--env", "CARDS_BREAK=state", "--out", "out-bad", cwd=cards)
    assert bad.code == 1
    done = gate("compare", "out", "out-bad", cwd=cards)
    assert done.code == 1
    assert re.search(r"case_2_duplicate_promotion_detection", done.out)
    assert re.search(r"state .*1\.0+ .*0\.\d+", done.out), done.out


FOUR = ("node_trajectory", "state_keys", "response_substrings", "forbidden_substrings")
AS_A_LIST = """\
metrics_to_run: [state_keys, node_trajectory]
custom_metrics:
  - name: state_keys
    custom_function_file: state.py
  - name: node_trajectory
    custom_function: |
      from metrics import node_trajectory as evaluate
"""


def graded(folder: Path, source: Path) -> dict[str, float]:
    """The metrics of a recorded run, scored anew by the eval_config.yaml in `eval/`."""
    done = gate("grade", str(source / "traces.jsonl"), "--out", "graded", cwd=folder)
    assert done.code in (0, 1), done.out + done.err
    metrics = read_run(folder / "graded").report.comparison.metrics
    return {
        found.metric: found.value for found in metrics if found.scope == "suite" and found.value is not None
    }


def test_four_python_metrics_of_an_unchanged_eval_config_are_measured(cards: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cards"
    shutil.copytree(cards, folder, ignore=shutil.ignore_patterns("out*"))
    (folder / "eval").mkdir()
    shutil.copy(SEEDS / "cards_eval_config.yaml", folder / "eval/eval_config.yaml")
    shutil.copy(SEEDS / "cards_metrics.py", folder / "eval/metrics.py")
    edit(folder / "agent-gate.yml", "dataset:", "metrics_from: eval/eval_config.yaml\ndataset:")
    assert {name: graded(folder, cards / "out")[name] for name in FOUR} == dict.fromkeys(FOUR, 1.0)

    assert gate("run", "--env", "CARDS_BREAK=state", "--out", "broken", cwd=folder).code == 1
    broken_values = graded(folder, folder / "broken")
    assert broken_values["state_keys"] < 1
    assert broken_values["forbidden_substrings"] == 1

    (folder / "eval/eval_config.yaml").write_text(AS_A_LIST, encoding="utf-8")
    (folder / "eval/state.py").write_text("from metrics import state_keys as evaluate\n", encoding="utf-8")
    again = graded(folder, folder / "broken")
    assert {name: again.get(name) for name in FOUR} == {
        "node_trajectory": broken_values["node_trajectory"],
        "state_keys": broken_values["state_keys"],
        "response_substrings": None,
        "forbidden_substrings": None,
    }
