"""The artifact of a run: whatever a stranger packs, only a plain run.json is read."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from gate.artifact import reading
from gate.artifact.reading import read_artifact
from gate.errors import UsageError
from gate.results import RUN_FILE
from tests.support.artifacts import an_artifact, as_json


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return an_artifact(tmp_path / "artifact")


def refused(path: Path) -> str:
    with pytest.raises(UsageError) as error:
        read_artifact(path)
    assert error.value.hint or "larger" in error.value.message
    return error.value.message


def test_a_folder_or_its_file_may_be_named(folder: Path) -> None:
    assert read_artifact(folder) == read_artifact(folder / RUN_FILE)


def test_other_files_and_folders_may_be_there_and_are_not_read(folder: Path) -> None:
    before = read_artifact(folder)
    (folder / "screens").mkdir()
    (folder / "screens" / "a.json").write_bytes(b"\xff")
    (folder / "traces.jsonl").chmod(0)
    (folder / "comment.md").write_text("@everyone", encoding="utf-8")
    assert read_artifact(folder) == before


def linked(target: str) -> Callable[[Path], object]:
    return lambda path: path.symlink_to(target)


def listening(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket has room for a hundred characters
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize("name", ["more", "sub/more", "traces.jsonl"])
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (linked("/etc/passwd"), "link"),
        (linked("run.json"), "link"),
        (linked("/nowhere"), "link"),
        (linked("/proc"), "link"),
        (os.mkfifo, "pipe"),
        (listening, "device or a socket"),
    ],
)
def test_what_is_no_file_is_refused_wherever_it_is(
    folder: Path, name: str, make: Callable[[Path], object], said: str
) -> None:
    odd = folder / name
    odd.parent.mkdir(exist_ok=True)
    odd.unlink(missing_ok=True)
    make(odd)
    assert f"in it is a {said}, and no file" in refused(folder)


def test_a_run_json_that_is_a_link_is_refused_also_where_it_is_named(folder: Path) -> None:
    (folder / RUN_FILE).rename(folder.parent / "elsewhere.json")
    (folder / RUN_FILE).symlink_to(folder.parent / "elsewhere.json")
    assert "link" in refused(folder)
    assert "it is a link" in refused(folder / RUN_FILE)


def test_a_folder_that_is_a_link_is_refused(folder: Path) -> None:
    (folder.parent / "named").symlink_to(folder)
    assert "it is a link" in refused(folder.parent / "named")


def test_a_run_json_that_is_a_pipe_is_refused_and_not_waited_for(folder: Path) -> None:
    (folder / RUN_FILE).unlink()
    os.mkfifo(folder / RUN_FILE)
    assert "pipe" in refused(folder)
    assert "no regular file" in refused(folder / RUN_FILE)


def test_a_run_json_that_is_a_folder_is_refused(folder: Path) -> None:
    (folder / RUN_FILE).unlink()
    (folder / RUN_FILE).mkdir()
    assert "no regular file" in refused(folder)


def test_without_a_run_json_it_is_told_which_is_missing(folder: Path) -> None:
    (folder / RUN_FILE).unlink()
    assert refused(folder).endswith("artifact/run.json: No such file or directory")
    assert "No such file" in refused(folder.parent / "nowhere")


def test_a_huge_run_json_is_refused_before_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (folder / RUN_FILE).open("r+b") as file:
        file.truncate(reading.LARGEST + 1)  # sparse
    monkeypatch.setattr(os, "fdopen", None)
    assert refused(folder).endswith("is larger than 64 MiB")


def test_a_forest_of_files_or_folders_is_refused(folder: Path) -> None:
    for number in range(reading.MOST_ENTRIES):
        (folder / f"file_{number}").touch()
    assert "more than 1,000 files" in refused(folder)


def test_folders_in_folders_without_end_are_refused(folder: Path) -> None:
    (folder / "/".join("d" * (reading.DEEPEST + 1))).mkdir(parents=True)
    assert "more than 10 folders in each other" in refused(folder)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "Expecting value"),
        (b"\xff", "can't decode"),
        (b"[" * 100_000, "nested deeper"),
        (b'{"version": 1}', "cannot be used"),
        (b'{"version": 1, "version": 1}', "is there twice"),
        (b'{"version": 2}', "no run record of version 1"),
        (b'{"version": NaN}', "no number"),
    ],
)
def test_what_is_no_run_is_refused_with_the_reason(folder: Path, content: bytes, said: str) -> None:
    (folder / RUN_FILE).write_bytes(content)
    assert said in refused(folder)


@pytest.mark.parametrize(
    ("where", "key", "value"),
    [
        ((), "more", 1),
        (("report",), "more", 1),
        (("report", "meta"), "measured_trials", -1.5),
        (("report", "meta"), "run", 1),
        (("report", "comparison"), "verdict", "PASS"),
        (("report", "comparison"), "exit_code", True),
        ((), "trials", [{"case": "never", "trial": 1, "outcome": {"kind": "completed"}, "scores": {}}]),
    ],
)
def test_a_field_that_no_run_has_is_refused(
    folder: Path, where: tuple[str, ...], key: str, value: object
) -> None:
    data = as_json(folder)
    inner = data
    for name in where:
        inner = inner[name]
    inner[key] = value
    (folder / RUN_FILE).write_text(json.dumps(data), encoding="utf-8")
    assert "cannot be used" in refused(folder)
