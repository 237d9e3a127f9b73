"""What commands print: progress while a run goes on, and the report at its end."""

import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from gate.compare.passing import record_passes
from gate.documents import write_text
from gate.errors import UsageError
from gate.formats.records import dump
from gate.model import Json
from gate.model.case import Side
from gate.model.run import MetricFacts, TrialRecord
from gate.model.score import Scored
from gate.model.verdict import Report
from gate.publish import SINKS
from gate.publish.progress import case_line, plan_line, progress_line
from gate.publish.words import count as counted
from gate.results import LOG_FILE, RUN_FILE, TRACES_FILE
from gate.suite import Suite, most_judgements

_ELSEWHERE = "Choose another folder with --out."


class Progress:
    """Tells a terminal with one line that is drawn again, and a log with one line a case."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn = stream.isatty() and not os.environ.get("CI")
        self._cases: dict[tuple[str, Side], _CaseCount] = {}
        self._metrics: dict[Side, tuple[MetricFacts, ...]] = {}
        self._started = time.monotonic()

    def planned(self, suite: Suite) -> None:
        """Print the warnings and the plan."""
        from gate.check.render import render_findings

        if suite.warnings:
            self._print(render_findings(suite.warnings))
        run = suite.config.run
        turns = sum(len(case.turns) for case in (*suite.cases, *suite.apart))
        planned = len(suite.cases) + len(suite.apart)
        self._print(plan_line(planned, run.trials, run.rate_per_s, turns=turns))
        if asked := most_judgements(suite):
            self._print(f"at most {counted(asked, 'question')} to judges, retries not counted")
        if suite.apart:
            told = counted(
                len(suite.apart), "of them runs as the base has it", "of them run as the base has them"
            )
            self._print(f"{told}: this pull request changes or removes what is sent")
        self._cases = {(case.id, "head"): _CaseCount(run.trials) for case in suite.cases}
        self._cases |= {(case.id, "base"): _CaseCount(run.trials) for case in suite.apart}
        self._metrics = {"head": suite.head.metric_facts, "base": (suite.base or suite.head).metric_facts}
        self._started = time.monotonic()

    def measured(self, record: TrialRecord, side: Side) -> None:
        """Count a trial; say so."""
        count, metrics = self._cases[record.case, side], self._metrics[side]
        count.add(record, record_passes(metrics, record), _reason(record, metrics))
        if self._drawn:
            self._draw()
        elif count.done == count.planned:
            self._print(
                case_line(
                    record.case,
                    passed=count.passed,
                    measured=count.measured,
                    planned=count.planned,
                    seconds=count.seconds,
                    reason=count.reason,
                )
            )

    def _draw(self) -> None:
        counts = self._cases.values()
        done, planned = sum(c.done for c in counts), sum(c.planned for c in counts)
        finished = sum(c.done == c.planned for c in counts)
        elapsed = time.monotonic() - self._started
        text = progress_line(
            cases=(finished, len(counts)),
            trials=(done, planned),
            failed=sum(c.failed for c in counts),
            left_s=elapsed / done * (planned - done),
        )
        self._print(f"\r\x1b[K{text}", end="\n" if done == planned else "")

    def _print(self, text: str, end: str = "\n") -> None:
        with suppress(OSError):  # nobody listens any more, or the disk is full: the run goes on
            print(text, end=end, file=self._stream, flush=True)


class _CaseCount:
    """How far one case is."""

    def __init__(self, planned: int) -> None:
        self.planned = planned
        self.done = self.passed = self.measured = self.failed = 0
        self.seconds = 0.0
        self.reason = ""

    def add(self, record: TrialRecord, passed: bool | None, reason: str) -> None:  # noqa: FBT001  # a verdict
        self.done += 1
        self.passed += passed is True
        self.failed += passed is False
        self.measured += passed is not None
        self.seconds += record.duration_ms / 1000
        if passed is not True and not self.reason:
            self.reason = reason


def _reason(record: TrialRecord, metrics: Sequence[MetricFacts]) -> str:
    """Why a trial did not pass: what a metric that has a say found wrong, or else why it was not measured."""
    if record.outcome.reason:
        return record.outcome.reason
    scores = [score for m in metrics if m.decisive and (score := record.scores.get(m.name))]
    scores.sort(key=lambda score: not isinstance(score, Scored))
    return next((score.reason for score in scores if score.reason), "")


def show_report(
    report: Report, *, out: Path | None = None, as_json: bool = False, code: int | None = None
) -> None:
    """Print the report to standard output: for people, or the same facts as JSON."""
    if as_json:
        print(printed(dump(report)))
        return
    from gate.publish.terminal import render  # not needed before the first request

    names = (RUN_FILE, TRACES_FILE, *(sink.file for sink in SINKS.values()))
    files = [str(out / name) for name in names] if out else []
    print(render(report, files=files, colour=_wants_colour(sys.stdout), code=code), end="")


def printed(value: Json) -> str:
    r"""JSON for standard output: the same value, in which no character escapes or turns text around.

    `##[error]` is a command anywhere in a line of a runner's log, also inside of a JSON string: there it
    reads `#\u0023[error]`.
    """
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return text.replace("##", "#\\u0023")


def deliver(text: str, to: str | None) -> None:
    """Print a text, or write it to a new file; raises UsageError where there is one already."""
    if to is None:
        print(text)
        return
    if os.path.lexists(to):
        raise UsageError(f"{to} is there already", hint="Choose another name with --to, or remove it.")
    write_text(Path(to), text + "\n")
    print(f"{to} is written", file=sys.stderr)


def claim(out: Path, suite: Suite) -> None:
    """Refuse a folder in which a run would overwrite what is not its own; raises UsageError.

    That is the config's folder, one with golden files or the baseline, and one that holds files of our
    names, or links, and no run.
    """
    root, real = Path(suite.config.root), os.path.realpath(out)
    holds = {
        os.path.realpath(Path(facts.place.file).parent): "golden files" for facts in suite.head.case_facts
    }
    holds |= {os.path.realpath((root / suite.config.baseline).parent): "the baseline"}
    holds |= {os.path.realpath(root): "the config"}
    if real in holds:
        what = f"{out} holds {holds[real]}: the files of a run have a folder of their own"
        raise UsageError(what, hint=_ELSEWHERE)
    names = [sink.file for sink in SINKS.values()]
    ours = (out / RUN_FILE).is_file() or (out / TRACES_FILE).is_file()
    there = [name for name in names if (out / name).exists() and not ours]
    links = [name for name in (*names, RUN_FILE, TRACES_FILE, LOG_FILE) if (out / name).is_symlink()]
    if there or links:
        what = f"{out} holds {', '.join(there or links)}, which no run wrote and this one would overwrite"
        raise UsageError(what, hint=_ELSEWHERE)


def _wants_colour(stream: TextIO) -> bool:
    """Whether colour is welcome (https://no-color.org, https://force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()
