"""What is wrong with the agent's part of a config, beyond its schema."""

from collections.abc import Iterator, Mapping

from gate.boot.headers import placeholders
from gate.documents import Document
from gate.formats.json_paths import BadPath, JsonPath
from gate.model import Json
from gate.model.config import CommandBoot, Config, ContainerBoot, NoBoot, UrlBoot
from gate.model.finding import Finding

Path = tuple[str | int, ...]

_COMMAND, _SETUP = ("agent", "boot", "command"), ("agent", "boot", "setup")
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish"})
_BLOCKS = (
    "a2a",
    "adk",
    "ag-ui",
    "agent-engine",
    "http",
    "langgraph",
    "openai-chat",
    "openai-responses",
    "replay",
)
_NEEDS = {
    "http": "http: {path: /chat, request: {message: '{text}'}, response: {text: $.reply}}",
    "replay": "replay: {traces: out/traces.jsonl}",
}


def agent_findings(config: Config, document: Document) -> Iterator[Finding]:
    """Findings about protocol, boot and texts; what the machine has is another module's."""
    yield from _boot(config, document)
    yield from _blocks(config, document)
    yield from _command(config, document)
    yield from _container(config, document)
    yield from _twice(config, document)
    yield from _headers(config, document)
    yield from _expansions(config, document)
    if config.agent.protocol == "http":
        yield from _paths(config.agent.options.get("response"), ("agent", "http", "response"), document)
        start = config.agent.options.get("start")
        if isinstance(start, dict):
            yield from _paths(start.get("session"), ("agent", "http", "start", "session"), document)


def _boot(config: Config, document: Document) -> Iterator[Finding]:
    agent = config.agent
    if agent.protocol == "replay":
        if not isinstance(agent.boot, NoBoot):
            yield Finding.error(
                "boot-unused",
                document.place(("agent", "boot"), key=True),
                "the protocol 'replay' reads recorded traces and starts no agent",
                why="A 'boot' would look as if the agent were tested.",
                fix="Remove 'boot', or choose the protocol that the agent speaks.",
            )
    elif isinstance(agent.boot, NoBoot):
        yield Finding.error(
            "boot-missing",
            document.place(("agent", "protocol")),
            f"the protocol '{agent.protocol}' needs an agent, and nothing says where it is",
            fix="boot: {command: [...]}, {image: ...} or {build: .} starts one, {url: http://...} names one.",
        )


def _blocks(config: Config, document: Document) -> Iterator[Finding]:
    agent = config.agent
    if agent.protocol in _NEEDS and not agent.options:
        yield Finding.error(
            "block-missing",
            document.place(("agent", "protocol")),
            f"the protocol '{agent.protocol}' needs its block '{agent.protocol}'",
            fix=f"Write for example {_NEEDS[agent.protocol]}.",
        )
    if agent.protocol == "adk" and not agent.app:
        yield Finding.error(
            "app-missing",
            document.place(("agent", "protocol")),
            "an ADK server has several apps, and 'app' names none",
            fix="app: the folder of the agent, as GET /list-apps shows it.",
        )
    written = _part(document.value, ("agent",))
    for block in _BLOCKS:
        if block != agent.protocol and isinstance(written, dict) and block in written:
            yield Finding.warn(
                "block-unused",
                document.place(("agent", block), key=True),
                f"the block '{block}' is not read: the protocol is '{agent.protocol}'",
                fix="Remove it.",
            )


def _command(config: Config, document: Document) -> Iterator[Finding]:
    boot = config.agent.boot
    if not isinstance(boot, CommandBoot):
        return
    texts = (*boot.command, *boot.env.values())
    if not any("{port}" in text for text in texts):
        yield Finding.warn(
            "no-port",
            document.place(("agent", "boot", "command")),
            "the command never says {port}",
            why="The gate gives the agent a free port, and looks for it there.",
            fix='Pass it as an argument ("{port}"), or as a variable (env: {PORT: "{port}"}).',
        )


