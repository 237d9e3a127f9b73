"""What a protocol can neither send nor show, although cases want it."""

from pathlib import Path

import pytest

from gate.check import check

CASES = """\
cases:
  - {id: a, user: hi, expect: {contains: [x]}}
  - {id: b, user: hi, expect: {calls: [f], pauses: [f]}}
  - {id: c, user: hi, start_state: {k: 1}, expect: {nodes: [n], calls: none}}
"""


def found(folder: Path, agent: str, cases: str = CASES) -> list[tuple[str, str, str]]:
    (folder / "agent-gate.yml").write_text(
        f"version: 1\nagent:\n  boot: {{url: 'http://127.0.0.1:1'}}\n  {agent}\ndataset: golden.yaml\n"
    )
    (folder / "golden.yaml").write_text(cases)
    checked = check(folder / "agent-gate.yml")
    return [
        (each.rule, str(each.place).rpartition("agent-gate.yml:")[2], each.what) for each in checked.findings
    ]


def test_a_graph_that_is_waited_for_shows_no_nodes(tmp_path: Path) -> None:
    assert found(tmp_path, "protocol: langgraph") == []
    (finding,) = found(tmp_path, "protocol: langgraph\n  langgraph: {streaming: false}")
    assert finding[2] == "'nodes' of case 'c' needs graph nodes, which the protocol 'langgraph' does not show"


def test_what_openai_chat_hides_is_said_before_anything_is_spent(tmp_path: Path) -> None:
    assert found(tmp_path, "protocol: openai-chat") == [
        (
            "not-exposed",
            "4:13",
            "'calls' of case 'b' and 1 more needs tool calls, which the protocol 'openai-chat' does not show",
        ),
        (
            "not-exposed",
            "4:13",
            "'nodes' of case 'c' needs graph nodes, which the protocol 'openai-chat' does not show",
        ),
        (
            "not-exposed",
            "4:13",
            "'pauses' of case 'b' needs pauses, which the protocol 'openai-chat' does not show",
        ),
        ("start-state-unsent", "4:13", "the start state of case 'c' is never sent"),
    ]


@pytest.mark.parametrize(
    ("agent", "rules"),
    [
        ("protocol: openai-chat\n  openai-chat: {tools: client}", ["not-exposed", "start-state-unsent"]),
        (
            "protocol: openai-chat\n  openai-chat: {body: {tools: [{type: function}]}}",
            ["not-exposed", "start-state-unsent"],
        ),
        ("protocol: openai-responses", ["not-exposed", "start-state-unsent"]),
        ("protocol: a2a", ["not-exposed", "start-state-unsent"]),
        ("protocol: ag-ui", []),
        ("protocol: adk\n  app: a", []),
    ],
)
def test_what_is_shown_is_no_finding(tmp_path: Path, agent: str, rules: list[str]) -> None:
    assert [rule for rule, _, _ in found(tmp_path, agent)] == rules


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses"])
def test_what_the_gate_writes_itself_is_not_taken_from_the_body(tmp_path: Path, protocol: str) -> None:
    agent = f"protocol: {protocol}\n  {protocol}: {{body: {{stream: true, temperature: 0}}}}"
    one = "cases:\n  - {id: a, user: hi, expect: {contains: [x]}}\n"
    assert found(tmp_path, agent, one) == [
        ("body-ignored", f"5:{len(protocol) + 13}", "'stream' of `body` is not sent: the gate writes it")
    ]


def test_what_some_agents_of_a2a_show_is_no_finding(tmp_path: Path) -> None:
    one = "cases:\n  - {id: a, user: hi, expect: {calls: [f], contains: [x]}}\n"
    assert found(tmp_path, "protocol: a2a", one) == []


@pytest.mark.parametrize("version", ["auto", "1.0", "0.3", '"1.0"', '"0.3"'])
def test_a_version_of_a2a_need_not_be_quoted(tmp_path: Path, version: str) -> None:
    one = "cases:\n  - {id: a, user: hi, expect: {contains: [x]}}\n"
    assert found(tmp_path, f"protocol: a2a\n  a2a: {{version: {version}}}", one) == []


DELTA = """\
cases:
  - id: a
    turns:
      - {user: hi, expect: {contains: [x]}}
      - {user: hi, state_delta: {k: 1}}
"""


@pytest.mark.parametrize(
    ("agent", "rules"),
    [
        ("protocol: adk\n  app: a", []),
        ("protocol: agent-engine", []),
        ("protocol: a2a", ["state-delta-unsent"]),
        (
            "protocol: http\n  http: {path: /, request: '{text}', response: {text: $.a}}",
            ["state-delta-unsent"],
        ),
    ],
)
def test_a_change_of_state_that_a_protocol_cannot_send_is_bad_input(
    tmp_path: Path, agent: str, rules: list[str]
) -> None:
    assert [rule for rule, _, _ in found(tmp_path, agent, DELTA)] == rules
    if rules:
        finding = check(tmp_path / "agent-gate.yml").findings[0]
        assert (finding.level, str(finding.place)) == ("error", "golden.yaml:5:9")
