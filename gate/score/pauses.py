"""`pauses`: the turn ends with the agent waiting for what is expected."""

from collections.abc import Sequence
from typing import ClassVar

from gate.model import Json
from gate.model.case import Expect
from gate.model.derived import is_named, open_pauses
from gate.model.trace import Exposed, Pause
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


def unmet(expected: Sequence[str], open_now: Sequence[Pause]) -> tuple[str, ...]:
    """The expected pauses that no open pause of their own answers to."""
    met = pairs(expected, open_now, lambda name, pause: is_named(pause, [name]))
    return tuple(name for index, name in enumerate(expected) if index not in met)


def _listed(pauses: Sequence[Pause]) -> str:
    return ", ".join(
        f"{quoted(pause.name)} (tool {quoted(pause.tool)})" if pause.tool else quoted(pause.name)
        for pause in pauses
    )
