"""Work on an agent's text that a team's own pattern could make endless: it is stopped by its CPU time.

Python's `re` backtracks, and some patterns take time that doubles with each character. The pattern is the
team's and the text is the agent's, so that nobody can promise that the two get along. `re` asks for signals
while it works: https://docs.python.org/3/library/signal.html#signal.setitimer
"""

import signal
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

CPU_S = 0.5
"""Seconds of CPU for one answer. An honest search takes a thousandth of it; nothing else moves meanwhile."""


class TooSlow(Exception):
    """The work took more than CPU_S seconds of CPU."""


def bounded(work: Callable[[], T], cpu_s: float = CPU_S) -> T:
    """What `work` returns; raises TooSlow where it takes longer. Only the main thread may call this."""
    armed = True

    def stop(_number: int, _frame: FrameType | None) -> None:
        if armed:
            raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, cpu_s)
        return work()
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
