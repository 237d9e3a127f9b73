"""The fault table, end to end: what the agent does, how its trial ends, and what the gate exits with."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from junitparser import JUnitXml

from gate.model.trace import Completed, Crashed, Outcome, Refused, Throttled, TimedOut
from gate.results import StoredRun, read_run, read_traces
from gate.work import procfs
from tests.support import fault_agent
from tests.support.commands import Done, command, environment, gate

EXITS = {Completed: 0, Crashed: 1, TimedOut: 1, Throttled: 3, Refused: 3}
"""With one measured case beside it and no baseline: a fault of the agent is red, one of others undecided."""

TABLE: dict[str, tuple[type[Outcome], str]] = {
    "none": (Completed, ""),
    "resets": (Crashed, "closed the connection without an answer"),
    "hangs": (TimedOut, "did not end within 10 s"),
    "dribbles": (TimedOut, "did not end within 10 s"),
    "floods": (Crashed, "exceeds 33,554,432 bytes"),
    "prints-a-flood": (Completed, ""),
    "many-calls": (Crashed, "at most 100,000 are read"),
    "bad-json": (Crashed, "not JSON"),
    "nan": (Crashed, "NaN"),
    "deep": (Crashed, "not JSON"),
    "bad-utf8": (Crashed, "not UTF-8: byte 0xff at offset 11"),
    "wrong-type": (Crashed, "content-type 'text/html'"),
    "no-http": (Crashed, "did not answer in HTTP"),
    "cut": (Crashed, "cut its answer off"),
    "429": (Throttled, "429 Too Many Requests"),
    "429-at-once": (Throttled, "429 Too Many Requests"),
    "429-in-ages": (Throttled, "not tried again: that takes 1e+09 s"),
    "429-far-zone": (Throttled, "429 Too Many Requests"),
    "500": (Crashed, "500 Internal Server Error"),
    "503": (Throttled, "503 Service Unavailable"),
    "422": (Refused, "422 Unprocessable Entity"),
    "redirect": (Refused, "redirects are not followed"),
    "quota-text": (Throttled, "a limit's error text and cost no token"),
    "talks-of-quota": (Completed, ""),
    "endless-tokens": (Crashed, "no JSON number that a float can hold"),
    "dies": (Crashed, "exited with 3: `Error: out of luck`"),
}
CONFIG = """\
version: 1
agent:
  protocol: http
  boot:
    command: [python3, fault_agent.py, "{port}"]
    ready: {path: /, within: 30s}
    stop_grace: 5s
  http:
    path: /chat
    request: {message: "{text}"}
    response:
      text: $.reply
      calls: $.calls[*]
      usage: {input: $.usage.input, output: $.usage.output}
dataset: golden.yaml
run: {trial_timeout: 10s, concurrency: 4}
"""
PROXY = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"), "http://127.0.0.1:1")


def a_project(folder: Path, *faults: str) -> Path:
    folder.mkdir(exist_ok=True)
    script = Path(fault_agent.__file__).read_text(encoding="utf-8")
    (folder / "fault_agent.py").write_text(script, encoding="utf-8")
    (folder / "agent-gate.yml").write_text(CONFIG, encoding="utf-8")
    cases = [{"id": f"c-{fault}", "user": fault, "expect": {"contains": "hello"}} for fault in faults]
    (folder / "golden.yaml").write_text(json.dumps({"cases": cases}), encoding="utf-8")
    return folder


def stubborn(project: Path) -> None:
    """Let the agent ignore SIGTERM."""
    config = project / "agent-gate.yml"
    config.write_text(CONFIG.replace('"{port}"', '"{port}", stubborn'), encoding="utf-8")


def left_in(folder: Path) -> list[int]:
    """The processes that were started in a folder and have not ended."""
    return [process.pid for process in procfs.processes() if _cwd(process.pid) == folder.resolve()]


def _cwd(pid: int) -> Path | None:
    try:
        return Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return None


def is_whole(folder: Path) -> StoredRun:
    """Whether every file of a run can be read; gives the run."""
    stored = read_run(folder)
    assert len(list(read_traces(folder))) == len(stored.trials)
    assert JUnitXml.fromfile(str(folder / "junit.xml")).tests == len(stored.cases)
    return stored


@pytest.fixture(scope="module")
def all_faults(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, StoredRun, Path]:
    """One run of every fault, with a proxy in the environment."""
    project = a_project(tmp_path_factory.mktemp("faults") / "agent", *TABLE)
    done = gate("run", cwd=project, env=PROXY)
    return done, is_whole(project / "out"), project


@pytest.mark.parametrize("fault", TABLE)
def test_a_fault_ends_its_trial_with_the_outcome_of_whose_fault_it_is(
    all_faults: tuple[Done, StoredRun, Path], fault: str
) -> None:
    _, stored, _ = all_faults
    outcome = next(trial.outcome for trial in stored.trials if trial.case == f"c-{fault}")
    kind, reason = TABLE[fault]
    assert isinstance(outcome, kind), outcome
    assert reason in outcome.reason


def test_all_faults_together_are_red_with_every_trial_kept_and_nothing_left_running(
    all_faults: tuple[Done, StoredRun, Path],
) -> None:
    done, stored, project = all_faults
    assert done.code == 1, done.err
    assert "Traceback" not in done.out + done.err
    assert len(stored.trials) == len(TABLE)
    assert not left_in(project)
    assert "\n::error" not in (project / "out/agent.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("fault", ["talks-of-quota", "dies", "hangs", "429-in-ages", "422"])
def test_beside_a_healthy_case_a_fault_decides_the_exit(tmp_path: Path, fault: str) -> None:
    project = a_project(tmp_path / "agent", "none", fault)
    done = gate("run", cwd=project)
    assert done.code == EXITS[TABLE[fault][0]], done.out + done.err
    assert len(is_whole(project / "out").trials) == 2
    assert not left_in(project)


def test_an_agent_that_refuses_every_connection_is_undecided(tmp_path: Path) -> None:
    project = a_project(tmp_path / "agent", "none")
    boot = "boot: {url: 'http://127.0.0.1:1', ready: {within: 100ms}}"
    before, _, after = CONFIG.partition("  boot:")
    rest = after[after.index("  http:") :]
    (project / "agent-gate.yml").write_text(f"{before}  {boot}\n{rest}", encoding="utf-8")
    done = gate("run", cwd=project)
    assert done.code == 3, done.out + done.err
    assert "agent_down" in done.last_line


def test_a_death_that_a_second_try_survives_is_said(tmp_path: Path) -> None:
    project = a_project(tmp_path / "agent", "dies", "none")
    done = gate("run", cwd=project)
    assert "the agent died and is started again: `python3 fault_agent.py` exited with 3" in done.err


def ended_by(run: subprocess.Popen[str], number: signal.Signals) -> int:
    """Signal it until it ends: the second one needs to come when the first one was heard."""
    while run.poll() is None:
        run.send_signal(number)
        try:
            run.wait(2)
        except subprocess.TimeoutExpired:
            continue
    return run.returncode


def hears_a_hangup() -> None:
    """Tests that run under nohup ignore SIGHUP, and so would what they start."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run that has measured one case and waits for another; its agent ignores SIGTERM."""
    project = a_project(tmp_path / "agent", "none", "hangs")
    stubborn(project)
    config = project / "agent-gate.yml"
    text = config.read_text(encoding="utf-8").replace("stop_grace: 5s", "stop_grace: 300s")
    config.write_text(text.replace("trial_timeout: 10s", "trial_timeout: 300s"), encoding="utf-8")
    with subprocess.Popen(
        command("run"),
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hears_a_hangup,  # noqa: PLW1509  # these tests start no threads
    ) as run:
        assert run.stderr is not None
        while not run.stderr.readline().startswith("pass"):
            pass
        yield run
        run.kill()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_a_second_signal_cuts_the_grace_of_an_agent_that_ignores_sigterm(
    hanging: subprocess.Popen[str], tmp_path: Path, number: signal.Signals, code: int
) -> None:
    assert ended_by(hanging, number) == code
    assert [trial.case for trial in is_whole(tmp_path / "agent/out").trials] == ["c-none"]
    assert not left_in(tmp_path / "agent")


