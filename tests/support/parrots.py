"""Projects around the parrot agent: a case for every place and form."""

from collections.abc import Iterable
from pathlib import Path

from tests.support.commands import ROOT
from tests.support.parrot_agent import CHAT, EVENTS

BOOT = """
version: 1
agent:
  protocol: {protocol}
  app: parrot
  boot:
    command: [python3, parrot_agent.py, --port, "{{port}}"]
    ready: {{within: 20s}}
    {more}
  {block}
dataset: golden/*.yaml
run: {{trial_timeout: 10s, retries: 0, concurrency: 8}}
"""
HTTP = """http:
    path: /chat
    request: {message: "{text}", session: "{session}"}
    response:
      text: $.reply
      session: $.session
      calls: $.tool_calls[*]
      results: $.tool_results[*]
      nodes: $.nodes[*]
      state: $.state
      usage: {input: $.usage.input_tokens, output: $.usage.output_tokens}
      error: $.error
      pauses: $.pauses[*]"""
PLACES = {
    "http": (*CHAT, "log", "status", "refused", "not_json", "kind", "header"),
    "adk": tuple(EVENTS),
}


def a_parrot(
    folder: Path, protocol: str, forms: Iterable[str], more: str, *, only: tuple[str, ...] = ()
) -> Path:
    """A project whose cases ask for the text in every place of a protocol, expecting what will not come."""
    (folder / "golden").mkdir(parents=True)
    source = ROOT / "tests/support/parrot_agent.py"
    (folder / "parrot_agent.py").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    block = HTTP if protocol == "http" else "adk: {dialect: python}"
    config = BOOT.format(protocol=protocol, more=more, block=block).lstrip()
    (folder / "agent-gate.yml").write_text(config, encoding="utf-8")
    expect = "{calls: [{name: f, args: {a: 1}}], contains: never, state: {a: 1}, nodes: [N]}"
    cases = [
        f"  - {{id: {place}_{form}, user: {place} {form}, expect: {expect}}}\n"
        for place in only or PLACES[protocol]
        for form in forms
    ]
    (folder / "golden/cases.yaml").write_text("cases:\n" + "".join(cases), encoding="utf-8")
    return folder
