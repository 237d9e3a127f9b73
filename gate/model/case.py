"""A golden case: turns in, expectations out."""

from collections.abc import Mapping
from dataclasses import field
from datetime import date
from typing import Literal, TypeAlias, Union

from gate.frozen import frozen
from gate.model import Json
from gate.model.finding import Place

Side = Literal["head", "base"]
"""Whose text of a case: one that a pull request changes or removes is also run as the base has it."""


@frozen
class TextPart:
    """Plain text that a user sends."""

    text: str


@frozen
class BlobPart:
    """Inline bytes that a user sends, as base64."""

    mime_type: str
    data: str


@frozen
class FilePart:
    """A file that a user refers to by URI."""

    mime_type: str
    uri: str


UserPart: TypeAlias = TextPart | BlobPart | FilePart


@frozen
class User:
    """A user's message: at least one part."""

    parts: tuple[UserPart, ...]

    @property
    def text(self) -> str:
        """The text parts, joined by newlines."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))


@frozen
class Answer:
    """The answer to one pause.

    `to` is the pause's id, its name (`adk_request_input`) or the name of the tool to be confirmed. A text
    `approve` or `reject` is read as that decision; where the pause asks for input, `value` is sent.
    """

    to: str
    decision: Literal["approve", "reject", "input"]
    value: Json = None


@frozen
class Answers:
    """Answers to the pauses that ended the turn before."""

    answers: tuple[Answer, ...]


@frozen
class ExpectedCall:
    """A tool call that is expected; `args` None means that its arguments do not matter."""

    name: str
    args: Mapping[str, Json] | None = None


@frozen
class Parallel:
    """Branches that may run in any order among each other; each branch is a sequence of its own."""

    branches: tuple[tuple[Union[str, "Parallel"], ...], ...]


Nodes: TypeAlias = tuple[str | Parallel, ...]


@frozen
class Expect:
    """What is expected of a turn or a case; None expects nothing in particular, `()` nothing at all."""

    calls: tuple[ExpectedCall, ...] | None = None
    nodes: Nodes | None = None
    state: Mapping[str, Json] | None = None
    state_keys: tuple[str, ...] | None = None
    contains: tuple[str, ...] | None = None
    excludes: tuple[str, ...] | None = None
    pauses: tuple[str, ...] | None = None
    reference: str | None = None
    rubric: str | None = None


@frozen
class Turn:
    """One message to the agent, with what is expected back.

    `state_delta` is what the session's state is changed by, before the agent gets the message.
    """

    sent: User | Answers
    expect: Expect = field(default_factory=Expect)
    place: Place
    state_delta: Mapping[str, Json] = field(default_factory=dict)


@frozen
class Quarantine:
    """A case that is run and shown but counts on neither side until `until` (inclusive)."""

    owner: str
    reason: str
    until: date


@frozen
class Case:
    """One golden example. `group` names the unit that it shares a database with ("": it stands alone).

    `extra` is what its author knows of it besides: it is carried along, and neither sent nor expected.
    """

    id: str
    turns: tuple[Turn, ...]
    place: Place
    category: str = ""
    tags: tuple[str, ...] = ()
    start_state: Mapping[str, Json] = field(default_factory=dict)
    expect: Expect = field(default_factory=Expect)
    depends_on: tuple[str, ...] = ()
    isolation: Literal["own", "shared"] = "own"
    group: str = ""
    quarantine: Quarantine | None = None
    track: str = "agent"
    extra: Mapping[str, Json] = field(default_factory=dict)

    @property
    def expects(self) -> tuple[Expect, ...]:
        """What is expected of the case as a whole, and then of each turn."""
        return (self.expect, *(turn.expect for turn in self.turns))
