"""The command line against an agent on the real A2A SDK."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.a2a_agent import scripted_app, served
from tests.support.commands import gate

GOLDEN = """\
cases:
  - id: weather
    user: calls adk
    expect: {calls: [{name: get_weather, args: {city: London, days: 3}}], contains: [20 degrees]}
  - id: city
    turns:
      - {user: ask, expect: {pauses: [input-required], contains: [Which city]}}
      - {user: more, expect: {pauses: [input-required]}}
      - {answer: {input-required: Rome}, expect: {contains: [You said Rome]}}
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served(scripted_app(("JSONRPC", "1.0"), ("JSONRPC", "0.3"))) as address:
        yield address


def suite(folder: Path, url: str, golden: str, options: str = "") -> Path:
    (folder / "golden.yaml").write_text(golden, encoding="utf-8")
    (folder / "agent-gate.yml").write_text(
        "version: 1\nagent:\n  protocol: a2a\n"
        f"  boot: {{url: '{url}', ready: {{path: /.well-known/agent-card.json}}}}\n"
        f"  {options}\ndataset: golden.yaml\n",
        encoding="utf-8",
    )
    return folder


@pytest.mark.parametrize("options", ["", "a2a: {version: 0.3}", "a2a: {version: 1.0, stream: false}"])
def test_calls_and_questions_are_green_in_each_generation(tmp_path: Path, url: str, options: str) -> None:
    done = gate("run", "--strict", cwd=suite(tmp_path, url, GOLDEN, options))
    assert done.code == 0, done.out + done.err


def test_a_question_that_nobody_expects_is_red(tmp_path: Path, url: str) -> None:
    golden = "cases:\n  - {id: a, user: ask, expect: {contains: [Which]}}\n"
    done = gate("run", cwd=suite(tmp_path, url, golden))
    assert done.code == 1, done.out + done.err
    assert "the agent waits for an answer to 'input-required'" in done.out + done.err


def test_calls_that_an_agent_does_not_show_are_unknown_and_not_none(tmp_path: Path, url: str) -> None:
    golden = "cases:\n  - {id: a, user: hi, expect: {calls: none, contains: [hi]}}\n"
    done = gate("run", cwd=suite(tmp_path, url, golden))
    assert done.code == 3, done.out + done.err
    assert "the protocol does not expose tool calls" in done.out + done.err
