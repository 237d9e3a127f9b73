import re
import signal

import pytest

from gate.score.bounded import TooSlow, bounded

EVIL = re.compile(r"(a+)+$")


def test_work_that_ends_gives_its_result_and_leaves_no_timer() -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    assert bounded(lambda: 7) == 7
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0
    assert signal.getsignal(signal.SIGVTALRM) is before


def test_a_pattern_that_backtracks_without_end_is_stopped() -> None:
    before = signal.getsignal(signal.SIGVTALRM)
    with pytest.raises(TooSlow):
        bounded(lambda: EVIL.search("a" * 60 + "b"), cpu_s=0.05)
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0
    assert signal.getsignal(signal.SIGVTALRM) is before


def test_what_the_work_raises_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        bounded(lambda: 1 // 0)
    assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0
