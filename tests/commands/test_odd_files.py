"""Odd files: exit 2 with a message, no traceback, no hang, and nothing of the user is overwritten."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate import cli
from tests.support.commands import gate

Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def template(accepted: Path) -> Path:
    assert gate("run", cwd=accepted).code == 0
    return accepted


@pytest.fixture
def ran(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The weather project with a baseline and a run, to be broken."""
    folder = tmp_path / "weather"
    shutil.copytree(template, folder)
    monkeypatch.chdir(folder)
    return folder


FILES = ("agent-gate.yml", "golden/weather.yaml", "golden/baseline.jsonl", "out/run.json", "out/traces.jsonl")
COMMANDS = (["check"], ["baseline", "show"], ["compare", "out", "out"], ["grade", "out"], ["extract", "out"])
MAKE: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "circle": lambda path: path.symlink_to(path.name),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "missing": lambda path: path.symlink_to("nowhere"),
    "empty": lambda path: path.write_bytes(b""),
    "utf16": lambda path: path.write_text("version: 1", encoding="utf-16"),
    "deep": lambda path: path.write_text("[" * 100_000, encoding="utf-8"),
    "digits": lambda path: path.write_text("9" * 5000, encoding="utf-8"),
}


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("kind", sorted(MAKE))
def test_a_file_that_is_no_such_file_is_bad_input(
    kind: str, file: str, ran: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (ran / file).unlink()
    MAKE[kind](ran / file)
    codes = {command[0]: cli.main(command) for command in COMMANDS}
    said = capsys.readouterr()
    assert set(codes.values()) <= {0, 2, 3}, codes
    assert 2 in codes.values()
    assert Path(file).name in said.out + said.err or "no file matches" in said.out + said.err


@pytest.mark.parametrize(
    "change",
    [
        lambda run: run.update(version=True),
        lambda run: run["trials"][0].update(case="unknown"),
        lambda run: run["trials"][0].update(trial=0),
        lambda run: run["trials"].append(run["trials"][0]),
        lambda run: run["trials"][0].update(scores={}),
        lambda run: run["trials"][0]["scores"]["completed"].update(value=5),
        lambda run: run["trials"][0]["scores"]["completed"].update(value=float("nan")),
        lambda run: run["cases"].append(run["cases"][0]),
        lambda run: run["cases"][0].update(trials=10**12),
        lambda run: run["cases"][0].update(trials="1"),
        lambda run: run["cases"][0]["keys"].update(other="x"),
        lambda run: run["report"]["metrics"].append(run["report"]["metrics"][0]),
        lambda run: run["report"]["meta"].update(duration_s=float("nan")),
        lambda run: run["report"]["meta"].update(selection="abc"),
    ],
)
def test_a_run_that_was_edited_by_hand_is_refused(
    change: Change, ran: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = ran / "out/run.json"
    run = json.loads(file.read_text(encoding="utf-8"))
    change(run)
    file.write_text(json.dumps(run), encoding="utf-8")
    assert cli.main(["compare", "out", "out"]) == 2
    assert cli.main(["baseline", "accept", "--because", "x"]) == 2
    assert "out/run.json cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize(
    "change",
    [
        lambda trace: trace.update(trial=0),
        lambda trace: trace.update(trial=10**30),
        lambda trace: trace.update(trial=2),
        lambda trace: trace.update(duration_ms=float("nan")),
        lambda trace: trace.update(session="\ud800"),
        lambda trace: trace["turns"][0].update(started_ms=-1.7e308, ended_ms=1.7e308),
        lambda trace: trace["turns"][0]["events"][0].update(
            usage={"input_tokens": 1e308, "output_tokens": 1}
        ),
        lambda trace: trace["turns"][0]["events"][0].update(usage={"input_tokens": -1, "output_tokens": 1}),
    ],
)
def test_a_trace_that_was_edited_by_hand_is_refused(
    change: Change, ran: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = ran / "out/traces.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    trace = json.loads(lines[0])
    change(trace)
    again = [json.dumps({**trace, "trial": 2})] if trace["trial"] == 2 else []
    file.write_text("\n".join([json.dumps(trace), *again, *lines[1:]]) + "\n", encoding="utf-8")
    assert cli.main(["grade", "out"]) == 2
    assert "traces.jsonl" in capsys.readouterr().err


def test_traces_are_graded_with_as_many_trials_as_were_recorded(ran: Path) -> None:
    file = ran / "out/traces.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    more = [json.dumps({**json.loads(line), "trial": 2, "turns": []}) for line in lines]
    file.write_text("\n".join([*lines, *more]) + "\n", encoding="utf-8")
    assert cli.main(["grade", "out", "--json"]) in {0, 1}
    facts = json.loads((ran / "graded/run.json").read_text(encoding="utf-8"))["cases"]
    assert {case["trials"] for case in facts} == {2}


@pytest.mark.parametrize(
    ("out", "why"),
    [(".", "the config"), ("golden", "the baseline"), ("docs", "summary.md"), ("linked", "run.json")],
)
def test_a_run_never_overwrites_what_is_not_its_own(
    out: str, why: str, ran: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (ran / "docs").mkdir()
    (ran / "docs/summary.md").write_text("mine", encoding="utf-8")
    (ran / "linked").mkdir()
    (ran / "linked/run.json").symlink_to("../docs/summary.md")
    for command in (["run", "--out", out], ["grade", "out", "--out", out]):
        assert cli.main(command) == 2
        assert f"{out} holds {why}" in capsys.readouterr().err
    assert (ran / "docs/summary.md").read_text(encoding="utf-8") == "mine"
    assert not (ran / "summary.md").exists()


def test_check_says_that_the_baseline_cannot_be_read(ran: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (ran / "golden/baseline.jsonl").unlink()
    (ran / "golden/baseline.jsonl").symlink_to("baseline.jsonl")
    assert cli.main(["check"]) == 2
    assert "baseline-unreadable" in capsys.readouterr().out
    assert cli.main(["run"]) == 3
    assert "baseline_unreadable" in capsys.readouterr().out


@pytest.mark.usefixtures("ran")
def test_more_trials_than_a_run_may_have_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "--trials", "1001"]) == 2
    assert "1000" in capsys.readouterr().err


@pytest.mark.usefixtures("ran")
@pytest.mark.parametrize(
    "command",
    [["run", "--out"], ["compare", "out"], ["baseline", "accept"], ["check", "--config"], ["grade"]],
)
def test_a_name_that_is_too_long_is_bad_input(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command, "x" * 5000]) == 2
    printed = capsys.readouterr()
    assert "name too long" in (printed.out + printed.err)
