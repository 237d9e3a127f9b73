"""The baseline: pooled evidence of accepted runs, as canonical JSON lines.

Line 1 is the header `{"runs": […], "version": 1}`; then one line a case and metric, sorted, with every
trial's sample by run. A sample is a number, `[mean, worst item]`, or the cause why there is none.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from gate.compare.passing import TOLERANCE
from gate.compare.values import samples_of
from gate.formats.records import Malformed, dump, load
from gate.model import Json
from gate.model.baseline import Baseline, BaselineLine, BaselineRun, Sample, Value
from gate.model.run import CaseEvidence, Evidence
from gate.model.verdict import Report

T = TypeVar("T")

KEPT_RUNS = 10
VERSION = 1
UNCOMMITTED = "it was made from uncommitted changes"
"""The one of `refusals` that a commit and another run take away."""


def pool(baseline: Baseline | None, evidence: Evidence, reason: str) -> Baseline:
    """The baseline with one more run; keeps the last ten, drops cases that the run no longer has.

    Values under another key are dropped with their line: they can never be compared again.
    """
    meta = evidence.meta
    commit = meta.commit
    run = BaselineRun(
        run=meta.run,
        commit=commit.sha,
        date=meta.started_at,
        reason=reason,
        branch=commit.branch,
        judges=evidence.judges,
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
        yield UNCOMMITTED


def accepted_by(report: Report) -> str:
    """Who accepted what the run's pull request changes of its bar, as a reason; "" where nobody had to."""
    accepted = report.comparison.bar.accepted if report.comparison.bar else None
    if accepted is None:
        return ""
    return f"accepted by {accepted.by} ({accepted.how}, {accepted.at}) for {accepted.head[:12]}"


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


def from_lines(values: Iterable[Json]) -> Baseline:
    """The baseline of parsed lines; raises Malformed with the line's number.

    No run or line is there twice, no line knows a run that the header does not, the trials of a case in a run
    are as many for every metric, and each sample is one that a metric gives.
    """
    numbered = enumerate(values, start=1)
    header = next(numbered, (1, None))[1]
    runs = _header(header)
    known = {run.run for run in runs}
    lines: dict[tuple[str, str], BaselineLine] = {}
    trials: dict[tuple[str, str], int] = {}
    for number, value in numbered:
        line = _at(number, BaselineLine, value)
        if problem := _problem(line, lines, known, trials):
            raise Malformed(f"line {number}: {problem}")
        lines[line.case, line.metric] = line
    return Baseline(runs=runs, lines=lines)


def _header(header: Json) -> tuple[BaselineRun, ...]:
    if header is None:
        raise Malformed("line 1: the file is empty; expected the header")
    version = header.get("version") if isinstance(header, dict) else None
    if not isinstance(header, dict) or type(version) is not int or version != VERSION:
        raise Malformed(f"line 1: expected the header of a version {VERSION} baseline")
    if unknown := sorted(header.keys() - {"version", "runs"}):
        raise Malformed(f"line 1: {unknown[0]!r} is no key of the header")
    runs = _at(1, tuple[BaselineRun, ...], header.get("runs"))
    if not runs:
        raise Malformed("line 1: it has no run, and so no evidence")
    if len({run.run for run in runs}) < len(runs):
        raise Malformed("line 1: a run is there twice")
    return runs


def _problem(
    line: BaselineLine,
    lines: Mapping[tuple[str, str], BaselineLine],
    known: Collection[str],
    trials: dict[tuple[str, str], int],
) -> str:
    """Why a line cannot stand beside those before it; `trials` collects how many a case has in a run."""
    if (line.case, line.metric) in lines:
        return f"metric {line.metric!r} of case {line.case!r} is there twice"
    if not line.runs:
        return "it has no run"
    for run, samples in line.runs.items():
        if run not in known:
            return f"run {run!r} is not in the header"
        if trials.setdefault((line.case, run), len(samples)) != len(samples) or not samples:
            return f"{len(samples)} trials of run {run!r}, of which other metrics have another number"
        if not all(_is_evidence(sample) for sample in samples):
            return f"run {run!r} has a sample that no metric gives: below 0, or a worst item above the mean"
    return ""


def _is_evidence(sample: Sample) -> bool:
    return not isinstance(sample, Value) or 0 <= sample.worst <= sample.mean + TOLERANCE


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
