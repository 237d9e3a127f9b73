"""The answer key is out of the reach of an agent that runs as somebody else."""

import os
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from gate.boot.booting import Scene
from gate.boot.hidden import closed
from gate.redact import Redactor
from gate.work.identity import NOBODY
from tests.support.commands import commit, git

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: only then the agent is somebody else")
PATTERNS = ("golden/*.yaml", "golden/baseline.jsonl")
KEY = ("golden/a.yaml", "golden/baseline.jsonl", ".git/HEAD", "out/run.json")


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    top = Path(tempfile.gettempdir())
    for folder in (tmp_path, *(parent for parent in tmp_path.parents if top in parent.parents)):
        folder.chmod(0o755)
    for name in ("agent.py", *KEY[:2], "out/run.json", "out/agent.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}", encoding="utf-8")
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, "all of it")
    return Scene(root=tmp_path, log=tmp_path / "out" / "agent.log", redact=Redactor())


def readable(root: Path, name: str) -> bool:
    done = subprocess.run(
        ["/bin/cat", str(root / name)],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def modes(root: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_mode for path in (root, *root.rglob("*"))}


@as_root
@pytest.mark.parametrize("name", KEY)
def test_what_is_hidden_cannot_be_read_and_opens_again(scene: Scene, name: str) -> None:
    before = modes(scene.root)
    assert readable(scene.root, name)
    with closed(PATTERNS, scene, NOBODY):
        assert not readable(scene.root, name)
        assert readable(scene.root, "agent.py")
    assert modes(scene.root) == before


@as_root
def test_git_sees_no_difference_while_it_is_closed(scene: Scene) -> None:
    with closed(PATTERNS, scene, NOBODY):
        told = subprocess.run(
            ["git", "-C", str(scene.root), "status", "--porcelain"],
            capture_output=True,
            text=True,
            check=True,
        )
    assert told.stdout == ""


@as_root
def test_what_the_group_of_the_agent_could_read_is_closed_as_well(scene: Scene) -> None:
    golden = scene.root / "golden" / "a.yaml"
    os.chown(golden, 0, NOBODY)
    golden.chmod(0o640)
    with closed(PATTERNS, scene, NOBODY):
        assert not readable(scene.root, "golden/a.yaml")
    assert stat.S_IMODE(golden.stat().st_mode) == 0o640


def test_what_is_removed_meanwhile_is_no_error(scene: Scene) -> None:
    with closed(PATTERNS, scene, NOBODY):
        (scene.root / "golden" / "a.yaml").unlink()
    assert not (scene.root / "golden" / "a.yaml").exists()
