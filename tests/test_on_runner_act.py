"""Workflows with `uses: ./on-runner`, run by nektos/act on this machine's own toolchain."""

import re
from pathlib import Path

import pytest

from tests.support import act
from tests.support.act import ON_THIS_MACHINE, Repository
from tests.support.commands import edit
from tests.support.runner import docker, gateway, image

pytestmark = [pytest.mark.requires("act", "docker", "node"), pytest.mark.timeout(600)]

LATER = """\
      - run: test "$VERDICT" = "$EXPECTED" && test -f "$RUN"
        if: ${{ always() }}
        env:
          VERDICT: ${{ steps.gate.outputs.verdict }}
          RUN: ${{ steps.gate.outputs.run }}
          EXPECTED: EXPECTED_VERDICT
"""


@pytest.mark.parametrize("has_image", [False, True], ids=["on Python", "in the image"])
def test_a_pull_request_gets_one_comment_and_turns_red_when_the_agent_breaks(
    tmp_path: Path, *, has_image: bool
) -> None:
    given = f", image: {image()}" if has_image else ""
    used = act.the_example("uses: ./on-runner", f"with: {{working-directory: agent{given}}}")
    workflow = used + LATER.replace("EXPECTED_VERDICT", "pass")
    with act.repository(tmp_path, lambda _: workflow, host=gateway()) as repository:
        gates_and_turns_red(repository, used)
    assert not docker("ps", "--all", "--quiet", "--filter", f"ancestor={image()}")


def gates_and_turns_red(repository: Repository, used: str) -> None:
    job = repository.act(ON_THIS_MACHINE)
    assert job.code == 0, job.log
    (comment,) = job.comments
    assert "Agent Gate: pass" in comment["body"]

    edit(repository.folder / "agent" / "agent-gate.yml", 'WEATHER_BREAK: ""', "WEATHER_BREAK: skips-tool")
    repository.replace_workflow(used + LATER.replace("EXPECTED_VERDICT", "regression"))
    job = repository.act(ON_THIS_MACHINE)
    assert job.code == 1, job.log
    (updated,) = job.comments
    assert updated["id"] == comment["id"]
    assert "1 of 10 cases broke" in updated["body"]
    assert job.log.count("Success - Main test ") == 1
    (folder,) = set(re.findall(r"folder=(\S+)", job.log))
    assert not Path(folder).exists()
