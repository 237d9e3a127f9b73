"""What must never be written: the values of secrets that a config names."""

import os
import re
from collections.abc import Iterator, Mapping

from gate.model.config import CommandBoot, Config, ContainerBoot, NoBoot

_CREDENTIAL = re.compile("auth|cookie|credential|key|pass|secret|token", re.IGNORECASE)


def secrets_of(config: Config) -> Iterator[str]:
    """The values of `pass_env`, and of headers that carry a credential by their name, without its scheme."""
    boot = config.agent.boot
    if isinstance(boot, CommandBoot | ContainerBoot):
        yield from (os.environ[name] for name in boot.pass_env if os.environ.get(name))
    of_protocol = config.agent.options.get("headers")
    for headers in ({} if isinstance(boot, NoBoot) else boot.headers, of_protocol):
        for name, value in headers.items() if isinstance(headers, Mapping) else ():
            if _CREDENTIAL.search(name) and isinstance(value, str):
                yield value
                yield value.rpartition(" ")[2]
