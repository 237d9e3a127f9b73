"""scripts/release.py against a registry on loopback: what is tagged is what everyone can pull."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate import __version__
from scripts import release
from scripts.release import Refused
from tests.support import act
from tests.support.act import Job, Repository
from tests.support.commands import ROOT, edit, git
from tests.support.registry import registry
from tests.support.runner import docker, image

pytestmark = pytest.mark.timeout(300)

ANY_IMAGE = f"ghcr.io/acme/agent-gate@sha256:{'0' * 64}"
STEP = ("uses: ./", "with: {working-directory: agent}")


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with registry(tmp_path_factory.mktemp("registry")) as running:
        yield running


@pytest.fixture(scope="module")
def pushed(host: str) -> Iterator[str]:
    """Our image in the registry, by digest; the engine has it under no other name of there."""
    yield from push(image(), f"{host}/acme/agent-gate:{__version__}")


def push(local: str, name: str) -> Iterator[str]:
    docker("tag", local, name)
    told = docker("push", name)
    docker("rmi", name)
    digest = told.partition("digest: ")[2].split()[0]
    pinned = f"{name.rpartition(':')[0]}@{digest}"
    yield pinned
    subprocess.run(["docker", "rmi", pinned], capture_output=True, check=False)


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Repository]:
    """The commit of a release: its changelog tells about the version."""
    with act.repository(tmp_path, arranged) as made:
        yield made


def arranged(folder: Path) -> str:
    edit(folder / "CHANGELOG.md", "## Unreleased", f"## {__version__}")
    return act.the_example(*STEP)


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", ROOT / "scripts" / "release.py", *arguments],
        cwd=root,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )


def told_by_git(root: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=root, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.mark.requires("docker", "act", "node")
def test_the_tag_of_a_release_runs_the_image_that_was_pushed(source: Repository, pushed: str) -> None:
    root = source.folder
    before = told_by_git(root, "rev-parse", "HEAD")
    done = run(root, "pin", __version__, pushed)
    assert done.returncode == 0, done.stderr
    tag = done.stdout.strip()
    assert tag == f"v{__version__}"
    assert told_by_git(root, "rev-parse", f"{tag}~1") == before
    assert told_by_git(root, "diff", "--name-only", before, tag) == "action.yml"
    assert f"\n  image: docker://{pushed}\n" in told_by_git(root, "show", f"{tag}:action.yml")
    job: Job = source.act()
    assert job.code == 0, job.log
    assert "docker build" not in job.log
    assert "docker run image=" + pushed in job.log
    (comment,) = job.comments
    assert "Agent Gate: pass" in comment["body"]


@pytest.mark.requires("docker")
def test_the_base_is_named_with_the_digest_of_its_registry(host: str) -> None:
    name = f"{host}/library/python:3.13-slim"
    for pinned in push("python:3.13-slim", name):
        done = run(ROOT, "base", name)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == f"{name}@{pinned.partition('@')[2]}"
        docker("pull", "--quiet", done.stdout.strip())
        docker("rmi", name)


@pytest.mark.requires("docker")
def test_an_image_that_nobody_can_pull_is_not_released(source: Repository, host: str) -> None:
    done = run(source.folder, "pin", __version__, f"{host}/acme/private@sha256:{'0' * 64}")
    assert done.returncode == 1
    assert "is the package public?" in done.stderr
    assert nothing_changed(source.folder)


@pytest.mark.requires("docker")
def test_an_image_of_another_version_is_not_released(source: Repository, pushed: str) -> None:
    edit(source.folder / "gate" / "__init__.py", __version__, "9.9.9")
    edit(source.folder / "CHANGELOG.md", f"## {__version__}", "## 9.9.9")
    git(source.folder, "commit", "--quiet", "--all", "--message", "9.9.9")
    done = run(source.folder, "pin", "9.9.9", pushed)
    assert done.returncode == 1
    assert f"says that it is `agent-gate {__version__}`, not 9.9.9" in done.stderr
    assert nothing_changed(source.folder)


def nothing_changed(root: Path) -> bool:
    return not told_by_git(root, "status", "--porcelain") and not told_by_git(root, "tag")


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("v1.2.3", "is no version"),
        ("1.2.3\n", "is no version"),
        ("9.9.9", f"gate/__init__.py says {__version__}"),
    ],
)
def test_a_tag_that_is_not_the_packages_version_is_refused(version: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        release.check(ROOT, version)


def test_a_version_that_the_changelog_does_not_tell_about_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "__init__.py").write_text('__version__ = "1.2.3"\n', encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text("## 1.2.30\n", encoding="utf-8")
    with pytest.raises(Refused, match=r"no heading `## 1\.2\.3`"):
        release.check(tmp_path, "1.2.3")


@pytest.mark.parametrize(
    "name",
    [
        "ghcr.io/acme/agent-gate:1.2.3",
        "ghcr.io/acme/agent-gate@sha256:123",
        f"--flag@sha256:{'0' * 64}",
        f"{ANY_IMAGE}\n  args: [x]",
    ],
    ids=["a tag", "half a digest", "an option", "another line"],
)
def test_only_a_name_with_a_whole_digest_is_pinned(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refused, match="is not written name@sha256"):
        release.pin(tmp_path, __version__, name)


def test_a_commit_that_was_pinned_before_is_not_pinned_again(
    source: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release, "_check_image", lambda *_: None)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    release.pin(source.folder, __version__, ANY_IMAGE)
    with pytest.raises(Refused, match="is this the source of a release"):
        release.pin(source.folder, __version__, ANY_IMAGE)


def test_changes_that_are_in_no_commit_are_not_released(
    source: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release, "_check_image", lambda *_: None)
    edit(source.folder / "post.py", "import sys", "import sys  # changed")
    with pytest.raises(Refused, match="in no commit"):
        release.pin(source.folder, __version__, ANY_IMAGE)
    assert "docker://" not in (source.folder / "action.yml").read_text(encoding="utf-8")


def test_the_released_action_differs_in_its_image_only() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    assert text.count(release.BUILT_ON_USE) == 1
    assert "post-entrypoint:" in text.partition(release.BUILT_ON_USE)[2]
