import pytest

from gate.http.pace import LONGEST_BACKOFF_S, Pace, backoff


class Time:
    """A clock that moves by sleeping only."""

    def __init__(self) -> None:
        self.now = 100.0

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def test_places_are_spread_evenly() -> None:
    time = Time()
    pace = Pace(0.25, sleep=time.sleep, clock=time.clock)
    assert [await pace.place() for _ in range(3)] == [0.0, 4.0, 4.0]
    assert time.now == 108.0


async def test_places_that_nobody_took_are_not_saved_up() -> None:
    time = Time()
    pace = Pace(1.0, sleep=time.sleep, clock=time.clock)
    await pace.place()
    time.now += 60
    assert [await pace.place() for _ in range(2)] == [0.0, 1.0]


async def test_without_a_rate_nobody_waits() -> None:
    time = Time()
    pace = Pace(None, sleep=time.sleep, clock=time.clock)
    assert [await pace.place() for _ in range(3)] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("attempt", "asked", "seconds"),
    [
        (1, None, 1.0),
        (2, None, 2.0),
        (3, None, 4.0),
        (6, None, LONGEST_BACKOFF_S),
        (10_000, None, 30.0),
        (3, 0.0, 0.0),
    ],
)
def test_the_wait_doubles_up_to_a_cap_unless_it_was_asked_for(
    attempt: int, asked: float | None, seconds: float
) -> None:
    assert backoff(attempt, asked) == seconds
