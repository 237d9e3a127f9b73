"""Two baselines that grew apart become one: no run of either is lost, whichever of them was written first."""

from gate.compare.baseline import KEPT_RUNS
from gate.model.baseline import Baseline, BaselineLine


def joined(one: Baseline | None, other: Baseline | None) -> Baseline | None:
    """The evidence of both: the last ten of their runs by date, each once; None of none.

    Which cases and keys there are is told by the side that has the newest run, as `pool` has it.
    """
    if one is None or other is None:
        return one or other
    older, newer = sorted((one, other), key=_newest)
    runs = {run.run: run for run in (*older.runs, *newer.runs)}
    kept = sorted(runs.values(), key=lambda run: (run.date, run.run))[-KEPT_RUNS:]
    names = {run.run for run in kept}
    merged = (_line(older.lines.get(key), line, names) for key, line in newer.lines.items())
    return Baseline(runs=tuple(kept), lines={(line.case, line.metric): line for line in merged if line.runs})


def _newest(baseline: Baseline) -> tuple[str, str]:
    return max(((run.date, run.run) for run in baseline.runs), default=("", ""))


def _line(old: BaselineLine | None, line: BaselineLine, kept: set[str]) -> BaselineLine:
    before = old.runs if old and old.key == line.key else {}
    samples = {run: values for run, values in {**before, **line.runs}.items() if run in kept}
    return BaselineLine(case=line.case, metric=line.metric, key=line.key, runs=samples)
