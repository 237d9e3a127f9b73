"""Tracks: JUnit files on disk become cases that were run already, or findings."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from gate.config import load as load_config
from gate.dataset.reader import LABEL
from gate.model.config import Config
from gate.model.finding import Finding
from gate.model.run import Track
from gate.model.score import Scored
from gate.redact import Redactor
from gate.tracks import load
from tests.support.commands import git

CONFIG = """\
version: 1
agent: {protocol: adk, app: a, boot: {url: "http://127.0.0.1:1"}}
dataset: golden.yaml
tracks:
  - {name: unit, junit: build/*.xml}
"""
PASSED = '<testsuite><testcase classname="a" name="b" time="0.5"/></testsuite>'
FAILED = '<testsuite>\n<testcase name="b"><failure message="token sk-hidden-value"/></testcase></testsuite>'


def config(root: Path, *, junit: str = "build/*.xml") -> Config:
    (root / "agent-gate.yml").write_text(CONFIG.replace("build/*.xml", junit), encoding="utf-8")
    loaded = load_config(root / "agent-gate.yml").config
    assert loaded
    return replace(loaded, root=str(root))


def write(root: Path, **files: str) -> None:
    (root / "build").mkdir(exist_ok=True)
    for name, text in files.items():
        (root / "build" / f"{name}.xml").write_text(text, encoding="utf-8")


def loaded(root: Path, **options: bool) -> tuple[Track, tuple[Finding, ...]]:
    (track,), findings = load(config(root), Redactor(("hidden-value",)), **options)
    return track, findings


def told(findings: tuple[Finding, ...]) -> list[tuple[str, str, str]]:
    return [(each.rule, each.level, str(each.place)) for each in findings]


def test_each_test_is_a_case_with_its_place_and_each_try_a_trial(tmp_path: Path) -> None:
    flaky = "<testsuite><testcase name='f'><flakyFailure message='no'/></testcase></testsuite>"
    write(tmp_path, a=PASSED, b=FAILED, c=flaky)
    track, findings = loaded(tmp_path)
    assert not findings
    assert [(case.id, case.trials, case.track) for case in track.cases] == [
        ("unit::a.b", 1, "unit"),
        ("unit::b", 1, "unit"),
        ("unit::f", 2, "unit"),
    ]
    assert (track.cases[1].place.file, track.cases[1].place.line) == (f"{tmp_path}/build/b.xml", 2)
    values = [(r.case, r.trial, s.value) for r in track.trials if isinstance(s := r.scores["unit"], Scored)]
    assert values == [("unit::a.b", 1, 1), ("unit::b", 1, 0), ("unit::f", 1, 0), ("unit::f", 2, 1)]
    assert track.trials[0].duration_ms == 500
    assert (track.facts.tests, track.facts.files) == (3, ("build/a.xml", "build/b.xml", "build/c.xml"))


def test_two_tests_of_one_name_are_two_tests_so_that_neither_hides_the_other(tmp_path: Path) -> None:
    write(tmp_path, a="<testsuite><testcase name='b'/></testsuite>", b=FAILED)
    track, _ = loaded(tmp_path)
    assert [case.id for case in track.cases] == ["unit::b", "unit::b (2)"]


def test_why_a_test_failed_is_without_secrets(tmp_path: Path) -> None:
    write(tmp_path, b=FAILED)
    (record,) = loaded(tmp_path)[0].trials
    assert "hidden-value" not in repr(record)
    assert "token" in repr(record)


@pytest.mark.parametrize(
    "name", ["x" * 5000, "a\u202eb", "two\nlines", "tab\there", "ü" * 149, "\u2028", " "]
)
def test_a_name_that_no_report_can_show_becomes_one_that_it_can(tmp_path: Path, name: str) -> None:
    shown = name.replace("\n", "&#10;").replace("\t", "&#9;")
    write(tmp_path, a=f"<testsuite><testcase name='{shown}'/><testcase name='{shown}.'/></testsuite>")
    ids = [case.id for case in loaded(tmp_path)[0].cases]
    assert len(set(ids)) == 2
    assert all(LABEL.fullmatch(id_) for id_ in ids)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, [("no-results", "error", "agent-gate.yml:5:5")]),
        ({"a": "<testsuite/>"}, [("no-tests", "error", "agent-gate.yml:5:5")]),
        (
            {"a": "<testsuite><testcase name='a'><skipped/></testcase></testsuite>"},
            [("no-tests", "error", "agent-gate.yml:5:5")],
        ),
        ({"a": "\noops"}, [("bad-results", "error", "build/a.xml:2")]),
        ({"a": PASSED, "b": ""}, [("bad-results", "error", "build/b.xml:1")]),
    ],
)
def test_results_that_say_nothing_are_errors_and_never_green(
    tmp_path: Path, files: dict[str, str], expected: list[tuple[str, str, str]]
) -> None:
    write(tmp_path, **files)
    found = [
        (rule, level, place.removeprefix(f"{tmp_path}/")) for rule, level, place in told(loaded(tmp_path)[1])
    ]
    assert found == expected


def test_missing_results_are_a_warning_where_nothing_was_to_be_run(tmp_path: Path) -> None:
    track, findings = loaded(tmp_path, required=False)
    assert [(each.rule, each.level) for each in findings] == [("no-results", "warn")]
    assert track.cases == ()


def test_a_pipe_or_a_folder_is_no_result(tmp_path: Path) -> None:
    write(tmp_path)
    os.mkfifo(tmp_path / "build" / "a.xml")
    (tmp_path / "build" / "b.xml").mkdir()
    assert [each.rule for each in loaded(tmp_path)[1]] == ["no-results"]


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.tracks.LARGEST", len(PASSED) - 1)
    write(tmp_path, a=PASSED)
    track, findings = loaded(tmp_path)
    assert [(each.rule, each.level) for each in findings] == [("unreadable", "error")]
    assert "it is larger than" in findings[0].what
    assert track.cases == ()


def test_a_track_of_too_many_tests_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.tracks.MOST", 2)
    write(tmp_path, a="<testsuite>" + "<testcase name='a'/>" * 3 + "</testsuite>")
    assert [each.rule for each in loaded(tmp_path)[1]] == ["too-many-tests"]


def test_results_that_are_committed_are_old_ones(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, a=PASSED)
    assert not loaded(tmp_path)[1]
    git(tmp_path, "add", "build/a.xml")
    assert [(each.rule, each.level) for each in loaded(tmp_path)[1]] == [("committed-results", "warn")]


def test_a_test_whose_name_is_what_another_one_would_be_given_is_a_test_of_its_own(tmp_path: Path) -> None:
    names = ["a", "a", "a (2)", "a (2)", "a"]
    failing = '<testcase name="{}"><failure/></testcase>'
    passing = '<testcase name="{}"/>'
    cases = (passing.format(names[0]), failing.format(names[1]), *map(passing.format, names[2:]))
    write(tmp_path, a=f"<testsuite>{''.join(cases)}</testsuite>")
    track, _ = loaded(tmp_path)
    ids = [each.id for each in track.cases]
    assert len(set(ids)) == len(names)
    values = [score.value for each in track.trials if isinstance(score := each.scores["unit"], Scored)]
    failed = [each.case for each, value in zip(track.trials, values, strict=True) if not value]
    assert failed == [ids[1]]
