"""What models say while a LangGraph node runs: tokens, joined until the node hands over the whole message."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from gate.formats.adk_fields import UnreadableEvent, is_mapping, items, mapping, text
from gate.formats.langgraph_message import (
    AI,
    TOOL,
    Message,
    content_parts,
    joined,
    kind_of,
    message_of,
    model_in,
    usage_in,
)
from gate.formats.openai_fields import ReadArguments, whole_object
from gate.model import Json
from gate.model.trace import Call, Event, Part, Text, Thought, Usage

KEPT: Final = "a model's words that the graph does not add to its messages"


class Tokens:
    """The messages of one turn that came by stream mode `messages-tuple`, by their ids.

    A message that the graph adds to its state is read from there, and only its tokens' count is taken from
    here. What stays is a model's talk with itself; where the stream was cut it is the answer so far.
    """

    def __init__(self, arguments: ReadArguments) -> None:
        self._arguments = arguments
        self._said: dict[str, _Said] = {}

    def read(self, frame: Json) -> None:
        """Read one frame, a message or a piece of one with where it comes from; raises UnreadableEvent."""
        if not isinstance(frame, list) or not frame:
            raise UnreadableEvent("a frame of messages is no pair of a message and its metadata")
        record = whole_object(frame[0], "a message")
        about = frame[1] if len(frame) > 1 and is_mapping(frame[1]) else {}
        kind = kind_of(record)
        if kind in (AI, TOOL):
            said = self._said.setdefault(text(record, "id"), _Said(node_of(about)))
            said.add(record, kind, self._arguments)

    def usage(self, message: Message) -> Usage | None:
        """The tokens of a message that the graph has added, which is forgotten here."""
        said = self._said.pop(message.id, None)
        return message.usage or (said.usage if said else None)

    def rest(self, *, cut: bool) -> tuple[Event, ...]:
        """What nobody added, once: `cut` makes it words for the reader."""
        left, self._said = self._said, {}
        return tuple(event for said in left.values() if (event := said.event(self._arguments, cut=cut)))


def node_of(about: Mapping[str, Json]) -> str:
    """The node that a message comes from, with the nodes around it: `expert/model`."""
    place = about.get("langgraph_checkpoint_ns") or about.get("langgraph_node")
    return path_of(place) if isinstance(place, str) else ""


def path_of(namespace: str) -> str:
    """The nodes of a namespace, `expert:5d45…|model:0c51…`, without the ids of their tasks."""
    parts = (part.partition(":")[0] for part in namespace.split("|"))
    return "/".join(part for part in parts if part and not part.isdigit())


class _Said:
    """One message, whole or in pieces."""

    def __init__(self, node: str) -> None:
        self._node = node
        self._parts: list[Part] = []
        self._calls: dict[str, _Pieces] = {}
        self._whole: Message | None = None
        self._usage: Usage | None = None
        self._model = ""

    @property
    def usage(self) -> Usage | None:
        """The tokens that were counted; the model may be named by another piece than that which counts."""
        return replace(self._usage, model=self._usage.model or self._model) if self._usage else None

    def add(self, record: Mapping[str, Json], kind: str, arguments: ReadArguments) -> None:
        self._model = model_in(record) or self._model
        self._usage = usage_in(record) or self._usage
        if kind == TOOL or not text(record, "type").endswith("Chunk"):
            self._whole = message_of(record, arguments)
            return
        more = mapping(record, "additional_kwargs").get("reasoning_content")
        if isinstance(more, str):
            self._parts.append(Thought(text=more))
        self._parts += content_parts(record.get("content"))
        for number, each in enumerate(items(record, "tool_call_chunks")):
            piece = whole_object(each, "a piece of a tool call")
            place = piece.get("index")
            key = str(number if place is None else place)
            self._calls.setdefault(key, _Pieces()).add(piece)

    def event(self, arguments: ReadArguments, *, cut: bool) -> Event | None:
        parts = self._whole.parts if self._whole else joined(iter(self._parts))
        calls = (
            ()
            if self._whole
            else tuple(call for each in self._calls.values() for call in each.made(arguments))
        )
        if not (parts or calls or self.usage):
            return None
        if cut:
            return Event(author="assistant", node=self._node, parts=(*parts, *calls), usage=self.usage)
        kept = tuple(Thought(text=part.text) if isinstance(part, Text) else part for part in parts)
        return Event(  # the node was visited before: it is told as the author, or it would be a visit again
            author=self._node or "assistant",
            parts=(*kept, *calls),
            usage=self.usage,
            not_in_trajectory=KEPT,
        )


class _Pieces:
    """A tool call, put together from its pieces."""

    def __init__(self) -> None:
        self._id = ""
        self._name = ""
        self._words: list[str] = []

    def add(self, piece: Mapping[str, Json]) -> None:
        self._id = self._id or text(piece, "id")
        self._name = self._name or text(piece, "name")
        self._words.append(text(piece, "args"))

    def made(self, arguments: ReadArguments) -> Iterator[Call]:
        if self._name:
            args, why = arguments("".join(self._words))
            yield Call(id=self._id, name=self._name, args=args, args_error=why)
