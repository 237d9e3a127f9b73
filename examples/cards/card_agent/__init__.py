"""A business-card assistant as an ADK workflow; `adk api_server` finds `agent.root_agent` here."""

from . import agent

__all__ = ["agent"]
