"""Who used how many tokens, as a mapping reads it and as a trace keeps it."""

from dataclasses import replace
from typing import Any

import pytest

from gate.drive.http_mapping import ResponseBlock
from gate.drive.recorder import Recorder
from gate.model.case import TextPart, User
from gate.model.trace import Event, Usage
from gate.redact import Redactor

BLOCK = ResponseBlock(
    {"text": "$.t", "usage": {"input": "$.i", "output": "$.o", "cached": "$.c", "model": "$.m"}}
)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {"i": 9, "o": 3, "c": 4, "m": "x"},
            Usage(input_tokens=9, output_tokens=3, cached_tokens=4, model="x"),
        ),
        ({"i": 9, "o": 3}, Usage(input_tokens=9, output_tokens=3)),
        ({"i": 9, "c": 99}, Usage(input_tokens=9, output_tokens=0, cached_tokens=9)),
        ({"i": 9, "c": "4", "m": 5}, Usage(input_tokens=9, output_tokens=0, model="5")),
        ({"m": "x", "c": 4}, None),
    ],
)
def test_a_mapping_reads_cached_tokens_and_the_model(body: Any, expected: Usage | None) -> None:
    assert [event.usage for event in BLOCK.events({"t": "hi", **body}, {})] == [expected]


def test_a_secret_in_the_name_of_a_model_is_masked() -> None:
    recorder = Recorder(Redactor(["hunter2-hunter2"]))
    recorder.begin(User(parts=(TextPart(text="hi"),)))
    recorder.hear(Event(usage=Usage(input_tokens=1, output_tokens=1, model="m-hunter2-hunter2")))
    recorder.end("answered")
    usage = recorder.turns[0].events[0].usage
    assert usage
    assert "hunter2" not in usage.model
    assert usage.input_tokens == 1


@pytest.mark.parametrize("field", ["input_tokens", "output_tokens", "cached_tokens"])
def test_no_model_has_used_fewer_tokens_than_none(field: str) -> None:
    with pytest.raises(ValueError):
        replace(Usage(input_tokens=0, output_tokens=0), **{field: -1})  # type: ignore[arg-type]
