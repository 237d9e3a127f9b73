"""An agent in a container of its own: placed, confined, watched and removed."""

from gate.boot.container.agent import running
from gate.boot.container.engine import problem
from gate.boot.container.labels import BOOT_ID, left_overs_removed

__all__ = ["BOOT_ID", "left_overs_removed", "problem", "running"]
