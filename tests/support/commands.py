"""Run the command line as a user does, and projects to run it in."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        return self.out.rstrip("\n").rpartition("\n")[2]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gate", *arguments]


def environment(**changes: str) -> dict[str, str]:
    bin_folder = str(Path(sys.executable).parent)
    path = os.pathsep.join((bin_folder, os.environ.get("PATH", "")))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "COVERAGE"))}
    return {**kept, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **changes}


def gate(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
    """Run `agent-gate` to its end."""
    done = subprocess.run(
        command(*arguments),
        cwd=cwd,
        env=environment(**(env or {})),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return Done(code=done.returncode, out=done.stdout, err=done.stderr)


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(root), *IDENTITY, *arguments], check=True, capture_output=True)


def git_output(root: Path, *arguments: str) -> str:
    command = ["git", "-c", "safe.directory=*", "-C", str(root), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def a_project(folder: Path, example: str = "weather") -> Path:
    """A copy of an example, without a baseline, committed to a repository of its own."""
    shutil.copytree(
        ROOT / "examples" / example,
        folder,
        ignore=shutil.ignore_patterns("baseline.jsonl", "__pycache__", ".adk"),
        dirs_exist_ok=True,
    )
    (folder / ".gitignore").write_text("out*/\n__pycache__/\n.adk/\n", encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "the agent and its golden cases")
    return folder


def commit(folder: Path, message: str) -> None:
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", message)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
