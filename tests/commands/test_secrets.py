"""What the gate was given is in nothing that it writes, wherever and however the agent says it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gate import cli
from gate.results import read_run
from tests.support.canary import CANARY, holds_nothing
from tests.support.commands import environment, gate
from tests.support.parrot_agent import FORMS
from tests.support.parrots import a_parrot


def a_run(folder: Path, protocol: str, *only: str, more: str = "pass_env: [API_TOKEN]") -> Path:
    a_parrot(folder, protocol, FORMS, more, only=only)
    done = gate("run", cwd=folder, env={"API_TOKEN": CANARY})
    assert done.code in {1, 3}, done.out + done.err
    holds_nothing("stdout", done.out)
    holds_nothing("stderr", done.err)
    for path in sorted((folder / "out").iterdir()):
        holds_nothing(path.name, path.read_text(encoding="utf-8"))
    return folder


@pytest.mark.parametrize("protocol", ["http", "adk"])
def test_a_secret_is_in_no_file_and_on_no_stream(
    protocol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = a_run(tmp_path / protocol, protocol)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("API_TOKEN", raising=False)
    cases = [facts.id for facts in read_run(folder / "out").cases]
    assert len(cases) > 40
    for case in (case for case in cases if case.endswith(("_json", "_cut"))):
        assert cli.main(["show", case]) == 0
        assert cli.main(["extract", "out/traces.jsonl", "--case", case]) == 0
        assert cli.main(["extract", "out/traces.jsonl", "--case", case, "--summary"]) == 0
    cli.main(["grade", "out"])
    cli.main(["grade", "out", "--json"])
    cli.main(["compare", "out", "out"])
    assert cli.main(["baseline", "accept", "--because", "a test"]) == 0
    assert cli.main(["baseline", "show"]) == 0
    printed = capsys.readouterr()
    assert "***" in printed.out
    holds_nothing("printed", printed.out + printed.err)
    for path in (*(folder / "graded").iterdir(), folder / "golden/baseline.jsonl"):
        holds_nothing(path.name, path.read_text(encoding="utf-8"))


def test_a_secret_in_the_last_words_of_an_agent_is_not_in_the_report(tmp_path: Path) -> None:
    a_run(tmp_path / "dies", "http", "die")


def test_the_value_of_a_header_that_carries_a_credential_is_a_secret(tmp_path: Path) -> None:
    header = json.dumps({"X-Api-Key": CANARY, "Accept-Language": "so:"})
    folder = a_run(
        tmp_path / "headers",
        "http",
        "answer",
        more=f"headers: {header}\n    env: {json.dumps({'PARROT_TEXT': CANARY})}",
    )
    assert "so:" in (folder / "out/traces.jsonl").read_text(encoding="utf-8")


def test_a_variable_given_by_hand_that_is_a_secret_is_not_written(tmp_path: Path) -> None:
    folder = a_parrot(tmp_path / "env", "http", ["raw"], "pass_env: [API_TOKEN]", only=("answer",))
    done = gate("run", "--env", f"OTHER={CANARY}", cwd=folder, env={"API_TOKEN": CANARY})
    assert "OTHER=***" in (folder / "out/run.json").read_text(encoding="utf-8")
    for text in (done.out, done.err, (folder / "out/run.json").read_text(encoding="utf-8")):
        holds_nothing("--env", text)


def test_a_bug_of_the_gate_prints_no_secret(tmp_path: Path) -> None:
    sabotage = (
        "import gate.suite as s, gate.cli, sys, os\n"
        "def bad(*a, **k): raise ValueError(os.environ['API_TOKEN'] + '\\n::error::x')\n"
        "s.check = bad; sys.exit(gate.cli.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", sabotage, "run"],
        cwd=tmp_path,
        env=environment(API_TOKEN=CANARY),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 70
    holds_nothing("traceback", done.stderr)
    assert "\n::error" not in done.stderr
