"""What every protocol is put through: steps that agents take, and what must be recorded of them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from gate.model.case import Case, Turn
from gate.model.derived import calls_of, state_after, texts_of, tokens_of, visits
from gate.model.trace import Completed, Crashed, Exposed, Outcome, Result, Throttled, TimedOut, Trace
from tests.support.driving import answering, case, says


@dataclass(frozen=True)
class Say:
    """The agent says this to its reader."""

    text: str


@dataclass(frozen=True)
class CallTool:
    """The agent calls a tool that it runs itself; `args` as text is what it sends in place of an object."""

    id: str
    name: str
    args: Mapping[str, Any] | str


@dataclass(frozen=True)
class ToolSaid:
    """The tool's result."""

    id: str
    name: str
    value: Any


@dataclass(frozen=True)
class Visit:
    """The agent's graph enters a node."""

    node: str


@dataclass(frozen=True)
class SetState:
    """The session's state changes."""

    values: Mapping[str, Any]


@dataclass(frozen=True)
class Spend:
    """The model counted tokens."""

    input: int
    output: int


@dataclass(frozen=True)
class Ask:
    """The agent waits for an answer about a tool, in the way that its protocol has for it."""

    id: str
    tool: str


@dataclass(frozen=True)
class Fail:
    """The agent reports an error, although the status is 200."""

    message: str


Step: TypeAlias = Say | CallTool | ToolSaid | Visit | SetState | Spend | Ask | Fail
Sending = Literal["at once", "in small pieces", "cut", "stalled"]


@dataclass(frozen=True)
class Reply:
    """One answer, and how its bytes travel."""

    steps: tuple[Step, ...] = ()
    sending: Sending = "at once"


@dataclass(frozen=True)
class Scenario:
    """One row of the script. `shows` is what a protocol that cannot say it must not claim to expose."""

    name: str
    replies: tuple[Reply, ...]
    check: Callable[[Trace], None]
    shows: Exposed | None = None
    turns: tuple[Turn, ...] = field(default_factory=lambda: (says("Go on."),))
    trial_timeout_s: float = 20.0

    @property
    def case(self) -> Case:
        return case(self.name.replace(" ", "-"), *self.turns)


ODD = 'naïve 東京 \U0001f600 line\u2028para\u2029next\u0085tab\t"quoted" <b>&amp; \u202egnp.exe\nlast'
HUGE = "0123456789abcdef" * (128 * 1024)
PARIS = CallTool("c1", "look_up", {"city": "Paris", "days": 2})
OSLO = CallTool("c2", "look_up", {"city": "Oslo", "days": 2})
PING = CallTool("c3", "ping", {})
RAN = (PARIS, OSLO, PING)


def spoke(trace: Trace) -> str:
    return "".join(texts_of(trace.events))


def ended(trace: Trace, outcome: type[Outcome], words: str = "") -> None:
    assert type(trace.outcome) is outcome, trace.outcome
    assert words in trace.outcome.reason


def said(text: str) -> Callable[[Trace], None]:
    def check(trace: Trace) -> None:
        ended(trace, Completed)
        assert spoke(trace) == text

    return check


def called(trace: Trace) -> None:
    said("Done.")(trace)
    calls = [(call.name, call.args) for call in calls_of(trace.events)]
    assert calls == [(call.name, call.args) for call in RAN]
    assert len({call.id for call in calls_of(trace.events)}) == len(RAN)


def answered(trace: Trace) -> None:
    called(trace)
    results = [part for event in trace.events for part in event.parts if isinstance(part, Result)]
    # Some protocols carry results as text.
    values = [json.loads(each.value) if isinstance(each.value, str) else each.value for each in results]
    ids = {call.id: call.name for call in calls_of(trace.events)}
    assert values == [{"t": 20}, {"t": 5}, {"ok": True}]
    assert [ids[result.call_id] for result in results] == ["look_up", "look_up", "ping"]


def kept_state(trace: Trace) -> None:
    ended(trace, Completed)
    assert state_after({"seen": 1}, trace.events) == {"seen": 1, "city": "Paris", "n": {"a": [1]}}


