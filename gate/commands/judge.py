"""`agent-gate judge calibrate`: the anchors alone, and what they say of judge and threshold."""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

from gate.check import check, stops
from gate.compare.calibration import Threshold, suggested, thresholds
from gate.compare.health import LABEL_YES
from gate.errors import PASS, UNDECIDED, BadInput, UsageError
from gate.model.judge import Agreement
from gate.publish.columns import aligned
from gate.publish.escape import line
from gate.publish.words import count
from gate.redact import Redactor
from gate.score import build
from gate.score.judge import Judge
from gate.suite import secrets_of

_NEEDED = "metrics: {tone: {type: judge, anchors: golden/anchors.yaml}}"


def main(options: argparse.Namespace) -> int:
    """Print agreement, thresholds and the anchors that are judged otherwise; 3 where none could be judged."""
    checked = check(Path(options.config), boots=False)
    if checked.config is None or stops(checked.findings, strict=False):
        raise BadInput(checked.findings)
    judges = [
        metric for metric in build(checked.config.metrics) if isinstance(metric, Judge) and metric.anchors
    ]
    if not judges:
        raise UsageError("no metric has a judge with anchors", hint=_NEEDED)
    asyncio.run(_measure(judges, Redactor(secrets_of(checked.config))))
    print("\n\n".join("\n".join(_told(judge)) for judge in judges))
    judged = (any(each.value is not None for each in judge.reading.anchors) for judge in judges)
    return PASS if all(judged) else UNDECIDED


async def _measure(judges: Sequence[Judge], redact: Redactor) -> None:
    from gate.judge import Bench

    async with Bench(redact) as bench:
        for judge in judges:
            await judge.sit(bench)
            async with judge:
                pass


def _told(judge: Judge) -> Iterator[str]:
    reading = judge.reading
    names = ", ".join(line(name, 80) for name in reading.reported) or "no name"
    asked = f"{line(judge.judge.name)} ({line(judge.judge.model)}, reported as {names})"
    judged = sum(each.value is not None for each in reading.anchors)
    yield f"{line(judge.name)}: judge {asked}, {judged} of {count(len(reading.anchors), 'anchor')} judged"
    if judge.lost:
        yield f"  not judged: {line(judge.lost, 300)}"
    found = thresholds(reading.anchors)
    if found:
        yield from _table(judge, found)
    yield from _others(judge)


def _table(judge: Judge, found: Sequence[Threshold]) -> Iterator[str]:
    if judge.kind_asked == "rubric":
        yield f"  agrees with people on {_share(found[-1].agreement)}"
        return
    rows = [(f"{each.at:.2f}", str(each.agreement.agreed), _kappa(each.agreement)) for each in found]
    yield from (f"  {row}" for row in aligned([("yes from", "agrees", "kappa"), *rows], right=range(3)))
    best = suggested(found)
    if best is None:
        yield "  no threshold tells yes from no any better than chance: change the prompt, or the judge"
    else:
        yield f"  suggested: pass_at: {best:g} (now {judge.at:g})"


def _share(agreed: Agreement) -> str:
    return f"{agreed.agreed} of {agreed.judged} (kappa {_kappa(agreed)})"


def _kappa(agreed: Agreement) -> str:
    return "-" if agreed.kappa is None else f"{agreed.kappa:.2f}"


def _others(judge: Judge) -> Iterator[str]:
    """The anchors that judge and people see otherwise."""
    places = {anchor.id: anchor.place for anchor in judge.anchors}
    for each in judge.reading.anchors:
        people = each.label >= LABEL_YES
        if each.value is not None and people != (each.value >= judge.at):
            where = f"{line(each.anchor, 80)} at {line(str(places[each.anchor]), 160)}"
            yield f"  {where}: people say {'yes' if people else 'no'}, the judge gives {each.value:.2f}"
