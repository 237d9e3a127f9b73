"""The baseline: pooled evidence of accepted runs, as canonical JSON lines.

Line 1 is the header `{"runs": […], "version": 1}`; then one line a case and metric, sorted, with every
trial's sample by run. A sample is a number, `[mean, worst item]`, or the cause why there is none.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from gate.compare.values import samples_of
from gate.formats.records import Malformed, dump, load
from gate.model import Json
from gate.model.run import Baseline, BaselineLine, BaselineRun, CaseEvidence, Evidence, Report

T = TypeVar("T")

KEPT_RUNS = 10
VERSION = 1


def pool(baseline: Baseline | None, evidence: Evidence, reason: str) -> Baseline:
    """The baseline with one more run; keeps the last ten, drops cases that the run no longer has.

    Values under another key are dropped with their line: they can never be compared again.
    """
    meta = evidence.meta
    commit = meta.commit
    run = BaselineRun(
        run=meta.run, commit=commit.sha, date=meta.started_at, reason=reason, branch=commit.branch
    )
    before = tuple(r for r in baseline.runs if r.run != meta.run) if baseline else ()
    runs = (*before, run)[-KEPT_RUNS:]
    kept = {r.run for r in runs}
    lines = {
        (case.facts.id, metric): _line(case, metric, key, baseline, run.run, kept)
        for case in evidence.cases
        for metric, key in case.facts.keys.items()
    }
    return Baseline(runs=runs, lines=lines)


def refusals(report: Report) -> Iterator[str]:
    """Why a run should not become a baseline without a reason given; nothing where it may."""
    meta, comparison = report.meta, report.comparison
    if comparison.verdict == "regression":
        yield f"it is red: {comparison.reason}"
    if comparison.verdict == "undecided":
        yield f"it is undecided ({comparison.cause}): {comparison.reason}"
    if meta.selection:
        yield f"it is filtered ({' '.join(meta.selection)})"
    if meta.interrupted:
        yield "it was interrupted"
    if meta.measured_trials < meta.planned_trials:
        yield f"only {meta.measured_trials} of {meta.planned_trials} trials were measured"
    if meta.env:
        yield f"its agent ran with {' '.join(f'--env {pair}' for pair in meta.env)}"
    if meta.commit.dirty:
        yield "it was made from uncommitted changes"


def must_not(report: Report) -> str:
    """Why a run can never become a baseline, whatever the reason: a part of the suite is no suite."""
    if report.meta.selection:
        part = " ".join(report.meta.selection)
        return f"a filtered run ({part}) cannot become a baseline: run the whole suite"
    if not report.meta.measured_trials:
        return "nothing was measured in this run"
    return ""


def to_lines(baseline: Baseline) -> Iterator[Json]:
    """The JSON values of the file's lines."""
    yield {"version": VERSION, "runs": dump(baseline.runs)}
    for key in sorted(baseline.lines):
        yield dump(baseline.lines[key])


def from_lines(values: Sequence[Json]) -> Baseline:
    """The baseline of parsed lines; raises Malformed with the line's number."""
    if not values:
        raise Malformed("line 1: the file is empty; expected the header")
    header = values[0]
    if not isinstance(header, dict) or header.get("version") != VERSION:
        raise Malformed(f"line 1: expected the header of a version {VERSION} baseline")
    runs = _at(1, tuple[BaselineRun, ...], header.get("runs"))
    lines = [_at(number, BaselineLine, value) for number, value in enumerate(values[1:], start=2)]
    return Baseline(runs=runs, lines={(line.case, line.metric): line for line in lines})


def _at(number: int, kind: type[T], value: Json) -> T:
    try:
        return load(kind, value)
    except Malformed as error:
        raise Malformed(f"line {number}: {error}") from None


def _line(
    case: CaseEvidence, metric: str, key: str, baseline: Baseline | None, run: str, kept: set[str]
) -> BaselineLine:
    old = baseline.lines.get((case.facts.id, metric)) if baseline else None
    before = {r: samples for r, samples in old.runs.items() if r in kept} if old and old.key == key else {}
    runs = {**before, run: samples_of(case, metric)}
    return BaselineLine(case=case.facts.id, metric=metric, key=key, runs=runs)
