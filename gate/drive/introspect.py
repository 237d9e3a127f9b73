"""What the agent's server says of the agent, for the record of a run."""

import asyncio

from gate.drive.protocol import Introspective, Stopped
from gate.drive.runner import protocol_of
from gate.http import MIB, Client, HttpError
from gate.model.agent import Agent, AgentFacts
from gate.model.config import AgentConfig
from gate.redact import Redactor

PATIENCE_S = 5.0
_MOST_BYTES = 4 * MIB


async def about(
    agent: Agent, config: AgentConfig, redact: Redactor, *, patience_s: float = PATIENCE_S
) -> AgentFacts | None:
    """The facts of the agent, or None where its server tells none in time: that is no failure of it."""
    protocol = protocol_of(config, agent)
    if not isinstance(protocol, Introspective):
        return None
    headers = agent.headers
    async with Client(headers=headers, timeout_s=patience_s, max_bytes=_MOST_BYTES, redact=redact) as client:
        try:
            async with asyncio.timeout(patience_s):
                return await protocol.about(client)
        except (HttpError, Stopped, TimeoutError):
            return None
