"""Lines of custom metrics: hostile ones are Unscored, and no number ever means that nothing was measured."""

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gate.documents import schema_text
from gate.formats.metric_answer import answered, score_of
from gate.model.score import Item, Scored, Unscored

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
ANSWERS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("id", "score", "explanation", "items", "error", "other"), JSON),
)
RESPONSE = Draft202012Validator(json.loads(schema_text("metric-response")))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"score": 0.5}, Scored(value=0.5, items=(Item(where="case", value=0.5),))),
        ({"score": True, "explanation": None}, Scored(value=1.0, items=(Item(where="case", value=1.0),))),
        (
            {"score": 0, "explanation": "no\n good"},
            Scored(value=0.0, items=(Item(where="case", value=0.0, reason="no good"),), reason="no good"),
        ),
        (
            {"items": [1, {"score": 0.5, "explanation": "half"}]},
            Scored(
                value=0.75,
                items=(Item(where="turn 1", value=1.0), Item(where="turn 2", value=0.5, reason="half")),
                reason="turn 2: half",
            ),
        ),
        (
            {"score": 0.5, "items": [1], "explanation": "the worst"},
            Scored(
                value=0.5,
                items=(
                    Item(where="item 1", value=1.0),
                    Item(where="case", value=0.5, reason="the worst"),
                ),
                reason="the worst",
            ),
        ),
        (
            {"score": 1, "items": [1, 0.5]},
            Scored(value=1.0, items=(Item(where="turn 1", value=1.0), Item(where="turn 2", value=0.5))),
        ),
    ],
)
def test_an_answer_is_a_score(answer: dict[str, Any], expected: Scored) -> None:
    assert score_of(answer, turns=2) == expected


@given(ANSWERS, st.integers(0, 3))
@example({"score": 0.0, "error": "both"}, 0)
@example({"score": -0.0}, 0)
@example({"score": 5e-324}, 0)
@example({"score": 1, "explanation": []}, 0)
@example({"items": [{"score": 1, "where": 5}]}, 0)
@example({"items": [{"score": 1, "explanation": {}}]}, 0)
def test_whatever_is_answered_gives_a_value_from_0_to_1_or_a_reason(
    answer: dict[str, Any], turns: int
) -> None:
    found = score_of(answer, turns=turns)
    if isinstance(found, Unscored):
        assert found.cause == "metric"
        assert found.reason
        return
    assert RESPONSE.is_valid(
        {"id": "x", **answer, **({} if isinstance(answer.get("id", ""), str) else {"id": ""})}
    )
    for value in (found.value, *(item.value for item in found.items)):
        assert 0 <= value <= 1
        assert math.isfinite(value)
    assert found.items


@given(JSON, st.sampled_from([(0.0, 5.0), (-1.0, 1.0), (1.0, 1e12)]))
def test_a_scale_never_gives_a_value_outside_of_0_to_1(value: Any, scale: tuple[float, float]) -> None:
    found = score_of({"score": value}, scale)
    assert isinstance(found, Unscored) or 0 <= found.value <= 1


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
@example(b'{"id": "x", "score": 1' + b"0" * 5000 + b"}")
@example(b"[" * 100_000)
@example(b'{"id": "\\ud800"}')
@example(b'\xff{"id": "x"}')
def test_whatever_a_line_is_it_is_an_answer_or_a_value_error(line: bytes) -> None:
    try:
        found = answered(line)
    except ValueError:
        return
    assert isinstance(found["id"], str)


@given(score=st.floats(0, 1), items=st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_no_score_stands_over_an_item_that_is_better_than_it(score: float, items: list[float]) -> None:
    found = score_of({"id": "x", "score": score, "items": [*items]})
    assert isinstance(found, Scored)
    assert found.worst <= found.value, "a case would pass by its items, and no baseline could be read"
