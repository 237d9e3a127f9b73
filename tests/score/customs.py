"""Custom metrics with their code in a folder, asked about trials."""

import os
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from gate.model.case import Case, Expect
from gate.model.score import Score, Unscored
from gate.model.trace import Trace
from gate.score import METRICS
from gate.score.custom import Custom
from tests.score.made import case, config, said, trace, turn

CASE = case(Expect(contains=("x",), reference="a reference"))
TRIAL = trace(turn(said("an answer")))


def reachable_python() -> str:
    """A Python that a user other than root can start too, where the tests are root."""
    if os.geteuid() != 0:
        return sys.executable
    return next((path for path in ("/usr/bin/python3", "/usr/local/bin/python3") if shutil.which(path)), "")


@asynccontextmanager
async def running(folder: Path, kind: str, name: str = "mine", **options: Any) -> AsyncIterator[Custom]:
    """The metric, ready; a Python one with the interpreter of the tests."""
    if kind == "python":
        options.setdefault("python", sys.executable)
    made = METRICS[kind](replace(config(kind, **options), name=name, root=str(folder)))
    assert isinstance(made, Custom)
    async with made:
        yield made


async def scores(
    folder: Path, kind: str, trials: Sequence[Trace] = (TRIAL,), of: Case = CASE, **options: Any
) -> list[Score]:
    async with running(folder, kind, **options) as metric:
        return [await metric.score(of, each) for each in trials]


async def of_function(
    folder: Path, body: str, of: Case = CASE, trial: Trace = TRIAL, **options: Any
) -> Score:
    """The score that a Python function gives: `body` is the file, with a function `evaluate`."""
    (folder / "metrics.py").write_text(body, encoding="utf-8")
    (found,) = await scores(folder, "python", [trial], of, file="metrics.py", **options)
    return found


def why(score: Score) -> str:
    assert isinstance(score, Unscored), score
    assert score.cause == "metric"
    return score.reason