def test_a_second_gate_in_the_same_folder_is_refused(hanging: subprocess.Popen[str], tmp_path: Path) -> None:
    done = gate("run", cwd=tmp_path / "agent")
    assert done.code == 2
    assert "another agent-gate is writing to out" in done.err
    assert ended_by(hanging, signal.SIGTERM) == 143
    assert is_whole(tmp_path / "agent/out").report.meta.interrupted


@pytest.mark.parametrize(
    ("redirection", "code"), [(">&-", 0), ("2>&-", 0), (">&- 2>&-", 0), ("2>/dev/full", 0), (">/dev/full", 2)]
)
def test_streams_that_take_nothing_do_not_change_what_is_measured(
    tmp_path: Path, redirection: str, code: int
) -> None:
    project = a_project(tmp_path / "agent", "none")
    script = f'exec "$@" {redirection}'
    done = subprocess.run(
        ["sh", "-c", script, "sh", *command("run")], cwd=project, env=environment(), check=False
    )
    assert done.returncode == code
    assert len(is_whole(project / "out").trials) == 1


def test_a_disk_without_room_is_bad_input_and_leaves_no_process(tmp_path: Path) -> None:
    project = a_project(tmp_path / "agent", "none")
    script = ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", *command("run")]
    env = environment(PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(script, cwd=project, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "cannot write" in done.stderr
    assert "Traceback" not in done.stderr
    assert not left_in(project)


def test_a_command_that_is_too_long_for_the_kernel_is_an_agent_that_is_down(tmp_path: Path) -> None:
    project = a_project(tmp_path / "agent", "none")
    words = f'"{{port}}", "{"x" * 200_000}"]'
    (project / "agent-gate.yml").write_text(CONFIG.replace('"{port}"]', words), encoding="utf-8")
    done = gate("run", cwd=project)
    assert done.code == 3, done.out[-2000:] + done.err[-2000:]
    assert "cannot start: Argument list too long" in done.out


def test_a_replay_does_not_overwrite_its_own_recordings(tmp_path: Path) -> None:
    project = a_project(tmp_path / "agent", "none")
    assert gate("run", cwd=project).code == 0
    replay = (
        "version: 1\nagent: {protocol: replay, replay: {traces: out/traces.jsonl}}\ndataset: golden.yaml\n"
    )
    (project / "agent-gate.yml").write_text(replay, encoding="utf-8")
    done = gate("run", cwd=project)
    assert done.code == 2
    assert "would overwrite it" in done.err
    assert len(is_whole(project / "out").trials) == 1
    assert gate("run", "--out", "again", cwd=project).code == 0


def test_a_run_that_has_no_verdict_leaves_none_of_the_run_before(tmp_path: Path) -> None:
    project = a_project(tmp_path / "agent", "none")
    assert gate("run", cwd=project).code == 0
    (project / "recorded.jsonl").write_text("{", encoding="utf-8")
    replay = "version: 1\nagent: {protocol: replay, replay: {traces: recorded.jsonl}}\ndataset: golden.yaml\n"
    (project / "agent-gate.yml").write_text(replay, encoding="utf-8")
    assert gate("run", cwd=project).code == 2
    assert not (project / "out/run.json").exists()
    assert not (project / "out/junit.xml").exists()
