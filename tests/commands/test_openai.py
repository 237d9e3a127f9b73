"""The command line against an agent behind a real OpenAI-compatible server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import gate
from tests.support.openai_server import openai_server

GOLDEN = """\
cases:
  - id: weather
    turns:
      - user: weather
        expect:
          pauses: [get_weather]
          calls: [{name: get_weather, args: {city: Paris}}, {name: get_weather, args: {city: Oslo}}]
      - answer: {get_weather: 14 °C}
        expect: {contains: [14 °C]}
  - id: greeting
    user: hello
    expect: {calls: none, contains: [hello]}
"""
CHAT = "tools: [{type: function, function: {name: get_weather}}]"
RESPONSES = "tools: [{type: function, name: get_weather}]"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with openai_server() as address:
        yield address


def suite(folder: Path, url: str, protocol: str, options: str) -> Path:
    (folder / "golden.yaml").write_text(GOLDEN, encoding="utf-8")
    (folder / "agent-gate.yml").write_text(
        f"version: 1\nagent:\n  protocol: {protocol}\n  boot: {{url: '{url}/v1', ready: {{path: /models}}}}\n"
        f"  {protocol}: {{{options}}}\ndataset: golden.yaml\n",
        encoding="utf-8",
    )
    return folder


@pytest.mark.parametrize(
    ("protocol", "options"),
    [
        ("openai-chat", f"body: {{{CHAT}}}"),
        ("openai-chat", f"stream: true, body: {{{CHAT}}}"),
        ("openai-responses", f"body: {{{RESPONSES}}}"),
        ("openai-responses", f"stream: true, store: false, body: {{{RESPONSES}}}"),
    ],
)
def test_a_loop_of_tool_calls_is_green(tmp_path: Path, url: str, protocol: str, options: str) -> None:
    done = gate("run", "--strict", cwd=suite(tmp_path, url, protocol, options))
    assert done.code == 0, done.out + done.err


def test_a_tool_that_is_no_longer_called_is_red(tmp_path: Path, url: str) -> None:
    done = gate("run", cwd=suite(tmp_path, url, "openai-chat", "tools: client"))
    assert done.code == 1, done.out + done.err
    assert "the agent waits for nothing" in done.err


def test_hidden_calls_are_unknown_and_not_none(tmp_path: Path, url: str) -> None:
    folder = suite(tmp_path, url, "openai-chat", f"tools: hidden, body: {{{CHAT}}}")
    done = gate("run", cwd=folder)
    assert done.code == 3, done.out + done.err
    assert "not-exposed" in done.err
    assert "greeting (1 not measured): the protocol does not expose tool calls" in done.err
