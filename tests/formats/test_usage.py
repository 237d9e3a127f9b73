"""What an answer says of its tokens and its model, under the names of each API."""

from typing import Any

import pytest

from gate.formats.adk_parts import usage_of as of_adk
from gate.formats.openai_fields import usage_of as of_openai
from gate.model.trace import Usage


def used(sent: int, made: int, cached: int = 0, model: str = "") -> Usage:
    return Usage(input_tokens=sent, output_tokens=made, cached_tokens=cached, model=model)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({}, None),
        ({"modelVersion": "m"}, None),
        ({"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 3}}, used(9, 3)),
        (
            {
                "modelVersion": "gemini-3.5-flash",
                "usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": 4},
            },
            used(9, 0, 4, "gemini-3.5-flash"),
        ),
        (
            {"model_version": "m", "usage_metadata": {"prompt_token_count": 9, "thoughts_token_count": 2}},
            used(9, 2, 0, "m"),
        ),
        ({"usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": 99}}, used(9, 0, 9)),
        ({"usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": -1}}, used(9, 0)),
        ({"modelVersion": 5, "usageMetadata": {"promptTokenCount": 9}}, used(9, 0, 0, "5")),
    ],
)
def test_adk_counts_cached_tokens_within_the_prompt(record: Any, expected: Usage | None) -> None:
    assert of_adk(record) == expected


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"model": "m"}, None),
        ({"model": "gpt", "usage": {"prompt_tokens": 9, "completion_tokens": 3}}, used(9, 3, 0, "gpt")),
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}}, used(9, 0, 4)),
        ({"usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}}}, used(9, 0, 4)),
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 99}}}, used(9, 0, 9)),
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": "none"}}, used(9, 0)),
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": "x"}}}, used(9, 0)),
        ({"model": ["m"], "usage": {"prompt_tokens": 9}}, used(9, 0)),
        ({"model": None, "usage": {"output_tokens": 9}}, used(0, 9)),
    ],
)
def test_openai_counts_cached_tokens_within_the_input(record: Any, expected: Usage | None) -> None:
    assert of_openai(record) == expected
