"""The other verbs: show, compare, grade, extract, check, schema, init and help."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gate.results import read_run
from tests.support.commands import ROOT, a_project, edit, environment, gate

SESSIONS = ROOT / "tests/fixtures/sessions"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a good run in out/ and a bad one in out-bad/."""
    folder = a_project(tmp_path_factory.mktemp("ran") / "weather")
    assert gate("run", cwd=folder).code == 0
    assert gate("run", "--env", "WEATHER_BREAK=skips-tool", "--out", "out-bad", cwd=folder).code == 1
    return folder


def test_show_puts_the_expected_beside_what_came(ran: Path) -> None:
    done = gate("show", "weather_london", "--out", "out-bad", cwd=ran)
    assert done.code == 0
    assert "What is the weather in London?" in done.out
    assert "missed" in done.out
    assert 'get_weather {"city": "London"}' in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nope"], "the run has no trial of a case 'nope'"),
        (["weather_lodon"], "did you mean 'weather_london'"),
        (["greeting", "--trial", "7"], "it has 1"),
        (["greeting", "--out", "nowhere"], "nowhere/run.json"),
    ],
)
def test_show_says_what_it_cannot_show(ran: Path, arguments: list[str], says: str) -> None:
    done = gate("show", *arguments, cwd=ran)
    assert done.code == 2
    assert says in done.err


def test_compare_holds_one_run_against_another(ran: Path) -> None:
    worse = gate("compare", "out", "out-bad", cwd=ran)
    assert worse.code == 1
    assert "weather_london" in worse.out
    better = gate("compare", "out-bad", "out", cwd=ran)
    assert better.code == 0
    assert "1 fixed" in better.out


def test_compare_says_in_which_order_a_baseline_comes(ran: Path) -> None:
    done = gate("compare", "out", "golden/baseline.jsonl", cwd=ran)
    assert done.code == 2
    assert "golden/baseline.jsonl is no run, and only a run is judged" in done.err
    assert "agent-gate compare golden/baseline.jsonl out" in done.err


def test_compare_takes_a_baseline(ran: Path) -> None:
    gate("baseline", "accept", "out", cwd=ran)
    done = gate("compare", "golden/baseline.jsonl", "out-bad", cwd=ran)
    (ran / "golden/baseline.jsonl").unlink()
    assert done.code == 1
    missing = gate("compare", "golden/none.jsonl", "out-bad", cwd=ran)
    assert missing.code == 2


def test_grade_scores_recorded_traces_with_other_rules(ran: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "graded")
    done = gate("grade", "out-bad", "--out", out, cwd=ran)
    assert done.code == 1
    graded, live = read_run(tmp_path / "graded"), read_run(ran / "out-bad")
    assert [r.scores for r in graded.trials] == [r.scores for r in live.trials]


def test_grade_refuses_to_read_and_write_the_same_file(ran: Path) -> None:
    done = gate("grade", "out", "--out", "out", cwd=ran)
    assert done.code == 2
    assert "would be overwritten" in done.err


def test_grade_needs_no_agent(ran: Path, tmp_path: Path) -> None:
    project = tmp_path / "weather"
    subprocess.run(["cp", "-r", str(ran), str(project)], check=True)
    edit(project / "agent-gate.yml", "python3", "a-python-that-is-not-there")
    assert gate("grade", "out", cwd=project).code == 0


def test_extract_accounts_for_every_event_of_a_session(tmp_path: Path) -> None:
    done = gate("extract", str(SESSIONS / "hitl_14_events.jsonl"), "--summary", cwd=tmp_path)
    assert done.code == 0
    assert done.out.rstrip().endswith("8 of 14 events contributed")
    messages = json.loads(gate("extract", str(SESSIONS / "hitl_14_events.jsonl"), cwd=tmp_path).out)
    assert len(messages) == 8
    names = {call["function"]["name"] for message in messages for call in message.get("tool_calls", ())}
    assert names == {"ask_user", "search_users"}


def test_extract_reads_a_trial_of_a_run(ran: Path) -> None:
    done = gate("extract", "out/traces.jsonl", "--case", "weather_london", "--summary", cwd=ran)
    assert done.code == 0
    assert "get_weather" in done.out


