# ruff: noqa: ASYNC220
"""Agents in real containers: what they see, what they may do, how they end, and that nothing is left."""

import asyncio
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from gate.boot.container import left_overs_removed
from gate.boot.log import AgentLog
from gate.errors import AgentDown
from gate.model.config import Build, Image, Ready
from gate.redact import Redactor
from tests.boot.agents import fetch
from tests.boot.container.conftest import BASE, docker, dockerfile, left_of
from tests.boot.container.served import attempt
from tests.support.commands import ROOT, a_project, command, environment, gate

pytestmark = pytest.mark.requires("docker")


async def get(url: str) -> Any:
    return await asyncio.to_thread(fetch, url)


async def until(wanted: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not wanted():  # noqa: ASYNC110 - it is the engine that changes
            await asyncio.sleep(0.05)


def far() -> str:
    """An address outside of this machine, where there is one: its resolver."""
    names = re.findall(
        r"^nameserver\s+(\d\S+)", Path("/etc/resolv.conf").read_text(encoding="utf-8"), re.MULTILINE
    )
    return next((name for name in names if not name.startswith("127.")), "192.0.2.1")


async def test_an_agent_sees_and_may_do_only_what_it_is_given(
    booted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "canary-token")
    monkeypatch.setenv("API_KEY", "passed-on-purpose")
    env = {"URL": "http://x:{port}", "PLACE": "{tmp}/db", "FAR": far()}
    fields = {"env": env, "pass_env": ("API_KEY", "NOT_SET"), "tmpfs": {"/data": 1 << 20}}
    async with booted("serve", **fields) as agent:
        facts = await get(f"{agent.url}/facts")
        assert (agent.can_restart, agent.death()) == (True, None)
    assert set(facts["env"]) - {"HOSTNAME", "PATH", "LC_CTYPE", "LANG", "PYTHON_VERSION"} == {
        *("HOME", "TMPDIR", "URL", "PLACE", "FAR", "API_KEY"),
        *(name for name in facts["env"] if name.startswith(("PYTHON", "GPG"))),
    }
    assert facts["env"]["API_KEY"] == "passed-on-purpose"
    assert (facts["env"]["URL"], facts["env"]["PLACE"]) == ("http://x:8080", "/tmp/db")
    assert "canary" not in facts["environments"]
    assert (facts["uid"], facts["capabilities"], facts["no_new_privileges"]) == (65534, 0, "1")
    assert facts["reaches"] != "ok"
    assert (facts["resolves"], facts["there"]) == ("gaierror", [])
    read_only = "Read-only file system"
    assert {place: said for place, said in facts["writes"].items() if said != "ok"} == {
        "/": read_only,
        "/etc": read_only,
        "/workspace": read_only,
    }
    assert facts["cwd"] == "/workspace"
    assert facts["files"] == [".gitignore", "served.py", "src/lib.py"]


async def test_each_loosening_is_a_key(booted: Any) -> None:
    loose = {"user": "root", "read_only": False, "capabilities": ("NET_BIND_SERVICE",), "egress": "open"}
    async with booted("serve", **loose, env={"FAR": far()}) as agent:
        facts = await get(f"{agent.url}/facts")
    assert (facts["uid"], facts["capabilities"]) == (0, 1 << 10)
    assert facts["reaches"] == attempt(lambda: socket.create_connection((far(), 53), 1).close())
    assert set(facts["writes"].values()) <= {"ok", "No such file or directory"}
    assert agent.url.startswith("http://127.0.0.1:")


async def test_a_published_port_counts_as_open_only_when_the_agent_listens(booted: Any) -> None:
    async with booted("slow", egress="open", ready=Ready(within_s=30)) as agent:
        assert await get(f"{agent.url}/health") == "ok"


async def test_setup_runs_once_as_root_and_a_restart_is_fresh(booted: Any) -> None:
    setup = ("id -u > who", "cd src", "echo made > lib.txt")
    command = ("python3", "../served.py", "serve", "{port}")
    async with booted(source=Image(name=BASE), setup=setup, command=command, cwd="src", port=9000) as agent:
        first = await get(f"{agent.url}/facts")
        await agent.restart()
        facts = await get(f"{agent.url}/facts")
    assert {"who", "src/lib.txt"} <= set(first["files"]) & set(facts["files"])
    assert (facts["cwd"], facts["argv"], facts["uid"]) == ("/workspace/src", ["serve", "9000"], 65534)
    assert facts["writes"]["/tmp"] == "ok"


async def test_a_build_gets_its_context_without_the_answer_key(
    booted: Any, project: Path, boot_id: str
) -> None:
    (project / ".dockerignore").write_text("src\n", encoding="utf-8")
    one = f"FROM {BASE} AS one\nLABEL t={boot_id}\nARG WORD=none\nENV WORD=$WORD\nCOPY . /app\n"
    (project / "Agentfile").write_text(f"{one}FROM one AS two\nENV WORD=two\n", encoding="utf-8")
    build = Build(context=".", dockerfile="Agentfile", target="one", args={"WORD": "given"})
    async with booted("serve", source=build) as agent:
        facts = await get(f"{agent.url}/facts")
    assert {".env", "node_modules/x.js", "served.py"} <= set(facts["built"])
    assert not [name for name in facts["built"] if re.search(r"\.git/|golden/|^out/|src", name)]
    assert facts["env"]["WORD"] == "given"
    assert not left_of(f"t={boot_id}")


async def test_the_images_own_command_and_healthcheck_are_enough(booted: Any) -> None:
    async with booted(ready=Ready(healthcheck=True, within_s=30)) as agent:
        facts = await get(f"{agent.url}/facts")
    assert (facts["cwd"], facts["files"], facts["writes"]["/volume"]) == ("/app", [], "ok")


@pytest.mark.parametrize(
    ("mode", "fields", "message", "hint"),
    [
        ("exits", {}, "exited with 3 after", ""),
        ("writes", {}, "exited with 1 after", "`read_only: false`"),
        (
            "shy",
            {"ready": Ready(path="/", within_s=2)},
            "did not answer GET / within 2 s",
            "bind it to 0.0.0.0",
        ),
        (
            "serve",
            {"ready": Ready(path="/", within_s=2), "command": ("python3", "served.py", "serve", "9999")},
            "did not answer",
            "write `port: 9999`",
        ),
        ("", {"command": ("nope",)}, "`nope` exited with 127 .*No such file", "inside the image"),
        ("", {"source": Image(name="127.0.0.1:1/nope")}, "is not at the engine", "load: true"),
        ("", {"source": Image(name=BASE), "ready": Ready(healthcheck=True)}, "has no HEALTHCHECK", "ready:"),
        ("", {"source": Build(context="none")}, "there is no .*/none", "boot.build"),
        ("serve", {"setup": ("echo first", "cat nope")}, "setup exited with 1: .*nope", ""),
    ],
)
async def test_what_does_not_come_up_is_told_with_its_cause(
    booted: Any, mode: str, fields: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(AgentDown, match=message) as down:
        async with booted(mode, redact=Redactor(["canary-secret"]), **fields):
            pytest.fail("it never came up")
    assert hint in down.value.hint
    assert "canary" not in down.value.log_tail


@pytest.mark.parametrize(
    ("context", "dockerfile_"),
    [("link", "Dockerfile"), ("..", "Dockerfile"), (".", "link/Dockerfile"), (".", "/x")],
)
async def test_nothing_outside_of_the_checkout_gets_into_a_build(
    booted: Any, project: Path, context: str, dockerfile_: str
) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    for folder in (outside, project.parent):
        (folder / "Dockerfile").write_text(f"FROM {BASE}\nCOPY . /all\n", encoding="utf-8")
    (project / "link").symlink_to(outside)
    named = str(outside / "Dockerfile") if dockerfile_ == "/x" else dockerfile_
    with pytest.raises(AgentDown, match="is outside of the checkout"):
        async with booted(source=Build(context=context, dockerfile=named)):
            pytest.fail("it was built")


async def test_an_agent_that_fails_shows_its_own_last_lines_without_those_of_the_build(
    booted: Any, project: Path
) -> None:
    text = f'FROM {BASE}\nRUN echo built\nCMD ["sh", "-c", "echo own words; exit 4"]\n'
    with pytest.raises(AgentDown, match=r"the container of `.*Dockerfile` exited with 4") as down:
        async with booted(source=dockerfile(project, text), command=()):
            pytest.fail("it never came up")
    assert down.value.log_tail == "own words"


async def test_a_build_that_fails_shows_its_log(booted: Any, project: Path) -> None:
    with pytest.raises(AgentDown, match=r"failed: .*returned a non-zero code: 4") as down:
        async with booted(source=dockerfile(project, f"FROM {BASE}\nRUN echo told; exit 4\n")):
            pytest.fail("it was never built")
    assert "told" in down.value.log_tail


async def test_a_build_that_needs_buildkit_says_how(booted: Any, project: Path) -> None:
    with pytest.raises(AgentDown) as down:
        async with booted(
            source=dockerfile(project, f"FROM {BASE}\nRUN --mount=type=cache,target=/x true\n")
        ):
            pytest.fail("it was never built")
    assert "load: true" in down.value.hint


async def test_greed_ends_at_its_limits_and_death_is_seen_at_once(booted: Any, project: Path) -> None:
    limits = {"memory_bytes": 64 << 20, "pids": 20, "tmpfs": {"/tmp": 8 << 20}}
    async with booted("serve", **limits) as agent:
        assert await get(f"{agent.url}/fill") == "No space left on device"
        forked = await get(f"{agent.url}/fork")
        assert forked["started"] < 20
        assert forked["why"] == "Resource temporarily unavailable"
        await get(f"{agent.url}/flood")
        with suppress(OSError):  # the connection ends with it
            await get(f"{agent.url}/eat")
        await until(agent.death)
        assert "took more than its 64 MiB of memory" in agent.death().reason
        assert agent.death().log_tail.endswith("the flood is over")
        await agent.restart()
        assert agent.death() is None
        with suppress(OSError):
            await get(f"{agent.url}/exit")
        await until(agent.death)
        assert "exited with 7" in agent.death().reason
    log = project / "out" / "agent.log"
    assert log.stat().st_size < 9 << 20
    assert "the log is full" in log.read_text(encoding="utf-8")[-200:]


async def test_an_agent_that_ignores_term_is_killed(booted: Any) -> None:
    async with booted("deaf", ready=Ready(within_s=30)) as agent:
        assert await get(f"{agent.url}/health") == "ok"


SLOW_BUILD = f"FROM {BASE}\nLABEL t=%s\nRUN true\nRUN sleep 600\n"


@pytest.mark.parametrize(
    ("stage", "sign"),
    [("build", "RUN sleep 600"), ("setup", "+ sleep 600"), ("ready", "idling"), ("up", "")],
)
async def test_a_cancellation_at_any_stage_leaves_nothing(
    booted: Any, project: Path, boot_id: str, monkeypatch: pytest.MonkeyPatch, stage: str, sign: str
) -> None:
    every: dict[str, dict[str, Any]] = {
        "build": {"source": dockerfile(project, SLOW_BUILD % boot_id)},
        "setup": {"setup": ("sleep 600",)},
        "ready": {"command": ("sh", "-c", "echo idling; sleep 600")},
        "up": {},
    }
    fields = every[stage]
    is_up = asyncio.Event()

    async def run() -> None:
        async with booted(**fields) as agent:
            is_up.set()
            assert agent.url
            await asyncio.Event().wait()

    before = set(docker("ps", "-aq", "--filter", f"ancestor={BASE}"))
    task = asyncio.create_task(run())
    log = project / "out" / "agent.log"
    heard: list[bytes] = []
    original = AgentLog.feed

    def feed(self: AgentLog, data: bytes) -> None:
        heard.append(data)
        original(self, data)

    monkeypatch.setattr(AgentLog, "feed", feed)
    await until(lambda: is_up.is_set() if not sign else sign.encode() in b"".join(heard))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log.exists()
    await until(lambda: set(docker("ps", "-aq", "--filter", f"ancestor={BASE}")) <= before)
    assert not left_of(f"t={boot_id}")


async def test_a_bug_in_the_gate_leaves_nothing(booted: Any, boot_id: str) -> None:
    async def broken() -> None:
        async with booted("serve", setup=("true",)):
            assert left_of(f"agent-gate.boot={boot_id}")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await broken()
    assert not left_of(f"agent-gate.boot={boot_id}")


async def test_what_a_killed_gate_left_is_swept_and_a_parallel_jobs_is_not(booted: Any, boot_id: str) -> None:
    def made(deadline: int) -> tuple[str, str]:
        labels = ("--label", f"agent-gate.boot={boot_id}x", "--label", f"agent-gate.deadline={deadline}")
        network = docker("network", "create", *labels, f"{boot_id}-{deadline}")[0]
        return network, docker("create", "--network", network, *labels, BASE, "true")[0]

    made(1)
    alive = made(int(time.time()) + 600)
    async with booted("serve"):
        left = left_of(f"agent-gate.boot={boot_id}x")
        assert left == {"containers": [alive[1][:12]], "networks": [alive[0][:12]]}
    await left_overs_removed(f"{boot_id}x")
    assert not left_of(f"agent-gate.boot={boot_id}x")


def test_the_example_passes_in_its_container(tmp_path: Path, boot_id: str) -> None:
    project = a_project(tmp_path)
    done = gate(
        "run", "--config", "agent-gate.container.yml", cwd=project, env={"AGENT_GATE_BOOT_ID": boot_id}
    )
    assert done.code == 0, done.err
    assert "agent-gate exited with 0: pass" in done.err + done.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
async def test_a_signal_leaves_nothing_and_after_sigkill_the_second_net_does(
    tmp_path: Path, boot_id: str, number: int
) -> None:
    project = a_project(tmp_path)
    arguments = command("run", "--config", "agent-gate.container.yml", "--env", "WEATHER_BREAK=hangs")
    env = environment(AGENT_GATE_BOOT_ID=boot_id)
    process = subprocess.Popen(
        arguments, cwd=project, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    label = f"label=agent-gate.boot={boot_id}"
    await until(lambda: docker("ps", "-q", "--filter", label))
    process.send_signal(number)
    process.communicate(timeout=60)
    if number == signal.SIGKILL:
        assert left_of(f"agent-gate.boot={boot_id}")
        await left_overs_removed(boot_id)


@pytest.mark.parametrize("network", ["bridge", "user", "host"])
def test_a_gate_in_a_container_reaches_the_agent(tmp_path: Path, boot_id: str, network: str) -> None:
    """The gate's interpreter and source are mounted into the base image, as the action's image has them."""
    project = a_project(tmp_path)
    places = {sys.prefix, sys.base_prefix, str(ROOT), sysconfig.get_path("purelib")}
    mounts = [word for place in sorted(places) for word in ("-v", f"{place}:{place}:ro")]
    if network == "user":
        docker("network", "create", "--label", f"agent-gate.boot={boot_id}u", f"{boot_id}-job")
    net = {"user": f"{boot_id}-job"}.get(network, network)
    try:
        done = subprocess.run(
            [
                *(
                    "docker",
                    "run",
                    "--rm",
                    "--network",
                    net,
                    "-v",
                    "/var/run/docker.sock:/var/run/docker.sock",
                ),
                *("-v", f"{project}:/github/workspace", "--workdir", "/github/workspace", *mounts),
                *(
                    "-e",
                    f"PYTHONPATH={ROOT}",
                    "-e",
                    f"AGENT_GATE_BOOT_ID={boot_id}",
                    "-e",
                    "GITHUB_TOKEN=canary",
                ),
                *("-e", "PYTHONDONTWRITEBYTECODE=1"),
                *(BASE, sys.executable, "-m", "gate", "run", "--config", "agent-gate.container.yml"),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
    finally:
        if network == "user":
            docker("network", "rm", f"{boot_id}-job")
    assert done.returncode == 0, done.stdout + done.stderr
