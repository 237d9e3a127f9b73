"""Moments as people write them."""

import time

import pytest

from gate.recorded.since import since


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-02", 86400.0),
        ("2026-11-30", 1_795_996_800.0),
        ("1970-01-01T01:00:00Z", 3600.0),
        ("1970-01-01T01:00:00+01:00", 0.0),
        ("1970-01-01 00:00:01.5", 1.5),
    ],
)
def test_a_date_is_utc_unless_it_says_otherwise(text: str, seconds: float) -> None:
    assert since(text) == seconds


@pytest.mark.parametrize(("text", "ago"), [("90m", 5400), ("2h", 7200), ("7d", 604_800), ("1w", 604_800)])
def test_a_span_counts_back_from_now(text: str, ago: int) -> None:
    before = time.time()
    found = since(text)
    assert before - ago <= found <= time.time() - ago


@pytest.mark.parametrize("text", ["", "yesterday", "5", "5y", "-2h", "2026-13-01", "9999999d", "²h"])
def test_what_is_no_moment_says_how_to_write_one(text: str) -> None:
    with pytest.raises(ValueError, match="write 2026-11-30"):
        since(text)
