# ruff: noqa: ASYNC220, ASYNC240
"""Agents that the gate starts: with real processes, in every way in which they misbehave."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.boot import boot
from gate.boot.command import how
from gate.errors import AgentDown
from gate.model.config import CommandBoot, Ready
from gate.redact import Redactor
from tests.boot.agents import SERVER, fetch, is_alive

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


def refuses(url: str) -> bool:
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) != 0


async def until_dead(agent: Any) -> Any:
    async with asyncio.timeout(20):
        await agent._child.exited()
    return agent.death()


async def test_an_agent_answers_inside_the_block_and_is_gone_after_it(booted: Any) -> None:
    async with booted("serve", headers={"x": "y"}) as agent:
        facts = fetch(f"{agent.url}/facts")
        assert (agent.headers, agent.can_restart, agent.death()) == ({"x": "y"}, True, None)
        assert not refuses(agent.url)
    assert refuses(agent.url)
    assert not is_alive(facts["pid"])
    assert agent.death() is None


async def test_a_header_has_the_variable_that_the_agent_gets_as_well(
    booted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AN_API_KEY", "k-1")
    async with booted("serve", headers={"x-key": "{AN_API_KEY}"}, pass_env=("AN_API_KEY",)) as agent:
        assert agent.headers == {"x-key": "k-1"}


async def test_it_leads_a_session_of_its_own(booted: Any) -> None:
    async with booted("serve") as agent:
        assert fetch(f"{agent.url}/facts")["leads"]


async def test_a_tcp_port_that_accepts_is_enough_without_a_path(booted: Any) -> None:
    async with booted("serve", ready=Ready(within_s=20)) as agent:
        assert fetch(f"{agent.url}/facts")["pid"]


async def test_a_redirect_is_an_answer(booted: Any) -> None:
    async with booted("serve", ready=Ready(path="moved", within_s=20)) as agent:
        assert agent.death() is None


async def test_only_what_is_allowed_reaches_its_environment(
    booted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "canary-token")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("API_KEY", "passed-on-purpose")
    env = {"DRY_RUN": "true", "PLACE": "{tmp}/db", "SELF": "http://127.0.0.1:{port}", "OTHER": "{name}"}
    async with booted("serve", env=env, pass_env=("API_KEY", "NOT_SET")) as agent:
        got = fetch(f"{agent.url}/facts")["env"]
        assert "canary-token" not in str(got)
        assert set(got) - {"LC_ALL", "TZ", "LC_CTYPE", "__CF_USER_TEXT_ENCODING"} == {
            *("PATH", "LANG", "HOME", "TMPDIR", "API_KEY", "DRY_RUN", "PLACE", "SELF", "OTHER"),
            "AGENT_GATE_BOOT",
        }
        assert (got["API_KEY"], got["DRY_RUN"], got["OTHER"]) == ("passed-on-purpose", "true", "{name}")
        assert got["PLACE"] == f"{got['TMPDIR']}/db"
        assert got["SELF"] == agent.url


async def test_home_and_tmp_are_private_and_end_with_it(booted: Any) -> None:
    async with booted("serve") as agent:
        facts = fetch(f"{agent.url}/facts")
        home, tmp = Path(facts["env"]["HOME"]), Path(facts["env"]["TMPDIR"])
        assert facts["home_is_empty"]
        assert {path.stat().st_mode & 0o777 for path in (home, tmp, home.parent)} == {0o700}
        assert {path.stat().st_uid for path in (home, tmp, home.parent)} == {facts["uid"]}
    assert not home.parent.exists()


async def test_folders_that_the_agent_closed_to_itself_are_removed_too(booted: Any) -> None:
    async with booted("closes") as agent:
        home = Path(fetch(f"{agent.url}/facts")["env"]["HOME"])
    assert not home.parent.exists()


async def test_it_runs_in_its_folder_with_the_command_filled_in(booted: Any, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    command = (sys.executable, str(SERVER), "serve", "{port}", "--db={tmp}/x")
    async with booted("serve", command=command, cwd="app") as agent:
        facts = fetch(f"{agent.url}/facts")
        assert Path(facts["cwd"]) == (tmp_path / "app").resolve()
        assert facts["argv"][2:] == [agent.url.rpartition(":")[2], f"--db={facts['env']['TMPDIR']}/x"]


async def test_an_exit_while_starting_is_told_at_once_with_its_last_words(booted: Any) -> None:
    with pytest.raises(AgentDown) as down:
        async with booted("exits", ready=Ready(path="/health", within_s=600)):
            pytest.fail("it never came up")
    assert "server.py exits` exited with 3 after " in down.value.message
    assert down.value.message.endswith(": `ModuleNotFoundError: No module named 'tools'`")
    assert down.value.log_tail == "starting\nModuleNotFoundError: No module named 'tools'"


async def test_an_exit_with_0_says_that_it_must_stay(booted: Any) -> None:
    with pytest.raises(AgentDown, match=r"exited with 0 after .* printed nothing") as down:
        async with booted("exits-0"):
            pytest.fail("it never came up")
    assert "foreground" in down.value.hint


async def test_a_deadline_says_what_was_asked_and_what_came_back(booted: Any) -> None:
    with pytest.raises(AgentDown) as down:
        async with booted("serve", ready=Ready(path="/nope", within_s=1.5)):
            pytest.fail("it never came up")
    assert "did not answer GET /nope within 1.5 s: 404 Not Found" in down.value.message
    assert "ready.path" in down.value.hint


async def test_a_refused_host_header_says_what_to_do(booted: Any) -> None:
    with pytest.raises(AgentDown, match="403 Forbidden Forbidden: host not allowed") as down:
        async with booted("serve", ready=Ready(path="/forbidden", within_s=1.5)):
            pytest.fail("it never came up")
    assert "Host header" in down.value.hint


async def test_an_agent_that_never_listens_is_down_in_time(booted: Any) -> None:
    with pytest.raises(AgentDown, match=r"did not answer a TCP connection within 0.5 s: Connection refused"):
        async with booted("never", ready=Ready(within_s=0.5)):
            pytest.fail("it never came up")


@linux
async def test_an_agent_that_listens_elsewhere_is_told_to_use_the_port(booted: Any) -> None:
    with pytest.raises(AgentDown) as down:
        async with booted("elsewhere", ready=Ready(within_s=1.5)):
            pytest.fail("it never came up")
    assert "It listens on port " in down.value.hint
    assert "`{port}`" in down.value.hint


@linux
async def test_a_stranger_on_the_port_is_not_mistaken_for_the_agent(
    booted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with subprocess.Popen([sys.executable, "-u", "-c", STRANGER], stdout=subprocess.PIPE) as stranger:
        assert stranger.stdout is not None
        port = int(stranger.stdout.readline())
        monkeypatch.setattr("gate.boot.launch.free_port", lambda: port)  # the race that a boot can lose
        with pytest.raises(AgentDown, match=rf"port {port} is answered by process {stranger.pid} "):
            async with booted("never", ready=Ready(path="/", within_s=1.5)):
                pytest.fail("the stranger was taken for the agent")
        stranger.kill()


STRANGER = """
import http.server
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
print(server.server_port)
server.serve_forever()
"""


async def test_a_death_is_told_with_its_exit_code_and_last_words(booted: Any) -> None:
    async with booted("serve") as agent:
        with pytest.raises(OSError, match=r"closed|reset"):
            fetch(f"{agent.url}/die")
        death = await until_dead(agent)
        assert "exited with 7: " in death.reason
        assert death.reason.endswith("`ValueError: told to die`")
        assert death.log_tail == "Traceback\nValueError: told to die"


async def test_a_death_by_signal_is_told_by_its_name(booted: Any) -> None:
    async with booted("serve") as agent:
        with pytest.raises(OSError, match=r"closed|reset"):
            fetch(f"{agent.url}/kill")
        death = await until_dead(agent)
        assert "was killed by SIGKILL (out of memory?) and printed nothing" in death.reason


async def test_a_restart_is_a_new_process_with_fresh_folders(booted: Any, tmp_path: Path) -> None:
    async with booted("serve") as agent:
        before = fetch(f"{agent.url}/facts")
        await agent.restart()
        after = fetch(f"{agent.url}/facts")
        assert not is_alive(before["pid"])
        assert before["env"]["TMPDIR"] != after["env"]["TMPDIR"]
        assert not Path(before["env"]["TMPDIR"]).exists()
    assert not is_alive(after["pid"])
    assert "restarted by the gate" in (tmp_path / "agent.log").read_text()


async def test_a_dead_agent_can_be_restarted(booted: Any) -> None:
    async with booted("serve") as agent:
        with pytest.raises(OSError, match=r"closed|reset"):
            fetch(f"{agent.url}/die")
        await until_dead(agent)
        await agent.restart()
        assert agent.death() is None
        assert fetch(f"{agent.url}/facts")["pid"]


async def test_an_agent_that_ignores_sigterm_is_killed_after_the_grace(booted: Any) -> None:
    async with booted("deaf", stop_grace_s=0.2) as agent:
        pid = fetch(f"{agent.url}/facts")["pid"]
    assert not is_alive(pid)
    assert refuses(agent.url)


@linux
async def test_children_that_left_the_group_are_stopped_too(booted: Any) -> None:
    async with booted("breeds", stop_grace_s=0.2) as agent:
        facts = fetch(f"{agent.url}/facts")
        assert all(is_alive(pid) for pid in facts["strays"])
    assert not [pid for pid in (facts["pid"], *facts["strays"]) if is_alive(pid)]


@linux
async def test_what_a_dead_agent_left_behind_is_stopped(booted: Any) -> None:
    async with booted("breeds", stop_grace_s=0.2) as agent:
        facts = fetch(f"{agent.url}/facts")
        os.kill(facts["pid"], signal.SIGKILL)
        await until_dead(agent)
    assert not [pid for pid in facts["strays"] if is_alive(pid)]


@pytest.mark.parametrize("mode", ["serve", "deaf", "breeds"])
async def test_a_cancelled_block_leaves_nothing(booted: Any, mode: str) -> None:
    facts: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def hold() -> None:
        async with booted(mode, stop_grace_s=0.2) as agent:
            facts.set_result(fetch(f"{agent.url}/facts"))
            await asyncio.Event().wait()

    task = asyncio.create_task(hold())
    found = await facts
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not [pid for pid in (found["pid"], *found["strays"]) if is_alive(pid)]


async def test_a_second_cancel_during_the_grace_kills_at_once(booted: Any) -> None:
    facts: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    stopping = asyncio.Event()

    async def hold() -> None:
        async with booted("deaf", stop_grace_s=3600) as agent:
            facts.set_result(fetch(f"{agent.url}/facts"))
            agent._child.exited = never
            await asyncio.Event().wait()

    async def never() -> None:
        stopping.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(hold())
    found = await facts
    task.cancel()
    await stopping.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_alive(found["pid"])
    assert not Path(found["env"]["HOME"]).exists()


async def test_a_cancel_while_it_starts_leaves_nothing(booted: Any, tmp_path: Path) -> None:
    marks = tmp_path / "pid"
    script = f"echo $$ > {marks}.new; mv {marks}.new {marks}; sleep 600"

    async def hold() -> None:
        async with booted("", command=("/bin/sh", "-c", script), ready=Ready(within_s=600)):
            pytest.fail("it never came up")

    task = asyncio.create_task(hold())
    async with asyncio.timeout(20):
        while not marks.exists():  # noqa: ASYNC110 - the only sign of a shell's life
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not is_alive(int(marks.read_text()))


GATE = """
import asyncio, signal, sys
from pathlib import Path
from gate.boot import boot
from gate.model.config import CommandBoot, Ready
from gate.redact import Redactor

