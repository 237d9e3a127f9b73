"""What tells how a project's agent is started: an ADK app, graphs, a script, a Dockerfile, a toolchain."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from gate.frozen import frozen
from gate.git import top_of
from gate.git.branches import default_branch

_DEPTH = 3
_ENTRIES = ("agent.py", "server.py", "main.py", "app.py", "server.js", "index.js")
_SKIPPED = {"node_modules", "venv", "site-packages", "__pycache__", "build", "dist", "tests"}
_EXPOSED = re.compile(r"^\s*EXPOSE\s+(\d{1,5})\b", re.IGNORECASE | re.MULTILINE)
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?:")
_DEFAULT_PORT = 8080


@frozen
class Adk:
    """An ADK app: the folder that `adk api_server` is started in, the app's name, and its tools' names."""

    folder: str
    app: str
    tools: tuple[str, ...]


@frozen
class Graphs:
    """A LangGraph project: the folder of its langgraph.json, its graphs, and whether it is JavaScript."""

    folder: str
    names: tuple[str, ...]
    javascript: bool


@frozen
class Project:
    """A folder with an agent. `folder` names it from the repository's `top`, "" for the top itself.

    `port` is where the agent of its Dockerfile listens, 0 without one; `install` are the commands that make
    its toolchain.
    """

    root: Path
    top: Path
    folder: str
    branch: str
    adk: Adk | None
    graphs: Graphs | None
    entry: str
    port: int
    install: tuple[str, ...]

    @property
    def boxed(self) -> bool:
        """Whether the agent runs in a container of its own."""
        return bool(self.port)


def look(root: Path) -> Project:
    """Look at a folder and at the repository that it is in."""
    real = root.resolve()
    top = top_of(root) or real
    folder = real.relative_to(top).as_posix() if real.is_relative_to(top) else "."
    graphs = next(_graph_projects(root), None)
    return Project(
        root=root,
        top=top,
        folder="" if folder == "." else folder,
        branch=default_branch(root),
        adk=None if graphs else next(_adk_apps(root), None),
        graphs=graphs,
        entry=next((name for name in _ENTRIES if (root / name).is_file()), _ENTRIES[0]),
        port=_port(root / "Dockerfile"),
        install=(*_install(root), *(_server_of_graphs(root, graphs) if graphs else ())),
    )


def _port(dockerfile: Path) -> int:
    """The first port that a Dockerfile exposes, or the usual one; 0 where there is no Dockerfile."""
    try:
        text = dockerfile.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    found = _EXPOSED.search(text)
    return int(found[1]) if found and 0 < int(found[1]) < 1 << 16 else _DEFAULT_PORT


def _install(root: Path) -> Iterator[str]:
    if (root / "requirements.txt").is_file():
        yield "pip install -r requirements.txt"
    elif (root / "pyproject.toml").is_file():
        yield "pip install ."
    if (root / "package-lock.json").is_file():
        yield "npm ci"


def _found(root: Path, name: str) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Files of a name with the folders that they are in, the topmost first."""
    for path in sorted(root.rglob(name), key=lambda path: (len(path.parts), path)):
        parts = path.relative_to(root).parts[:-1]
        if len(parts) <= _DEPTH and not any(part in _SKIPPED or part[0] == "." for part in parts):
            yield path, parts


def _graph_projects(root: Path) -> Iterator[Graphs]:
    for path, parts in _found(root, "langgraph.json"):
        try:
            graphs = json.loads(path.read_text(encoding="utf-8"))["graphs"]
            names = tuple(name for name in graphs if name)
            scripts = [_SCRIPT.search(json.dumps(graphs[name])) is not None for name in names]
        except (OSError, ValueError, RecursionError, LookupError, TypeError):
            continue
        if names:
            yield Graphs(folder="/".join(parts) or ".", names=names, javascript=all(scripts))


def _server_of_graphs(root: Path, graphs: Graphs) -> Iterator[str]:
    """What installs LangGraph's server, unless the project's own requirements name it, or npx brings it."""
    if graphs.javascript:
        return
    for folder in {root, root / graphs.folder}:
        for name in ("requirements.txt", "pyproject.toml"):
            try:
                if "langgraph-cli" in (folder / name).read_text(encoding="utf-8", errors="replace"):
                    return
            except OSError:
                continue
    yield 'pip install "langgraph-cli[inmem]"'


def _adk_apps(root: Path) -> Iterator[Adk]:
    for path, parts in _found(root, "agent.py"):
        tools = _root_agent_tools(path) if parts else None
        if tools is not None:
            yield Adk(folder="/".join(parts[:-1]) or ".", app=parts[-1], tools=tools)


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
