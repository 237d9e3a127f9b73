"""`agent-gate init`: look at the project, then write a first config and first cases."""

import argparse
import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gate.documents import write_text
from gate.errors import PASS, UsageError

_DEPTH = 3
_ENTRIES = ("agent.py", "server.py", "main.py", "app.py")
_SKIPPED = {"node_modules", "venv", "site-packages", "__pycache__", "build", "dist", "tests"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Adk:
    """An ADK app: the folder that `adk api_server` is started in, the app's name, and its tools' names."""

    folder: str
    app: str
    tools: tuple[str, ...]


def main(options: argparse.Namespace) -> int:
    """Write the files, or nothing at all where one of them is there already."""
    root = Path(options.folder)
    if not root.is_dir():
        raise UsageError(f"{root} is no folder")
    found = next(_adk_apps(root), None)
    files = {
        "agent-gate.yml": _adk_config(found) if found else _http_config(_entry(root)),
        "golden/first.yaml": _cases(found),
    }
    there = [name for name in files if (root / name).exists()]
    if there and not options.force:
        raise UsageError(
            f"{' and '.join(there)} exist already", hint="agent-gate init --force overwrites them."
        )
    print(_found(found))
    for name, text in files.items():
        write_text(root / name, text)
        print(f"Wrote  {name:<24} {len(text.splitlines())} lines")
    print("Next:  agent-gate check          what is wrong with them, before anything runs")
    print("       agent-gate run            boots the agent and runs the cases, into out/")
    if (root / ".git").exists() and not _ignores_out(root):
        print("       echo out/ >> .gitignore   what a run leaves is not for the repository")
    return PASS


def _ignores_out(root: Path) -> bool:
    try:
        lines = (root / ".gitignore").read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return False
    return any(line.strip("/") == "out" for line in lines)


def _entry(root: Path) -> str:
    """The script that probably starts the agent."""
    return next((name for name in _ENTRIES if (root / name).is_file()), _ENTRIES[0])


def _found(found: _Adk | None) -> str:
    if found is None:
        return "Found no agent framework that I know: edit command, request and response in agent-gate.yml."
    tools = f"{len(found.tools)} tool" + ("" if len(found.tools) == 1 else "s")
    return f"Found an ADK agent in {found.app}/ (root_agent, {tools})."


def _adk_apps(root: Path) -> Iterator[_Adk]:
    for path in sorted(root.rglob("agent.py"), key=lambda path: (len(path.parts), path)):
        parts = path.relative_to(root).parts[:-1]
        if not parts or len(parts) > _DEPTH or any(part in _SKIPPED or part[0] == "." for part in parts):
            continue
        tools = _root_agent_tools(path)
        if tools is not None:
            yield _Adk(folder="/".join(parts[:-1]) or ".", app=parts[-1], tools=tools)


def _root_agent_tools(path: Path) -> tuple[str, ...] | None:
    """The names in `root_agent = Agent(tools=[…])`; None where the module binds no root_agent."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return None
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            ast.unparse(target) == "root_agent" for target in node.targets
        ):
            return tuple(_tools(node.value))
    return None


def _tools(value: ast.expr) -> Iterator[str]:
    for keyword in value.keywords if isinstance(value, ast.Call) else ():
        if keyword.arg == "tools" and isinstance(keyword.value, ast.List):
            yield from (element.id for element in keyword.value.elts if isinstance(element, ast.Name))


def _adk_config(found: _Adk) -> str:
    cwd = "" if found.folder == "." else f"\n    cwd: {found.folder}"
    return f"""\
# `agent-gate schema config > agent-gate.schema.json` gives editors completion:
# yaml-language-server: $schema=agent-gate.schema.json
version: 1
agent:
  protocol: adk
  app: {found.app}
  boot:
    command:
      [adk, api_server, --host, 127.0.0.1, --port, "{{port}}", --session_service_uri, "memory://", .]{cwd}
    ready: {{path: /health, within: 60s}}
    # pass_env: [GOOGLE_API_KEY]       # what the agent may see of your environment; redacted everywhere
dataset: golden/*.yaml
"""


def _http_config(entry: str) -> str:
    return f"""\
# `agent-gate schema config > agent-gate.schema.json` gives editors completion:
# yaml-language-server: $schema=agent-gate.schema.json
version: 1
agent:
  protocol: http
  boot:
    command: [python3, {entry}, --port, "{{port}}"]
    # env: {{PORT: "{{port}}"}}          # for an agent that reads its port from a variable
    # url: http://127.0.0.1:8000       # instead of command, for an agent that runs already
    ready: {{path: /health, within: 60s}}   # without a path: as soon as the port accepts
    # pass_env: [OPENAI_API_KEY]       # what the agent may see of your environment; redacted everywhere
  http:
    path: /chat
    request: {{message: "{{text}}", session: "{{session}}"}}
    response:                          # JSONPath (RFC 9535); what is not mapped cannot be expected
      text: $.reply
      calls: $.tool_calls[*]
      call: {{id: $.id, name: $.name, args: $.arguments}}
      # state: $.state
dataset: golden/*.yaml
"""


def _cases(found: _Adk | None) -> str:
    tool = found.tools[0] if found and found.tools else "NAME_OF_A_TOOL"
    return f"""\
cases:
  - id: greeting
    category: smalltalk
    turns:
      - user: "Hi, what can you help me with?"
        expect: {{calls: none}}          # nothing is expected, and that is checked
  - id: uses_its_tool
    category: routing
    turns:
      - user: "A question that needs {tool}"
        expect: {{calls: [{tool}]}}      # arguments: {{name: {tool}, args: {{key: value}}}}
"""
