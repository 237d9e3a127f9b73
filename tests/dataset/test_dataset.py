import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.dataset import READERS, Loaded, load
from gate.model.case import Case
from gate.model.finding import Finding
from tests.support.cases import lines, loaded

GOOD = "cases:\n  - id: greeting\n    user: hi\n"


def _write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _ids(got: Loaded) -> list[str]:
    return [case.id for case in got.cases]


def test_files_are_sorted_and_read_once_whatever_patterns_name_them(tmp_path: Path) -> None:
    _write(tmp_path, golden__b_dot_yaml="[{id: b, user: x}]", golden__a_dot_json='[{"id": "a", "user": "x"}]')
    got = load(
        ["golden/*", "./golden/b.yaml", "golden/../golden/*.yaml", str(tmp_path / "golden/a.json")], tmp_path
    )
    assert got.files == ("golden/a.json", "golden/b.yaml")
    assert _ids(got) == ["a", "b"]
    assert got.findings == ()


def test_patterns_reach_into_folders_and_beside_the_root_but_not_into_hidden_ones(tmp_path: Path) -> None:
    _write(
        tmp_path,
        app__x__y__a_dot_yml="[{id: a, user: x}]",
        app___dot_venv__b_dot_yml="[]",
        more__c_dot_yml="[{id: c, user: x}]",
    )
    got = load(["**/*.yml", "../more/*.yml"], tmp_path / "app")
    assert got.files == ("../more/c.yml", "x/y/a.yml")


def test_links_are_followed_once_and_never_in_a_circle(tmp_path: Path) -> None:
    _write(tmp_path, **{"golden/a.yaml": GOOD, "shared/b.yaml": GOOD.replace("greeting", "other")})
    for name in ("one", "two", "three"):
        (tmp_path / "golden" / name).symlink_to(".")
    (tmp_path / "golden/shared").symlink_to("../shared")
    got = load(["golden/**/*.yaml"], tmp_path)
    assert got.files == ("golden/a.yaml", "golden/shared/b.yaml")


@pytest.mark.parametrize(
    "pattern", ["*", "**", "**/*.yaml", "a/*", "[a]/**", "*/b/*", "**.yaml", "./a//*", "nope/*", "**/b/**/*"]
)
def test_patterns_mean_what_they_mean_to_glob(tmp_path: Path, pattern: str) -> None:
    names = ["1.yaml", "a/2.yaml", "a/b/3.yaml", "a/b/c/4.yaml", ".h/5.yaml", "a/.6.yaml", "z z/[7].yaml"]
    _write(tmp_path, **dict.fromkeys(names, "[]"))
    expected = glob.glob(pattern, root_dir=tmp_path, recursive=True)  # noqa: PTH207 - the oracle
    assert load([pattern], tmp_path).files == tuple(
        sorted({os.path.normpath(name) for name in expected if (tmp_path / name).is_file()})
    )


@pytest.mark.parametrize("name", ["x" * 100_000, "a\0b", "loop", "pipe.yaml"])
def test_a_name_that_no_regular_file_has_is_a_finding(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe.yaml")
    assert [finding.rule for finding in load([name], tmp_path).findings] == ["no-files"]


def test_baselines_and_notes_in_a_golden_folder_are_not_golden_files(tmp_path: Path) -> None:
    _write(
        tmp_path, golden__a_dot_yaml=GOOD, golden__baseline_dot_jsonl="{}\n{}\n", golden__README_dot_md="# hi"
    )
    assert load(["golden/*"], tmp_path).files == ("golden/a.yaml",)


def test_a_file_that_is_named_is_read_whatever_its_suffix(tmp_path: Path) -> None:
    _write(tmp_path, cases_dot_golden=GOOD)
    assert _ids(load(["cases.golden"], tmp_path)) == ["greeting"]


def test_a_name_with_the_characters_of_a_pattern_is_a_name_if_the_file_exists(tmp_path: Path) -> None:
    (tmp_path / "[a].yaml").write_text(GOOD, encoding="utf-8")
    assert load(["[a].yaml"], tmp_path).files == ("[a].yaml",)


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("golden/*.yaml", "no file matches 'golden/*.yaml'"),
        ("docs/*", "'docs/*' matches 1 files, of which none ends in .yaml, .yml, .json"),
        ("docs", "'docs' is a folder"),
        ("", "'' is a folder"),
    ],
)
def test_a_pattern_without_a_file_is_a_finding(tmp_path: Path, pattern: str, what: str) -> None:
    _write(tmp_path, docs__a_dot_md="hi")
    (found,) = load([pattern], tmp_path).findings
    assert (found.rule, found.level, found.what) == ("no-files", "error", what)
    assert found.fix


