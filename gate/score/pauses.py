"""`pauses`: the turn ends with the agent waiting for what is expected."""

from collections.abc import Iterable, Sequence
from typing import ClassVar

from gate.model import Json
from gate.model.case import Answers, Case, Expect, User
from gate.model.trace import Exposed, Pause, Result, Trace
from gate.score.items import ExpectMetric, Level
from gate.score.matching import pairs
from gate.score.values import names, quoted


class Pauses(ExpectMetric):
    """1 where each expected pause is open, by its id, its name or its tool's name, else 0.

    More may be open. To expect none means that the agent waits for nothing. The case's own level looks at its
    last turn.
    """

    reads = ("pauses",)
    always = True
    needs: ClassVar[Exposed] = "pauses"

    def wants(self, expect: Expect) -> Json:
        return None if expect.pauses is None else sorted(expect.pauses)

    def measure(self, level: Level) -> tuple[float, str]:
        expected = level.expect.pauses or ()
        open_now = open_pauses(level.case, level.trace, level.last)
        if not expected:
            reason = f"expected no pause; the agent waits for {_listed(open_now)}" if open_now else ""
            return (0.0 if reason or level.broken else 1.0), reason
        lacking = unmet(expected, open_now)
        waits = _listed(open_now) if open_now else "nothing"
        reason = f"expected the agent to wait for {names(lacking)}; it waits for {waits}" if lacking else ""
        return (0.0 if reason else 1.0), reason


def open_pauses(case: Case, trace: Trace, turns: int) -> tuple[Pause, ...]:
    """The pauses that are open after so many turns, each once; none where the last was answered or failed.

    A result with a pause's id closes it; one that the case's next turn leaves unanswered stays open.
    """
    if not turns or trace.turns[turns - 1].ended != "paused":
        return ()
    waiting: dict[tuple[str, str, str], Pause] = {}
    for index, turn in enumerate(trace.turns[:turns]):
        sent = case.turns[index].sent if index < len(case.turns) else None
        waiting = {key: pause for key, pause in waiting.items() if _left_open(pause, sent)}
        for event in turn.events:
            waiting |= {(pause.id, pause.name, pause.tool): pause for pause in event.pauses}
            closed = {part.call_id for part in event.parts if isinstance(part, Result)}
            waiting = {key: pause for key, pause in waiting.items() if pause.id not in closed}
    return tuple(waiting.values())


def is_named(pause: Pause, names: Iterable[str]) -> bool:
    """Whether one of the names is the pause's id, its name or its tool."""
    return not {pause.id, pause.name, pause.tool}.isdisjoint(names)


def unmet(expected: Sequence[str], open_now: Sequence[Pause]) -> tuple[str, ...]:
    """The expected pauses that no open pause of their own answers to."""
    met = pairs(expected, open_now, lambda name, pause: is_named(pause, [name]))
    return tuple(name for index, name in enumerate(expected) if index not in met)


def _left_open(pause: Pause, sent: User | Answers | None) -> bool:
    return isinstance(sent, Answers) and not is_named(pause, [answer.to for answer in sent.answers])


def _listed(pauses: Sequence[Pause]) -> str:
    return ", ".join(
        f"{quoted(pause.name)} (tool {quoted(pause.tool)})" if pause.tool else quoted(pause.name)
        for pause in pauses
    )
