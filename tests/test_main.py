"""The programs that are started: an interruption is told in a line, however early it comes."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands import ROOT, environment

# What is interrupted while it imports `module`, as by a Ctrl+C in the first tenth of a second.
INTERRUPTED = """
import importlib.abc, os, runpy, signal, sys

class Interrupts(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
sys.argv = ["agent-gate", "--version"]
{start}
"""
MODULE = 'runpy.run_module("gate", run_name="__main__")'
SCRIPT = "from gate.__main__ import main; sys.exit(main())"


def program(name: str) -> str:
    return f"runpy.run_path({str(ROOT / name)!r}, run_name='__main__')"


@pytest.mark.parametrize(
    ("start", "module"),
    [
        *(
            (start, module)
            for start in (MODULE, SCRIPT)
            for module in ("gate.cli", "argparse", "gate.errors")
        ),
        (program("entrypoint.py"), "gate.action"),
        (program("entrypoint.py"), "gate.github.step"),
        (program("post.py"), "gate.action"),
    ],
)
def test_an_interruption_while_it_starts_is_one_line_and_130(start: str, module: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(start=start, module=module)],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 128 + signal.SIGINT
    assert (done.stdout + done.stderr).strip() == "agent-gate: interrupted"


def test_the_command_is_the_module() -> None:
    command = Path(sys.executable).with_name("agent-gate").read_text(encoding="utf-8")
    assert "from gate.__main__ import main" in command
