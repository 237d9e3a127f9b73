"""How the agent of a pull request is started and talked to before anybody has accepted what it loosens.

What is under test is the head's: app, command, image, build, readiness. What could leak a secret, open the
container or read answers otherwise is the base's, or the stricter of both.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Final

from gate.boot.container.confine import ROOT, WRITABLE
from gate.model import Json
from gate.model.bar import BarChange, ChangeKind
from gate.model.config import (
    AgentConfig,
    BootConfig,
    Build,
    CommandBoot,
    Confinement,
    ContainerBoot,
    NoBoot,
    UrlBoot,
)
from gate.model.finding import Place
from gate.redact import credentials_of
from gate.trust import words

_MAPPED: Final = ("http",)
"""Protocols whose block says how answers are read: a bar, unlike the switches of the others."""
_TOOLS: Final = ("tools",)
_READ: Final[Mapping[str, tuple[str, ...]]] = {
    "ag-ui": _TOOLS,
    "langgraph": ("input", "messages", "output", "streaming", "tokens"),
    "openai-chat": _TOOLS,
    "openai-responses": _TOOLS,
}
"""Protocols with a few such keys: what is seen of calls and tokens, what waits, where the answer is."""


class AgentSides:
    """Both sides' agent; `place` is where the head has its own."""

    def __init__(self, base: AgentConfig, head: AgentConfig, place: Place) -> None:
        self._base = base
        self._head = head
        self._place = place

    def in_force(self) -> AgentConfig:
        """The agent that is run until the head is accepted."""
        base, head = self._base, self._head
        if self._is_other_agent():
            return replace(base, boot=_hiding(base.boot, head.boot))
        held = replace(head, boot=_held(base.boot, head.boot))
        if self._runs_already():
            return replace(held, protocol=base.protocol, app=base.app, options=base.options)
        if base.protocol != head.protocol:
            return held
        return replace(held, options={**_switches(head), **_bar(base)})

    def changes(self) -> Iterator[BarChange]:
        """What the head says otherwise."""
        base, head = self._base, self._head
        if base.protocol != head.protocol:
            yield self._change("changed", "agent.protocol", base.protocol, head.protocol, needed=True)
        elif base.options != head.options:
            before, after = _differing(base.options, head.options)
            needed = _bar(base) != _bar(head) or self._runs_already()
            yield self._change("changed", f"agent.{head.protocol}", before, after, needed=needed)
        if base.app != head.app:
            yield self._change("changed", "agent.app", base.app, head.app, needed=self._runs_already())
        if self._is_other_agent():
            yield self._other_agent(base.boot, head.boot)
            return
        yield from self._boot_changes(base.boot, head.boot)

    def _other_agent(self, base: BootConfig, head: BootConfig) -> BarChange:
        if isinstance(base, UrlBoot) and isinstance(head, UrlBoot) and base.url == head.url:
            name = "headers" if base.headers != head.headers else "pass_env"
            before, after = _written(getattr(base, name)), _written(getattr(head, name))
            return self._change("changed", f"agent.boot.{name}", before, after, needed=True)
        return self._change("changed", "agent.boot", _kind(base), _kind(head), needed=True)

    def _runs_already(self) -> bool:
        """Whether the agent is none that the head brings: its app and prefix are a part of its address."""
        return isinstance(self._base.boot, UrlBoot) and isinstance(self._head.boot, UrlBoot)

    def _is_other_agent(self) -> bool:
        """Whether the head would have something else tested than what it brings, or have it less confined."""
        base, head = self._base.boot, self._head.boot
        match head:
            case NoBoot():
                return not isinstance(base, NoBoot)
            case UrlBoot():
                return not isinstance(base, UrlBoot) or replace(base, ready=head.ready) != head
            case CommandBoot():
                return isinstance(base, ContainerBoot)
            case ContainerBoot():
                return False

    def _boot_changes(self, base: BootConfig, head: BootConfig) -> Iterator[BarChange]:
        if type(base) is not type(head):
            yield self._change("changed", "agent.boot", _kind(base), _kind(head))
        new = [name for name in _passed(head) if name not in _passed(base)]
        gone = [name for name in _passed(base) if name not in _passed(head)]
        if new or gone:
            kind: ChangeKind = "loosened" if new else "tightened"
            before, after = words.listed(_passed(base)), words.listed(_passed(head))
            yield self._change(kind, "agent.boot.pass_env", before, after, needed=bool(new))
        if isinstance(head, ContainerBoot):
            before_ = base.confinement if isinstance(base, ContainerBoot) else Confinement()
            yield from self._confinement_changes(before_, head.confinement)
        if type(base) is type(head):
            yield from self._tested_changes(base, head)
        yield from self._header_changes(base, head)

    def _tested_changes(self, base: BootConfig, head: BootConfig) -> Iterator[BarChange]:
        """What is under test: told, because it may explain the verdict."""
        for name in ("command", "cwd", "source", "setup", "env", "port", "ready", "stop_grace_s"):
            before, after = getattr(base, name, None), getattr(head, name, None)
            if before != after:
                key = f"agent.boot.{name.removesuffix('_s')}"
                yield self._change("changed", key, _written(before), _written(after))

    def _header_changes(self, base: BootConfig, head: BootConfig) -> Iterator[BarChange]:
        """A credential is masked in answers and expectations alike: by a new one, two texts are the same."""
        before, after = _headers(base), _headers(head)
        if before != after:
            name, needed = "agent.boot.headers", _masks_more(before, after)
            yield self._change("changed", name, _written(before), _written(after), needed=needed)

    def _confinement_changes(self, base: Confinement, head: Confinement) -> Iterator[BarChange]:
        held = _confined(base, head)
        for each in fields(Confinement):
            before, after = getattr(base, each.name), getattr(head, each.name)
            if before != after:
                looser = getattr(held, each.name) != after
                kind: ChangeKind = "loosened" if looser else "tightened"
                name = f"agent.boot.{each.name.removesuffix('_bytes')}"
                yield self._change(kind, name, _written(before), _written(after), needed=looser)

    def _change(
        self, kind: ChangeKind, name: str, before: str, after: str, *, needed: bool = False
    ) -> BarChange:
        return BarChange(
            subject="agent",
            kind=kind,
            name=name,
            before=before,
            after=after,
            needs_acceptance=needed,
            place=self._place,
        )


