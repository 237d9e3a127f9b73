"""The first config and the first cases of a project, to be edited."""

import json
import re

from gate.check.cases import UNNAMED
from gate.commands.init.look import Adk, Graphs, Project

_HEAD = """\
# `agent-gate schema config > agent-gate.schema.json` gives editors completion:
# yaml-language-server: $schema=agent-gate.schema.json
version: 1
agent:
"""
_API_SERVER = '[adk, api_server, --host, HOST, --port, "{port}", --session_service_uri, "memory://", .]'

_PYTHON_DEV = "langgraph, dev"
_NODE_DEV = 'npx, "@langchain/langgraph-cli", dev'
_DEV = '[CLI, --no-browser, --no-reload, --n-jobs-per-worker, "4", --host, HOST, --port, "PORT"]'
_PLAIN = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)

_ANYWHERE = "0.0.0.0"  # noqa: S104  # inside of the agent's own container


def config(project: Project) -> str:
    """agent-gate.yml."""
    if project.graphs:
        agent = _langgraph(project, project.graphs)
    else:
        agent = _adk(project, project.adk) if project.adk else _http(project)
    return f"{_HEAD}{agent}dataset: golden/*.yaml\n{_when(project)}"


def _adk(project: Project, found: Adk) -> str:
    if project.boxed:
        boot = f"""\
    build: .                           # the Dockerfile here; its agent listens on 0.0.0.0
    # command: {_API_SERVER.replace("HOST", _ANYWHERE)}
    port: {project.port:<5}                        # where it listens in there
    egress: open                       # it calls a model; without this it has no way out
"""
    else:
        cwd = "" if found.folder == "." else f"    cwd: {found.folder}\n"
        boot = f"    command:\n      {_API_SERVER.replace('HOST', '127.0.0.1')}\n{cwd}"
    return f"""\
  protocol: adk
  app: {found.app}
  boot:
{boot}    ready: {{path: /health, within: 60s}}
    # pass_env: [GOOGLE_API_KEY]       # what the agent may see of your environment; redacted everywhere
"""


def _langgraph(project: Project, found: Graphs) -> str:
    server = _DEV.replace("CLI", _NODE_DEV if found.javascript else _PYTHON_DEV)
    if project.boxed:
        command = server.replace("HOST", _ANYWHERE).replace("PORT", str(project.port))
        boot = f"""\
    build: .                           # the Dockerfile here; its server listens on 0.0.0.0
    # command: {command}
    port: {project.port:<5}                        # where it listens in there
    egress: open                       # it calls a model; without this it has no way out
"""
    else:
        cwd = "" if found.folder == "." else f"    cwd: {_quoted(found.folder)}\n"
        command = server.replace("HOST", "127.0.0.1").replace("PORT", "{port}")
        boot = f"    command:\n      {command}\n{cwd}"
    others = f"  # langgraph.json has: {_listed(found.names)}" if found.names[1:] else ""
    return f"""\
  protocol: langgraph
  app: {_quoted(found.names[0])}{others}
  boot:
{boot}    ready: {{path: /ok, within: 60s}}
    env: {{LANGSMITH_TRACING: "false", LANGGRAPH_CLI_NO_ANALYTICS: "1"}}
    # pass_env: [OPENAI_API_KEY]       # what the agent may see of your environment; redacted everywhere
  # langgraph: {{input: {{question: "{{text}}"}}, output: answer}}   # for a state without `messages`
"""


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(_quoted, names))


def _quoted(text: str) -> str:
    """A scalar of YAML: JSON's strings are."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


def _http(project: Project) -> str:
    if project.boxed:
        boot = f"""\
    build: .                           # the Dockerfile here; its agent listens on 0.0.0.0
    port: {project.port:<5}                        # where it listens in there
    # egress: open                     # for an agent that calls a model; without this it has no way out
"""
    else:
        program = "node" if project.entry.endswith(".js") else "python3"
        boot = f"""\
    command: [{program}, {project.entry}, --port, "{{port}}"]
    # env: {{PORT: "{{port}}"}}          # for an agent that reads its port from a variable
    # url: http://127.0.0.1:8000       # instead of command, for an agent that runs already
"""
    return f"""\
  protocol: http
  boot:
{boot}    ready: {{path: /health, within: 60s}}   # without a path: as soon as the port accepts
    # pass_env: [OPENAI_API_KEY]       # what the agent may see of your environment; redacted everywhere
  http:
    path: /chat
    request: {{message: "{{text}}", session: "{{session}}"}}
    response:                          # JSONPath (RFC 9535); what is not mapped cannot be expected
      text: $.reply
      calls: $.tool_calls[*]
      call: {{id: $.id, name: $.name, args: $.arguments}}
      # state: $.state
"""


def _when(project: Project) -> str:
    """In a repository with more than the agent, what need not be gated."""
    if not project.folder:
        return ""
    return f"""\
# when: {{changed: [{json.dumps(f"{project.folder}/**")}]}}   # what changes none of these passes at once
"""


def cases(project: Project) -> str:
    """golden/first.yaml."""
    found = project.adk
    tool = found.tools[0] if found and found.tools else UNNAMED
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
