"""A trace: all that one trial recorded."""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from gate.frozen import frozen
from gate.model import Json
from gate.model.case import Side


@frozen
class Text:
    """Words for the reader."""

    text: str


@frozen
class Thought:
    """Reasoning that the agent exposed; never part of its answer."""

    text: str


@frozen
class Call:
    """A tool call. `args` is None where they could not be read (`args_error`); no arguments are `{}`."""

    id: str
    name: str
    args: Mapping[str, Json] | None
    args_error: str = ""


@frozen
class Result:
    """A tool's answer to the call `call_id`."""

    call_id: str
    name: str
    value: Json
    is_error: bool = False


Part: TypeAlias = Text | Thought | Call | Result


MOST_TOKENS = 2**53
"""More is no count: sums of such numbers would overflow a float."""


@frozen
class Usage:
    """Tokens of one model call, from 0 to MOST_TOKENS each; raises ValueError for anything else.

    `cached_tokens` are those of the input that the provider had read before; `model` is its name as the
    answer gives it ("" where it does not).
    """

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    model: str = ""

    def __post_init__(self) -> None:
        """Refuse what no model can have used."""
        for tokens in (self.input_tokens, self.output_tokens, self.cached_tokens):
            if not 0 <= tokens <= MOST_TOKENS:
                raise ValueError("a count of tokens lies outside of 0 to 2^53")

    @property
    def total(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


@frozen
class Pause:
    """The agent waits: to have a tool call confirmed, for input, a credential, or a job that runs long."""

    id: str
    name: str
    kind: Literal["confirm", "input", "credential", "job"]
    tool: str = ""
    message: str = ""


@frozen
class Event:
    """One thing the agent emitted, after assembly.

    `at_ms` counts from the trial's start. `author` is as the agent gave it; `node` is the graph node's own
    name ("" where none is exposed). `error` is a failure that the agent reported in-band. Events without
    parts are kept: nodes and state ride on them. `state_removed` names keys that are gone. `artifact_delta`
    maps files that the agent saved to their versions. An event of `user` with state is what the case set.
    `not_in_trajectory` says why the event adds no call, if so.
    """

    seq: int = 0
    turn: int = 0
    at_ms: float = 0.0
    author: str = ""
    node: str = ""
    parts: tuple[Part, ...] = ()
    state_delta: Mapping[str, Json] = field(default_factory=dict)
    state_removed: tuple[str, ...] = ()
    usage: Usage | None = None
    error: str = ""
    pauses: tuple[Pause, ...] = ()
    not_in_trajectory: str = ""
    artifact_delta: Mapping[str, Json] = field(default_factory=dict)


@frozen
class TurnTrace:
    """One exchange: what was sent (as a reader sees it), what came back, and how it ended."""

    sent: str
    events: tuple[Event, ...]
    ended: Literal["answered", "paused", "failed"]
    started_ms: float
    ended_ms: float


@frozen
class Completed:
    """Every turn was answered and the agent waits for nothing."""

    reason: str = ""


@frozen
class Crashed:
    """The agent's fault: process exit, 500, error frame, bad JSON or UTF-8, cut stream, flood."""

    reason: str


@frozen
class TimedOut:
    """The trial's deadline passed."""

    reason: str


@frozen
class Paused:
    """The agent waits for an answer that the case does not give."""

    reason: str


@frozen
class Throttled:
    """A provider's limit: 429, 503, RESOURCE_EXHAUSTED, or a quota text with zero tokens."""

    reason: str


@frozen
class Refused:
    """Nothing was accepted: connect error, wrong Host, unknown app, 422; or the trial was not run at all."""

    reason: str


Outcome: TypeAlias = Completed | Crashed | TimedOut | Paused | Throttled | Refused

Exposed = Literal["text", "calls", "nodes", "state", "usage", "pauses"]


@frozen
class Trace:
    """One trial of one case.

    `exposes` is what the protocol can show at all: what it cannot is unscored, never absent. `start_state` is
    the state that the trial began with; `source` says where the record comes from ("live", or a file).
    """

    case: str
    trial: int
    session: str
    turns: tuple[TurnTrace, ...]
    outcome: Outcome
    exposes: tuple[Exposed, ...]
    track: str = "agent"
    side: Side = "head"
    source: str = "live"
    start_state: Mapping[str, Json] = field(default_factory=dict)
    retries: int = 0
    duration_ms: float = 0.0

    @property
    def events(self) -> tuple[Event, ...]:
        """All events of all turns, in order."""
        return tuple(event for turn in self.turns for event in turn.events)
