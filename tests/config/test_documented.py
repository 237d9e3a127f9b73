"""What docs/numbers.md writes down is a config, and a metric of every name that it has."""

import re
from pathlib import Path

import pytest

from gate.config.floors import FLOORS
from gate.score import METRICS, build
from tests.config.test_config import SMALL, load

TEXT = (Path(__file__).parents[2] / "docs/numbers.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_every_example_is_a_config(block: str) -> None:
    loaded = load(SMALL + block)
    assert loaded.findings == ()
    assert loaded.config
    assert build(loaded.config.metrics)


def test_every_measure_and_every_metric_of_text_is_told() -> None:
    told = {name for name in METRICS if f"`{name}`" in TEXT}
    assert told >= {*FLOORS, "rouge_1", "rouge_2", "rouge_l", "exact", "similarity", "trajectory_f1"}
    assert len(BLOCKS) == 4
