"""`agent-gate init`: look at the project, then write a first config, first cases and two workflows."""

import argparse
import os
import shlex
from pathlib import Path

from gate.commands.init import suite, workflows
from gate.commands.init.look import Project, look
from gate.documents import write_text
from gate.errors import PASS, UsageError
from gate.publish.columns import aligned
from gate.publish.escape import line
from gate.publish.words import count


def main(options: argparse.Namespace) -> int:
    """Write the files, or nothing at all where one of them is there already."""
    root = Path(options.folder)
    if not root.is_dir():
        raise UsageError(f"{root} is no folder")
    project = look(root)
    files = _files(project)
    there = [_shown(project, path) for path, _, _ in files if os.path.lexists(path)]
    if there and not options.force:
        verb = "exists" if len(there) == 1 else "exist"
        raise UsageError(
            f"{' and '.join(there)} {verb} already", hint="agent-gate init --force overwrites them."
        )
    print(_found(project))
    for path, text, _ in files:
        write_text(path, text)
    rows = [(_shown(project, path), purpose) for path, _, purpose in files]
    for number, row in enumerate(aligned(rows)):
        print(f"{'Wrote' if number == 0 else '':<7}{row}")
    print("\n".join(_next(project)))
    return PASS


def _files(project: Project) -> list[tuple[Path, str, str]]:
    """Each file, its text, and what it is for."""
    config = suite.config(project)
    gate, baseline = workflows.files(project).items()
    fresh = f"refreshes the baseline on {line(project.branch)}, by pull request"
    return [
        (project.root / "agent-gate.yml", config, count(len(config.splitlines()), "line")),
        (project.root / "golden" / "first.yaml", suite.cases(project), "2 cases to edit"),
        (project.top / gate[0], gate[1], "the check on pull requests"),
        (project.top / baseline[0], baseline[1], fresh),
    ]


def _shown(project: Project, path: Path) -> str:
    """The path as people see it from the project."""
    return line(Path(os.path.relpath(path, project.root)).as_posix())


def _found(project: Project) -> str:
    box = " and a Dockerfile" if project.boxed else ""
    if project.graphs:
        graphs = count(len(project.graphs.names), "graph")
        folder = "" if project.graphs.folder == "." else f"{line(project.graphs.folder)}/"
        return f"Found LangGraph's {folder}langgraph.json ({graphs}){box}."
    if project.adk:
        tools = count(len(project.adk.tools), "tool")
        return f"Found an ADK agent in {line(project.adk.app)}/ (root_agent, {tools}){box}."
    edit = "request and response" if project.boxed else "command, request and response"
    but = ", but a Dockerfile" if project.boxed else ""
    return f"Found no agent framework that I know{but}: edit {edit} in agent-gate.yml."


def _next(project: Project) -> list[str]:
    lines = [
        "agent-gate check          what is wrong with them, before anything runs",
        "agent-gate run            boots the agent and runs the cases, into out/",
    ]
    if not project.root.samefile("."):
        lines.insert(0, f"cd {line(shlex.quote(str(project.root)))}")
    if (project.top / ".git").exists() and not _ignores_out(project.root):
        lines.append("echo out/ >> .gitignore   what a run leaves is not for the repository")
    named = [f"{'Next:' if number == 0 else '':<7}{text}" for number, text in enumerate(lines)]
    return [*named, "In both workflows, put the release that you use in the place of OWNER and the zeros."]


def _ignores_out(root: Path) -> bool:
    try:
        lines = (root / ".gitignore").read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return False
    return any(line.strip("/") == "out" for line in lines)