async def main():
    task = asyncio.current_task()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    ready = Ready(path="/health", within_s=20)
    config = CommandBoot(command=tuple(sys.argv[2:]), ready=ready, stop_grace_s=0.2)
    async with boot(config, root=Path("."), log=Path(sys.argv[1]), redact=Redactor()) as agent:
        print(agent.url, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_gate_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    agent = [sys.executable, str(SERVER), "breeds", "{port}"]
    gate = [sys.executable, "-c", GATE, str(tmp_path / "agent.log"), *agent]
    with subprocess.Popen(gate, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        assert running.stdout is not None
        url = running.stdout.readline().strip()
        facts = fetch(f"{url}/facts")
        running.send_signal(number)
        running.wait(30)
    assert not [pid for pid in (facts["pid"], *facts["strays"]) if is_alive(pid)]
    assert refuses(url)
    assert not Path(facts["env"]["HOME"]).exists()


async def test_the_log_holds_its_output_without_secrets_and_inert(
    booted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "canary-secret")
    redact = Redactor(["canary-secret"])
    async with booted("prints", pass_env=("KEY",), redact=redact) as agent:
        with pytest.raises(OSError, match=r"closed|reset"):
            fetch(f"{agent.url}/die")
        assert (await until_dead(agent)).log_tail.startswith("key=***\n: :error::x\nred\n")
    assert (tmp_path / "agent.log").read_text().startswith("key=***\n: :error::x\nred\n")


async def test_a_flood_is_capped_in_the_file_and_never_stalls_the_agent(booted: Any, tmp_path: Path) -> None:
    async with booted("floods") as agent:
        with pytest.raises(OSError, match=r"closed|reset"):
            fetch(f"{agent.url}/die")
        assert "199999 xx" in (await until_dead(agent)).log_tail
    log = tmp_path / "agent.log"
    assert 8 * 1024 * 1024 <= log.stat().st_size < 8 * 1024 * 1024 + 200
    assert "more bytes were dropped" in log.read_text()[-200:]


@pytest.mark.parametrize(
    ("fields", "message", "hint"),
    [
        ({"command": ("no-such-agent", "x")}, "`no-such-agent` is not on PATH", "agent.boot.image"),
        ({"command": ("./missing.sh",)}, r"`\./missing\.sh` does not exist in ", "agent.boot.command"),
        ({"cwd": "nowhere"}, "the folder of .* does not exist: .*/nowhere$", "agent.boot.cwd"),
        ({"command": ("./moved.py",)}, "`moved.py` cannot start: its first line names /gone/python3", "anew"),
        ({"command": ("./plain.sh",)}, "`plain.sh` cannot start: permission denied", "chmod"),
        ({"command": ("./text",)}, "`text` cannot start: .* neither a program .* nor a script", "#!/bin/sh"),
    ],
)
async def test_a_command_that_cannot_start_says_why(
    booted: Any, tmp_path: Path, fields: dict[str, Any], message: str, hint: str
) -> None:
    for name, content, mode in (
        ("moved.py", "#!/gone/python3\n", 0o755),
        ("plain.sh", "#!/bin/sh\n", 0o644),
        ("text", "hello\n", 0o755),
    ):
        (tmp_path / name).write_text(content)
        (tmp_path / name).chmod(mode)
    with pytest.raises(AgentDown, match=message) as down:
        async with booted("serve", **fields):
            pytest.fail("it never came up")
    assert hint in down.value.hint


async def test_a_variable_that_is_not_set_is_named_when_the_agent_fails(
    booted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    with pytest.raises(AgentDown) as down:
        async with booted("exits", pass_env=("GOOGLE_API_KEY",)):
            pytest.fail("it never came up")
    assert down.value.hint == "Not set here, although `pass_env` names it: GOOGLE_API_KEY."


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, "exited with 0"),
        (2, "exited with 2"),
        (-9, "was killed by SIGKILL (out of memory?)"),
        (-11, "was killed by SIGSEGV"),
        (-250, "was killed by signal 250"),
        (137, "exited with 137 (what it ran was killed by SIGKILL (out of memory?))"),
        (255, "exited with 255"),
    ],
)
def test_an_end_in_words(status: int, words: str) -> None:
    assert how(status) == words


