"""What an AG-UI agent has said and done: in this run piece by piece, and in the conversation before it."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gate.formats.adk import PLUMBING_CALL
from gate.formats.adk_fields import UnreadableEvent, is_mapping, items, text
from gate.formats.adk_pauses import is_plumbing, pauses_of
from gate.formats.ag_ui_events import THINKING, Record, owner_of, type_of
from gate.formats.ag_ui_history import History, message_of, text_of
from gate.formats.ag_ui_open import Growing, Place, placed
from gate.formats.ag_ui_places import AUTHOR
from gate.formats.ag_ui_restated import Restated
from gate.formats.openai_fields import ReadArguments
from gate.model import Json
from gate.model.trace import Call, Event, Pause, Result, Text

AGAIN: Final = "the call that was asked about, told again"
STARTS: Final = frozenset(("TEXT_MESSAGE_START", "TOOL_CALL_START", "REASONING_MESSAGE_START"))
PIECES: Final = frozenset(("TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "REASONING_MESSAGE_CONTENT"))
ENDS: Final = frozenset(("TEXT_MESSAGE_END", "TOOL_CALL_END", "REASONING_MESSAGE_END"))
_SORTS: Final = ("TEXT_MESSAGE", "TOOL_CALL", "REASONING_MESSAGE")


class Heard:
    """Messages, thoughts, calls and results of one conversation, of which `history` has those to send back.

    `names` has all calls by their ids; those of ADK's runtime are pauses. `called` and `answered` count how
    often a call or a result was told under an id, for models use one again. Events come here in order.
    """

    def __init__(self, arguments: ReadArguments) -> None:
        self.history = History()
        self.names: dict[str, str] = {}
        self.called: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self._plumbing: dict[str, Pause] = {}
        self._arguments = arguments
        self.begin(frozenset())

    def begin(self, resumed: frozenset[str]) -> None:
        """A run begins: it goes on with the calls that were asked about."""
        self._resumed = resumed
        self._unanswered: dict[str, None] = {}
        self._last: set[str] = set()
        self._open: dict[tuple[str, str], Growing] = {}
        self._spoken: set[str] = set()

    def start(self, event: Record, place: Place) -> None:
        """A message, a thought or a call begins."""
        name, key = type_of(event), _key(event)
        if name == "TOOL_CALL_START":
            tool, parent = text(event, "toolCallName"), text(event, "parentMessageId")
            self._open[key] = Growing(key[1], place, name=tool)
            self.history.call(key[1], tool, parent)
            self._spoken.add(parent or key[1])
            return
        role = "reasoning" if name == "REASONING_MESSAGE_START" else text(event, "role") or AUTHOR
        if role == AUTHOR and owner_of(event) is None and text(event, "name"):
            place = replace(place, author=text(event, "name"))
        self._open[key] = Growing(key[1], place, role=role)
        self._spoken.add(key[1])
        if not key[1].startswith(THINKING):  # no server knows these
            self.history.begin(key[1], role)

    def add(self, event: Record) -> None:
        """A piece of what is open."""
        growing, piece = self._open[_key(event)], text(event, "delta")
        growing.add(piece)
        if growing.role:
            self.history.say(growing.id, growing.role, piece)
        else:
            self.history.argue(growing.id, piece)

    def end(self, event: Record) -> Event:
        """What is complete now."""
        growing = self._open.pop(_key(event))
        made = growing.event(self._arguments)
        self._hear(made)
        if growing.role:
            return made
        again = growing.id in self._resumed and self.names.get(growing.id) == growing.name
        made = self._called(made)
        return replace(made, not_in_trajectory=AGAIN) if again else made

    def rest(self) -> Iterator[Event]:
        """What was begun and not ended, as far as it came."""
        left, self._open = self._open, {}
        for growing in left.values():
            if growing.words or not growing.role:
                yield _without_plumbing(growing.event(self._arguments))

    def waiting(self, named: Sequence[str], offered: Collection[str]) -> Iterator[Pause]:
        """The calls that a run left to its client: those that it names, else those without a result.

        Of these, some have run where their server does not tell results: those of tools that nobody offered,
        if the agent spoke after them.
        """
        left = (ident for ident in self._unanswered if ident in self._last or self.names[ident] in offered)
        for ident in named or left:
            name = self.names.get(ident, "")
            yield self._plumbing.get(ident) or Pause(id=ident, name=name, kind="job", tool=name)

    def tool_of(self, call_id: str) -> str:
        """The tool of a call, or the one that a call of the runtime asks about."""
        asked = self._plumbing.get(call_id)
        return asked.tool if asked else self.names.get(call_id, "")

    def result(self, event: Record, place: Place) -> Event:
        """What a tool gave back."""
        call_id, content, error = text(event, "toolCallId"), event.get("content"), event.get("error")
        if not isinstance(content, str | list):
            raise UnreadableEvent("content of TOOL_CALL_RESULT is neither text nor a list of parts")
        self.history.answer(text(event, "messageId"), call_id, content)
        failed = isinstance(error, str) and bool(error)
        name, value = self.names.get(call_id, ""), text_of(content)
        self._answer(call_id)
        return placed(place, Result(call_id=call_id, name=name, value=value, is_error=failed))

    def restate(self, event: Record, place: Place) -> Iterator[Event]:
        """What a snapshot of all messages tells for the first time; it replaces the history."""
        messages = [message_of(each) for each in items(event, "messages")]
        restated = Restated(
            self.history,
            messages,
            changes=lambda ident: ident in self._spoken and not self._is_open(ident),
            names=self.names,
            called=self.called,
            answered=self.answered,
        )
        for each in restated.events(place, self._arguments):
            self._hear(each)
            yield self._called(each)
        self._spoken |= {
            str(message["id"])
            for message in messages
            if not self.history.has(str(message["role"]), str(message["id"]))
        }
        self.history.restate(messages)

    def _is_open(self, ident: str) -> bool:
        return any((sort, ident) in self._open for sort in _SORTS)

    def _hear(self, event: Event) -> None:
        """After words for the reader, what was called before them has run, even if no result was told."""
        for part in event.parts:
            if isinstance(part, Text) and event.author != "user":
                self._last.clear()
            elif isinstance(part, Result):
                self._answer(part.call_id)

    def _called(self, event: Event) -> Event:
        """Note a call; one of the runtime asks about the call of a tool, and is none of its own."""
        for call in event.parts:
            if not isinstance(call, Call):
                continue
            self.names[call.id] = call.name
            self.called[call.id] += 1
            self._unanswered[call.id] = None
            self._last.add(call.id)
            if is_plumbing(call.name):
                self._ask(call)
        return _without_plumbing(event)

    def _ask(self, call: Call) -> None:
        asked: Mapping[str, Json] = {"id": call.id, "name": call.name, "args": call.args}
        (self._plumbing[call.id],) = pauses_of({}, [asked], (), self.names)
        original = (call.args or {}).get("originalFunctionCall")
        if is_mapping(original) and isinstance(ident := original.get("id"), str):
            self._unanswered.pop(ident, None)

    def _answer(self, call_id: str) -> None:
        self.answered[call_id] += 1
        self._unanswered.pop(call_id, None)


def _without_plumbing(event: Event) -> Event:
    """The event itself, unless it is a call of ADK's runtime, which is no tool's."""
    for call in event.parts:
        if isinstance(call, Call) and is_plumbing(call.name):
            return replace(event, parts=(), not_in_trajectory=PLUMBING_CALL + call.name)
    return event


def _key(event: Record) -> tuple[str, str]:
    """What is open under which id: of a text message, a call or a thought."""
    name = type_of(event)
    sort = next(sort for sort in _SORTS if name.startswith(sort))
    return sort, text(event, "toolCallId" if sort == "TOOL_CALL" else "messageId")
