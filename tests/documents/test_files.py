from pathlib import Path

import pytest

from gate.documents import canonical, parse, read, schema_names, schema_text, validate, write_text
from gate.errors import UsageError


def test_bytes_that_are_not_utf_8_are_a_finding_with_their_place(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes("é: 1\nb: ü".encode() + b"\xff\n")
    finding = read(tmp_path / "a.yaml", "a.yaml").findings[0]
    assert (finding.rule, str(finding.place)) == ("not-utf8", "a.yaml:2:5")
    assert finding.what == "byte 11 (0xff) is not UTF-8"


def test_what_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    document = read(tmp_path / "none.yaml", "none.yaml")
    assert (document.broken, document.findings[0].rule, str(document.place(("a",)))) == (
        True,
        "unreadable",
        "none.yaml",
    )
    assert "No such file" in document.findings[0].what
    assert validate(document, "config") == ()
    assert read(tmp_path, "folder").findings[0].rule == "unreadable"


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.documents.files.MAX_BYTES", 10)
    (tmp_path / "a.yaml").write_text("a: 123456789\n")
    assert read(tmp_path / "a.yaml", "a.yaml").findings[0].rule == "too-big"


def test_canonical_text_is_stable_and_can_always_be_written() -> None:
    assert canonical({"b": [1, 2.5, None], "a": "é"}) == '{"a":"é","b":[1,2.5,null]}\n'
    assert canonical({"b": 1, "a": {}}, indent=2) == '{\n  "a": {},\n  "b": 1\n}\n'
    assert canonical("\ud800") == '"\ufffd"\n'
    with pytest.raises(ValueError, match="Out of range"):
        canonical(float("nan"))


def test_writing_makes_folders_keeps_bytes_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "a.json"
    write_text(path, "é\r\n")
    write_text(path, "new\n")
    assert path.read_bytes() == b"new\n"
    assert [p.name for p in path.parent.iterdir()] == ["a.json"]


def test_a_failed_write_keeps_the_old_file_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(UsageError, match=r"cannot write .*file/x: (Not a directory|File exists)"):
        write_text(tmp_path / "file" / "x", "new")
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="Is a directory"):
        write_text(tmp_path / "folder", "new")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder"]


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("safe")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "target").read_text() == "safe"


def test_every_schema_is_found_by_name_and_an_unknown_one_is_said_so() -> None:
    assert {"config", "dataset"} <= set(schema_names())
    assert '"$id": "config.schema.json"' in schema_text("config")
    with pytest.raises(UsageError, match="no schema 'nope'"):
        schema_text("nope")


def test_the_format_follows_the_name() -> None:
    assert parse("a: 1", "x.yml").value == {"a": 1}
    assert parse("a: 1", "x.json").broken