def _held(base: BootConfig, head: BootConfig) -> BootConfig:
    """The head's boot with no more secrets and no fewer walls than the base's."""
    if not isinstance(head, CommandBoot | ContainerBoot):
        return head
    passed = tuple(name for name in head.pass_env if name in _passed(base))
    if _masks_more(_headers(base), head.headers):
        head = replace(head, headers=_headers(base))
    if isinstance(head, CommandBoot):
        return _hiding(replace(head, pass_env=passed), base)
    before = base.confinement if isinstance(base, ContainerBoot) else Confinement()
    confinement = _confined(before, head.confinement)
    return _hiding(replace(head, pass_env=passed, confinement=confinement), base)


def _hiding(boot: BootConfig, other: BootConfig) -> BootConfig:
    """Golden files and baseline of both sides are the answer key."""
    started = CommandBoot | ContainerBoot
    if isinstance(boot, started) and isinstance(other, started):
        return replace(boot, hidden=tuple(dict.fromkeys((*boot.hidden, *other.hidden))))
    return boot


def _confined(base: Confinement, head: Confinement) -> Confinement:
    """Of each wall the higher one."""
    return Confinement(
        user=head.user if _is_root(base.user) else base.user,
        capabilities=tuple(name for name in head.capabilities if name in base.capabilities),
        read_only=base.read_only or head.read_only,
        memory_bytes=min(base.memory_bytes, head.memory_bytes),
        pids=min(base.pids, head.pids),
        tmpfs=dict(_sizes(base.tmpfs, head.tmpfs)),
        egress="open" if base.egress == head.egress == "open" else "none",
    )


def _is_root(user: str) -> bool:
    return bool(user) and user.partition(":")[0] in ROOT


def _sizes(base: Mapping[str, int], head: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Folders that both let it write to, with the smaller size; some are there without being named."""
    for path in {**base, **head}:
        before, after = base.get(path, WRITABLE.get(path, 0)), head.get(path, WRITABLE.get(path, 0))
        size = min(before, after)
        if size and (path in head or size != after):
            yield path, size


def _masks_more(base: Mapping[str, str], head: Mapping[str, str]) -> bool:
    return not set(credentials_of(head)) <= set(credentials_of(base))


def _headers(boot: BootConfig) -> Mapping[str, str]:
    return {} if isinstance(boot, NoBoot) else boot.headers


def _passed(boot: BootConfig) -> tuple[str, ...]:
    """What the head's own code may know: what only travels in a header to somewhere else is not among it."""
    return boot.pass_env if isinstance(boot, CommandBoot | ContainerBoot) else ()


def _kind(boot: BootConfig) -> str:
    match boot:
        case UrlBoot(url=url):
            return f"url {url}"
        case CommandBoot(command=command):
            return f"command {words.listed(command)}"
        case ContainerBoot(source=Build(context=context)):
            return f"build {context}"
        case ContainerBoot(source=source):
            return f"image {_written(source)}"
        case NoBoot():
            return "nothing"


def _bar(agent: AgentConfig) -> dict[str, Json]:
    """What of a protocol's block says how answers are read."""
    if agent.protocol in _MAPPED:
        return dict(agent.options)
    read = _READ.get(agent.protocol, ())
    return {key: value for key, value in agent.options.items() if key in read}


def _switches(agent: AgentConfig) -> dict[str, Json]:
    """What of it does not."""
    bar = _bar(agent)
    return {key: value for key, value in agent.options.items() if key not in bar}


def _differing(base: Mapping[str, Json], head: Mapping[str, Json]) -> tuple[str, str]:
    """Both sides of a protocol's block, of which the keys that are the same are left out."""
    names = [name for name in {**base, **head} if base.get(name) != head.get(name)]
    before = {name: base[name] for name in names if name in base}
    return words.block(before), words.block({name: head[name] for name in names if name in head})


def _written(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case tuple():
            return words.listed(map(str, value))
        case Mapping():
            return words.block(value)
        case _:
            return str(value)
