"""What must never be written: the values of secrets that a config names."""

import os
from collections.abc import Iterator, Mapping

from gate.model.config import Config, NoBoot
from gate.redact import credentials_of


def secrets_of(config: Config) -> Iterator[str]:
    """The values of `pass_env`, of what judges read, and of headers that carry a credential by their name."""
    boot = config.agent.boot
    for name in () if isinstance(boot, NoBoot) else boot.pass_env:
        if value := os.environ.get(name):
            yield from {value, value.strip()}  # a header carries it without white space around it
    for judge in config.judges:
        for name in judge.variables:
            if value := os.environ.get(name):
                yield from {value, value.strip()}
        yield from credentials_of(judge.headers)
    of_protocol = config.agent.options.get("headers")
    for headers in ({} if isinstance(boot, NoBoot) else boot.headers, of_protocol):
        yield from credentials_of(headers if isinstance(headers, Mapping) else {})