def visited(trace: Trace) -> None:
    ended(trace, Completed)
    assert visits(trace.events) == ("router", "forecast")


def counted(trace: Trace) -> None:
    said("Done.")(trace)
    assert tokens_of(trace.events) == 18


def was_answered(trace: Trace) -> None:
    said("Shall I?Deleted.")(trace)
    assert [turn.ended for turn in trace.turns] == ["paused", "answered"]
    (pause,) = [pause for event in trace.turns[0].events for pause in event.pauses]
    assert pause.tool == "delete_file"


def compares_numbers(trace: Trace) -> None:
    said("Done.")(trace)
    (call,) = calls_of(trace.events)
    assert call.args == {"n": 20, "deep": {"xs": [1, 2.5, -3]}, "big": 9007199254740993}


def is_malformed(trace: Trace) -> None:
    said("Done.")(trace)
    (call,) = calls_of(trace.events)
    assert (call.name, call.args) == ("look_up", None)
    assert call.args_error


def was_cut(trace: Trace) -> None:
    ended(trace, Crashed)
    assert trace.turns[0].ended == "failed"


def said_nothing(trace: Trace) -> None:
    ended(trace, Completed)
    assert not spoke(trace)


def fails(outcome: type[Outcome], words: str) -> Callable[[Trace], None]:
    return lambda trace: ended(trace, outcome, words)


DONE = Say("Done.")
LONG = tuple(Say(f"Sentence {number}. ") for number in range(5))
SCRIPT: tuple[Scenario, ...] = (
    Scenario("text", (Reply((Say("It is 20 °C."),)),), said("It is 20 °C."), "text"),
    Scenario("calls", (Reply((*RAN, DONE)),), called, "calls"),
    Scenario(
        "results",
        (
            Reply(
                (
                    *(PARIS, ToolSaid("c1", "look_up", {"t": 20})),
                    *(OSLO, ToolSaid("c2", "look_up", {"t": 5})),
                    *(PING, ToolSaid("c3", "ping", {"ok": True}), DONE),
                )
            ),
        ),
        answered,
    ),
    Scenario("nodes", (Reply((Visit("router"), Visit("forecast"), DONE)),), visited, "nodes"),
    Scenario("state", (Reply((SetState({"city": "Paris", "n": {"a": [1]}}), DONE)),), kept_state, "state"),
    Scenario("usage", (Reply((DONE, Spend(11, 7))),), counted, "usage"),
    Scenario(
        "pauses",
        (Reply((Say("Shall I?"), Ask("p1", "delete_file"))), Reply((Say("Deleted."),))),
        was_answered,
        "pauses",
        (says("Delete it."), answering("delete_file")),
    ),
    Scenario("an error in a 200", (Reply((Fail("RuntimeError: boom"),)),), fails(Crashed, "boom")),
    Scenario("a limit in a 200", (Reply((Fail("429 RESOURCE_EXHAUSTED"),)),), fails(Throttled, "429")),
    Scenario("an answer that is cut", (Reply(LONG, "cut"),), was_cut),
    Scenario("an answer that stalls", (Reply(LONG, "stalled"),), fails(TimedOut, ""), trial_timeout_s=0.3),
    Scenario(
        "an answer in small pieces",
        (Reply((Say(ODD), *LONG), "in small pieces"),),
        said(ODD + "".join(step.text for step in LONG)),
    ),
    Scenario("unicode", (Reply((Say(ODD),)),), said(ODD)),
    Scenario(
        "numbers as floats",
        (Reply((CallTool("c1", "f", {"n": 20.0, "deep": {"xs": [1.0, 2.5, -3]}, "big": 2**53 + 1}), DONE)),),
        compares_numbers,
    ),
    Scenario("a huge answer", (Reply((Say(HUGE),)),), said(HUGE)),
    Scenario("an empty answer", (Reply(),), said_nothing),
    Scenario("malformed arguments", (Reply((CallTool("c1", "look_up", '{"city": '), DONE)),), is_malformed),
)
"""Each part of an answer, and each way in which it arrives."""
