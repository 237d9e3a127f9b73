"""Talk to the agent: the runner, and one protocol a file."""

from gate.drive.adk import Adk
from gate.drive.http_json import HttpJson
from gate.drive.protocol import ProtocolFactory
from gate.drive.replay import Replay
from gate.drive.runner import drive
from gate.drive.units import Plan

__all__ = ["PROTOCOLS", "Plan", "drive"]

PROTOCOLS: dict[str, ProtocolFactory] = {
    "adk": Adk,
    "http": HttpJson,
    "replay": Replay,
}
"""The protocols by the name that `agent.protocol` gives; each row reads the block of the same name."""
