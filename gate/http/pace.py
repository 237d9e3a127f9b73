"""When a server may be sent something: the rate limit, and the wait before another attempt."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime

FIRST_BACKOFF_S = 1.0
LONGEST_BACKOFF_S = 30.0


class Pace:
    """Shared by all workers. Each turn takes one place, a retried one too; opening a session takes none.

    Places are spread evenly: at 15 a minute a turn may start every four seconds. `sleep` and `clock` (both in
    seconds) are there for tests.
    """

    def __init__(
        self,
        rate_per_s: float | None = None,
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._interval = 1 / rate_per_s if rate_per_s else 0.0
        self._sleep = sleep
        self._clock = clock
        self._next = 0.0

    async def place(self) -> float:
        """Wait until the next turn may be sent; returns the seconds that were waited."""
        if not self._interval:
            return 0.0
        now = self._clock()
        start = max(now, self._next)
        self._next = start + self._interval
        if start > now:
            await self._sleep(start - now)
        return start - now

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._sleep(seconds)


def backoff(attempt: int, asked_s: float | None) -> float:
    """Seconds before attempt `attempt` + 1: what the other side asked for, else 1, 2, 4, … up to 30."""
    if asked_s is not None:
        return asked_s
    return min(LONGEST_BACKOFF_S, FIRST_BACKOFF_S * 2.0 ** min(attempt - 1, 10))


def asked_wait_s(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """The seconds that `retry-after` asks to wait (RFC 9110: seconds or a date), where there is one."""
    header = headers.get("retry-after", "").strip()
    if header.isascii() and header.replace(".", "", 1).isdecimal():
        return float(header)
    date = _date(header) if header else None
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds()) if date else None


def _date(header: str) -> datetime | None:
    try:
        from email.utils import parsedate_to_datetime  # few answers have one

        date = parsedate_to_datetime(header)
    except (ValueError, OverflowError):  # the second for a time zone beyond all measure
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)
