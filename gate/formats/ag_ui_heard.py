"""What an AG-UI agent has said and done: in this run piece by piece, and in the conversation before it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gate.formats.adk_fields import UnreadableEvent, items, text
from gate.formats.ag_ui_events import THINKING, Record, owner_of, type_of
from gate.formats.ag_ui_history import History, message_of, text_of
from gate.formats.ag_ui_open import Growing, Place, placed
from gate.formats.ag_ui_places import AUTHOR
from gate.formats.ag_ui_restated import Restated
from gate.formats.openai_fields import ReadArguments
from gate.model.trace import Call, Event, Part, Result

AGAIN: Final = "the call that was asked about, told again"
STARTS: Final = frozenset(("TEXT_MESSAGE_START", "TOOL_CALL_START", "REASONING_MESSAGE_START"))
PIECES: Final = frozenset(("TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "REASONING_MESSAGE_CONTENT"))
ENDS: Final = frozenset(("TEXT_MESSAGE_END", "TOOL_CALL_END", "REASONING_MESSAGE_END"))
_SORTS: Final = ("TEXT_MESSAGE", "TOOL_CALL", "REASONING_MESSAGE")


class Heard:
    """Messages, thoughts, calls and results of one conversation, of which `history` has those to send back.

    `names` has all calls, `unanswered` those of this run whose result has not come. The order of events has
    been checked before.
    """

    def __init__(self, arguments: ReadArguments) -> None:
        self.history = History()
        self.names: dict[str, str] = {}
        self.answered: set[str] = set()
        self._arguments = arguments
        self.begin(frozenset())

    def begin(self, resumed: frozenset[str]) -> None:
        """A run begins: it goes on with the calls that were asked about."""
        self._resumed = resumed
        self.unanswered: dict[str, str] = {}
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
        if growing.role:
            return made
        again = growing.id in self._resumed and self.names.get(growing.id) == growing.name
        self._call(growing.id, growing.name)
        return replace(made, not_in_trajectory=AGAIN) if again else made

    def rest(self) -> Iterator[Event]:
        """What was begun and not ended, as far as it came."""
        left, self._open = self._open, {}
        for growing in left.values():
            if growing.words or not growing.role:
                yield growing.event(self._arguments)

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
            answered=self.answered,
        )
        for each in restated.events(place, self._arguments):
            for part in each.parts:
                self._note(part)
            yield each
        self._spoken |= {
            str(message["id"])
            for message in messages
            if not self.history.has(str(message["role"]), str(message["id"]))
        }
        self.history.restate(messages)

    def _is_open(self, ident: str) -> bool:
        return any((sort, ident) in self._open for sort in _SORTS)

    def _note(self, part: Part) -> None:
        if isinstance(part, Call):
            self._call(part.id, part.name)
        elif isinstance(part, Result):
            self._answer(part.call_id)

    def _call(self, ident: str, name: str) -> None:
        self.names[ident] = name
        self.unanswered[ident] = name

    def _answer(self, call_id: str) -> None:
        self.answered.add(call_id)
        self.unanswered.pop(call_id, None)


def _key(event: Record) -> tuple[str, str]:
    """What is open under which id: of a text message, a call or a thought."""
    name = type_of(event)
    sort = next(sort for sort in _SORTS if name.startswith(sort))
    return sort, text(event, "toolCallId" if sort == "TOOL_CALL" else "messageId")
