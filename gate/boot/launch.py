"""What is started: the command with its placeholders filled in, its folder and its environment."""

import errno
import os
import shutil
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from gate.errors import AgentDown
from gate.frozen import frozen
from gate.model.config import CommandBoot
from gate.work import identity

_PASSED = ("PATH", "LANG", "LC_ALL", "TZ")
_SHOWN_WORDS = 4
_NOT_HERE = (
    "Install the agent before the gate runs (on the runner: a set-up step before the action; `on-runner` sees"
    " its tools), or name an image to run it in (`agent.boot.image`)."
)


@frozen
class Launch:
    """A command that is ready to be started: absolute program, absolute folder, whole environment."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]


def prepare(config: CommandBoot, root: Path, port: int, home: Path, tmp: Path) -> Launch:
    """Fill in `{port}` and `{tmp}`; raises AgentDown where the folder or the program is missing."""

    def filled(text: str) -> str:
        return text.replace("{port}", str(port)).replace("{tmp}", str(tmp))

    cwd = (root / filled(config.cwd)).resolve()
    if not cwd.is_dir():
        raise AgentDown(
            f"the folder of `{shown(config.command)}` does not exist: {cwd}",
            hint="Correct `agent.boot.cwd`; it is relative to the folder of agent-gate.yml.",
        )
    env = {**_environment(config, home, tmp), **{name: filled(value) for name, value in config.env.items()}}
    argv = tuple(filled(word) for word in config.command)
    program = _program(argv[0], cwd, env.get("PATH", os.defpath))
    return Launch(argv=(program, *argv[1:]), cwd=cwd, env=env)


def shown(command: Sequence[str]) -> str:
    """A short name for a command: its first words, up to the first option or placeholder."""
    words = takewhile(lambda word: not word.startswith("-") and "{" not in word, command[1:])
    name = Path(command[0]).name
    if command[1:2] == ("-m",) or command[1:2] == ["-m"]:
        return " ".join([name, *command[1:3]])
    return " ".join([name, *words][:_SHOWN_WORDS])


def environment_of(names: Iterable[str]) -> dict[str, str]:
    """The variables of the gate's own environment by these names, as far as they are set."""
    return {name: os.environ[name] for name in names if name in os.environ}


def unset(config: CommandBoot) -> list[str]:
    """The variables of `pass_env` that are not set here."""
    return [name for name in config.pass_env if name not in os.environ]


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on: the kernel would not give a taken one."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def not_started(error: OSError, command: Sequence[str], argv: Sequence[str], search: str) -> AgentDown:
    """Why the kernel would not run a program that is there."""
    name = shown(command)
    missing = [path for path in identity.interpreters(argv[0], search)[1:] if not Path(path).exists()]
    match error.errno:
        case errno.ENOENT if missing:
            return AgentDown(
                f"`{name}` cannot start: its first line names {missing[0]}, which does not exist",
                hint=f"{argv[0]} was made for another place (a moved virtual environment?). Make it anew.",
            )
        case errno.EACCES:
            return AgentDown(
                f"`{name}` cannot start: permission denied for {argv[0]}",
                hint=f"Make it executable (chmod +x {argv[0]}), and what its first line names.",
            )
        case errno.ENOEXEC:
            return AgentDown(
                f"`{name}` cannot start: {argv[0]} is neither a program for this machine nor a script",
                hint="A script needs a first line such as `#!/bin/sh`; a program must fit this processor.",
            )
        case _:
            return AgentDown(f"`{name}` cannot start: {error.strerror or error}")


def _environment(config: CommandBoot, home: Path, tmp: Path) -> dict[str, str]:
    """An allow-list: nothing of the gate's own environment reaches the agent unless it is named."""
    return {
        **environment_of((*_PASSED, *config.pass_env)),
        "HOME": str(home),
        "TMPDIR": str(tmp),
    }


def _program(name: str, cwd: Path, search: str) -> str:
    if "/" in name:
        path = cwd / name
        if not path.exists():
            raise AgentDown(f"`{name}` does not exist in {cwd}", hint="Correct `agent.boot.command`.")
        return str(path)
    found = shutil.which(name, path=search) or next(_in_the_way(name, search), None)
    if found is None:
        raise AgentDown(f"`{name}` is not on PATH", hint=_NOT_HERE)
    return found


def _in_the_way(name: str, search: str) -> Iterator[str]:
    """Files of that name on PATH that are not executable: the kernel's refusal says more than "not found"."""
    for folder in search.split(os.pathsep):
        path = Path(folder or ".") / name
        if path.is_file():
            yield str(path)
