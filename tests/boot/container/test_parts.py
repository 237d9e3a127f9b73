"""What of the container boot needs no engine."""

import io
import os
import socket
import tarfile
from pathlib import Path

import pytest

from gate.boot.booting import Scene
from gate.boot.container import place, problem
from gate.boot.container.confine import confined, user
from gate.boot.container.dockerfile import asks_for_buildkit, buildkit_needs
from gate.boot.container.files import context, workspace
from gate.boot.container.labels import labels
from gate.boot.container.late import explained
from gate.boot.container.words import hints
from gate.boot.hidden import hidden
from gate.model.config import Confinement, ContainerBoot, Image
from gate.redact import Redactor

BOOT = ContainerBoot(source=Image(name="a"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FROM a\nRUN pip install x\nCOPY --from=b --chown=1:1 a b\n", []),
        ("FROM a\n\nrun --mount=type=cache,target=/x \\\n  pip install x\n", [(3, "RUN --mount")]),
        ("FROM a\nRUN --network=none true\n", [(2, "RUN --mount")]),
        (
            "COPY --from=b --chmod=755 a b\nADD --link a b\n",
            [(1, "COPY --link or --chmod"), (2, "COPY --link or --chmod")],
        ),
        ("RUN a \\\n  # comment\n  <<EOF\nEOF\n", [(1, "a heredoc")]),
        ('COPY <<-"END" /x\nEND\n', [(1, "a heredoc")]),
        ("RUN test 1 << 2 && cat <<<x\n", []),
        ("FROM --platform=$BUILDPLATFORM a\n", [(1, "FROM --platform=$…PLATFORM")]),
        ("FROM --platform=linux/amd64 a\n", []),
        ("FROM a\nRUN echo \\", []),
    ],
)
def test_what_only_buildkit_builds_is_found_at_its_line(text: str, expected: list[tuple[int, str]]) -> None:
    assert list(buildkit_needs(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# syntax=docker/dockerfile:1\nFROM a", True),
        ("# escape=`\n#syntax = x\nFROM a", True),
        ("FROM a\n# syntax=x\n", False),
        ("# a comment\n# syntax=x\nFROM a", False),
        ("", False),
    ],
)
def test_a_syntax_line_counts_at_the_top_only(text: str, expected: bool) -> None:
    assert asks_for_buildkit(text) == expected


def row(address: str, state: str = "0A") -> str:
    return f"   0: {address} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000  0 0 1 1\n"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (row("0100007F:1F90"), "bind it to 0.0.0.0"),
        (row("00000000000000000000000001000000:1F90"), "bind it to 0.0.0.0"),
        (row("00000000:1F90"), ""),
        (row("0100007F:1F90") + row("00000000000000000000000000000000:1F90"), ""),
        (
            row("00000000:1F40") + row("0B00007F:9999"),
            "It listens on port 8000, not on 8080: write `port: 8000`",
        ),
        (row("0B00007F:9999"), ""),
        (row("00000000:1F40", "01"), ""),
        ("anything at all\n 0: x:y", ""),
        ("", ""),
    ],
)
def test_the_sockets_say_where_it_listens_instead(table: str, expected: str) -> None:
    said = explained(table, 8080)
    assert expected in said
    assert bool(expected) == bool(said)


@pytest.mark.parametrize(
    ("wanted", "of_image", "expected"),
    [
        ("", "", "65534:65534"),
        ("", "root", "65534:65534"),
        ("", "0:1000", "65534:65534"),
        ("", "node", "node"),
        ("", "1000:1000", "1000:1000"),
        ("root", "node", "root"),
    ],
)
def test_nobody_takes_the_place_of_root(wanted: str, of_image: str, expected: str) -> None:
    config = ContainerBoot(source=Image(name="a"), confinement=Confinement(user=wanted))
    assert user(config, of_image) == expected


