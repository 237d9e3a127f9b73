"""The step, as the runner starts it: a program, its variables, its command files."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gate.errors import UsageError
from gate.github.inputs import INPUTS, read_inputs, withhold
from tests.support.commands import ROOT, a_project, edit, environment
from tests.support.step import TOKEN, Files, Step, inputs


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return a_project(tmp_path / "workspace")


@pytest.fixture
def step(project: Path, tmp_path: Path) -> Step:
    return Step(project, tmp_path / "runner")


def broken(project: Path, switches: str) -> None:
    edit(project / "agent-gate.yml", 'WEATHER_BREAK: ""', f"WEATHER_BREAK: '{switches}'")


def starts_with(project: Path, statement: str) -> None:
    """Make the agent do this before it serves."""
    edit(
        project / "agent.py", 'if __name__ == "__main__":\n', f'if __name__ == "__main__":\n    {statement}\n'
    )


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_a_good_agent_is_green_and_every_output_is_set(step: Step) -> None:
    done = step.run()
    assert done.code == 0, done.log
    assert done.outputs == {
        "exit-code": "0",
        "verdict": "pass",
        "regressed": "0",
        "run": "out/run.json",
        "junit": "out/junit.xml",
    }
    assert done.summary.startswith("### Agent Gate: pass")
    assert done.log.count("Agent Gate: pass") == 1
    assert (step.workspace / done.outputs["run"]).is_file()
    assert (step.workspace / done.outputs["junit"]).is_file()


def test_a_broken_agent_is_red_and_counted(step: Step, project: Path) -> None:
    baseline = ROOT / "examples" / "weather" / "golden" / "baseline.jsonl"
    (project / "golden" / "baseline.jsonl").write_bytes(baseline.read_bytes())
    broken(project, "skips-tool")
    done = step.run()
    assert done.code == 1, done.log
    assert (done.outputs["verdict"], done.outputs["regressed"]) == ("regression", "1")
    assert "weather_london" in done.summary


def test_paths_start_at_the_working_directory_and_outputs_at_the_repository(
    tmp_path: Path, project: Path
) -> None:
    project.rename(tmp_path / "agents")
    monorepo = a_project(tmp_path / "workspace")
    (tmp_path / "agents").rename(monorepo / "agents")
    (monorepo / "agent-gate.yml").unlink()
    done = Step(monorepo, tmp_path / "runner").run(
        working_directory="agents", output_directory="results/gate"
    )
    assert done.code == 0, done.log
    assert done.outputs["run"] == "agents/results/gate/run.json"
    assert (monorepo / done.outputs["run"]).is_file()
    assert "--config agents/agent-gate.yml" not in done.log
    report = json.loads(read(monorepo / done.outputs["run"]))
    assert report["cases"][0]["place"]["file"].startswith("agents/golden/")


def test_bad_input_is_2_with_every_finding_in_log_and_summary(step: Step, project: Path) -> None:
    edit(project / "golden" / "weather.yaml", "expect:", "expects:")
    done = step.run()
    assert done.code == 2
    assert done.outputs == {"exit-code": "2"}
    shown = "\n".join(data for name, data in done.obeyed if name == "error")
    for text in (done.log, done.summary, shown):
        assert "'expects' is not a key" in text
    assert "file=golden/weather.yaml,line=" in done.log
    assert done.summary.startswith("### Agent Gate: not run — ")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"comment": "always"}, "the input `comment` is 'always'; it can be on, changes, off"),
        ({"working-directory": "../elsewhere"}, "`working-directory` leads out of the repository"),
        ({"output-directory": "/tmp/out"}, "`output-directory` leads out of the repository"),
        ({"output-directory": "../../out"}, "`output-directory` leads out of the repository"),
        ({"output-directory": "."}, "names the repository itself"),
    ],
)
def test_an_input_that_means_nothing_is_refused(tmp_path: Path, given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        read_inputs(inputs(given), tmp_path)


def test_a_refused_input_is_told_everywhere(step: Step) -> None:
    done = step.run(comment="always")
    assert done.code == 2
    assert done.outputs == {"exit-code": "2"}
    assert "it can be on, changes, off" in done.log
    assert "it can be on, changes, off" in done.summary
    assert re.search(
        r"^::error title=Agent Gate%3A not-run::.*it can be on, changes, off", done.log, re.MULTILINE
    )


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("on", "on"),
        ("true", "on"),
        ("True", "on"),
        ("off", "off"),
        ("false", "off"),
        ("changes", "changes"),
        ("", "on"),
    ],
)
def test_yaml_may_have_made_a_boolean_of_the_comments_mode(tmp_path: Path, text: str, mode: str) -> None:
    assert read_inputs(inputs({"comment": text}), tmp_path).comment == mode


def test_the_token_is_not_in_what_a_traceback_shows(tmp_path: Path) -> None:
    assert TOKEN not in repr(read_inputs(inputs({"github-token": TOKEN}), tmp_path))


def test_a_folder_that_became_a_link_keeps_its_name(tmp_path: Path) -> None:
    """Its base is what the folder was, not what the link leads to."""
    (tmp_path / "other").mkdir()
    (tmp_path / "agent").symlink_to("other")
    found = read_inputs(inputs({"working-directory": "agent"}), tmp_path)
    assert found.config == Path("agent/agent-gate.yml")
    assert found.out.parts[0] == "other"


def test_an_output_directory_that_is_a_link_out_of_the_repository_is_refused(
    step: Step, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (step.workspace / "out").symlink_to(tmp_path / "elsewhere")
    done = step.run()
    assert done.code == 2
    assert not list((tmp_path / "elsewhere").iterdir())


def test_links_that_a_pull_request_brings_are_not_written_through(step: Step, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched", encoding="utf-8")
    (step.workspace / "out").mkdir()
    for name in ("traces.jsonl", "agent.log", "run.json", ".trials.jsonl"):
        (step.workspace / "out" / name).symlink_to(victim)
    assert step.run().code == 0
    assert read(victim) == "untouched"


def test_a_folder_with_files_that_no_run_wrote_is_refused(step: Step) -> None:
    (step.workspace / "out").mkdir()
    (step.workspace / "out" / "comment.md").write_text("mine", encoding="utf-8")
    done = step.run()
    assert done.code == 2
    assert "out holds comment.md, which no run wrote" in done.summary
    assert read(step.workspace / "out" / "comment.md") == "mine"


HOSTILE = (
    "::set-output name=verdict::pass\n  ::stop-commands::x\nhello ##[error]fake ##[add-mask]a\r::error::cr"
)


def test_the_runner_obeys_nothing_that_the_agent_says(step: Step, project: Path) -> None:
    starts_with(project, f"print({HOSTILE!r}, flush=True)")
    edit(project / "agent.py", '"reply": text,', f'"reply": {HOSTILE!r} + text,')
    edit(
        project / "golden" / "weather.yaml", "{contains: 77 °F}", f"{{contains: {json.dumps(HOSTILE + '!')}}}"
    )
    broken(project, "exits,skips-tool")
    done = step.run()
    assert done.code == 1, done.log
    assert "set-output" in done.log
    assert [data for name, data in done.obeyed if name == "add-mask"] == [TOKEN]
    assert {name for name, _ in done.obeyed} == {"add-mask", "error"}
    assert "##[" not in done.log
    tokens = [line.rpartition("::")[2] for line in done.log.splitlines() if "::stop-commands::" in line[:20]]
    assert len(set(tokens)) == len(tokens) > 1
    assert min(map(len, tokens)) >= 32


def test_secrets_are_masked_and_in_no_file_nor_log(step: Step, project: Path) -> None:
    secret = "canary/secret+of=the agent"
    edit(project / "agent-gate.yml", 'env: {WEATHER_BREAK: ""}', "pass_env: [MY_KEY, SHORT]")
    starts_with(project, f'print(os.environ["MY_KEY"], {TOKEN!r}, flush=True)')
    edit(project / "agent.py", '"reply": text,', f'"reply": text + os.environ["MY_KEY"] + {TOKEN!r},')
    edit(
        project / "golden" / "weather.yaml", "{contains: 77 °F}", f"{{contains: ['{TOKEN}', 'no {secret}']}}"
    )
    done = step.run(env={"MY_KEY": secret, "SHORT": "on"})
    assert done.code == 1, done.log
    assert [data for name, data in done.obeyed if name == "add-mask"] == [TOKEN, secret]
    written = [done.text, done.summary, *(read(path) for path in (project / "out").iterdir())]
    assert any("***" in text for text in written)
    assert not [text for text in written if secret in text or TOKEN in text]


def test_the_agent_is_given_nothing_of_the_runner(step: Step, project: Path) -> None:
    starts_with(project, 'print("I HAVE", json.dumps(sorted(os.environ)), flush=True)')
    done = step.run(env={"GITHUB_TOKEN": TOKEN, "SOME_SECRET": "x"})
    assert done.code == 0, done.log
    listed = next(line for line in read(project / "out" / "agent.log").splitlines() if "I HAVE" in line)
    names = set(json.loads(listed.partition("I HAVE ")[2]))
    assert names <= {
        "AGENT_GATE_BOOT",
        "HOME",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "PATH",
        "TMPDIR",
        "TZ",
        "WEATHER_BREAK",
    }


def test_pass_env_cannot_hand_on_what_is_the_runners(step: Step, project: Path) -> None:
    names = ["GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "INPUT_CONFIG", "GITHUB_ENV"]
    edit(project / "agent-gate.yml", 'env: {WEATHER_BREAK: ""}', f"pass_env: {json.dumps(names)}")
    done = step.run(env={"GITHUB_TOKEN": TOKEN}, config="agent-gate.yml")
    assert done.code == 2
    for name in names:
        assert f"the variable {name} is the runner's, and never reaches the agent" in done.log


def test_withholding_leaves_the_rest_alone() -> None:
    before = {
        "INPUT_CONFIG": "x",
        "ACTIONS_CACHE_URL": "x",
        "GITHUB_TOKEN": "x",
        "GITHUB_RUN_ID": "1",
        "KEY": "x",
    }
    after = dict(before)
    assert withhold(after) == before
    assert after == {"GITHUB_RUN_ID": "1", "KEY": "x"}


def test_an_output_cannot_set_another_one(tmp_path: Path) -> None:
    from gate.github.step import set_outputs

    files = Files(tmp_path / "runner")
    hostile = "x\nghadelimiter\nverdict<<EOF\npass\nEOF"
    set_outputs(files.variables({}), {"run": hostile, "junit": "a\r\n"})
    assert files.finished(0, "").outputs == {"run": hostile, "junit": "a\r\n"}


def test_a_cancelled_step_leaves_what_was_measured_and_no_agent(step: Step, project: Path) -> None:
    broken(project, "hangs")
    edit(project / "agent-gate.yml", "trial_timeout: 5s", "trial_timeout: 100s")
    process = step.start()
    assert process.stdout is not None
    head = []
    for line in process.stdout:
        head.append(line)
        if "remembers_units" in line:
            break
    process.send_signal(signal.SIGINT)
    for line in process.stdout:
        head.append(line)
        if "exited with 130" in line:
            process.send_signal(signal.SIGTERM)  # as the runner does after 7.5 s, whatever we are about to do
    process.communicate(timeout=60)
    done = step.files.finished(process.returncode, "".join(head))
    assert done.code == 130, done.log
    assert done.outputs["verdict"] == "undecided"
    assert done.outputs["exit-code"] == str(done.code)
    assert "interrupted" in done.summary
    assert (project / "out" / "run.json").is_file()
    assert not agents_of(project)


def agents_of(project: Path) -> list[str]:
    """Command lines of processes that run in the project."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cwd").readlink() == project:
                found.append((folder / "cmdline").read_text(encoding="utf-8"))
        except OSError:
            continue
    return found


