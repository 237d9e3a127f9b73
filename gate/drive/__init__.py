"""Talk to the agent: the runner, and one protocol a file."""

from gate.drive.introspect import about
from gate.drive.protocol import AgentProtocol, ProtocolFactory, Recordings
from gate.drive.runner import drive
from gate.drive.units import Plan
from gate.model.agent import Agent
from gate.model.config import AgentConfig

__all__ = ["PROTOCOLS", "Plan", "about", "drive"]


# A run speaks one protocol: the modules of the others would only make its first request later.
def _a2a(config: AgentConfig, agent: Agent) -> AgentProtocol:
    from gate.drive.a2a import A2a

    return A2a(config, agent)


def _adk(config: AgentConfig, agent: Agent) -> AgentProtocol:
    from gate.drive.adk import Adk

    return Adk(config, agent)


def _ag_ui(config: AgentConfig, agent: Agent) -> AgentProtocol:
    from gate.drive.ag_ui import AgUi

    return AgUi(config, agent)


def _agent_engine(config: AgentConfig, agent: Agent) -> AgentProtocol:
    from gate.drive.agent_engine import AgentEngine

    return AgentEngine(config, agent)


def _http(config: AgentConfig, agent: Agent) -> AgentProtocol:
    from gate.drive.http_json import HttpJson

    return HttpJson(config, agent)


def _langgraph(config: AgentConfig, agent: Agent) -> AgentProtocol:
    from gate.drive.langgraph import Langgraph

    return Langgraph(config, agent)


def _openai_chat(config: AgentConfig, agent: Agent) -> AgentProtocol:
    from gate.drive.openai_chat import OpenaiChat

    return OpenaiChat(config, agent)


def _openai_responses(config: AgentConfig, agent: Agent) -> AgentProtocol:
    from gate.drive.openai_responses import OpenaiResponses

    return OpenaiResponses(config, agent)


def _replay(config: AgentConfig, agent: Agent) -> Recordings:
    from gate.drive.replay import Replay

    return Replay(config, agent)


PROTOCOLS: dict[str, ProtocolFactory] = {
    "a2a": _a2a,
    "adk": _adk,
    "ag-ui": _ag_ui,
    "agent-engine": _agent_engine,
    "http": _http,
    "langgraph": _langgraph,
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "replay": _replay,
}
"""The protocols by the name that `agent.protocol` gives; each row reads the block of the same name."""