def test_extract_says_which_of_many_trials_it_reads(ran: Path) -> None:
    done = gate("extract", "out", "--summary", cwd=ran)
    assert done.code == 0
    assert "the first of 10 traces; --case and --trial choose another" in done.err


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"not json", b'{"events": 3}'])
def test_extract_says_that_a_file_holds_no_session(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    done = gate("extract", "x.json", cwd=tmp_path)
    assert done.code == 2
    assert "x.json" in done.err


def test_check_prints_like_a_compiler_and_exits_with_2(project: Path) -> None:
    edit(project / "golden/weather.yaml", "calls: none", "cals: none")
    done = gate("check", cwd=project)
    assert done.code == 2
    assert "golden/weather.yaml:" in done.out
    assert "did you mean 'calls'?" in done.out
    assert done.out.rstrip().endswith("Nothing was run.")


def test_check_strict_makes_warnings_errors(project: Path) -> None:
    edit(project / "golden/weather.yaml", "contains: [14 °C, cloudy]", "reference: cloudy")
    assert gate("check", cwd=project).code == 0
    assert gate("check", "--strict", cwd=project).code == 2
    assert gate("run", "--strict", cwd=project).code == 2


@pytest.mark.parametrize("name", ["config", "dataset", "trace", "run", "baseline"])
def test_schema_prints_a_json_schema(tmp_path: Path, name: str) -> None:
    done = gate("schema", name, cwd=tmp_path)
    assert done.code == 0
    assert json.loads(done.out)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_schema_without_a_known_name_lists_them(tmp_path: Path) -> None:
    done = gate("schema", "konfig", cwd=tmp_path)
    assert done.code == 2
    assert "config, dataset" in done.err.replace("baseline, ", "")


def test_init_finds_an_adk_agent_and_its_tools(tmp_path: Path) -> None:
    agent = tmp_path / "bot" / "agent.py"
    agent.parent.mkdir()
    agent.write_text("root_agent = Agent(name='bot', tools=[find, book])\n", encoding="utf-8")
    done = gate("init", cwd=tmp_path)
    assert done.code == 0
    assert "Found an ADK agent in bot/ (root_agent, 2 tools)" in done.out
    assert "app: bot" in (tmp_path / "agent-gate.yml").read_text(encoding="utf-8")
    assert "find" in (tmp_path / "golden/first.yaml").read_text(encoding="utf-8")
    assert gate("check", cwd=tmp_path).code == 0


def test_init_names_the_script_that_is_there_and_what_not_to_commit(tmp_path: Path) -> None:
    (tmp_path / "server.py").touch()
    (tmp_path / ".git").mkdir()
    assert "echo out/ >> .gitignore" in gate("init", cwd=tmp_path).out
    assert "[python3, server.py, " in (tmp_path / "agent-gate.yml").read_text(encoding="utf-8")
    (tmp_path / ".gitignore").write_text("/out/\n", encoding="utf-8")
    assert ".gitignore" not in gate("init", "--force", cwd=tmp_path).out


def test_init_writes_a_project_that_check_accepts(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("", encoding="utf-8")
    assert gate("init", cwd=tmp_path).code == 0
    done = gate("check", cwd=tmp_path)
    assert done.code == 0, done.out


def test_init_overwrites_nothing_unless_forced(project: Path) -> None:
    before = (project / "agent-gate.yml").read_text(encoding="utf-8")
    done = gate("init", cwd=project)
    assert done.code == 2
    assert "agent-gate.yml" in done.err
    assert (project / "agent-gate.yml").read_text(encoding="utf-8") == before
    assert not (project / "golden/first.yaml").exists()
    assert gate("init", "--force", cwd=project).code == 0


def test_no_command_is_answered_with_the_help(tmp_path: Path) -> None:
    done = gate(cwd=tmp_path)
    assert done.code == 2
    assert "commands:" in done.err


def test_bad_input_ends_with_its_exit_code_in_words(tmp_path: Path) -> None:
    done = gate("run", cwd=tmp_path)
    assert done.err.splitlines()[-1] == "agent-gate exited with 2: bad input, nothing was run"


def test_help_lists_the_six_verbs_of_a_normal_day_and_the_rest_under_more(tmp_path: Path) -> None:
    out = gate("--help", cwd=tmp_path).out
    daily, _, more = out.partition("more:")
    assert [
        verb for verb in ("init", "check", "run", "show", "compare", "baseline") if f"\n    {verb} " in daily
    ] == [
        "init",
        "check",
        "run",
        "show",
        "compare",
        "baseline",
    ]
    assert all(verb in more for verb in ("grade", "extract", "schema"))


def test_a_closed_pipe_is_no_traceback(project: Path) -> None:
    script = f"{sys.executable} -m gate schema config | true"
    done = subprocess.run(
        ["bash", "-c", script], cwd=project, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.stderr == ""


@pytest.mark.parametrize("arguments", [["run", "--trials", "0"], ["run", "--env", "=x"], ["nope"], []])
def test_a_wrong_command_line_exits_with_2(tmp_path: Path, arguments: list[str]) -> None:
    assert gate(*arguments, cwd=tmp_path).code == 2
