"""What is new in a list of messages that repeats what was there before: by id, else by position."""

from collections import Counter
from collections.abc import Iterable, Sequence

from gate.formats.langgraph_message import Message
from gate.model.trace import Part


class History:
    """The messages of one thread that were told or sent already.

    A message with an id is new once. Those without are told apart by their place: what stands before the
    message that opened the turn is old, and after it as many of each kind are old as the turn has told.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[Part, ...]] = {}
        self._nameless: Counter[str] = Counter()
        self._before: Counter[str] = Counter()
        self._opening = ""
        self._first = ""

    def open(self, sent: Sequence[Message]) -> None:
        """A turn begins with these messages, which are ours."""
        self._known |= {message.id: message.parts for message in sent if message.id}
        self._opening = sent[-1].id if sent else ""
        self._first = self._first or next((each.fingerprint for each in sent), "")
        self._before += self._nameless
        self._nameless = Counter()

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._known

    def told(self, messages: Iterable[Message]) -> bool:
        """Whether a list begins as the thread does: it is no addition to it, but all of it again."""
        first = next(iter(messages), None)
        return first is not None and (first.id in self._known or first.fingerprint == self._first)

    def new(self, messages: Sequence[Message], *, again: bool) -> list[Message]:
        """Those that nobody has told yet, with what is new of those that changed.

        `again`: the list repeats what came before it, so that what is the same was told.
        """
        places = [number for number, message in enumerate(messages, 1) if message.id == self._opening]
        start = places[-1] if again and self._opening and places else 0
        old = Counter() if start else self._before
        seen: Counter[str] = Counter()
        found: list[Message] = []
        for number, message in enumerate(messages, 1):
            if message.id:
                fresh = self._with_id(message, again=again)
            elif number <= start:
                fresh = None
            else:
                fresh = self._without_id(message, seen, old, again=again)
            if fresh is not None:
                found.append(fresh)
        return found

    def _with_id(self, message: Message, *, again: bool) -> Message | None:
        known = self._known.get(message.id)
        self._known[message.id] = message.parts
        if known is not None:
            return None if known == message.parts else _changed(message, known)
        if again and self._nameless[message.fingerprint] > 0:
            self._nameless[message.fingerprint] -= 1
            return None
        return message

    def _without_id(
        self, message: Message, seen: "Counter[str]", old: "Counter[str]", *, again: bool
    ) -> Message | None:
        name = message.fingerprint
        seen[name] += 1
        if again and seen[name] <= self._nameless[name] + old[name]:
            return None
        self._nameless[name] += 1
        return message


def _changed(message: Message, known: Sequence[Part]) -> Message | None:
    """A message that a later node edits, without what it said before; its tokens were counted then."""
    before = set(map(repr, known))
    parts = tuple(part for part in message.parts if repr(part) not in before)
    if not parts:
        return None
    return Message(id=message.id, kind=message.kind, author=message.author, parts=parts)
