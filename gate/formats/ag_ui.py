"""AG-UI's stream of events to events of a trace: one for each message, thought, call and result.

What the protocol splits is put together here. What is neither said nor done (activities, raw and custom
events, types that nobody knows) is counted in an event that says so.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from gate.formats import ag_ui_ends as ends
from gate.formats import ag_ui_heard as heard
from gate.formats.adk_fields import items, text
from gate.formats.ag_ui_chunks import Chunks
from gate.formats.ag_ui_ends import Asked
from gate.formats.ag_ui_events import Record, checked, is_known, modern, outcome_of, owner_of, type_of
from gate.formats.ag_ui_open import Place, placed
from gate.formats.ag_ui_order import Order
from gate.formats.ag_ui_places import AUTHOR, Places
from gate.formats.ag_ui_state import SharedState
from gate.formats.ag_ui_told import Told
from gate.formats.openai_fields import ReadArguments
from gate.formats.quoting import quoted, start_of
from gate.model import Json
from gate.model.trace import Event, Pause

STEP, SUBAGENT, END = "a step begins", "a subagent begins", "the end of the run"
_BRACKETS: Final = ("REASONING_START", "REASONING_END", "SUBAGENT_FINISHED")
"""They stand around what is read by itself."""
_LABELS: Final[Mapping[str, str]] = {
    "CUSTOM": "name",
    "ACTIVITY_SNAPSHOT": "activityType",
    "ACTIVITY_DELTA": "activityType",
}


class RunReader:
    """Reads the runs of one conversation, one after the other, each from a stream of its own.

    `heard` and `state` have what the next request carries; `asked` says how each pause of the last run is
    answered. `offered` names the tools that the client runs. Raises UnreadableEvent for what is no event, or
    comes out of order.
    """

    def __init__(
        self, arguments: ReadArguments, start: Mapping[str, Json], offered: frozenset[str] = frozenset()
    ) -> None:
        self.heard = heard.Heard(arguments)
        self.state = SharedState(start)
        self.asked: dict[str, Asked] = {}
        self.counts_tokens = False
        self._offered = offered
        self._earlier: set[str] = set()
        self._run = ""
        self._reset()
        self._do: Mapping[str, Callable[[Record], None]] = {
            **dict.fromkeys(heard.STARTS, self._begin_piece),
            **dict.fromkeys(heard.PIECES, self.heard.add),
            **dict.fromkeys(heard.ENDS, lambda event: self._told.tell(self.heard.end(event))),
            **dict.fromkeys(_BRACKETS, lambda _: None),
            "RUN_FINISHED": self._finish,
            "RUN_ERROR": self._fail,
            "STEP_STARTED": self._enter,
            "STEP_FINISHED": self._leave,
            "SUBAGENT_STARTED": self._start_subagent,
            "SUBAGENT_ERROR": self._fail_subagent,
            "TOOL_CALL_RESULT": lambda event: self._told.tell(self.heard.result(event, self._place(event))),
            "STATE_SNAPSHOT": lambda event: self.state.replace(event["snapshot"]),
            "STATE_DELTA": lambda event: self.state.patch(items(event, "delta")),
            "MESSAGES_SNAPSHOT": self._restate,
        }

    @property
    def finished(self) -> bool:
        """Whether the run that was asked for has ended, well or by an error."""
        return self._order.finished and not self._replayed

    def begin(self, run: str, answered: Mapping[str, Asked]) -> None:
        """A request is about to be sent for the run of this id, with answers to these pauses."""
        self._earlier |= {self._run}
        self._run = run
        self.heard.answered.update(ident for ident, asked in answered.items() if asked.way == "call")
        self.asked = {}
        self.state.begin()
        self._reset()
        self.heard.begin(frozenset(asked.call for asked in answered.values() if asked.call))

    def read(self, frame: Json) -> tuple[Event, ...]:
        """Read one event; gives what it completes, and what is known of others since the last time."""
        name = type_of(frame)
        record = modern(frame) if isinstance(frame, dict) else {}
        if not is_known(type_of(record)):
            self._told.note(f"unknown {start_of(name)}")
            return ()
        for event in self._chunks.read(checked(record)):
            self._order.check(event)
            self._take(type_of(event), event)
        return self._told.take()

    def rest(self) -> tuple[Event, ...]:
        """What came of a run that was cut off, as far as it came; nothing of it waits."""
        self._tell_rest()
        self._told.settle(final=True)
        return self._told.take()

    def _reset(self) -> None:
        self._replayed = False
        self._order, self._chunks, self._places = Order(), Chunks(), Places()
        self._told = Told(self.state)
        self._questions: list[Record] = []

    def _take(self, name: str, event: Record) -> None:
        if name == "RUN_STARTED":
            self._places = Places()
            run = text(event, "runId")
            self._replayed = run in self._earlier and run != self._run
        elif self._replayed:
            self._told.note("events of an earlier run, told again")
        elif name in self._do:
            self._do[name](event)
        else:
            self._keep(name, event)

    def _place(self, event: Record) -> Place:
        owner = owner_of(event)
        return Place(author=self._places.author(owner), node=self._places.node(owner))

    def _begin_piece(self, event: Record) -> None:
        self.heard.start(event, self._place(event))

    def _tell_rest(self) -> None:
        for event in self.heard.rest():
            self._told.tell(event)

    def _enter(self, event: Record) -> None:
        self._told.settle()
        self._places.enter(owner_of(event), text(event, "stepName"))
        self._told.node = self._places.node(None)
        self._told.tell(placed(self._place(event), silent=STEP))

    def _leave(self, event: Record) -> None:
        self._told.settle()
        self._places.leave(owner_of(event), text(event, "stepName"))
        self._told.node = self._places.node(None)

    def _start_subagent(self, event: Record) -> None:
        self._places.start(text(event, "subagentRunId"), text(event, "name"))
        self._told.tell(placed(self._place(event), silent=SUBAGENT))

    def _fail_subagent(self, event: Record) -> None:
        place = self._place(event)
        failed = replace(placed(place), error=f"subagent {place.author}: {ends.error_of(event)}")
        self._told.tell(failed)

    def _restate(self, event: Record) -> None:
        for each in self.heard.restate(event, self._place(event)):
            self._told.tell(each)

    def _keep(self, name: str, event: Record) -> None:
        """What nobody said or did: counted, and questions of older servers remembered."""
        if name == "REASONING_ENCRYPTED_VALUE":
            is_call = event.get("subtype") == "tool-call"
            ident, value = text(event, "entityId"), text(event, "encryptedValue")
            self.heard.history.encrypt(ident, value, is_call=is_call)
        if name == "CUSTOM" and ends.is_legacy(event):
            self._questions.append(event)
        label = text(event, _LABELS[name]) if name in _LABELS else ""
        self._told.note(f"{name} {quoted(label)}" if label else name)

    def _fail(self, event: Record) -> None:
        self._tell_rest()
        self._told.settle(final=True)
        self._end(event, Event(author=AUTHOR, error=ends.error_of(event)))

    def _finish(self, event: Record) -> None:
        pauses = tuple(self._pauses(event))
        error = ends.CANCELLED if outcome_of(event) == "cancelled" else ""
        if (result := event.get("result")) is not None:
            self._told.note(f"a result of the run, which is no answer: {start_of(str(result))}")
        if odd := ends.odd_outcome(event):
            self._told.note(f"an outcome that nobody knows, {quoted(odd)}, read as success")
        if described := self.state.described():
            self._told.note(described)
        self._told.settle(final=True)
        self._end(event, Event(author=AUTHOR, error=error, pauses=pauses, not_in_trajectory=END))

    def _pauses(self, event: Record) -> Iterator[Pause]:
        if outcome_of(event) == "interrupt":
            found = list(ends.interrupts_of(event, self.heard.tool_of))
        elif outcome_of(event) == "success":
            found = [ends.legacy_pause(each, number) for number, each in enumerate(self._questions, 1)]
            waiting = self.heard.waiting(ends.pending_of(event), self._offered)
            found += ((pause, Asked(way="call")) for pause in waiting)
        else:
            return
        for pause, asked in found:
            self.asked[pause.id] = asked
            yield pause

    def _end(self, event: Record, end: Event) -> None:
        """Tell how a run ended, if there is anything to tell, with its tokens: an event for each model."""
        first, *more = ends.usages_of(event) or (None,)
        self.counts_tokens = self.counts_tokens or first is not None
        if end.pauses or end.error or first:
            self._told.tell(replace(end, usage=first))
        for usage in more:
            self._told.tell(Event(author=AUTHOR, usage=usage, not_in_trajectory=END))
