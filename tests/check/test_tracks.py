"""What the check says of tracks, and of their rules."""

from pathlib import Path

import pytest

from gate.check import check

HEAD = """\
version: 1
agent: {protocol: adk, app: a, boot: {url: "http://127.0.0.1:1"}}
dataset: golden.yaml
"""
GOLDEN = "cases: [{id: a, user: hi, expect: {calls: [x]}}]\n"


def rules(root: Path, text: str) -> list[tuple[str, int]]:
    (root / "golden.yaml").write_text(GOLDEN, encoding="utf-8")
    (root / "agent-gate.yml").write_text(HEAD + text, encoding="utf-8")
    found = check(root / "agent-gate.yml", boots=False).findings
    return [(each.rule, each.place.line) for each in found if each.level == "error"]


def track(*names: str) -> str:
    return "tracks:\n" + "".join(f"  - {{name: {name}, junit: j.xml}}\n" for name in names)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (track("unit"), []),
        (track("unit", "e2e"), []),
        (track("calls"), [("track-name", 5)]),
        (track("cases"), [("track-name", 5)]),
        (track("agent"), [("track-name", 5)]),
        (track("rouge_1"), [("track-name", 5)]),
        (track("unit", "unit"), [("track-name", 5), ("track-name", 6)]),
        ("metrics: {mine: {type: rouge_1}}\n" + track("mine"), [("track-name", 6)]),
        (track("unit") + "rules: {unit: {regressed: 1, new_failing: 0, removed: 0, level: warn}}\n", []),
        (track("unit") + "rules: {unit: [{regressed: 1}, {removed: 0, level: warn}]}\n", []),
        (track("unit") + "rules: {unit: {min: 1}}\n", [("bad-rule", 6)]),
        (track("unit") + "rules: {unit: {regressed: 0, max_drop: 0.1}}\n", [("bad-rule", 6)]),
        (track("unit") + "rules: {unit: {level: warn}}\n", [("empty-rule", 6)]),
        ("rules: {calls: {regressed: 0}}\n", [("bad-rule", 4)]),
        ("rules: {calls: {min: 0.5, removed: 0}}\n", [("bad-rule", 4)]),
        ("rules: {unit: {regressed: 0}}\n", [("unknown-metric", 4)]),
        ("metrics: {unit: {type: junit, junit: j.xml}}\n", [("bad-value", 4)]),
    ],
)
def test_the_name_of_a_track_is_its_own_and_its_rule_counts(
    tmp_path: Path, text: str, expected: list[tuple[str, int]]
) -> None:
    assert rules(tmp_path, text) == expected


@pytest.mark.parametrize("name", ["a b", "-a", "a\\nb", "", "x" * 41, "a/b", "a`b"])
def test_a_name_is_a_plain_word(tmp_path: Path, name: str) -> None:
    assert rules(tmp_path, f'tracks: [{{name: "{name}", junit: j.xml}}]\n')


@pytest.mark.parametrize(
    "block", ["{name: unit}", "{junit: j.xml}", "{name: u, junit: []}", "{name: u, junit: 3}"]
)
def test_a_track_has_a_name_and_files(tmp_path: Path, block: str) -> None:
    assert rules(tmp_path, f"tracks: [{block}]\n")


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("unit::a", [("case-id", 1)]),
        ("unit::", [("case-id", 1)]),
        ("other::a", []),
        ("unit:a", []),
        ("unit", []),
    ],
)
def test_no_case_is_called_as_a_test_of_a_track_is(
    tmp_path: Path, case: str, expected: list[tuple[str, int]]
) -> None:
    (tmp_path / "agent-gate.yml").write_text(HEAD + track("unit"), encoding="utf-8")
    golden = f"cases: [{{id: '{case}', user: hi, expect: {{calls: [x]}}}}]\n"
    (tmp_path / "golden.yaml").write_text(golden, encoding="utf-8")
    found = check(tmp_path / "agent-gate.yml", boots=False).findings
    assert [(each.rule, each.place.line) for each in found if each.level == "error"] == expected
