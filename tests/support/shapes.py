"""Projects of several shapes, as `agent-gate init` finds them."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tests.support.commands import git

ADK = "root_agent = Agent(tools=[look_up, save, forget])\n"
GRAPHS = '{"dependencies": ["."], "graphs": {"agent": "./agent.py:graph"}}'
DOCKERFILE = 'FROM python:3.13-slim\nEXPOSE 8000\nCMD ["python", "server.py"]\n'

SHAPES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "empty": {"agent.py": ""},
        "adk": {"card/agent.py": ADK, "requirements.txt": ""},
        "langgraph": {"langgraph.json": GRAPHS, "agent/agent.py": ADK, "requirements.txt": "langgraph\n"},
        "langgraph in a Dockerfile": {"langgraph.json": GRAPHS, "Dockerfile": DOCKERFILE},
        "langgraph below": {
            "api/langgraph.json": '{"graphs": {"über # all: 1": "./a.py:g", "b": "./b.py:g"}}'
        },
        "adk in a Dockerfile": {"card/agent.py": ADK, "Dockerfile": DOCKERFILE},
        "python": {"src.txt": "", "server.py": "", "pyproject.toml": ""},
        "node": {"server.js": "", "package-lock.json": ""},
        "Dockerfile": {"Dockerfile": "FROM scratch\n"},
        "below the top": {"agents/one/Dockerfile": DOCKERFILE, "agents/one/card/agent.py": ADK},
        "below an odd name": {"agents/it's: a [bot] #1/requirements.txt": ""},
    }
)
FOLDERS = MappingProxyType({"below the top": "agents/one", "below an odd name": "agents/it's: a [bot] #1"})


def a_shape(top: Path, name: str) -> Path:
    """Write a project into a repository at `top`; returns the folder of its agent."""
    git(top, "init", "-q", "-b", "main")
    for path, text in SHAPES[name].items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text, encoding="utf-8")
    return top / FOLDERS.get(name, "")
