"""What goes to a terminal or a log while a run goes on: the plan, progress, and a line a case."""

from gate.publish.words import about, count, duration


def plan_line(cases: int, trials: int, rate: float | None, *, turns: int = 0) -> str:
    """`48 cases x 3 trials = 144 runs, at most 15/min: about 10 min`.

    `rate` is in turns a second; the cases have `turns` together (0: one each).
    """
    runs = cases * trials
    line = f"{count(cases, 'case')} x {count(trials, 'trial')} = {count(runs, 'run')}"
    if rate is None:
        return line
    return f"{line}, at most {_rate(rate)}: {about((turns or cases) * trials / rate)}"


def _rate(per_s: float) -> str:
    """`15/min`: in the unit that was probably written."""
    if per_s >= 1 and per_s % 1 == 0:
        return f"{per_s:g}/s"
    return f"{per_s * 60:.6g}/min" if per_s * 60 >= 1 else f"{per_s * 3600:.6g}/h"


def progress_line(
    *, cases: tuple[int, int], trials: tuple[int, int], failed: int, left_s: float | None = None
) -> str:
    """`12 of 48 cases, 36 of 144 trials, 2 failed, about 4 min left`; each pair is (done, all)."""
    left = f", {about(left_s)} left" if left_s is not None else ""
    done = f"{cases[0]} of {count(cases[1], 'case')}, {trials[0]} of {count(trials[1], 'trial')}"
    return f"{done}, {failed} failed{left}"


def case_line(
    case: str, *, passed: int, measured: int, planned: int, seconds: float, reason: str = ""
) -> str:
    """One finished case in a log: `pass  3 of 3  2.1 s  weather_london`."""
    from gate.publish import escape  # not needed before the first request

    word = "pass" if passed == planned else "FAIL" if passed < measured else "????"
    note = f": {escape.line(reason)}" if reason else ""
    missing = f" ({planned - measured} not measured)" if measured < planned else ""
    line = f"{word}  {passed} of {planned}  {duration(seconds):>9}  {escape.line(case, 160)}"
    return f"{line}{missing}{note}"
