"""What an AG-UI snapshot of all messages tells for the first time: the rest was heard before."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from gate.formats.adk_fields import text
from gate.formats.ag_ui_history import History, as_text, calls_of, text_of
from gate.formats.ag_ui_open import Place, placed, said
from gate.formats.openai_fields import ReadArguments
from gate.model import Json
from gate.model.trace import Call, Event, Result

_SPOKEN: Final = ("assistant", "reasoning")


class Restated:
    """Finds what is new in a snapshot's messages, by their ids, and by their words where ids were given anew.

    `names` has the calls that came before; `called` counts them by their ids, `answered` their results: where
    a snapshot has more of an id, they are new. `changes` tells the messages whose words this run may replace.
    What changes in older messages is not said now.
    """

    def __init__(
        self,
        history: History,
        messages: list[Mapping[str, Json]],
        *,
        changes: Callable[[str], bool],
        names: Mapping[str, str],
        called: Mapping[str, int],
        answered: Mapping[str, int],
    ) -> None:
        self._history = history
        self._messages = messages
        self._changes, self._names = changes, names
        self._called, self._answered = called, answered
        self._calls_here: Counter[str] = Counter()
        self._results_here: Counter[str] = Counter()
        self._counted: set[tuple[str, str]] = set()
        told = {message["id"] for message in messages}
        self._elsewhere = Counter(_words(message) for message in history.sent() if message["id"] not in told)

    def events(self, place: Place, arguments: ReadArguments) -> Iterator[Event]:
        """The new words, calls and results, in the snapshot's order."""
        for message in self._messages:
            role = str(message["role"])
            if role == "tool":
                yield from self._result(message, place)
            elif role in _SPOKEN:
                if self._is_new(message):
                    yield said(place, role, as_text(message.get("content")))
                yield from self._calls(message, place, arguments)

    def _is_new(self, message: Mapping[str, Json]) -> bool:
        content, ident = message.get("content"), str(message["id"])
        if not isinstance(content, str) or not content:
            return False
        role = str(message["role"])
        if self._history.has(role, ident):
            return self._changes(ident) and self._history.words_of(role, ident) != content
        if self._elsewhere[_words(message)]:
            self._elsewhere[_words(message)] -= 1
            return False
        return True

    def _calls(self, message: Mapping[str, Json], place: Place, arguments: ReadArguments) -> Iterator[Event]:
        for ident, name, given in calls_of(message):
            if self._is_more(str(message["id"]), ident, self._calls_here, self._called):
                args, why = arguments(given)
                yield placed(place, Call(id=ident, name=name, args=args, args_error=why))

    def _result(self, message: Mapping[str, Json], place: Place) -> Iterator[Event]:
        call_id = text(message, "toolCallId")
        if self._is_more(str(message["id"]), call_id, self._results_here, self._answered):
            error = text(message, "error")
            value = text_of(message.get("content"))
            name = self._names.get(call_id, "")
            failed = Result(call_id=call_id, name=name, value=value or error, is_error=bool(error))
            yield placed(place, failed)

    def _is_more(self, message: str, ident: str, here: Counter[str], told: Mapping[str, int]) -> bool:
        """Whether the snapshot has more of an id than were told; a message that it repeats counts once."""
        if (message, ident) in self._counted:
            return False
        self._counted.add((message, ident))
        here[ident] += 1
        return here[ident] > told.get(ident, 0)


def _words(message: Mapping[str, Json]) -> tuple[Json, str]:
    content = message.get("content")
    return message.get("role"), content if isinstance(content, str) else ""