@pytest.fixture
def open_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="gate-test-"))
    folder.chmod(0o755)
    shutil.copy(SERVER, folder / "server.py")
    yield folder
    shutil.rmtree(folder)


@as_root
async def test_a_gate_that_is_root_runs_the_agent_as_nobody(
    open_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    if python is None:
        pytest.skip("no Python that nobody can reach")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    command = (python, "server.py", "serve", "{port}")
    config = CommandBoot(command=command, ready=Ready(path="/health", within_s=20))
    async with boot(config, root=open_folder, log=tmp_path / "log", redact=Redactor()) as agent:
        facts = fetch(f"{agent.url}/facts")
    assert (facts["uid"], facts["gid"], facts["groups"]) == (65534, 65534, [])
    assert not facts["reads_parent"]
    assert not Path(facts["env"]["HOME"]).exists()
    assert not caplog.records


@as_root
@pytest.mark.parametrize("more", [{"words": "/etc/shadow"}, {"cwd": "closed"}])
async def test_in_the_image_no_command_makes_itself_root(
    more: dict[str, str], open_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("AGENT_GATE_NEVER_ROOT", "1")
    closed_folder = tmp_path / "closed"
    closed_folder.mkdir(mode=0o700)
    script = str(open_folder / "server.py")
    command = ("python3", script, "serve", "{port}", *([more["words"]] if "words" in more else []))
    config = CommandBoot(
        command=command,
        cwd=str(closed_folder) if "cwd" in more else ".",
        ready=Ready(path="/health", within_s=20),
    )
    with pytest.raises(AgentDown, match="not started: it would run as root") as down:
        async with boot(config, root=open_folder, log=tmp_path / "log", redact=Redactor()):
            pytest.fail("it ran as root")
    assert "nobody) cannot reach" in down.value.hint


@as_root
async def test_a_folder_that_nobody_can_reach_is_said_aloud(
    booted: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGENT_GATE_NEVER_ROOT", raising=False)
    tmp_path.chmod(0o700)
    async with booted("serve") as agent:
        facts = fetch(f"{agent.url}/facts")
        await agent.restart()
    assert facts["uid"] == 0
    assert [record.message for record in caplog.records if "runs as root" in record.message] == [
        caplog.records[0].message
    ]


def test_the_config_reads_as_it_was_written(config: Callable[..., CommandBoot]) -> None:
    assert config("serve").stop_grace_s == 5.0