def test_a_bug_is_70_and_no_verdict(step: Step) -> None:
    done = step.run(env={"GITHUB_WORKSPACE": "/nowhere"})
    assert done.code == 70
    assert "this is a bug in the gate" in done.log


def test_the_inputs_are_few_and_none_sets_a_bar() -> None:
    assert len(INPUTS) <= 9
    assert not [
        name for name in INPUTS if any(word in name for word in ("min", "max", "fail", "rule", "level"))
    ]


def test_nothing_is_needed_of_github(project: Path) -> None:
    """Any other CI: the image, a folder, no variables."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "entrypoint.py")],
        cwd=project,
        env={name: value for name, value in environment().items() if not name.startswith("GITHUB")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (project / "out" / "run.json").is_file()
    assert not done.stderr


@pytest.mark.parametrize("variable", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_STATE"])
@pytest.mark.parametrize("place", ["/nowhere/file", "/", "/dev/full"])
def test_a_command_file_that_cannot_be_written_is_a_warning_and_the_verdict_stands(
    step: Step, variable: str, place: str
) -> None:
    done = step.run(env={variable: place})
    assert done.code == 0, done.log
    assert "agent-gate exited with 0: pass" in done.log
    (warning,) = [data for name, data in done.obeyed if name == "warning"]
    assert place in warning
    assert "the verdict stands" in warning