def test_volumes_become_folders_in_memory_of_the_agents_own() -> None:
    folders = confined(BOOT, {"User": "7:8", "Volumes": {"/data": {}}})["Tmpfs"]
    assert set(folders) == {"/tmp", "/run", "/data"}
    assert all(options.endswith(",uid=7,gid=8") for options in folders.values())


def test_labels_say_whose_it_is() -> None:
    found = labels({"GITHUB_RUN_ID": "1", "GITHUB_RUN_ATTEMPT": "2", "GITHUB_JOB": "gate"})
    assert [found[f"agent-gate.{key}"] for key in ("run", "attempt", "job")] == ["1", "2", "gate"]
    assert found["agent-gate.deadline"].isdecimal()
    assert labels({})["agent-gate.boot"] != labels({})["agent-gate.boot"]
    assert labels({"AGENT_GATE_BOOT_ID": "x"})["agent-gate.boot"] == "x"


def test_a_closed_network_is_blamed_only_where_there_is_one() -> None:
    tail = "httpx.ConnectError: [Errno -3] Temporary failure in name resolution"
    assert "egress" in " ".join(hints(tail, internal=True))
    assert not hints(tail, internal=False)


@pytest.mark.parametrize(
    ("mountinfo", "cgroup", "name", "expected"),
    [
        (f"1 2 3:4 /lib/docker/containers/{'a' * 64}/hostname /etc/hostname rw", "", "vm", ["a" * 64]),
        (f"1 2 3:4 / /lib/docker/containers/{'a' * 64}/mounts/shm rw", "", "vm", []),
        ("", f"1:cpu:/docker/{'b' * 64}", "0123456789ab", ["b" * 64, "0123456789ab"]),
        ("", "0::/", "runner", []),
    ],
)
def test_a_container_knows_itself_by_what_the_engine_mounted(
    monkeypatch: pytest.MonkeyPatch, mountinfo: str, cgroup: str, name: str, expected: list[str]
) -> None:
    files = {"mountinfo": mountinfo, "cgroup": cgroup}
    monkeypatch.setattr(place, "_read", lambda path: files[path.name])
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    assert list(place._candidates()) == expected


def test_no_engine_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    what, fix = problem()
    assert what == f"{tmp_path}/none.sock: No such file or directory"
    assert "boot: {url}" in fix


def scene(root: Path) -> Scene:
    return Scene(root=root, log=root / "out" / "agent.log", redact=Redactor())


def made(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name, encoding="utf-8")


def names(tar: io.IOBase) -> set[str]:
    with tar, tarfile.open(fileobj=tar) as opened:
        return {member.name for member in opened if not member.isdir()}


def test_the_workspace_has_no_answer_key_and_nothing_but_files(tmp_path: Path) -> None:
    made(
        tmp_path,
        "a.py",
        "golden/a.yaml",
        "golden/notes.md",
        "b.jsonl",
        "out/run.json",
        ".git/config",
        "x/.git",
    )
    (tmp_path / "link").symlink_to("golden/a.yaml")
    (tmp_path / "outside").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe")
    os.link(tmp_path / "a.py", tmp_path / "b.py")
    unseen = hidden(("golden/*.yaml", "b.jsonl"), scene(tmp_path))
    found = names(workspace(tmp_path, unseen))  # type: ignore[arg-type]
    assert found == {f"workspace/{name}" for name in ("a.py", "b.py", "golden/notes.md", "outside")}


def test_a_context_follows_dockerignore_and_takes_a_dockerfile_from_elsewhere(tmp_path: Path) -> None:
    made(tmp_path, "app/a.py", "app/b.pyc", "app/golden/a.yaml", "Dockerfile")
    (tmp_path / "app" / ".dockerignore").write_text("# none\n*.pyc\n", encoding="utf-8")
    unseen = hidden(("app/golden/*.yaml",), scene(tmp_path))
    tar, name = context(tmp_path / "app", tmp_path / "Dockerfile", unseen)
    assert names(tar) == {"a.py", ".dockerignore", name}  # type: ignore[arg-type]