def _container(config: Config, document: Document) -> Iterator[Finding]:
    boot = config.agent.boot
    if not isinstance(boot, ContainerBoot):
        return
    written = _part(document.value, ("agent", "boot"))
    if isinstance(written, dict) and {"image", "build"} <= set(written):
        yield Finding.error(
            "image-and-build",
            document.place(("agent", "boot", "build"), key=True),
            "'image' and 'build' both say where the agent is",
            fix="Remove one of the two.",
        )
    ready = boot.ready
    if ready.healthcheck and ready.path is not None:
        yield Finding.warn(
            "path-unused",
            document.place(("agent", "boot", "ready", "path"), key=True),
            "'path' is not asked: 'healthcheck' decides when the agent is up",
            fix="Remove one of the two.",
        )


def _twice(config: Config, document: Document) -> Iterator[Finding]:
    boot = config.agent.boot
    if not isinstance(boot, CommandBoot | ContainerBoot):
        return
    for index, name in enumerate(boot.pass_env):
        if name in boot.env:
            yield Finding.error(
                "env-twice",
                document.place(("agent", "boot", "pass_env", index)),
                f"'{name}' stands in 'env' and in 'pass_env'",
                why="Only one value can reach the agent, and only that of 'pass_env' is kept secret.",
                fix="Remove one of the two.",
            )


def _headers(config: Config, document: Document) -> Iterator[Finding]:
    """Braces that nothing fills, and variables of a `url` that fill none: it is sent nothing else."""
    boot = config.agent.boot
    if isinstance(boot, NoBoot):
        return
    for key, text in boot.headers.items():
        for name in placeholders({key: text}):
            if name not in boot.pass_env:
                yield Finding.warn(
                    "not-passed",
                    document.place(("agent", "boot", "headers", key)),
                    f"`{{{name}}}` is sent as it stands: 'pass_env' does not name {name}",
                    fix=f"pass_env: [{name}] beside it, where the variable's value is meant.",
                )
    if isinstance(boot, UrlBoot):
        for index, name in enumerate(boot.pass_env):
            if name not in placeholders(boot.headers):
                yield Finding.warn(
                    "not-sent",
                    document.place(("agent", "boot", "pass_env", index)),
                    f"{name} is sent to nobody: no header has `{{{name}}}` in it",
                    why="An agent that runs elsewhere gets nothing but what is sent to it.",
                    fix=f"headers: {{Authorization: 'Bearer {{{name}}}'}}, or remove the name.",
                )


def _expansions(config: Config, document: Document) -> Iterator[Finding]:
    boot = config.agent.boot
    command = boot.command if isinstance(boot, CommandBoot | ContainerBoot) else ()
    is_shell = bool(command) and command[0].rpartition("/")[2] in _SHELLS
    for path, text in _texts(document.value, ()):
        if "${" not in text or path[:3] == _SETUP or (is_shell and path[:3] == _COMMAND):
            continue
        yield Finding.warn(
            "no-expansion",
            document.place(path),
            f"`{_reference(text)}` is not expanded: the text is used as it stands",
            why="A config means the same on every machine.",
            fix="Name variables that the agent needs in 'pass_env'.",
        )


def _reference(text: str) -> str:
    return text[text.index("${") :].partition("}")[0] + "}"


def _texts(value: Json, path: Path) -> Iterator[tuple[Path, str]]:
    match value:
        case str():
            yield path, value
        case dict():
            for key, child in value.items():
                yield from _texts(child, (*path, key))
        case list():
            for index, child in enumerate(value):
                yield from _texts(child, (*path, index))
        case _:
            return


def _paths(value: Json, path: Path, document: Document) -> Iterator[Finding]:
    """Every JSONPath of the mapping is compiled as the protocol will."""
    for where, text in _texts(value, path):
        try:
            JsonPath(text)
        except BadPath as error:
            yield Finding.error(
                "bad-jsonpath",
                document.place(where),
                str(error),
                fix="Write for example $.reply or $.calls[*].",
            )


def _part(value: Json, path: Path) -> Json:
    for step in path:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value
