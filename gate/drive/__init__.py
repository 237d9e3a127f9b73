"""Talk to the agent: the runner, and one protocol a file."""

from gate.drive.protocol import ProtocolFactory

PROTOCOLS: dict[str, ProtocolFactory] = {}
