"""Progress: one line that is drawn again on a terminal, one line a case in a log."""

import os
import pty
import subprocess
from pathlib import Path

from tests.support.commands import command, edit, environment, gate


def test_on_a_terminal_one_line_is_drawn_again_and_counts_to_the_end(project: Path) -> None:
    ours, theirs = pty.openpty()
    env = environment()
    env.pop("CI", None)
    with subprocess.Popen(
        command("run"), cwd=project, env=env, stdout=subprocess.DEVNULL, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = read_all(ours)
    assert process.returncode == 0
    drawn = [line for line in shown.replace("\n", "").split("\r") if " of 10 cases" in line]
    assert len(drawn) == 10
    assert "10 of 10 cases, 10 of 10 trials, 0 failed" in drawn[-1]
    assert "pass  1 of 1" not in shown


def read_all(descriptor: int) -> str:
    """What was written to a terminal until its other end closed (Linux says so with EIO)."""
    chunks = []
    try:
        while chunk := os.read(descriptor, 4096):
            chunks.append(chunk)
    except OSError:
        pass
    finally:
        os.close(descriptor)
    return b"".join(chunks).decode()


def test_a_case_that_fails_names_a_metric_that_has_a_say(project: Path) -> None:
    edit(project / "agent-gate.yml", "metrics:", "metrics:\n  wording: {type: rouge_1}")
    edit(
        project / "golden/weather.yaml",
        "      contains: [14 °C",
        "      reference: Cloudy.\n      contains: [15 °C",
    )
    lines = gate("run", "--case", "weather_london", cwd=project).err.splitlines()
    assert "FAIL  0 of 1" in lines[-1]
    assert 'expected the answer to contain "15 °C"' in lines[-1]
