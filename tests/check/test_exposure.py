"""What is found about cases that ask more of a protocol than it has."""

from pathlib import Path

import pytest

from gate.check import check

CONFIG = "version: 1\nagent:\n  protocol: PROTOCOL\n  app: x\n  boot: {url: http://a}\ndataset: golden.yaml\n"


def found(folder: Path, protocol: str, case: str) -> list[tuple[str, str, str, str]]:
    (folder / "agent-gate.yml").write_text(CONFIG.replace("PROTOCOL", protocol), encoding="utf-8")
    (folder / "golden.yaml").write_text(f"cases:\n  - {{id: a, user: hi, {case}}}\n", encoding="utf-8")
    findings = check(folder / "agent-gate.yml").findings
    return [(each.rule, each.level, str(each.place).rpartition("/")[2], each.what) for each in findings]


@pytest.mark.parametrize(
    ("case", "rule", "place", "what"),
    [
        (
            "expect: {nodes: [router]}",
            "never-exposed",
            "agent-gate.yml:3:13",
            "'nodes' of case 'a' needs graph nodes, which the protocol 'a2a' cannot show",
        ),
        (
            "start_state: {unit: C}, expect: {contains: [x]}",
            "start-state-unsent",
            "golden.yaml:2:5",
            "case 'a' has a start state, which the protocol 'a2a' cannot send",
        ),
    ],
)
def test_what_a2a_does_not_have_is_found_before_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, rule: str, place: str, what: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert found(tmp_path, "a2a", case) == [(rule, "warn", place, what)]
    assert found(tmp_path, "adk", case) == []


def test_what_a2a_may_show_is_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert found(tmp_path, "a2a", "expect: {calls: [f], contains: [x]}") == []


@pytest.mark.parametrize("version", ["auto", "1.0", "0.3", '"1.0"', '"0.3"'])
def test_a_version_need_not_be_quoted(tmp_path: Path, version: str) -> None:
    config = CONFIG.replace("PROTOCOL", "a2a").replace("app: x", f"a2a: {{version: {version}}}")
    (tmp_path / "agent-gate.yml").write_text(config, encoding="utf-8")
    (tmp_path / "golden.yaml").write_text(
        "cases:\n  - {id: a, user: hi, expect: {contains: [x]}}\n", encoding="utf-8"
    )
    checked = check(tmp_path / "agent-gate.yml")
    assert checked.findings == ()
    assert checked.config
    assert str(checked.config.agent.options["version"]) == version.strip('"')