def test_the_other_spelling_of_a_suffix_is_named_where_files_have_it(tmp_path: Path) -> None:
    _write(tmp_path, golden__a_dot_yml="cases: []", other__b_dot_yaml="cases: []")
    found = load(["golden/*.yaml", "other/*.yml", "none/*.yml"], tmp_path).findings
    fixes = [each.fix for each in found if each.rule == "no-files"]
    assert fixes == [
        "Write golden/*.yml, or add a golden file.",
        "Write other/*.yaml, or add a golden file.",
        "Correct `dataset:`, or add a golden file.",
    ]


@contextmanager
def not_root(folder: Path) -> Iterator[None]:
    """Root may read everything: be another user for a while, one that can reach the folder."""
    if os.geteuid() != 0:
        yield
        return
    top = Path(tempfile.gettempdir())
    for parent in (folder, *(parent for parent in folder.parents if top in parent.parents)):
        parent.chmod(0o755)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_that_cannot_be_read_is_a_finding_and_hides_no_other(tmp_path: Path) -> None:
    _write(tmp_path, a_dot_yaml=GOOD, b_dot_yaml="[]")
    (tmp_path / "b.yaml").chmod(0)
    with not_root(tmp_path):
        got = load(["*.yaml"], tmp_path)
    assert _ids(got) == ["greeting"]
    assert [found.rule for found in got.findings] == ["unreadable"]


def test_a_file_that_is_not_utf8_is_a_finding_and_hides_no_other(tmp_path: Path) -> None:
    _write(tmp_path, a_dot_yaml=GOOD)
    (tmp_path / "b.yaml").write_bytes(b"cases: \xff")
    got = load(["*.yaml"], tmp_path)
    assert _ids(got) == ["greeting"]
    assert [found.rule for found in got.findings] == ["not-utf8"]


def test_an_id_stands_once_over_all_files(tmp_path: Path) -> None:
    _write(
        tmp_path,
        golden__a_dot_yaml=GOOD,
        golden__b_dot_yaml="cases:\n  - {id: other, user: x}\n  - id: greeting\n    user: x\n",
    )
    got = load(["golden/*.yaml"], tmp_path)
    assert _ids(got) == ["greeting", "other"]
    assert lines(got.findings) == [
        "golden/b.yaml:3:5 error duplicate-id: case 'greeting' is also at golden/a.yaml:2"
    ]


def test_groups_reach_over_files(tmp_path: Path) -> None:
    _write(
        tmp_path, a_dot_yaml="[{id: pay, user: x, depends_on: login}]", b_dot_yaml="[{id: login, user: x}]"
    )
    assert [(case.id, case.group) for case in load(["*.yaml"], tmp_path).cases] == [
        ("login", "login"),
        ("pay", "login"),
    ]


def test_warnings_of_the_document_are_kept_beside_its_cases() -> None:
    got = loaded("cases:\n  - {id: a, user: x, start_state: {day: 2027-01-31}}\n")
    assert _ids(got) == ["a"]
    assert [(found.rule, found.level) for found in got.findings] == [("yaml-surprise", "warn")]


def test_the_until_of_a_quarantine_is_no_surprise() -> None:
    text = "[{id: a, user: x, quarantine: {owner: me, reason: moved, until: 2027-01-31}}]"
    assert loaded(text).findings == ()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("just text", "this is no golden file: at its top is neither a mapping nor a list"),
        ("version: 1\nagent: {}", "this is a configuration of the gate, not a golden file"),
        ("criteria: {response_match_score: 0.8}", "this is a configuration of `adk eval`, not a golden file"),
        ("eval_id: a\nconversation: []", "this is one EvalCase without its EvalSet"),
        ("experiment_name: x", "this is the configuration of an experiment, not a golden file"),
        ("hello: world", "no format of golden files fits this file"),
    ],
)
def test_a_file_that_is_no_golden_file_is_told_what_it_seems_to_be(text: str, what: str) -> None:
    got = loaded(text)
    assert lines(got.findings) == [f"g.yaml:1:1 error not-a-dataset: {what}"]
    assert got.findings[0].fix


@pytest.mark.parametrize("text", ["", "cases: [", "- &a [*a]"])
def test_a_broken_file_has_only_the_findings_of_its_text(text: str) -> None:
    got = loaded(text)
    assert len(got.findings) == 1
    assert got.findings[0].rule in {"empty-file", "syntax", "alias"}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("value", [None, True, 0, 1.5, "x", [], {}, [None], [[]], [1, {}], {"": None}])
def test_every_reader_takes_any_value(name: str, value: object) -> None:
    import json

    from gate.documents import parse

    cases, findings = READERS[name].read(parse(json.dumps(value), "g.json"))
    assert isinstance(READERS[name].accepts(value), bool)
    assert all(isinstance(case, Case) for case in cases)
    assert all(isinstance(found, Finding) for found in findings)


def test_the_last_reader_is_our_own() -> None:
    assert list(READERS)[-1] == "agent-gate"
