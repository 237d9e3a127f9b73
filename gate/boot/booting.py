"""What a way of booting promises."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Generic, TypeVar

from gate.frozen import frozen
from gate.model.agent import Agent
from gate.redact import Redactor

C = TypeVar("C")


@frozen
class Scene:
    """Where an agent is booted: `root` is the config's folder, `log` the file for its output.

    `redact` already knows the values of `pass_env`.
    """

    root: Path
    log: Path
    redact: Redactor


@frozen(kw_only=False)
class Booting(Generic[C]):
    """One way of booting: the config that it reads, and what gives an agent that answers.

    The block that `start` opens raises AgentDown on entry, and leaves nothing running however it is left.
    """

    reads: type[C]
    start: Callable[[C, Scene], AbstractAsyncContextManager[Agent]]
