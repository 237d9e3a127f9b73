from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import BadInput
from gate.model.case import Expect
from gate.model.score import Unscored
from gate.model.trace import Crashed, Event, Usage
from tests.score.made import case, metric, score, scored, trace, turn

ONE = case(Expect())
PRICES = {"small": {"input": 0.3, "output": 2.5, "cached": 0.03}, "big": {"input": 2, "output": 8}}


def used(model: str, sent: int, made: int, cached: int = 0) -> Event:
    return Event(usage=Usage(input_tokens=sent, output_tokens=made, cached_tokens=cached, model=model))


def cost(*events: Event, **options: Any) -> float:
    return scored(metric("cost", prices=PRICES, **options), ONE, trace(turn(*events))).value


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([used("small", 1_000_000, 0)], 0.3),
        ([used("small", 0, 1_000_000)], 2.5),
        ([used("small", 1_000_000, 0, cached=400_000)], 0.6 * 0.3 + 0.4 * 0.03),
        ([used("big", 1_000_000, 0, cached=400_000)], 2),
        ([used("small", 1000, 0, cached=1_000_000)], 0.0003 + 0.03),
        ([used("small", 0, 0, cached=1_000_000)], 0.03),
        ([used("small", 1000, 10), used("big", 500, 20)], (300 + 25 + 1000 + 160) / 1e6),
        ([used("small", 0, 0)], 0),
        ([used("unheard", 0, 0)], 0),
    ],
)
def test_tokens_cost_what_the_prices_say(events: list[Event], expected: float) -> None:
    assert cost(*events) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 10**9))))
def test_the_cost_is_the_sum_over_tokens_at_their_price(counts: list[tuple[int, int, int]]) -> None:
    events = [used("small", sent + cached, made, cached) for sent, made, cached in counts]
    by_token = sum(0.3e-6 * sent + 2.5e-6 * made + 0.03e-6 * cached for sent, made, cached in counts)
    if events:
        assert cost(*events) == pytest.approx(by_token)


def unscored(*events: Event, **options: Any) -> str:
    found = score(metric("cost", prices=PRICES, **options), ONE, trace(turn(*events)))
    assert isinstance(found, Unscored), found
    assert found.cause == "not_exposed"
    return found.reason


def test_a_model_without_a_price_is_unknown_and_never_free() -> None:
    assert unscored(used("small", 9, 9), used("small-2026-01", 5, 5)) == (
        "`small-2026-01` has no price: prices: {small-2026-01: {input: …, output: …}}"
    )
    assert unscored(used("", 5, 5)).startswith("no event names the model")
    assert cost(used("", 1_000_000, 0), model="small") == pytest.approx(0.3)
    assert unscored(used("unheard", 1, 1), model="small").startswith("`unheard` has no price")


def test_tokens_that_nobody_reports_cost_nobody_knows_what() -> None:
    assert unscored(Event()) == "no event of this trial carries token usage"
    broken = trace(turn(used("small", 1, 1)), outcome=Crashed(reason="HTTP 500"))
    found = score(metric("cost", prices=PRICES), ONE, broken)
    assert found == Unscored(cause="crashed", reason="HTTP 500")


def test_amounts_at_other_prices_are_not_comparable() -> None:
    dearer = {**PRICES, "big": {"input": 3, "output": 8}}
    assert metric("cost", prices=PRICES).expectation(ONE) != metric("cost", prices=dearer).expectation(ONE)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({}, "metric 'cost' of type 'cost' needs `prices`"),
        (
            {"prices": PRICES, "model": "huge"},
            "metric 'cost' of type 'cost' takes the model 'huge' for granted, which has no price",
        ),
        ({"prices": PRICES, "model": 3}, "metric 'cost' of type 'cost' cannot use this 'model'"),
    ],
)
def test_what_cannot_be_priced_is_a_finding(options: dict[str, Any], what: str) -> None:
    with pytest.raises(BadInput) as error:
        metric("cost", **options)
    assert what in [finding.what for finding in error.value.findings]


@given(st.integers(0, 2**53), st.integers(0, 2**53), st.integers(0, 2**53))
def test_nothing_that_an_agent_reports_makes_it_cheaper_than_free(sent: int, made: int, cached: int) -> None:
    assert cost(used("small", sent, made, cached)) >= 0
