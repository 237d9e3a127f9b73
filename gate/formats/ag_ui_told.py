"""What a run of AG-UI has told so far: its events, and in between what they leave unsaid."""

from typing import Final

from gate.formats.ag_ui_places import AUTHOR
from gate.formats.ag_ui_state import SharedState
from gate.model.trace import Event

STATE: Final = "a change of state"
_MOST_NAMES: Final = 50
_OTHERS: Final = "others"


class Told:
    """Gathers events; a change of state ahead of the next, what was neither said nor done at the end."""

    def __init__(self, state: SharedState) -> None:
        self._state = state
        self._events: list[Event] = []
        self._silent: dict[str, int] = {}
        self.node = ""

    def tell(self, event: Event) -> None:
        """Add an event."""
        self.settle()
        self._events.append(event)

    def note(self, what: str) -> None:
        """Count what is no event of a trace."""
        if what not in self._silent and len(self._silent) >= _MOST_NAMES:
            what = _OTHERS
        self._silent[what] = self._silent.get(what, 0) + 1

    def settle(self, *, final: bool = False) -> None:
        """Tell what is known of the state, and at the end what was counted."""
        if change := self._state.change(final=final):
            event = Event(
                author=AUTHOR,
                node=self.node,
                state_delta=change.delta,
                state_removed=change.removed,
                not_in_trajectory=STATE,
            )
            self._events.append(event)
        if final and self._silent:
            counted = ", ".join(what if n == 1 else f"{n} x {what}" for what, n in self._silent.items())
            self._silent = {}
            self._events.append(
                Event(author=AUTHOR, node=self.node, not_in_trajectory=f"no content: {counted}")
            )

    def take(self) -> tuple[Event, ...]:
        """The events since the last time."""
        events, self._events = tuple(self._events), []
        return events
