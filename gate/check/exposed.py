"""What the protocol can neither send nor show although cases want it; `http` has a check of its own."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gate.documents import Document
from gate.errors import BadInput
from gate.model.agent import Death
from gate.model.case import Case
from gate.model.config import AgentConfig, Config
from gate.model.finding import Finding
from gate.model.trace import Exposed
from gate.score import build
from gate.score.every_case import EveryCase
from gate.score.items import HIDDEN, ExpectMetric

_OWN: Final = frozenset(("http", "replay"))
"""What these show is in a mapping or a recording."""
_OPENAI: Final = frozenset(("openai-chat", "openai-responses"))
_STATELESS: Final = frozenset(("a2a", *_OPENAI))
_SETS_STATE: Final = frozenset(("adk", "ag-ui", "agent-engine", "replay"))
_NEVER: Final[Mapping[str, tuple[Exposed, ...]]] = {"a2a": ("nodes",), "ag-ui": ()}
"""Where what else is shown depends on the agent."""
_OURS: Final = ("messages", "input", "stream", "previous_response_id")
_TOOLS: Final = (
    "Say who runs the agent's tools: `{protocol}: {{tools: server}}` where answers show calls that have run,"
    " `{{tools: client}}` where the case answers them; or remove the expectation."
)

_OTHERWISE: Final = "Remove the expectation, or choose another protocol that the agent speaks."


def exposed_findings(config: Config, cases: Sequence[Case], document: Document) -> Iterator[Finding]:
    """Findings about the protocol, held against the cases."""
    protocol = config.agent.protocol
    if protocol not in _SETS_STATE:
        yield from _unset(config, cases)
    if protocol in _OWN:
        return
    yield from _unseen(config, cases, document)
    if protocol in _STATELESS:
        yield from _unsent(config, cases, document)
    if protocol in _OPENAI:
        yield from _ours(config, document)


def _unseen(config: Config, cases: Sequence[Case], document: Document) -> Iterator[Finding]:
    never = _never(config.agent)
    try:
        metrics = build(config.metrics)
    except BadInput:
        return
    for metric in metrics:
        if not isinstance(metric, ExpectMetric | EveryCase) or metric.needs not in never:
            continue
        having = [case for case in cases if metric.expectation(case) is not None]
        if having:
            more = f" and {len(having) - 1} more" if len(having) > 1 else ""
            what = f"'{metric.name}' of case '{having[0].id}'{more} needs {HIDDEN[metric.needs][0]}"
            hidden = config.agent.protocol in _OPENAI and metric.needs in ("calls", "pauses")
            yield Finding.warn(
                "not-exposed",
                document.place(("agent", "protocol")),
                f"{what}, which the protocol '{config.agent.protocol}' does not show",
                why="It could never be measured, and the run would end undecided.",
                fix=_TOOLS.format(protocol=config.agent.protocol) if hidden else _fix(config.agent),
            )


def _fix(agent: AgentConfig) -> str:
    if agent.protocol == "langgraph":
        return "A stream shows them: remove `streaming: false`, or the expectation."
    return _OTHERWISE


def _never(agent: AgentConfig) -> tuple[Exposed, ...]:
    """What no agent of the protocol shows, as it is configured."""
    if agent.protocol in _NEVER:
        return _NEVER[agent.protocol]
    from gate.drive import PROTOCOLS  # a run loads them anyway; a check of other protocols need not
    from gate.drive.protocol import Recordings

    made = PROTOCOLS[agent.protocol](agent, _Nowhere())
    return () if isinstance(made, Recordings) else tuple(each for each in HIDDEN if each not in made.exposes)


def _unsent(config: Config, cases: Sequence[Case], document: Document) -> Iterator[Finding]:
    having = [case for case in cases if case.start_state]
    if having:
        more = f" and {len(having) - 1} more" if len(having) > 1 else ""
        yield Finding.warn(
            "start-state-unsent",
            document.place(("agent", "protocol")),
            f"the start state of case '{having[0].id}'{more} is never sent",
            why=f"The protocol '{config.agent.protocol}' has no state: the agent would know nothing of it.",
            fix="Say it in the first turn.",
        )


def _unset(config: Config, cases: Sequence[Case]) -> Iterator[Finding]:
    for case in cases:
        for turn in case.turns:
            if turn.state_delta:
                yield Finding.error(
                    "state-delta-unsent",
                    turn.place,
                    f"the protocol '{config.agent.protocol}' cannot send the `state_delta` of a turn",
                    why="The agent would know nothing of it, and be asked as if it did.",
                    fix="Say it in the turn's own words, or in `start_state`.",
                )


def _ours(config: Config, document: Document) -> Iterator[Finding]:
    body = config.agent.options.get("body")
    for key in body if isinstance(body, Mapping) else ():
        if key in _OURS:
            yield Finding.warn(
                "body-ignored",
                document.place(("agent", config.agent.protocol, "body", key), key=True),
                f"'{key}' of `body` is not sent: the gate writes it",
                fix="Remove it; `stream` and `system` are options of the block.",
            )


class _Nowhere:
    """An agent that is never reached: a protocol says what it shows without one."""

    url = ""
    can_restart = False

    def __init__(self) -> None:
        self.headers: Mapping[str, str] = {}

    def death(self) -> Death | None:
        return None

    async def restart(self) -> None:
        return
