"""What an ADK server says of an app: `app-info`, `list-apps` and `version`, to the facts of a run.

They are the agent's word, so nothing in them is an error: what is not as ADK writes it is left out.
"""

from collections.abc import Callable, Iterator, Mapping

from gate.formats.adk_fields import field, is_mapping
from gate.model import Json
from gate.model.agent import AgentFacts, AgentPart

MOST_AGENTS, MOST_TOOLS = 50, 100
NAME, DESCRIPTION, INSTRUCTION = 200, 500, 4000
"""Characters that are kept of each."""

Clean = Callable[[str], str]


def facts_of(info: Json, version: Json, clean: Clean) -> AgentFacts | None:
    """The facts of an app; None where neither answer tells any. `clean` takes secrets out of whole texts."""
    told = info if is_mapping(info) else {}
    agents, left_out = _agents(field(told, "agents"), clean)
    facts = AgentFacts(
        name=_text(field(told, "rootAgentName") or field(told, "name"), NAME, clean),
        server=_server(told, version if is_mapping(version) else {}, clean),
        agents=agents,
        left_out=left_out,
    )
    return facts if facts != AgentFacts() else None


def listed_app(apps: Json, name: str) -> Json:
    """The app of that name in `GET /list-apps?detailed=true`; None where it is not there."""
    listed = field(apps, "apps") if is_mapping(apps) else None
    mine = (
        (app for app in listed if is_mapping(app) and field(app, "name") == name)
        if isinstance(listed, list)
        else ()
    )
    return next(iter(mine), None)


def _server(told: Mapping[str, Json], version: Mapping[str, Json], clean: Clean) -> str:
    language = _text(field(version, "language") or field(told, "language"), NAME, clean)
    number = _text(field(version, "version"), NAME, clean)
    return (
        " ".join(filter(None, (f"adk-{language}" if language else "adk", number)))
        if language or number
        else ""
    )


def _agents(value: Json, clean: Clean) -> tuple[tuple[AgentPart, ...], int]:
    known = [(key, agent) for key, agent in value.items() if is_mapping(agent)] if is_mapping(value) else []
    found, left_out = [], max(0, len(known) - MOST_AGENTS)
    for key, agent in known[:MOST_AGENTS]:
        tools = list(dict.fromkeys(_tools(field(agent, "tools"))))
        left_out += max(0, len(tools) - MOST_TOOLS)
        found.append(
            AgentPart(
                name=_text(field(agent, "name") or key, NAME, clean),
                description=_text(field(agent, "description"), DESCRIPTION, clean),
                instruction=_text(field(agent, "instruction"), INSTRUCTION, clean),
                tools=tuple(_text(tool, NAME, clean) for tool in tools[:MOST_TOOLS]),
            )
        )
    return tuple(found), left_out


def _tools(value: Json) -> Iterator[str]:
    """The names of functions, and those of tools that the model's provider has: their own key."""
    for tool in value if isinstance(value, list) else ():
        declared = field(tool, "functionDeclarations") if is_mapping(tool) else None
        if isinstance(declared, list):
            names = (field(function, "name") for function in declared if is_mapping(function))
            yield from (name for name in names if isinstance(name, str))
        elif is_mapping(tool):
            yield from tool


def _text(value: Json, most: int, clean: Clean) -> str:
    if not isinstance(value, str):
        return ""
    text = clean(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
